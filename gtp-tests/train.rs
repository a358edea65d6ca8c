//! `tengen-train` as a process: the small end-to-end training run, and `kill -9` in the middle.

#![allow(clippy::unwrap_used, reason = "a test helper fails by panicking")]

mod machines;
mod reference;

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use tengen::encode::find;
use tengen::eval::{Batch, Evaluator, LibraryPlaces, ModelInfo, Outputs, TractModel};
use tengen::game::{BoardSize, Game};
use tengen::games::nogo::SmallNoGo;
use tengen::train::shards::row::Row;
use tengen::train::shards::shard;

/// A temporary folder for one test, removed at its end.
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

/// Runs to the end; shows both outputs when it fails.
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
    let later = scratch.join("later.onnx");
    let earlier = ["--earlier-games", "5", "--earlier-steps", "7"];
    let export = ["export", "--checkpoint", &fitted, "--out", &later];
    run(&[&export[..], &earlier].concat());
    let told = run(&["inspect", &later]);
    for line in ["tengen.games: 17", "tengen.steps: 19"] {
        assert!(told.lines().any(|told| told == line), "{told}");
    }

    quantised(&net, &data, &scratch.join("int8.onnx"));
    taught(
        &net,
        &["fit", "--data", &data, "--out", &scratch.join("taught")],
        &fit,
    );

    let onnx = std::fs::read(&net).unwrap();
    let mut evaluator = TractModel::load(&net, &onnx, None)
        .unwrap()
        .evaluator()
        .unwrap();
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

/// A fit learns from a network, and goes on with the same one only.
fn taught(net: &str, command: &[&str], settings: &[&str]) {
    let with = |share: &'static str| {
        let teacher = ["--teacher", net, "--teacher-share", share];
        train(&[command, settings, &teacher].concat())
    };
    let log = succeed(&mut with("0.5"));
    assert!(log.contains("\"untrained\""), "{log}");
    succeed(&mut with("0.5"));
    for (share, wanted) in [("0.25", "other settings"), ("0", "--teacher-share 0")] {
        let output = with(share).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && message.contains(wanted),
            "{message}"
        );
    }
}

/// The int8 version of a network is written, compared and named as such.
#[test]
fn old_games_get_exact_results() {
    let scratch = Scratch::new("correct");
    let [data, out, no_games] = ["data", "out", "none"].map(|name| scratch.join(name));
    let games_of = [
        "--size",
        "4",
        "--games",
        "8",
        "--playouts",
        "2",
        "--out",
        &data,
    ];
    run(&[&["selfplay", "rollouts"], &games_of[..]].concat());
    let correct = [
        "correct", "--data", &data, "--out", &out, "--nodes", "2000000",
    ];
    let report = run(&correct);
    assert!(report.starts_with("8 games, 0 done before;"), "{report}");
    let (before, after) = (games(&data), games(&out));
    let results = |games: &BTreeMap<u64, Vec<Row>>| -> Vec<i8> {
        games.values().flatten().map(|row| row.result).collect()
    };
    assert_ne!(results(&before), results(&after), "two playouts blunder");
    assert!(after.values().flatten().all(|row| row.exact));
    run(&["fsck", &out]);
    assert!(run(&correct).starts_with("0 games, 8 done before;"));
    let fails = |arguments: &[&str], part: &str| {
        let output = train(arguments).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && text.contains(part), "{text}");
    };
    fails(
        &["correct", "--data", &data, "--out", &data],
        "another folder",
    );
    fails(
        &["correct", "--data", &no_games, "--out", &out],
        "is not a folder",
    );
}

fn quantised(net: &str, data: &str, out: &str) {
    if LibraryPlaces::usual(None).find().is_err() {
        return;
    }
    let arguments = [
        "quantize",
        "--model",
        net,
        "--data",
        data,
        "--positions",
        "16",
    ];
    // A network trained for twelve steps may lose more than a good one.
    let report = run(&[&arguments[..], &["--out", out, "--force", "--json"]].concat());
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["difference"]["positions"], 16, "{report}");
    assert!(
        report["difference"]["policy_kl"].as_f64().unwrap() < 0.1,
        "{report}"
    );
    assert!(run(&["inspect", out]).contains("int8"));
    let again = train(&["quantize", "--model", out, "--out", net, "--data", data])
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(
        !again.status.success() && message.contains("already quantised"),
        "{message}"
    );
}

/// Self-play by playouts on a small board into this folder, until there are this many games.
fn selfplay(data: &str, games: u64) -> Command {
    let games = games.to_string();
    let mut command = train(&["selfplay", "rollouts", "--out", data, "--games", &games]);
    command.args(["--size", "5", "--playouts", "10", "--threads", "2"]);
    command.args(["--games-per-shard", "2"]);
    command
}

/// Endless self-play that has played at least three games, and its open standard output.
fn playing(data: &str) -> (Child, impl Sized) {
    let mut endless = selfplay(data, 1_000_000);
    endless.arg("--json").stdout(Stdio::piped());
    let mut child = endless.stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let progressed = lines.any(|line| {
        let record: serde_json::Value = serde_json::from_str(&line.unwrap()).unwrap();
        record["games"].as_u64().unwrap() >= record["resumed"].as_u64().unwrap() + 3
    });
    assert!(progressed, "it ended by itself");
    (child, lines)
}

/// Plays five games more than there are: all must be there, once, and those of before as they were.
fn goes_on(data: &str) {
    let before = games(data);
    let wanted = before.keys().last().unwrap() + 5;
    succeed(&mut selfplay(data, wanted));
    let after = games(data);
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

#[test]
fn selfplay_continues_after_kill_9() {
    let scratch = Scratch::new("kill-selfplay");
    let data = scratch.join("data");
    for _ in 0..2 {
        let (mut child, _) = playing(&data);
        // On Unix this is SIGKILL.
        child.kill().unwrap();
        child.wait().unwrap();
    }
    goes_on(&data);
}

#[test]
#[cfg(unix)]
fn ctrl_c_prints_the_progress_and_the_same_command_continues() {
    use std::os::unix::process::ExitStatusExt as _;

    let scratch = Scratch::new("ctrl-c");
    let data = scratch.join("data");
    let (child, _output) = playing(&data);
    let id = child.id().to_string();
    assert!(
        Command::new("kill")
            .args(["-INT", &id])
            .status()
            .unwrap()
            .success()
    );
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.signal(), Some(2), "as a shell expects it");
    let words = String::from_utf8_lossy(&output.stderr);
    let said = words
        .split_once("Interrupted at ")
        .expect("it says what is there")
        .1;
    let told: usize = said.split(' ').next().unwrap().parse().unwrap();
    let kept = games(&data).len();
    // Games of a shard that is not full, and those finished since it was asked, may differ.
    assert!(told >= 3 && kept > 0 && kept <= told + 10, "{words}");
    assert!(
        words.contains("the same command continues from there."),
        "{words}"
    );
    goes_on(&data);
}

/// A run of a few seconds with every kind of step.
const PLAN: &str = r#"
size = 5
warm-up = { games = 12, playouts = 20 }

[[stage]]
network = "az-1b8c"
visits = 8
games = 12
generations = 3

[[stage]]
network = "az-1b12c"
visits = 8
games = 12
generations = 2

[self-play]
concurrent = 4

[fit]
batch = 32

[rating]
pairs = 4
visits = 8
anchors = [10, 50]

[gate]
pairs = 4
visits = 8
"#;

/// Networks and, generation by generation, games.
type Products = (Vec<Vec<u8>>, Vec<BTreeMap<u64, Vec<Row>>>);

/// The products of a run.
fn products(run: &str, generations: u32) -> Products {
    let network = |number| format!("{run}/networks/network-{number:04}.onnx");
    let rows = |number| format!("{run}/generation-{number:04}/games");
    let numbers = 0..generations;
    (
        numbers
            .clone()
            .map(|n| std::fs::read(network(n)).unwrap())
            .collect(),
        numbers.map(|n| games(&rows(n))).collect(),
    )
}

/// Kills a run at random moments, twenty times if TENGEN_KILLS is set to that.
#[test]
fn the_loop_continues_after_kill_9_with_the_same_result() {
    let scratch = Scratch::new("kill-loop");
    let (plan, whole, killed) = (
        scratch.join("plan.toml"),
        scratch.join("whole"),
        scratch.join("killed"),
    );
    std::fs::write(&plan, PLAN).unwrap();
    let arguments = |out: &str| -> Vec<String> {
        let words = [
            "loop",
            &plan,
            "--out",
            out,
            "--threads",
            "2",
            "--backend",
            "tract",
            "--json",
        ];
        words.map(str::to_owned).into()
    };
    let run_loop = |out: &str| {
        let arguments = arguments(out);
        run(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let told = run_loop(&whole);
    assert!(
        told.lines().count() > 10 && told.contains("\"finished\""),
        "{told}"
    );

    let kills: u32 = std::env::var("TENGEN_KILLS").map_or(4, |text| text.parse().unwrap());
    let mut wait = 7_u64;
    for _ in 0..kills {
        let arguments = arguments(&killed);
        let mut command = train(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        let mut child = command.stdout(Stdio::null()).spawn().unwrap();
        // Powers of 389 modulo 971: spread over 30 to 1,000 ms.
        wait = wait * 389 % 971;
        std::thread::sleep(std::time::Duration::from_millis(30 + wait));
        child.kill().unwrap();
        child.wait().unwrap();
        if Path::new(&killed).exists() {
            run(&["fsck", &killed]);
        }
    }
    run_loop(&killed);
    run(&["fsck", &killed]);
    let (networks, rows) = products(&killed, 6);
    let (wanted_networks, wanted_rows) = products(&whole, 6);
    assert!(rows == wanted_rows, "the games are the same");
    assert!(networks == wanted_networks, "the networks are the same");
    run(&["report", &killed]);
    let report = std::fs::read_to_string(format!("{killed}/report.html")).unwrap();
    assert!(report.contains("6 generations, 72 games"), "{report}");
    assert!(
        report.contains("Finished: its plan is complete.") && !report.contains("http-equiv"),
        "{report}"
    );
}

/// A critic is trained, killed on the way, trained to the end, and plays.
#[test]
fn a_critic_is_taught_and_plays() {
    let scratch = Scratch::new("critic");
    let (plan, whole, killed) = (
        scratch.join("plan.toml"),
        scratch.join("whole"),
        scratch.join("killed"),
    );
    std::fs::write(&plan, CRITIC_PLAN).unwrap();
    run(&["critic", &plan, "--out", &whole, "--threads", "2"]);
    let mut child = train(&["critic", &plan, "--out", &killed, "--threads", "1"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !Path::new(&killed).join("hdp-s1.critic").exists() {
        std::thread::yield_now();
    }
    child.kill().unwrap();
    child.wait().unwrap();
    run(&["critic", &plan, "--out", &killed, "--threads", "2"]);
    for name in ["hdp-s1.critic", "td-s1.critic", "td-s2.critic"] {
        let read = |folder: &str| std::fs::read(format!("{folder}/{name}")).unwrap();
        assert!(read(&whole) == read(&killed), "{name}");
    }
    let page = std::fs::read_to_string(format!("{killed}/report.html")).unwrap();
    assert!(page.contains("Strength: score against RAVE") && page.contains("Finished: 4 runs."));

    let file = format!("{whole}/td-s2.critic");
    let engine = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tengen"));
        command.args(["gtp", "--backend", "critic"]).args(arguments);
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = pipes.stderr(Stdio::piped()).spawn().unwrap();
        // A program that rejects its settings reads nothing.
        let input = b"genmove b\ngenmove w\nshowboard\nquit\n";
        let _ = child.stdin.take().unwrap().write_all(input);
        let output = child.wait_with_output().unwrap();
        let both = [output.stdout, output.stderr].concat();
        String::from_utf8_lossy(&both).into_owned()
    };
    let one = engine(&["--model", &file]);
    assert!(
        one.starts_with("= ") && one == engine(&["--model", &file]),
        "{one}"
    );
    for (arguments, because) in [
        (
            &["--model", &file, "--size", "5"][..],
            "plays nogo on 4x4, not nogo on 5x5",
        ),
        (&["--model", &plan], "is not a critic: its first line"),
        (
            &["--model", "/nowhere.critic"],
            "cannot read critic /nowhere.critic",
        ),
        (&[], "--backend critic needs a critic: --model FILE"),
    ] {
        let said = engine(arguments);
        assert!(said.contains(because), "{said}");
    }
}

/// Long enough to be killed in.
const CRITIC_PLAN: &str = r#"
title = "Small"
game = "nogo"
size = 4
seeds = [1, 2]
hidden = 4
opponent-rules = 0.5
arm = [
    { name = "hdp", target = { kind = "hdp", gamma = 0.9 } },
    { name = "td", target = { kind = "td", lambda = 0.9 } },
]
lessons = { games = 3000, random-plies = 2, rate = 0.05, both-colors = true }
measure = { every = 1500, pairs = 5, random-plies = 2, against = ["random", "rave-20"] }
"#;

#[test]
fn the_plans_in_the_scripts_folder_are_valid() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/plans");
    let mut seen = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        let parsed = if text.contains("opponent-rules") {
            tengen::papers::critic::training::CriticPlan::parse(&text).map(drop)
        } else if text.contains("[[arm]]") {
            tengen::papers::ablate::AblationPlan::parse(&text).map(drop)
        } else {
            tengen::train::cycle::CyclePlan::parse(&text).map(drop)
        };
        assert!(parsed.is_ok(), "{}: {parsed:?}", path.display());
        seen += 1;
    }
    assert!(seen >= 5);
    let small = folder.parent().unwrap().join("cluster/small.toml");
    let text = std::fs::read_to_string(small).unwrap();
    tengen::train::cycle::CyclePlan::parse(&text).unwrap();
}
