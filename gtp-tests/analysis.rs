//! Analysis through the protocol: what Sabaki and Lizzie read, and what ends it.

use std::time::Duration;

use crate::process::Engine;
use crate::sabaki_parser::{Variation, check_line, variations};

/// An engine that would think about a move long enough for a test to notice.
const SLOW: &[&str] = &[
    "--backend",
    "rollout",
    "--time-per-move",
    "30",
    "--seed",
    "1",
];
/// A fast engine with the built-in network.
const NETWORK: &[&str] = &["--visits", "300", "--threads", "1", "--seed", "1"];
/// An engine that plays at once.
const QUICK: &[&str] = &["--backend", "rollout", "--visits", "200", "--seed", "1"];

/// Starts an analysis, reads `lines` of it, ends it with `end`, and returns the lines.
fn analyze(engine: &mut Engine, command: &str, lines: usize, end: &str) -> Vec<String> {
    engine.send(&format!("{command}\n"));
    assert_eq!(engine.line(), "=");
    let seen: Vec<String> = (0..lines).map(|_| engine.line()).collect();
    engine.send(end);
    // Lines already sent, then the end.
    while !engine.line().is_empty() {}
    seen
}

#[test]
fn sabaki_reads_every_entry() {
    for command in ["kata-analyze B 5", "lz-analyze B 5"] {
        for args in [NETWORK, QUICK] {
            let mut engine = Engine::start(args);
            engine.answer("play b E5");
            for line in analyze(&mut engine, command, 4, "protocol_version\n") {
                check_line(&line, command);
            }
            assert_eq!(engine.reply(), "= 2");
        }
    }
}

/// GoGui's menu analyses a loaded record, for a time or until it is interrupted.
#[test]
fn gogui_analyze_command_searches_the_position() {
    let go = [NETWORK, &["--game", "go", "--live-graphics"]].concat();
    let mut engine = Engine::start(&go);
    engine.answer("play b E5");
    let shown = engine.answer("tengen-search w 3");
    let status = shown.lines().last().unwrap_or_default();
    assert!(status.starts_with("TEXT white wins"), "{shown}");
    assert!(status.contains(" ahead by "), "{shown}");
    assert!(shown.contains("LABEL "), "{shown}");
    // The search continues for the other views, and the game is unchanged.
    let table = engine.answer("tengen-table w");
    let visits = table
        .lines()
        .nth(1)
        .and_then(|line| line.split_whitespace().nth(1));
    let visits: u64 = visits.and_then(|visits| visits.parse().ok()).unwrap();
    assert!(visits > 10, "{table}");
    assert_eq!(engine.answer("gogui-rules_side_to_move"), "white");

    engine.send("tengen-search 60\n");
    std::thread::sleep(Duration::from_millis(100));
    engine.send("# interrupt\n");
    assert!(engine.reply().starts_with("= "));
}

#[test]
fn an_analysis_ends_with_its_input() {
    for args in [SLOW, NETWORK] {
        let mut engine = Engine::start(args);
        engine.send("kata-analyze 5\n");
        assert_eq!(engine.line(), "=");
        engine.close();
        let (rest, took) = engine.wait();
        assert!(rest.ends_with("\n\n") || rest == "\n", "{rest:?}");
        assert!(took < Duration::from_secs(5), "{took:?}");
    }
}

#[test]
fn genmove_analyze_is_not_ended_by_input() {
    for command in ["kata-genmove_analyze", "lz-genmove_analyze"] {
        // On a busy machine the network alone may take a second to load.
        let args = "--time-per-move 2.5 --threads 1 --book none";
        let mut engine = Engine::start(&args.split(' ').collect::<Vec<_>>());
        engine.send(&format!("{command} B 25\nprotocol_version\n\n"));
        assert_eq!(engine.line(), "=");
        let mut lines = Vec::new();
        let vertex = loop {
            let line = engine.line();
            if let Some(vertex) = line.strip_prefix("play ") {
                break vertex.to_owned();
            }
            lines.push(line);
        };
        assert!((2..30).contains(&lines.len()), "{lines:?}");
        let mut best = Vec::new();
        for line in &lines {
            best = check_line(line, command);
        }
        assert_eq!(best[0].vertex, vertex);
        assert_eq!(engine.line(), "");
        assert_eq!(engine.reply(), "= 2");
        let occupied = "? illegal move: the point is occupied";
        assert_eq!(engine.ask(&format!("play w {vertex}")), occupied);
    }
}

#[test]
fn options_choose_what_is_shown() {
    let mut engine = Engine::start(NETWORK);
    engine.answer("boardsize 9");
    let mut check = |options: &str, holds: fn(&[Variation], &str) -> bool| {
        let command = format!("kata-analyze {options}");
        let lines = analyze(&mut engine, &command, 3, "\n");
        let read = variations(&lines[2], "kata");
        assert!(holds(&read, &lines[2]), "{options}: {}", lines[2]);
    };
    check("5 maxmoves 2", |read, _| read.len() == 2);
    check("b interval 5 minmoves 81", |read, _| read.len() == 81);
    check("w 5 allow w E5,D4 1", |read, _| {
        read.iter()
            .all(|found| ["E5", "D4"].contains(&&*found.vertex))
    });
    check(
        "w 5 avoid w E5 1 avoid b D4 1 avoid w C3,E6 1",
        |read, _| {
            read.iter()
                .all(|found| !["E5", "C3", "E6"].contains(&&*found.vertex))
        },
    );
    // Anything after the last principal variation hides that entry from Sabaki, which never asks
    // for it.
    check("5 rootInfo true", |_, line| {
        line.contains(" rootInfo visits ") && line.contains(" utility ")
    });
    check("5 ownership true", |_, line| {
        let owners = line.split(" ownership ").nth(1).unwrap_or_default();
        owners
            .split(' ')
            .filter(|owner| owner.parse::<f32>().is_ok())
            .count()
            == 81
    });
}

#[test]
fn analysis_of_a_proven_position_waits_for_input() {
    let mut engine = Engine::start(&["--threads", "1"]);
    engine.answer("play b A2");
    engine.answer("rectangular_boardsize 9 9");
    let mut moves = 0;
    // Near the end everything is proven quickly.
    while moves < 45 {
        let vertex = engine.answer(&format!("genmove {}", ["b", "w"][moves % 2]));
        assert_ne!(vertex, "resign");
        engine.answer("kata-set-param maxVisits 30");
        moves += 1;
    }
    let lines = analyze(&mut engine, "lz-analyze 10", 1, "name\n");
    check_line(&lines[0], "lz-analyze");
    assert_eq!(engine.reply(), "= Tengen");
}
