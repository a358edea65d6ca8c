//! `tengen-lab` as a process: each of its subcommands once.

#![allow(clippy::unwrap_used, reason = "a test helper fails by panicking")]

mod critic;
mod pages;
mod programs;
mod scratch;
mod truth_set;

use std::io::Write as _;
use std::process::{Command, Stdio};

use scratch::Scratch;

fn lab(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen-lab"));
    command.args(arguments).env("RUST_LOG", "warn");
    command
}

/// Runs to the end; shows both outputs when it fails.
fn run(arguments: &[&str]) -> String {
    let output = lab(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(
        output.status.success(),
        "{arguments:?}\nstdout: {stdout}\nstderr: {stderr}"
    );
    stdout
}

#[test]
fn mucgo_plays_all_games_over_gtp() {
    for game in ["go", "nogo", "gomoku"] {
        let mut command = lab(&["gtp", "mucgo", "--game", game, "--visits", "30"]);
        let pipes = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = pipes.spawn().unwrap();
        let input = b"genmove b\ntengen-network\nquit\n";
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(said.starts_with("= "), "{said}");
        assert!(
            said.contains("Mucgo's search over random playouts chooses the moves"),
            "{said}"
        );
    }
    let refused = lab(&["gtp", "mucgo", "--mucgo-weighting", "E"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(
        !refused.status.success() && said.contains("from 0 to 1"),
        "{said}"
    );
    // Settings without effect are none.
    for [method, flag] in [["mucgo", "--model"], ["critic", "--seed"]] {
        let refused = lab(&["gtp", method, flag, "1"]).output().unwrap();
        assert_eq!(refused.status.code(), Some(2), "{refused:?}");
    }
}
