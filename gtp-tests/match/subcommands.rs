//! `sprt`, `tournament`, `elo`, `openings`, `clock-rig` and `tune` from the command line to their files.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::Test;
use crate::matches::{fake, folder, games, play, report, script, tournament, troubled};

pub(crate) const TESTS: &[Test] = &[
    ("an_sprt_stops_by_its_rule", an_sprt_stops_by_its_rule),
    ("a_tournament_ends_in_ratings", a_tournament_ends_in_ratings),
    (
        "a_tournament_may_come_through_a_pipe",
        a_tournament_may_come_through_a_pipe,
    ),
    (
        "a_book_holds_different_balanced_openings",
        a_book_holds_different_balanced_openings,
    ),
    (
        "the_clock_rig_counts_losses_on_time",
        the_clock_rig_counts_losses_on_time,
    ),
    ("visits_can_be_the_clock", visits_can_be_the_clock),
    (
        "a_tuning_finds_winning_values_and_continues",
        a_tuning_finds_winning_values_and_continues,
    ),
    ("a_komi_is_exact_or_refused", a_komi_is_exact_or_refused),
    (
        "nothing_at_all_is_no_number_of_anything",
        nothing_at_all_is_no_number_of_anything,
    ),
    (
        "a_tuning_reports_impossible_requests",
        a_tuning_reports_impossible_requests,
    ),
    (
        "a_tuning_continues_after_misbehaving_engines",
        a_tuning_continues_after_misbehaving_engines,
    ),
    (
        "a_report_that_cannot_be_written_is_an_error",
        a_report_that_cannot_be_written_is_an_error,
    ),
    (
        "games_that_repeat_others_count_once",
        games_that_repeat_others_count_once,
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

fn tengen_match(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen-match"));
    command.args(arguments);
    command
}

/// A subcommand between two engines on 5x5; returns its JSON report.
fn duel(subcommand: &str, first: &str, second: &str, out: &Path, options: &[&str]) -> Value {
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
    let refused = from(out.to_str().unwrap());
    let words = String::from_utf8_lossy(&refused.stderr);
    assert!(words.contains("it is not a regular file"), "{words}");
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

/// Tunes the move at which the fake engine resigns, from the second on: later is better.
fn tune(out: &Path, options: &[&str]) -> Command {
    let engine = fake("resign", 0, 1).replace(" resign 0 ", " resign {patience} ");
    let mut command = tengen_match(&["tune", "--json", "--size", "5", "--engine", &engine]);
    command
        .args(["--parameter", "patience=3,1..9,1", "--out"])
        .arg(out)
        .args(options);
    command
}

fn a_tuning_finds_winning_values_and_continues() {
    let out = folder("tune");
    let options = ["--pairs", "24", "--concurrency", "2"];
    let found = report(tune(&out, &options));
    let steps = found["steps"].as_array().unwrap();
    assert_eq!(steps.len(), 24);
    let end = |step: &Value| step["at"][0].as_f64().unwrap();
    assert!(end(&steps[23]) > 4.5, "{found:#}");
    for step in steps {
        assert_eq!(step["sides"][0][0].as_f64().unwrap().fract(), 0.0);
    }
    // As if it had been stopped in the ninth step.
    let file = out.join("tune.json");
    let mut stopped = found.clone();
    stopped["steps"].as_array_mut().unwrap().truncate(8);
    fs::write(&file, stopped.to_string()).unwrap();
    assert_eq!(report(tune(&out, &options)), found);
    // The command at its end can be pasted: the engine's has quotation marks, and is one word.
    let as_json = tune(&out, &options);
    let words = as_json.get_args().filter(|word| *word != "--json");
    let told = tengen_match(&[]).args(words).output().unwrap().stdout;
    let told = String::from_utf8(told).unwrap();
    assert!(told.contains(r"--first ''\''"), "{told}");
    assert_eq!(
        fs::read_dir(&out).unwrap().count(),
        1,
        "the steps used for training are gone"
    );
}

fn a_tuning_reports_impossible_requests() {
    let out = folder("tune-refused");
    let refusal = |mut command: Command| {
        let done = command.output().unwrap();
        assert_eq!(done.status.code(), Some(1));
        String::from_utf8(done.stderr).unwrap()
    };
    let elsewhere = |options: &[&str]| refusal(tune(&out, options));
    let no_place = elsewhere(&["--parameter", "cpuct=1.1,0.2..4,0.3"]);
    assert!(no_place.contains("has no {cpuct}"), "{no_place}");
    let twice = elsewhere(&["--parameter", "patience=2,1..9,1"]);
    assert!(twice.contains("more than once"), "{twice}");
    let engine = "sh -c 'x ${HOME} {patience} {w}'";
    let parameter = ["--parameter", "patience=3,1..9,1"];
    let mut command = tengen_match(&["tune", "--engine", engine, "--out"]);
    command.arg(&out).args(parameter);
    let left_over = refusal(command);
    assert!(left_over.contains("--engine has {w}, and"), "{left_over}");
    report(tune(&out, &["--pairs", "2"]));
    let other = elsewhere(&["--pairs", "3"]);
    let named = "belongs to another tuning (pairs: 3 and not 2)";
    assert!(other.contains(named), "{other}");
    let out = folder("tune-crash");
    let engine = fake("crash", 2, 1).replace(" 1", " {seed}");
    let mut command = tengen_match(&["tune", "--size", "5", "--engine", &engine]);
    command
        .args(["--parameter", "seed=3,1..9,1", "--pairs", "2", "--out"])
        .arg(&out);
    let crashed = refusal(command);
    assert!(crashed.contains("ended by crash"), "{crashed}");
}

fn a_tuning_continues_after_misbehaving_engines() {
    let out = folder("tune-repaired");
    let becomes = |kind: &str| {
        let engine = fake(kind, 2, 1);
        script(&out, &format!("exec {engine}$1"), &format!("{engine}%1"))
    };
    let engine = becomes("crash");
    let runs = out.join("runs");
    let start = || {
        let engine = format!("{engine} {{seed}}");
        let mut command = tengen_match(&["tune", "--json", "--size", "5", "--engine", &engine]);
        command
            .args(["--parameter", "seed=3,1..9,1", "--pairs", "2", "--out"])
            .arg(&runs);
        command
    };
    assert_eq!(start().output().unwrap().status.code(), Some(1));
    becomes("complain");
    let steps = |found: Value| found["steps"].as_array().unwrap().len();
    let said = start().output().unwrap();
    let told = String::from_utf8_lossy(&said.stderr).into_owned();
    assert_eq!(said.status.code(), Some(3), "{told}");
    assert!(told.contains("no network, so I guess"), "{told}");
    assert!(told.contains("complained in 2 of 2 steps"), "{told}");
    assert!(runs.join("step-000001/stderr/first-0.log").exists());
    // Its complaint is kept.
    becomes("honest");
    assert_eq!(steps(troubled(start())), 2);
}
