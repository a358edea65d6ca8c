//! `tengen-train` as a process: the small end-to-end training run, and `kill -9` in the middle.

#![allow(clippy::unwrap_used, reason = "a test helper fails by panicking")]

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tengen::encode::find;
use tengen::eval::{Batch, Evaluator, ModelInfo, Outputs, TractModel};
use tengen::game::nogo::SmallNoGo;
use tengen::game::{BoardSize, Game};
use tengen::train::row::Row;
use tengen::train::shard;

/// A folder of its own for one test, removed at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("tengen-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Scratch(path)
    }

    fn join(&self, name: &str) -> String {
        self.0.join(name).to_str().unwrap().to_owned()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn train(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen-train"));
    command.args(arguments).env("RUST_LOG", "warn");
    command
}

/// Runs to the end; shows both sides when it fails.
fn run(arguments: &[&str]) -> String {
    succeed(&mut train(arguments))
}

fn succeed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(
        output.status.success(),
        "{command:?}\nstdout: {stdout}\nstderr: {stderr}"
    );
    stdout
}

/// The rows of a folder by game.
fn games(folder: &str) -> BTreeMap<u64, Vec<Row>> {
    let mut games: BTreeMap<u64, Vec<Row>> = BTreeMap::new();
    for path in shard::list(Path::new(folder)).unwrap() {
        for row in shard::read(&path).unwrap().rows {
            games.entry(row.game).or_default().push(row);
        }
    }
    games
}

#[test]
fn games_become_a_network_that_the_engine_loads() {
    let scratch = Scratch::new("end-to-end");
    let (data, fitted, net) = (
        scratch.join("data"),
        scratch.join("run"),
        scratch.join("net.onnx"),
    );
    let selfplay = [
        "--size",
        "5",
        "--games",
        "12",
        "--playouts",
        "20",
        "--threads",
        "2",
    ];
    run(&[&["selfplay", "rollouts", "--out", &data], &selfplay[..]].concat());
    let fit = [
        "--net",
        "az-1b8c",
        "--steps",
        "12",
        "--batch",
        "32",
        "--held-out",
        "0.3",
        "--json",
    ];
    let log = run(&[&["fit", "--data", &data, "--out", &fitted], &fit[..]].concat());
    assert!(log.contains("\"untrained\""), "{log}");
    run(&["export", "--checkpoint", &fitted, "--out", &net]);
    for path in [&data, &fitted, &net] {
        assert!(run(&["inspect", path]).lines().count() >= 3);
    }

    let onnx = std::fs::read(&net).unwrap();
    let mut evaluator = TractModel::load(&net, &onnx).unwrap().evaluator().unwrap();
    let position = SmallNoGo::new(BoardSize::square(5)).unwrap();
    let info: ModelInfo = evaluator.info().clone();
    assert_eq!(
        (info.network.as_str(), info.games, info.steps),
        ("az-1b8c", 12, 12)
    );
    assert_eq!(info.encoding, "nogo-az");
    let (mut batch, mut out) = (Batch::new(info.row_len()), Outputs::new());
    find(&info, &position)
        .unwrap()
        .encode(&position, batch.push(1));
    evaluator.evaluate(&batch, &mut out).unwrap();
    assert!(out.policy(0).iter().all(|logit| logit.is_finite()));
    assert!(out.value(0).abs() < 1.0);
}

#[test]
fn selfplay_goes_on_after_kill_9() {
    let scratch = Scratch::new("kill-selfplay");
    let data = scratch.join("data");
    let common = [
        "--size",
        "5",
        "--playouts",
        "10",
        "--threads",
        "2",
        "--games-per-shard",
        "2",
    ];
    let selfplay = |games: u64, more: &[&str]| -> Command {
        let mut command = train(&[
            "selfplay",
            "rollouts",
            "--out",
            &data,
            "--games",
            &games.to_string(),
        ]);
        command.args(common).args(more);
        command
    };
    for _ in 0..2 {
        let mut endless = selfplay(1_000_000, &["--json"]);
        let mut child = endless.stdout(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let progressed = lines.any(|line| {
            let record: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
            record["games"].as_u64().unwrap() >= record["resumed"].as_u64().unwrap() + 3
        });
        assert!(progressed, "it ended by itself");
        // On Unix this is SIGKILL.
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let before = games(&data);
    let wanted = before.keys().last().unwrap() + 5;
    succeed(&mut selfplay(wanted, &[]));
    let after = games(&data);
    assert!(after.keys().copied().eq(0..wanted), "every game is there");
    for (game, rows) in &after {
        // A game found twice would have its plies twice.
        assert!(
            rows.is_sorted_by(|a, b| a.ply < b.ply),
            "game {game} is there once"
        );
    }
    assert!(
        before.iter().all(|(game, rows)| after[game] == *rows),
        "finished games are kept"
    );
}
