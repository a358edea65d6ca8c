//! Misbehaving engines: each loses for the right reason, and the match continues.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::Test;
use crate::asked::{BRAINS, brain};
use crate::matches::{self, fake, folder, games, play, report, script, tournament, troubled};

pub(crate) const TESTS: &[Test] = &[
    (
        "each_misbehaviour_loses_for_its_reason",
        each_misbehaviour_loses_for_its_reason,
    ),
    (
        "an_engine_that_fails_late_loses_only_then",
        an_engine_that_fails_late_loses_only_then,
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
    ("a_late_answer_loses_on_time", a_late_answer_loses_on_time),
    (
        "thinking_while_the_opponents_move_is_told_takes_time",
        thinking_while_the_opponents_move_is_told_takes_time,
    ),
    (
        "a_game_is_kept_before_its_engines_rest",
        a_game_is_kept_before_its_engines_rest,
    ),
    (
        "a_late_answer_of_one_game_is_ignored_in_the_next",
        a_late_answer_of_one_game_is_ignored_in_the_next,
    ),
    (
        "a_program_that_has_just_moved_is_not_stopped_at_once",
        a_program_that_has_just_moved_is_not_stopped_at_once,
    ),
    (
        "much_output_on_stderr_is_kept_and_harmless",
        much_output_on_stderr_is_kept_and_harmless,
    ),
    (
        "warnings_are_in_the_report_and_the_exit_code",
        warnings_are_in_the_report_and_the_exit_code,
    ),
    (
        "an_engine_that_does_not_start_is_quoted",
        an_engine_that_does_not_start_is_quoted,
    ),
    (
        "an_engine_that_cannot_restart_ends_the_match",
        an_engine_that_cannot_restart_ends_the_match,
    ),
    (
        "a_tournament_without_ratings_says_why_games_are_missing",
        a_tournament_without_ratings_says_why_games_are_missing,
    ),
    (
        "a_tournament_goes_on_without_an_engine_that_cannot_restart",
        a_tournament_goes_on_without_an_engine_that_cannot_restart,
    ),
];

fn each_misbehaviour_loses_for_its_reason() {
    for (kind, reason) in [
        ("crash", "crash"),
        ("close", "crash"),
        ("hang", "hang"),
        ("garbage", "hang"),
        ("wrong-id", "hang"),
        ("no-vertex", "malformed"),
        ("endless-line", "malformed"),
        ("illegal", "illegal_move"),
        ("refuse", "refused"),
        ("resign", "resignation"),
    ] {
        if kind == "close" && !cfg!(unix) {
            // A process cannot replace itself by another one there.
            continue;
        }
        let out = folder(kind);
        // Only a hang has to run into it: a busy machine may take a second for a long line.
        let limit = if reason == "hang" { "0.5" } else { "20" };
        let options = ["--games", "4", "--move-limit", limit, "--concurrency", "2"];
        let played = play(&fake(kind, 1, 1), &fake("honest", 0, 2), &out, &options);
        let report = match kind {
            "resign" => report(played),
            _ => troubled(played),
        };
        assert_eq!(report["counts"]["losses"], 4, "{kind}: {report:#}");
        assert_eq!(report["reasons"][reason], 4, "{kind}: {report:#}");
    }
}

fn an_engine_that_fails_late_loses_only_then() {
    // A game on 5x5 takes each side 7 to 12 moves; the process fails at its 15th, in its second
    // game, and plays on in a new process.
    let out = folder("late-crash");
    let engines = (fake("crash", 15, 1), fake("honest", 0, 2));
    let report = troubled(play(
        &engines.0,
        &engines.1,
        &out,
        &["--games", "6", "--random-plies", "0"],
    ));
    assert_eq!(report["reasons"]["crash"], 3, "{report:#}");
    assert_eq!(report["reasons"]["rules"], 3, "{report:#}");
    assert_eq!(report["failures"][0]["engine"], "first");
    let details: Vec<String> = games(&out)
        .iter()
        .map(|game| game["detail"].to_string())
        .collect();
    let status = if cfg!(windows) { "code" } else { "status" };
    let words = format!("exit {status}: 3); its last words: I cannot go on");
    assert!(
        details.iter().any(|detail| detail.contains(&words)),
        "{details:?}"
    );
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

fn a_late_answer_loses_on_time() {
    let options = ["--games", "2", "--time", "1", "--move-limit", "1"];
    let loses = |kind: &str, played: Command| {
        let report = report(played);
        assert_eq!(report["reasons"]["time"], 2, "{kind}: {report:#}");
        assert_eq!(report["counts"]["losses"], 2, "{kind}");
    };
    // The second says something else, and no answer ever comes.
    for kind in ["late", "garbage"] {
        let (out, honest) = (folder(&format!("time-{kind}")), fake("honest", 0, 2));
        loses(kind, play(&fake(kind, 1, 1), &honest, &out, &options));
    }
    // Neither does one of a program that has refused an `INFO`, or is to play what it suggested.
    for kind in ["unknown-info-hangs", "suggests-hangs"] {
        let out = folder(&format!("time-{kind}"));
        let options = [&BRAINS[..6], &BRAINS[8..], &options[2..]].concat();
        loses(kind, play(&brain(kind), &brain("usual"), &out, &options));
    }
}

fn thinking_while_the_opponents_move_is_told_takes_time() {
    let out = folder("thinks-in-play");
    // Not in the opening, before the clock runs.
    let options = ["--games", "2", "--time", "1.1", "--random-plies", "2"];
    let report = report(play(
        &fake("thinks-in-play", 0, 1),
        &fake("honest", 0, 2),
        &out,
        &options,
    ));
    assert_eq!(report["reasons"]["time"], 2, "{report:#}");
    assert_eq!(report["counts"]["losses"], 2);
    for game in games(&out) {
        let moves = game["seconds"].as_array().unwrap().len();
        // The late one, too.
        assert!((8..10).contains(&moves), "{game:#}");
    }
}

fn a_game_is_kept_before_its_engines_rest() {
    let out = folder("never-rests");
    let (first, second) = (fake("never-rests", 0, 1), fake("honest", 0, 2));
    let start = |limit: &str| {
        let options = ["--games", "1", "--command-limit", limit];
        play(&first, &second, &out, &options)
    };
    let mut running = start("60")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let kept = (0..600).any(|_| {
        std::thread::sleep(Duration::from_millis(50));
        matches::lines(&out) == 2
    });
    let waits = running.try_wait().unwrap().is_none();
    running.kill().unwrap();
    running.wait().unwrap();
    assert!(kept && waits, "kept {kept}, waits {waits}");
    fs::remove_file(out.join("results.jsonl")).unwrap();
    let said = start("2").output().unwrap().stderr;
    let said = String::from_utf8_lossy(&said);
    let words = "first did not answer `clear_board` within 2s after a game";
    assert!(said.contains(words), "{said}");
}

fn a_late_answer_of_one_game_is_ignored_in_the_next() {
    let out = folder("counts-late");
    let engines = (fake("counts-late", 1, 1), fake("counts", 0, 2));
    let options = [
        "--game",
        "go",
        "--rules",
        "chinese",
        "--games",
        "4",
        "--random-plies",
        "0",
        "--command-limit",
        "2",
    ];
    let report = troubled(play(&engines.0, &engines.1, &out, &options));
    assert_eq!(report["reasons"]["rules"], 4, "{report:#}");
    assert_eq!(report["counts_by"]["one_says"], 4, "{report:#}");
    let complaints = report["complaints"].as_array().unwrap();
    assert_eq!(complaints.len(), 1, "{report:#}");
    let failed = &complaints[0];
    assert_eq!(
        (&failed["engine"], &failed["games"]),
        (&"first".into(), &4.into())
    );
    assert_eq!(failed["kind"], "counting");
    let line = "did not answer `final_status_list dead` within 2s";
    assert_eq!(failed["line"], line);
}

fn a_program_that_has_just_moved_is_not_stopped_at_once() {
    let out = folder("brains");
    let brain = brain("usual");
    let report = report(play(&brain, &brain, &out, &BRAINS));
    assert_eq!(report["reasons"]["rules"], 2, "{report:#}");
    for game in games(&out) {
        let seconds = game["seconds"].as_array().unwrap();
        let quick = seconds.iter().filter(|took| took.as_f64() < Some(0.015));
        assert!(
            2 * quick.count() > seconds.len(),
            "the rest is no thinking: {game:#}"
        );
    }
}

fn much_output_on_stderr_is_kept_and_harmless() {
    let out = folder("flood");
    let report = report(play(
        &fake("megabytes", 9, 1),
        &fake("honest", 0, 2),
        &out,
        &["--games", "2"],
    ));
    assert_eq!(report["reasons"]["rules"], 2, "{report:#}");
    let kept = fs::metadata(out.join("stderr/first-0.log")).unwrap().len();
    assert!(kept >= 4 << 20, "{kept} bytes");
}

fn warnings_are_in_the_report_and_the_exit_code() {
    let out = folder("complain");
    let engines = (fake("complain", 1, 1), fake("honest", 0, 2));
    let start = |options: &[&str]| play(&engines.0, &engines.1, &out, options);
    let report = troubled(start(&["--games", "2"]));
    let complaints = report["complaints"].as_array().unwrap();
    assert_eq!(complaints.len(), 1, "{report:#}");
    assert_eq!(complaints[0]["engine"], "first");
    assert_eq!(
        complaints[0]["line"],
        "[2026 ERROR fake] no network, so I guess"
    );
    assert_eq!(complaints[0]["games"], 2);
    // Two names that file systems cannot distinguish are two engines.
    let apart = folder("complain-apart");
    let names = [
        "--games",
        "2",
        "--first-name",
        "net a",
        "--second-name",
        "net_a",
    ];
    let told = troubled(play(&engines.0, &engines.1, &apart, &names));
    assert_eq!(told["complaints"].as_array().unwrap().len(), 1, "{told:#}");
    assert_eq!(told["complaints"][0]["engine"], "net a");
    // Also when no game is left to play, and in ratings made from it later.
    assert_eq!(troubled(start(&["--games", "2"])), report);
    let mut elo = std::process::Command::new(env!("CARGO_BIN_EXE_tengen-match"));
    let elo = elo.arg("elo").arg(&out).output().unwrap();
    let told = String::from_utf8_lossy(&elo.stderr).into_owned();
    assert!(
        told.contains("first complained") && elo.status.success(),
        "{told}"
    );
    // Files number their games alike.
    let mut clock = Command::new(env!("CARGO_BIN_EXE_tengen-match"));
    let clock = clock.arg("clock").args([&out, &out]).output().unwrap();
    let told = String::from_utf8(clock.stderr).unwrap();
    assert_eq!(told.matches("lines in 2 games").count(), 2, "{told}");
}

fn an_engine_that_does_not_start_is_quoted() {
    let out = folder("last-words");
    let words = "echo no model here>&2\nexit 1";
    let script = script(&out, words, words);
    let output = play(&script, &fake("honest", 0, 2), &out, &[])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(words.contains("its last words: no model here"), "{words}");
}

/// The command line of an engine that crashes in its first game and cannot be started again.
fn starts_once(folder: &Path) -> String {
    let marker = folder.join("has-run");
    let (marker, crash) = (marker.display(), fake("crash", 1, 1));
    script(
        folder,
        &format!(
            "[ -e '{marker}' ] && {{ echo no memory >&2; exit 1; }}\ntouch '{marker}'\nexec {crash}"
        ),
        &format!("if exist '{marker}' (echo no memory>&2& exit 1)\ntype nul > '{marker}'\n{crash}"),
    )
}

fn a_tournament_without_ratings_says_why_games_are_missing() {
    let out = folder("no-ratings");
    let becomes = |lines: &str| script(&out, lines, lines);
    let one = becomes(&fake("honest", 0, 1));
    let (two, three) = (fake("honest", 0, 2), fake("honest", 0, 3));
    let file = tournament(&out, 2, &[("one", one), ("two", two), ("three", three)]);
    let start = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tengen-match"));
        command.args(["tournament", "--size", "5", &file, "--out"]);
        command.arg(&out).output().unwrap()
    };
    assert!(start().status.success());
    // As if it had been stopped before the first engine, the anchor, played.
    let results = out.join("results.jsonl");
    let text = fs::read_to_string(&results).unwrap();
    let (header, games) = text.split_once('\n').unwrap();
    let others = games.lines().filter(|game| !game.contains("\"one\""));
    let left: Vec<&str> = std::iter::once(header).chain(others).collect();
    assert_eq!(left.len(), 3);
    fs::write(&results, left.join("\n") + "\n").unwrap();
    becomes("exit 1");
    let words = String::from_utf8(start().stderr).unwrap();
    assert!(words.contains("one ended while it was asked"), "{words}");
}

fn a_tournament_goes_on_without_an_engine_that_cannot_restart() {
    let out = folder("goes-on");
    let (one, two) = (fake("honest", 0, 1), fake("honest", 0, 2));
    let engines = [("one", one), ("once", starts_once(&out)), ("two", two)];
    let file = tournament(&out, 4, &engines);
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen-match"));
    command.args(["tournament", "--size", "5", &file, "--out"]);
    let output = command.arg(&out).output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{words}");
    assert!(words.contains("no memory (stderr/once-0.log)"), "{words}");
    let games = games(&out);
    let between = |game: &&serde_json::Value| game["black"] != "once" && game["white"] != "once";
    assert_eq!(games.iter().filter(between).count(), 4, "all of them");
    assert_eq!(games.len(), 7, "one crash, two failed starts");
    let table = fs::read_to_string(out.join("ratings.txt")).unwrap();
    assert!(table.contains("once"), "{table}");
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        said.starts_with(&table) && out.join("record.toml").exists(),
        "{said}"
    );
}

/// Out of memory, or a program being rebuilt, is not a loss.
fn an_engine_that_cannot_restart_ends_the_match() {
    let out = folder("starts-once");
    let engine = starts_once(&out);
    let other = fake("honest", 0, 2);
    let options = ["--games", "40"];
    let output = play(&engine, &other, &out, &options).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(words.contains("its last words: no memory"), "{words}");
    assert_eq!(games(&out).len(), 3, "one crash, two failed starts");

    // When it is there again the remaining games are played.
    let honest = fake("honest", 0, 3);
    script(&out, &format!("exec {honest}"), &honest);
    let report = troubled(play(&engine, &other, &out, &options));
    assert_eq!(report["reasons"]["crash"], 3, "{report:#}");
    assert_eq!(games(&out).len(), 40);
}
