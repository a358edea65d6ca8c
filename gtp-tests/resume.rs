//! Self-play and training runs go on after `kill -9` and Ctrl-C as if nothing had happened.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use tengen_train::shards::row::Row;

use super::{Scratch, games, run, succeed, train};

/// Self-play by playouts on a small board into this folder, until there are this many games.
fn selfplay(data: &str, games: u64) -> Command {
    let games = games.to_string();
    let mut command = train(&["selfplay", "rollouts", "--out", data, "--games", &games]);
    command.args(["--size", "5", "--playouts", "10", "--threads", "2"]);
    command
}

/// Endless self-play that has played at least three games, in shards of this many, and its open standard output.
fn playing(data: &str, games_per_shard: u32) -> (Child, impl Sized) {
    let mut endless = selfplay(data, 1_000_000);
    endless.args(["--games-per-shard", &games_per_shard.to_string()]);
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
    let data = scratch.path("data");
    for _ in 0..2 {
        let (mut child, _) = playing(&data, 2);
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
    let data = scratch.path("data");
    let (child, _output) = playing(&data, 1_000_000);
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
    assert!(told >= 3, "{words}");
    assert_eq!(
        kept, told,
        "also those of a shard that was not full: {words}"
    );
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
    let plan = scratch.write("plan.toml", PLAN.as_bytes());
    let (whole, killed) = (scratch.path("whole"), scratch.path("killed"));
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
        ];
        words.map(str::to_owned).into()
    };
    // Returns its standard error.
    let run_loop = |out: &str| {
        let arguments = arguments(out);
        let mut command = train(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
        let output = command.env("RUST_LOG", "info").output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        said
    };
    let said = run_loop(&whole);
    for number in 0..6 {
        let line = format!("generation {number} of az-1b");
        assert_eq!(said.matches(&line).count(), 1, "{said}");
    }
    assert!(
        said.contains("the plan is complete: generation 5 was the last"),
        "{said}"
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
    let report = std::fs::read_to_string(format!("{killed}/report.html")).unwrap();
    assert!(report.contains("6 generations, 72 games"), "{report}");
    assert!(
        report.contains("Finished: its plan is complete.") && !report.contains("http-equiv"),
        "{report}"
    );
}
