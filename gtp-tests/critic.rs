//! `tengen-lab critic`, and what it has made as an engine.

use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use super::{Scratch, lab, run};

/// A critic is trained, killed on the way, trained to the end, and plays.
#[test]
fn a_critic_is_taught_and_plays() {
    let scratch = Scratch::new("critic");
    let plan = scratch.write("plan.toml", CRITIC_PLAN.as_bytes());
    let (whole, killed) = (scratch.path("whole"), scratch.path("killed"));
    run(&["critic", &plan, "--out", &whole, "--threads", "2"]);
    let mut child = lab(&["critic", &plan, "--out", &killed, "--threads", "1"])
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
    let tables = std::fs::read_to_string(format!("{killed}/tables.md")).unwrap();
    assert!(
        tables.contains("## Strength at the end") && tables.contains("| td | 3000 x 2 |"),
        "{tables}"
    );

    let file = format!("{whole}/td-s2.critic");
    let engine = |arguments: &[&str]| {
        let mut command = lab(&["gtp", "critic"]);
        let pipes = command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
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
        (&[], "gtp critic needs a critic: --model FILE"),
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
measure = { every = 1500, pairs = 5, random-plies = 2 }
"#;
