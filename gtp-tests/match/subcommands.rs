//! `sprt`, `openings` and `clock-rig` from the command line to their files, and what all subcommands refuse.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::Test;
use crate::matches::{fake, folder, games, play, report};

pub(crate) const TESTS: &[Test] = &[
    ("an_sprt_stops_by_its_rule", an_sprt_stops_by_its_rule),
    (
        "a_book_holds_different_balanced_openings",
        a_book_holds_different_balanced_openings,
    ),
    (
        "the_clock_rig_counts_losses_on_time",
        the_clock_rig_counts_losses_on_time,
    ),
    ("visits_can_be_the_clock", visits_can_be_the_clock),
    ("a_komi_is_exact_or_refused", a_komi_is_exact_or_refused),
    (
        "nothing_at_all_is_no_number_of_anything",
        nothing_at_all_is_no_number_of_anything,
    ),
    (
        "a_report_that_cannot_be_written_is_an_error",
        a_report_that_cannot_be_written_is_an_error,
    ),
];

/// A device without room, where the system has one.
const FULL: &str = "/dev/full";

fn a_report_that_cannot_be_written_is_an_error() {
    if !Path::new(FULL).exists() {
        return;
    }
    let out = folder("full");
    let engines = (fake("honest", 0, 1), fake("honest", 0, 2));
    let games = ["--games", "2"];
    report(play(&engines.0, &engines.1, &out, &games));
    let file = out.to_str().unwrap();
    let elo = |json: &[&str]| tengen_match(&[&["elo", file][..], json].concat());
    let again = |json: &[&str]| {
        let mut command = tengen_match(&["play", "--size", "5", "--out", file]);
        command.args(["--first", &engines.0, "--second", &engines.1]);
        command.args(games).args(json);
        command
    };
    for mut command in [
        elo(&[]),
        elo(&["--json"]),
        tengen_match(&["clock", file]),
        tengen_match(&["clock", "--json", file]),
        again(&[]),
        again(&["--json"]),
        tengen_match(&["--help"]),
        tengen_match(&["--version"]),
    ] {
        let full = fs::File::options().write(true).open(FULL).unwrap();
        let output = command
            .stdout(full)
            .stderr(Stdio::piped())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1), "{command:?}: {output:?}");
    }
    // A reader that has read enough is none.
    let mut child = elo(&[]).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert!(child.wait().unwrap().success());
}

pub(crate) fn tengen_match(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen-match"));
    command.args(arguments);
    command
}

/// A subcommand between two engines on 5x5; returns its JSON report.
pub(crate) fn duel(
    subcommand: &str,
    first: &str,
    second: &str,
    out: &Path,
    options: &[&str],
) -> Value {
    let mut command = tengen_match(&[subcommand, "--json", "--size", "5"]);
    command
        .args(["--first", first, "--second", second, "--out"])
        .arg(out)
        .args(options);
    report(command)
}

fn an_sprt_stops_by_its_rule() {
    let out = folder("sprt");
    let options = ["--elo1", "100", "--games", "400", "--concurrency", "2"];
    let report = duel(
        "sprt",
        &fake("honest", 0, 1),
        &fake("resign", 1, 2),
        &out,
        &options,
    );
    assert_eq!(report["verdict"], "accept_elo1", "{report:#}");
    assert!(report["llr"].as_f64().unwrap() >= report["bounds"][1].as_f64().unwrap());
    let played = games(&out).len();
    assert!((10..200).contains(&played), "{played} games");
}

fn a_komi_is_exact_or_refused() {
    for komi in ["4.75", "5.1", "1000", "six"] {
        let mut command = tengen_match(&["play", "--game", "go", "--komi", komi]);
        let output = command.args(["--out", "nowhere"]).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{komi}");
        assert!(said.contains("a komi must be a"), "{komi}: {said}");
    }
}

fn nothing_at_all_is_no_number_of_anything() {
    let said = |mut command: Command| {
        let output = command.output().unwrap();
        assert!(!output.status.success(), "{command:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    for (subcommand, flag) in [
        ("play", "--concurrency"),
        ("sprt", "--concurrency"),
        ("play", "--max-moves"),
        ("play", "--games"),
        ("clock-rig", "--games"),
        ("openings", "--concurrency"),
    ] {
        let said = said(tengen_match(&[subcommand, flag, "0"]));
        assert!(said.contains(flag) && said.contains("1 or more"), "{said}");
    }
    // Nor is a word of none a name.
    for (subcommand, flag, names) in [
        ("play", "--second-protocol", "`gtp` or `gomocup`"),
        ("clock-rig", "--time-left", "`late`, `late-up`"),
    ] {
        let said = said(tengen_match(&[subcommand, flag, "soon"]));
        assert!(said.contains(names), "{said}");
    }
    let (engine, out) = (fake("honest", 0, 1), folder("no-moves"));
    let short = said(play(&engine, &engine, &out, &["--max-moves", "4"]));
    let words = "--max-moves 4 leaves no move to play after an opening of 4";
    assert!(short.contains(words), "{short}");
    let long = said(play(&engine, &engine, &out, &["--random-plies", "99"]));
    assert!(long.contains("take fewer --random-plies"), "{long}");
    let many = said(play(&engine, &engine, &out, &["--games", "1000001"]));
    assert!(many.contains("at most 1000000 games"), "{many}");
    let mut openings = tengen_match(&["openings", "--random-plies", "0", "--judge", "x"]);
    openings.args(["--out", "nowhere"]);
    let none = said(openings);
    assert!(none.contains("--random-plies must be at least 1"), "{none}");
    for flag in ["--command-limit", "--move-limit"] {
        let said = said(play(&engine, &engine, &out, &[flag, "0", "--time", "9"]));
        let words = "write seconds, more than 0";
        assert!(said.contains(flag) && said.contains(words), "{said}");
    }
}

fn a_book_holds_different_balanced_openings() {
    let out = folder("openings").join("book.txt");
    let judge = fake("honest", 0, 1);
    let status = |judge: &str, options: &[&str]| {
        let mut command = tengen_match(&["openings", "--size", "5", "--count", "12"]);
        command
            .args(["--judge", judge, "--out"])
            .arg(&out)
            .args(options);
        command.stderr(Stdio::null()).status().unwrap().code()
    };
    let write = |options: &[&str]| status(&judge, options) == Some(0);
    let openings = || {
        let text = fs::read_to_string(&out).unwrap();
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.map(str::to_owned).collect::<Vec<String>>()
    };
    // The judge's value is always 0.25, i.e. a score of 0.625.
    assert!(!write(&["--tolerance", "0.1"]));
    assert!(!out.exists());
    // A judge that fails now and then costs the openings on which it did, one that only fails the book.
    for (from, code, found) in [(1, 1, None), (5, 3, Some(12))] {
        let failed = status(&fake("crash", from, 1), &["--tolerance", "0.2"]);
        assert_eq!(failed, Some(code), "{from}");
        assert_eq!(out.exists().then(|| openings().len()), found);
    }
    assert!(write(&["--tolerance", "0.2", "--concurrency", "2"]));
    let lines = openings();
    assert_eq!(lines.len(), 12);
    assert!(
        lines.iter().all(|line| line.ends_with("# 0.625")),
        "{lines:?}"
    );
    // Another book, judged in turn: two lengths, and one side to move each.
    let (shorter, from) = (
        ["C3 D4", "B2 C3 D4", "D2 C2"],
        out.with_file_name("from.txt"),
    );
    fs::write(&from, shorter.join("\n")).unwrap();
    let from = from.to_str().unwrap();
    let judge_book = |options: &[&str]| {
        let mut command = tengen_match(&["openings", "--size", "5", "--from", from]);
        command.args(["--judge", &judge, "--out"]).arg(&out);
        command.args(options).stderr(Stdio::null());
        command.status().unwrap().success()
    };
    assert!(judge_book(&["--tolerance", "0.2"]));
    assert_eq!(openings().len(), 3);
    assert!(
        openings().contains(&"B2 C3 D4  # 0.375".to_owned()),
        "{:?}",
        openings()
    );
    assert!(judge_book(&["--tolerance", "0.2", "--count", "2"]));
    assert_eq!(openings().len(), 2);
    for refused in [["--tolerance", "0.1"], ["--count", "4"], ["--seed", "3"]] {
        assert!(!judge_book(&refused), "{refused:?}");
    }
    assert_eq!(openings().len(), 2, "a book is only replaced by a good one");
    assert!(write(&["--tolerance", "0.2"]));
    // The book can be used by a match.
    let played = folder("openings-used");
    let (engine, book) = (fake("honest", 0, 2), out.to_str().unwrap());
    duel(
        "play",
        &judge,
        &engine,
        &played,
        &["--games", "24", "--openings", book],
    );
    assert_eq!(games(&played).len(), 24);
    fs::write(&out, "C3 D4, my notes").unwrap();
    assert!(!write(&["--tolerance", "0.2"]), "it is no book");
    assert_eq!(openings(), ["C3 D4, my notes"]);
}

fn the_clock_rig_counts_losses_on_time() {
    let engines = [fake("honest", 0, 1), fake("honest", 0, 2)];
    let rig = |name: &str, options: &[&str]| {
        let common = [
            "--games",
            "4",
            "--time",
            "30",
            "--time-left",
            "never",
            "--load",
            "1",
        ];
        let options = [&common, options].concat();
        duel(
            "clock-rig",
            &engines[0],
            &engines[1],
            &folder(name),
            &options,
        )
    };
    let calm = rig("rig-calm", &["--lag", "5"]);
    assert_eq!(calm[0]["time_losses"], 0);
    assert!(
        calm[0]["least_left_seconds"].as_f64().unwrap() > 25.0,
        "{calm:#}"
    );
    assert!(calm[0]["by_ply"][0]["mean_visits"].as_f64().unwrap() > 0.0);
    // Black stalls first and beyond its time.
    let stalled = rig("rig-stalled", &["--stalls", "100", "--stall", "31000"]);
    assert_eq!(
        (&stalled[0]["time_losses"], &stalled[1]["time_losses"]),
        (&2.into(), &2.into())
    );
}

fn visits_can_be_the_clock() {
    // The fake engine's n-th move takes 100 n visits, so its clock of ten seconds runs out in the
    // fifth move of its first game: 1 + 2 + 3 + 4 seconds leave nothing.
    let out = folder("visits");
    let options = ["--games", "1", "--time", "10", "--visits-per-second", "100"];
    duel(
        "play",
        &fake("honest", 0, 1),
        &fake("honest", 0, 2),
        &out,
        &options,
    );
    let game = &games(&out)[0];
    assert_eq!(
        (&game["reason"], &game["result"]),
        (&"time".into(), &"W+".into())
    );
    assert_eq!(
        game["seconds"].as_array().unwrap()[..4],
        [1.0, 1.0, 2.0, 2.0].map(Value::from)
    );
    // The late one is the last.
    assert_eq!(game["seconds"].as_array().unwrap().len(), 9);
    // One that reports none is refused before the first game.
    let (silent, out) = (fake("talks", 0, 1), folder("no-visits"));
    let output = play(&silent, &silent, &out, &options).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.contains("first has no command tengen-report"),
        "{said}"
    );
    assert_eq!(games(&out).len(), 0);
}
