//! `tournament` and `elo` from the command line to their files.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::Test;
use crate::manners::starts_once;
use crate::matches::{fake, folder, games, play, report, script, tournament};
use crate::subcommands::{duel, tengen_match};

pub(crate) const TESTS: &[Test] = &[
    ("a_tournament_ends_in_ratings", a_tournament_ends_in_ratings),
    (
        "a_tournament_may_come_through_a_pipe",
        a_tournament_may_come_through_a_pipe,
    ),
    (
        "games_that_repeat_others_count_once",
        games_that_repeat_others_count_once,
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

fn a_tournament_ends_in_ratings() {
    let out = folder("tournament");
    let file = out.join("engines.toml");
    let engine =
        |name: &str, command: &str| format!("[[engine]]\nname = {name:?}\ncommand = {command:?}\n");
    // In UTF-16, as editors on Windows may write it.
    let text = format!(
        "\u{feff}format = \"round-robin\"\ngames-each = 6\nanchor = \"steady\"\n{}{}{}",
        engine("steady", &fake("honest", 0, 1)),
        engine("tired", &fake("resign", 4, 2)),
        engine("other", &fake("honest", 0, 3)),
    );
    let bytes: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    fs::write(&file, bytes).unwrap();
    let play = || {
        let mut command = tengen_match(&["tournament", "--json", "--size", "5"]);
        command.arg(&file).arg("--out").arg(&out);
        report(command)
    };
    let ratings = play();
    let rows = ratings["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 3);
    assert_eq!(rows[2]["name"], "tired", "{ratings:#}");
    assert!(rows.iter().all(|row| row["games"] == 12));
    assert_eq!(games(&out).len(), 18);
    let swept = &rows[2]["interval"];
    let width = swept["high"].as_f64().unwrap() - swept["low"].as_f64().unwrap();
    assert!(
        width > 200.0,
        "twelve lost games leave much open: {ratings:#}"
    );
    assert_eq!(play(), ratings, "a finished tournament is not played again");
    let list = fs::read_to_string(out.join("ratings.txt")).unwrap();
    assert!(list.contains("steady       0  [0, 0]"), "{list}");
    let tired = &rows[2]["tally"];
    assert_eq!((&tired["losses"], &tired["draws"]), (&12.into(), &0.into()));
    assert_eq!(rows[2]["against"]["steady"]["losses"], 6, "{ratings:#}");
    let elo = tengen_match(&["elo", "--anchor", "other"])
        .arg(&out)
        .output();
    let text = String::from_utf8(elo.unwrap().stdout).unwrap();
    assert!(text.contains("Black scored"), "{text}");
    // Its file names engines for other matches.
    let (out, engines) = (folder("tournament-engines"), file.to_str().unwrap());
    let options = ["--games", "2", "--engines", engines];
    let report = duel("play", "steady", "other", &out, &options);
    assert_eq!(
        report["counts"]["wins"].as_u64().unwrap() + report["counts"]["losses"].as_u64().unwrap(),
        2
    );
}

fn a_tournament_may_come_through_a_pipe() {
    let out = folder("tournament-piped");
    let engines = [("one", fake("honest", 0, 1)), ("two", fake("honest", 0, 2))];
    let text = fs::read_to_string(tournament(&out, 2, &engines)).unwrap();
    let from = |file: &str| {
        let mut command = tengen_match(&["tournament", file, "--size", "5", "--out"]);
        command.arg(&out).stdin(Stdio::piped());
        let pipes = command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = pipes.spawn().unwrap();
        // What does not read it may have ended.
        let _ = child.stdin.take().unwrap().write_all(text.as_bytes());
        child.wait_with_output().unwrap()
    };
    for start in ["new", "continued"] {
        let output = from("/dev/stdin");
        assert!(output.status.success(), "{start}: {output:?}");
        assert_eq!(games(&out).len(), 2, "{start}");
    }
    let no_file = out.to_str().unwrap();
    for (file, why) in [
        (no_file, "it is not a regular file"),
        ("/dev/zero", "/dev/zero: it is larger than 16 MiB"),
    ] {
        let refused = from(file);
        let words = String::from_utf8_lossy(&refused.stderr);
        assert!(words.contains(why), "{words}");
    }
}

fn games_that_repeat_others_count_once() {
    let out = folder("repeats");
    let options = ["--games", "6"];
    let report = report(play(
        &fake("honest", 0, 1),
        &fake("honest", 0, 2),
        &out,
        &options,
    ));
    assert_eq!(report["repeated"], 0, "{report:#}");
    let copy = folder("repeats-copy");
    fs::create_dir_all(&copy).unwrap();
    fs::copy(out.join("results.jsonl"), copy.join("results.jsonl")).unwrap();
    let table = |files: &[&Path]| -> Value {
        let mut command = tengen_match(&["elo", "--json"]);
        let output = command.args(files).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let once = table(&[&out]);
    for files in [
        [&*out, &*out],
        [&*out, &*out.join("results.jsonl")],
        [&*out, &*copy],
    ] {
        let twice = table(&files);
        assert_eq!(twice["rows"], once["rows"], "{files:?}");
        assert_eq!(twice["repeated"], 6);
    }
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
