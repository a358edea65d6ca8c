//! Misbehaving engines: each loses for the right reason, and the match continues.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::Test;
use crate::gomocup::{BRAINS, brain};
use crate::matches::{self, fake, folder, games, play, report, script, troubled};

pub(crate) const TESTS: &[Test] = &[
    (
        "each_misbehaviour_loses_for_its_reason",
        each_misbehaviour_loses_for_its_reason,
    ),
    (
        "an_engine_that_fails_late_loses_only_then",
        an_engine_that_fails_late_loses_only_then,
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
    let mut of_counting = complaints.iter().filter(|one| one["kind"] == "counting");
    let failed = of_counting.next().unwrap();
    assert!(of_counting.next().is_none(), "{report:#}");
    assert_eq!(
        (&failed["engine"], &failed["games"]),
        (&"first".into(), &4.into())
    );
    let line = "did not answer `final_status_list dead` within 2s";
    assert_eq!(failed["line"], line);
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
pub(crate) fn starts_once(folder: &Path) -> String {
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
