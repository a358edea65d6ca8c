//! A run on several machines, as processes of this one: a learner, and workers that are killed.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use super::killed::Killed;
use super::{Scratch, run, succeed, train};

const PLAN: &str = r#"
size = 5
warm-up = { games = 24, playouts = 40 }

[[stage]]
network = "az-1b8c"
visits = 8
games = 16
generations = 2

[self-play]
concurrent = 4

[fit]
batch = 32

[rating]
pairs = 4
visits = 8
anchors = [10, 50]

[machines]
ahead = 1
games-per-ticket = 4
pairs-per-ticket = 2
"#;

fn start(arguments: &[&str]) -> Killed {
    let mut command = train(arguments);
    Killed(command.stdout(Stdio::null()).spawn().unwrap())
}

/// The shards of a run by name.
fn shards(store: &str) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for generation in 0..3 {
        let folder = Path::new(store).join(format!("g{generation:04}/games"));
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(store).unwrap().display().to_string();
            found.push((name, std::fs::read(path).unwrap()));
        }
    }
    found.sort();
    found
}

#[test]
fn workers_that_are_killed_play_the_same_run() {
    let scratch = Scratch::new("machines");
    let path = |name: &str| scratch.path(name);
    let (plan, store, alone) = (path("plan.toml"), path("store"), path("alone"));
    std::fs::write(&plan, PLAN).unwrap();
    let copy = path("copy");
    let backend = ["--backend", "tract", "--threads", "1"];
    let learn = ["loop", &plan, "--run", &store, "--out", &copy, "--no-play"];
    let work = [&["work", "--run", &store][..], &backend].concat();

    // Workers may come first, and die.
    let mut killed = start(&work);
    let mut learner = start(&[&learn[..], &backend].concat());
    while !Path::new(&store).join("g0000/claims").exists() {
        std::thread::sleep(Duration::from_millis(2));
    }
    killed.0.kill().unwrap();
    let mut worker = start(&work);
    assert!(learner.0.wait().unwrap().success());
    assert!(worker.0.wait().unwrap().success(), "the plan is complete");
    run(&["fsck", &store, &copy]);

    // The learner alone, on other threads.
    let learn = ["loop", &plan, "--run", &alone];
    let mut command = train(&[&learn[..], &["--backend", "tract", "--threads", "2"]].concat());
    // As sbatch does, from the machine where a job is submitted.
    succeed(command.env("HOSTNAME", "login01"));
    if cfg!(target_os = "linux") {
        let reports = std::fs::read_dir(format!("{alone}/workers")).unwrap();
        let mut names = reports.map(|report| report.unwrap().file_name());
        assert!(names.all(|name| !name.to_string_lossy().starts_with("login01")));
    }
    assert!(shards(&store) == shards(&alone), "equal to the byte");
    let report = std::fs::read_to_string(format!("{store}/report.html")).unwrap();
    assert!(report.contains("3 generations, 56 games") && report.contains("Machines"));

    // A complete run says so, and another plan is refused where it began, too.
    let goes_on = |plan: &str| {
        let mut command = train(&["loop", plan, "--run", &alone]);
        let output = command.env("RUST_LOG", "info").output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.code(), said)
    };
    let (status, said) = goes_on(&plan);
    assert!(
        status == Some(0) && said.contains("the plan is complete"),
        "{said}"
    );
    assert!(said.contains("alone/networks/network-0002.onnx"), "{said}");
    let changed = scratch.write("other.toml", format!("seed = 2{PLAN}").as_bytes());
    let (status, said) = goes_on(&changed);
    assert!(
        status == Some(78) && said.contains("a run with another plan (seed: 2 and not 1)"),
        "{said}"
    );

    // Another program must not work on it, and says so with its own status.
    let manifest = format!("{store}/run.json");
    let text = std::fs::read_to_string(&manifest).unwrap();
    let version = concat!("tengen-train ", env!("CARGO_PKG_VERSION"));
    // Its checksum is its last member.
    let (open, _) = text.rsplit_once(",\n").unwrap();
    let other = format!("{open}\n}}\n").replace(version, "tengen-train 9.9");
    std::fs::write(&manifest, other).unwrap();
    let output = train(&work).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(78), "{said}");
    assert!(said.contains("program tengen-train 9.9"), "{said}");
}

/// A program that waits for a run, and its messages from then on.
fn waiting(command: &str, run: &str) -> (Killed, impl Iterator<Item = String>) {
    let mut command = train(&[command, "--run", run]);
    let command = command.env("RUST_LOG", "info").stderr(Stdio::piped());
    let mut program = Killed(command.spawn().unwrap());
    let lines = BufReader::new(program.0.stderr.take().unwrap()).lines();
    let mut lines = lines.map(Result::unwrap);
    assert!(lines.any(|line| line.contains("waiting for")));
    (program, lines)
}

/// Its folder may not be mounted at the moment.
#[test]
fn a_learner_without_a_plan_waits_for_its_run() {
    let scratch = Scratch::new("machines-absent");
    let (run, gone) = (scratch.path("run"), scratch.path("gone"));
    let (mut learner, lines) = waiting("loop", &run);
    assert!(!Path::new(&run).exists());
    std::fs::create_dir(&gone).unwrap();
    scratch.write("gone/run.json", br#"{"protocol": 9}"#);
    std::fs::rename(&gone, &run).unwrap();
    let said: Vec<String> = lines.collect();
    assert_eq!(learner.0.wait().unwrap().code(), Some(78), "{said:?}");
    assert!(said.join(" ").contains("of protocol 9"), "{said:?}");
}

#[test]
#[cfg(unix)]
fn a_worker_without_a_ticket_has_lost_none() {
    let scratch = Scratch::new("machines-waiting");
    let run = scratch.path("run");
    let (worker, lines) = waiting("work", &run);
    let id = worker.0.id().to_string();
    let mut kill = std::process::Command::new("kill");
    assert!(kill.args(["-INT", &id]).status().unwrap().success());
    let rest: Vec<String> = lines.collect();
    let said = rest.join(" ");
    assert!(
        said.contains("Interrupted before anything was done")
            && said.contains("If it was at a ticket"),
        "{said}"
    );
}

#[test]
fn what_cannot_be_a_run_is_named() {
    let fails = |arguments: &[&str], part: &str| {
        let output = train(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(part), "{said}");
    };
    fails(&["loop", "plan.toml"], "--out");
    fails(&["work", "--run", "ftp://b/r"], "ftp://");
    for other in ["file:///tmp/run", "http://host/run"] {
        fails(&["work", "--run", other], "given by its path alone");
        fails(
            &["loop", "plan.toml", "--run", other],
            "given by its path alone",
        );
    }
    fails(
        &["loop", "--out", "/nonexistent/run"],
        "contains no run yet",
    );
    let scratch = Scratch::new("machines-wrong");
    let run = scratch.path("run");
    fails(&["work", "--run", ""], "names no folder");
    // Without a plan only a run that is there goes on.
    let there = ["loop", "--out", &run];
    fails(&there, "contains no run");
    assert_eq!(train(&there).status().unwrap().code(), Some(78));
    let plan = scratch.write("plan.toml", PLAN.as_bytes());
    fails(&["loop", &plan, "--run", "s3://bucket/run"], "--out FOLDER");
    assert!(!Path::new(&run).exists());
    // Runs of one machine and of several.
    let (alone, shared) = (scratch.path("alone"), scratch.path("shared"));
    std::fs::create_dir_all(scratch.join("alone/generation-0000/games")).unwrap();
    fails(&["loop", &plan, "--run", &alone], "`loop --out`");
    std::fs::create_dir(&shared).unwrap();
    scratch.write("shared/run.json", b"{}");
    fails(&["loop", &plan, "--out", &shared], "loop --run");
}
