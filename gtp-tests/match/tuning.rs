//! `tune` from the command line to its files.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::Test;
use crate::matches::{fake, folder, report, script, troubled};
use crate::subcommands::tengen_match;

pub(crate) const TESTS: &[Test] = &[
    (
        "a_tuning_finds_winning_values_and_continues",
        a_tuning_finds_winning_values_and_continues,
    ),
    (
        "a_tuning_reports_impossible_requests",
        a_tuning_reports_impossible_requests,
    ),
    (
        "a_tuning_continues_after_misbehaving_engines",
        a_tuning_continues_after_misbehaving_engines,
    ),
];

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
