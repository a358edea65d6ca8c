//! Whole matches: results, resume after a kill, refusals.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output};

use serde_json::Value;

use crate::Test;

pub(crate) const TESTS: &[Test] = &[
    (
        "a_match_is_played_and_reported",
        a_match_is_played_and_reported,
    ),
    (
        "a_folder_may_have_a_name_that_is_no_text",
        a_folder_may_have_a_name_that_is_no_text,
    ),
    (
        "a_folder_of_another_match_is_refused",
        a_folder_of_another_match_is_refused,
    ),
    (
        "a_missing_engine_ends_the_match_at_once",
        a_missing_engine_ends_the_match_at_once,
    ),
    (
        "a_match_without_a_thread_says_so",
        a_match_without_a_thread_says_so,
    ),
    (
        "an_engine_without_byoyomi_gets_one_move_a_period",
        an_engine_without_byoyomi_gets_one_move_a_period,
    ),
];

/// An empty temporary folder for this test.
pub(crate) fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("match")
        .join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// The command line of a fake engine.
pub(crate) fn fake(kind: &str, from: u32, seed: u64) -> String {
    let executable = std::env::current_exe().unwrap();
    format!(
        "'{}' --fake-engine {kind} {from} {seed}",
        executable.display()
    )
}

/// The command line of a script in a folder: these lines for `sh`, or those for `cmd` on Windows.
pub(crate) fn script(folder: &Path, sh: &str, cmd: &str) -> String {
    if cfg!(windows) {
        let path = folder.join("engine.cmd");
        // Where `sh` has single quotation marks, `cmd` has double ones.
        let lines = format!("@echo off\n{cmd}\n").replace('\'', "\"");
        fs::write(&path, lines.replace('\n', "\r\n")).unwrap();
        return format!("'{}'", path.display());
    }
    let path = folder.join("engine.sh");
    fs::write(&path, format!("{sh}\n")).unwrap();
    format!("sh '{}'", path.display())
}

/// A file of a round robin of these engines, names and command lines, in a folder.
pub(crate) fn tournament(folder: &Path, games_each: usize, engines: &[(&str, String)]) -> String {
    let engine = |(name, command): &(&str, String)| {
        format!("[[engine]]\nname = {name:?}\ncommand = {command:?}\n")
    };
    let engines: String = engines.iter().map(engine).collect();
    let path = folder.join("engines.toml");
    let text = format!("format = \"round-robin\"\ngames-each = {games_each}\n{engines}");
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// `tengen-match play` between two command lines, on 5x5 unless the options override it.
pub(crate) fn play(first: &str, second: &str, out: &Path, options: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen-match"));
    command.args([
        "play", "--json", "--size", "5", "--first", first, "--second", second,
    ]);
    command.arg("--out").arg(out).args(options);
    command
}

/// Runs a match to its end and returns its JSON report. There may be no misbehaviour and no
/// warning.
#[track_caller]
pub(crate) fn report(command: Command) -> Value {
    ended(command, 0)
}

/// The same for a match in which an engine misbehaves.
#[track_caller]
pub(crate) fn troubled(command: Command) -> Value {
    ended(command, 3)
}

#[track_caller]
fn ended(mut command: Command, code: i32) -> Value {
    let Output {
        status,
        stdout,
        stderr,
    } = command.output().unwrap();
    let text = String::from_utf8_lossy(&stdout);
    assert_eq!(
        status.code(),
        Some(code),
        "{text}\n{}",
        String::from_utf8_lossy(&stderr)
    );
    serde_json::from_str(&text).unwrap()
}

/// Lines in a match's result file so far, its header counted; 0 without one.
pub(crate) fn lines(out: &Path) -> usize {
    fs::read_to_string(out.join("results.jsonl")).map_or(0, |text| text.lines().count())
}

/// Sends a signal, such as `INT`.
pub(crate) fn signal(process: &Child, name: &str) {
    let sent = Command::new("kill")
        .args([&format!("-{name}"), &process.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
}

/// The games in a result file, without its header.
pub(crate) fn games(out: &Path) -> Vec<Value> {
    let text = fs::read_to_string(out.join("results.jsonl")).unwrap();
    text.lines()
        .skip(1)
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn a_match_is_played_and_reported() {
    let out = folder("played");
    let options = ["--games", "20", "--concurrency", "2", "--random-plies", "2"];
    let options = [&options[..], &["--time", "60+1"]].concat();
    let report = report(play(
        &fake("honest", 0, 1),
        &fake("honest", 0, 2),
        &out,
        &options,
    ));
    let counts = &report["counts"];
    let sum: u64 = ["wins", "draws", "losses"]
        .iter()
        .map(|&key| counts[key].as_u64().unwrap())
        .sum();
    assert_eq!(sum, 20);
    assert_eq!(report["reasons"]["rules"], 20);
    let games = games(&out);
    assert_eq!(games.len(), 20);
    let sgf = fs::read_to_string(out.join("sgf/000000.sgf")).unwrap();
    let record = tengen::record::sgf::read(&sgf).unwrap();
    assert_eq!(
        (record.black.as_str(), record.white.as_str()),
        ("first", "second")
    );
    assert!(record.result.ends_with('+'), "{}", record.result);
    let clock = (record.main_time.as_str(), record.overtime.as_str());
    assert_eq!(
        (record.date.len(), clock),
        ("2026-11-25".len(), ("60", "1 fischer"))
    );
    let first = games.iter().find(|game| game["number"] == 0).unwrap();
    let moves = first["moves"].as_str().unwrap().split(' ').count();
    assert_eq!(record.plays.len(), moves);
    assert!(
        record.plays[2]
            .comment
            .ends_with("s, visits 100 value 0.25"),
        "{sgf}"
    );
    for game in &games {
        let of_pair: Vec<&Value> = games
            .iter()
            .filter(|other| other["pair"] == game["pair"])
            .collect();
        assert_eq!(of_pair.len(), 2);
        let opening = |game: &Value| game["moves"].as_str().unwrap()[..5].to_owned();
        assert_eq!(opening(of_pair[0]), opening(of_pair[1]));
        assert_eq!(of_pair[0]["black"], of_pair[1]["white"]);
        assert_eq!(
            game["visits"][0],
            Value::from(game["visits"][0].as_u64().unwrap())
        );
    }
}

/// Names of files are any bytes on Linux.
fn a_folder_may_have_a_name_that_is_no_text() {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::ffi::OsStrExt as _;

        let out = folder("no-text").join(std::ffi::OsStr::from_bytes(b"\xff"));
        let [first, second] = [1, 2].map(|seed| fake("honest", 0, seed));
        let options = ["--games", "2", "--random-plies", "2"];
        let report = report(play(&first, &second, &out, &options));
        assert_eq!(report["reasons"]["rules"], 2);
        assert!(out.join("record.toml").exists());
    }
}

fn a_folder_of_another_match_is_refused() {
    let out = folder("other");
    let (first, second) = (fake("honest", 0, 1), fake("honest", 0, 2));
    report(play(&first, &second, &out, &["--games", "2"]));
    let other = play(&first, &second, &out, &["--games", "2", "--seed", "9"])
        .output()
        .unwrap();
    assert!(!other.status.success());
    let words = String::from_utf8_lossy(&other.stderr);
    assert!(
        words.contains("belongs to another match (seed: 9 and not 1);"),
        "{words}"
    );
}

/// As where the system allows no more of them: no machine has the memory for a stack of 4 EiB.
fn a_match_without_a_thread_says_so() {
    let out = folder("no-thread");
    let mut started = play(&fake("honest", 0, 1), &fake("honest", 0, 2), &out, &[]);
    started.env("RUST_MIN_STACK", (1_u64 << 62).to_string());
    let output = started.output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{words}");
    assert!(words.contains("cannot start a thread: "), "{words}");
}

fn a_missing_engine_ends_the_match_at_once() {
    let out = folder("missing");
    let output = play("no-such-engine", &fake("honest", 0, 1), &out, &[])
        .output()
        .unwrap();
    assert!(!output.status.success());
    let words = String::from_utf8_lossy(&output.stderr);
    assert!(
        words.contains("first: cannot start `no-such-engine`"),
        "{words}"
    );
    assert_eq!(games(&out).len(), 0);
    // Its corrected command plays in the same folder.
    report(play(
        &fake("honest", 0, 2),
        &fake("honest", 0, 1),
        &out,
        &["--games", "2"],
    ));
    // The last engine of a tournament is tried before the first game, too.
    let out = folder("missing-last");
    let engines = [
        ("one", fake("honest", 0, 1)),
        ("two", fake("honest", 0, 2)),
        ("three", "no-such-engine".to_owned()),
    ];
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen-match"));
    command.args(["tournament", "--size", "5", &tournament(&out, 2, &engines)]);
    let output = command.arg("--out").arg(&out).output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{words}");
    assert!(
        words.contains("three: cannot start `no-such-engine`"),
        "{words}"
    );
    assert_eq!(games(&out).len(), 0);
}

/// The fake engine refuses more moves than its periods have.
fn an_engine_without_byoyomi_gets_one_move_a_period() {
    let out = folder("byoyomi");
    let options = ["--games", "2", "--time", "0+3*5"];
    let [first, second] = [1, 2].map(|seed| fake("honest", 0, seed));
    let report = report(play(&first, &second, &out, &options));
    assert_eq!(report["reasons"]["rules"], 2, "{report:#}");
}
