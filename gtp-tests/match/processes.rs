//! Ends and standstills of matches and engines: kills, Ctrl-C, what scripts leave behind.

use std::fs;
use std::io::{Read as _, Write as _};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::Test;
use crate::matches::{self, fake, folder, games, lines, play, report, script, signal, troubled};

pub(crate) const TESTS: &[Test] = &[
    (
        "a_killed_match_continues_where_it_stopped",
        a_killed_match_continues_where_it_stopped,
    ),
    (
        "a_stopped_match_loses_no_game_on_time",
        a_stopped_match_loses_no_game_on_time,
    ),
    (
        "ctrl_c_prints_the_results_and_how_to_continue",
        ctrl_c_prints_the_results_and_how_to_continue,
    ),
    (
        "a_hanging_engine_started_by_a_script_is_ended",
        a_hanging_engine_started_by_a_script_is_ended,
    ),
    (
        "what_a_script_has_left_behind_is_ended",
        what_a_script_has_left_behind_is_ended,
    ),
    (
        "an_interrupted_match_leaves_no_engine_behind",
        an_interrupted_match_leaves_no_engine_behind,
    ),
];

fn a_killed_match_continues_where_it_stopped() {
    let out = folder("killed");
    let start = |games: &str| {
        let options = ["--games", games, "--concurrency", "2"];
        play(&fake("slow", 0, 1), &fake("slow", 0, 2), &out, &options)
    };
    let mut running = start("400")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while lines(&out) < 6 {
        assert!(
            running.try_wait().unwrap().is_none(),
            "the match ended by itself"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    running.kill().unwrap(); // SIGKILL
    running.wait().unwrap();
    let before = games(&out);
    assert!((5..400).contains(&before.len()), "{} games", before.len());
    // As if the kill had come in the middle of a line.
    let mut file = fs::File::options()
        .append(true)
        .open(out.join("results.jsonl"))
        .unwrap();
    file.write_all(b"{\"number\": 39").unwrap();
    drop(file);
    let wanted = before.len() + 5;
    report(start(&wanted.to_string()));
    let after = games(&out);
    assert_eq!(after[..before.len()], before);
    let mut numbers: Vec<u64> = after
        .iter()
        .map(|game| game["number"].as_u64().unwrap())
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), after.len(), "no game is played twice");
    assert!(after.len() >= wanted);
}

/// Ctrl-Z, or a virtual machine that stands still: longer than a game's clock.
fn a_stopped_match_loses_no_game_on_time() {
    let out = folder("stopped");
    let options = ["--games", "100", "--concurrency", "2", "--time", "2.5"];
    let mut running = play(&fake("slow", 0, 1), &fake("slow", 0, 2), &out, &options)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while lines(&out) < 6 {
        std::thread::sleep(Duration::from_millis(5));
    }
    signal(&running, "STOP");
    std::thread::sleep(Duration::from_secs(4));
    assert!(lines(&out) < 100, "it had ended before");
    signal(&running, "CONT");
    let mut said = String::new();
    let mut stderr = running.stderr.take().unwrap();
    stderr.read_to_string(&mut said).unwrap();
    assert!(running.wait().unwrap().success(), "{said}");
    assert!(said.contains("stood still for 4 s"), "{said}");
    let games = games(&out);
    assert_eq!(games.len(), 100);
    assert!(games.iter().all(|game| game["reason"] == "rules"));
}

fn ctrl_c_prints_the_results_and_how_to_continue() {
    let out = folder("ctrl-c");
    let engines = [fake("slow", 0, 1), fake("slow", 0, 2)];
    let start = |games: &str| play(&engines[0], &engines[1], &out, &["--games", games]);
    let mut running = start("4000")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    while lines(&out) < 4 {
        assert!(running.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(Duration::from_millis(5));
    }
    signal(&running, "INT");
    let output = running.wait_with_output().unwrap();
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt as _;
        assert_eq!(output.status.signal(), Some(2), "as a shell expects it");
    }
    let words = String::from_utf8_lossy(&output.stderr);
    let kept = games(&out).len();
    assert!(
        words.contains(&format!(
            "Interrupted with {kept} of 4000 games played: first"
        )),
        "{words}"
    );
    assert!(
        words.contains("They are kept, and the same command continues with the others."),
        "{words}"
    );
    report(start(&(kept + 2).to_string()));
    assert_eq!(games(&out).len(), kept + 2);
}

fn a_hanging_engine_started_by_a_script_is_ended() {
    let out = folder("script");
    let marker = format!("{}", std::process::id());
    // The shell stays the parent of the engine, whose seed is searched for in all command lines.
    let engine = fake("hang", 1, marker.parse().unwrap());
    let script = script(&out, &format!("{engine}; exit"), &format!("{engine}\nexit"));
    let options = ["--games", "1", "--move-limit", "0.3"];
    let report = troubled(play(&script, &fake("honest", 0, 2), &out, &options));
    assert_eq!(report["reasons"]["hang"], 1, "{report:#}");
    if cfg!(windows) {
        // Command lines cannot be listed there; `system::processes` has a separate test.
        return;
    }
    assert!(!is_running(&format!("--fake-engine hang 1 {marker}")));
}

/// The script is gone, and its process group has another member: a shell that burns the processor.
fn what_a_script_has_left_behind_is_ended() {
    for kind in ["crash", "fails-at-quit"] {
        let out = folder(&format!("left-{kind}"));
        let marker = format!("{}", std::process::id());
        let engine = fake(kind, 1, marker.parse().unwrap());
        let burner = format!("sh -c 'while :; do :; done' left-{kind}-{marker}");
        let script = script(&out, &format!("{burner} & {engine}"), "");
        let played = play(&script, &fake("honest", 0, 2), &out, &["--games", "1"]);
        let report = match kind {
            "crash" => troubled(played),
            _ => report(played),
        };
        let reason = if kind == "crash" { "crash" } else { "rules" };
        assert_eq!(report["reasons"][reason], 1, "{report:#}");
        assert!(!is_running(&format!("left-{kind}-{marker}")), "{kind}");
    }
}

/// Whether there is a process whose command line ends with these arguments.
fn is_running(arguments: &str) -> bool {
    let all = Command::new("ps").args(["-eo", "args"]).output().unwrap();
    let all = String::from_utf8_lossy(&all.stdout);
    all.lines().any(|line| line.ends_with(arguments))
}

/// An engine that is busy does not see that its input is closed.
fn an_interrupted_match_leaves_no_engine_behind() {
    // Nothing tells a program that it is killed: its guard ends the engines.
    for (number, signal) in ["INT", "TERM", "HUP", "KILL"].into_iter().enumerate() {
        if signal == "HUP" && !sees_the_end_of_a_terminal() {
            continue;
        }
        let out = folder(&format!("interrupted-{signal}"));
        let marker = format!("{}{number}", std::process::id());
        let engine = fake("hang", 1, marker.parse().unwrap());
        let mut running = play(&engine, &fake("honest", 0, 2), &out, &["--games", "2"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let log = out.join("stderr/first-0.log");
        while !fs::read_to_string(&log).is_ok_and(|said| said.contains("I think")) {
            assert!(running.try_wait().unwrap().is_none(), "it ended by itself");
            std::thread::sleep(Duration::from_millis(5));
        }
        let ours = format!("--fake-engine hang 1 {marker}");
        assert!(is_running(&ours), "{signal}");
        matches::signal(&running, signal);
        assert!(!running.wait().unwrap().success(), "{signal}");
        // No process waits for its end, which may take a moment.
        let gone = (0..200).any(|_| {
            std::thread::sleep(Duration::from_millis(50));
            !is_running(&ours)
        });
        assert!(gone, "{signal}");
        assert_eq!(games(&out).len(), 0, "a killed engine has lost nothing");
    }
}

/// Whether the end of a terminal is seen: under `nohup` it is ignored, and only Linux says so.
fn sees_the_end_of_a_terminal() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    ignored.is_some_and(|mask| mask & 1 == 0)
}
