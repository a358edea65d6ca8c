//! Results of Go: the same from every process and every command, computed in bounded time, and no
//! wrong result reported as certain.

use std::time::Duration;

use tengen::clock::{Clock, SystemClock};

use crate::process::{Engine, QUICK};

/// A Go engine that plays by few playouts, with this seed.
fn go(seed: &str) -> Engine {
    Engine::start(&[&QUICK[..4], &["--seed", seed, "--game", "go"]].concat())
}

/// A game on 13x13 with open borders, both sides in turn.
const OPEN_BORDERS: &str = "D4 K10 D10 K4 G7 F3 H11 C7 L7 E8 J8 F10 F6 H5 C5 K6 L6 K7 L8 K8 L9 E5 E6 \
                            D6 D7 C6 B6 B5 B7 C4 C3 D3 C2 H4 G10 G11 F11 E11 F12 G9 H10 F9 G5 G4";

/// Plays them all, Black first.
fn play(engine: &mut Engine, moves: &str) {
    for (vertex, color) in moves.split_whitespace().zip(["b", "w"].into_iter().cycle()) {
        engine.answer(&format!("play {color} {vertex}"));
    }
}

#[test]
fn a_position_has_one_score_in_every_process() {
    let mut scores = Vec::new();
    for seed in ["1", "2", "3"] {
        let mut engine = go(seed);
        engine.answer("boardsize 13");
        play(&mut engine, OPEN_BORDERS);
        if seed == "3" {
            // Different earlier searches, and another order of the same stones.
            engine.answer("genmove b");
            engine.answer("undo");
            engine.answer("gg-undo 2");
            engine.answer("play b G5");
            engine.answer("final_score");
            engine.answer("play w G4");
        }
        let dead = engine.answer("final_status_list dead");
        scores.push((engine.answer("final_score"), dead));
    }
    assert!(scores[0].0.contains('+'), "{scores:?}");
    assert!(scores.iter().all(|score| *score == scores[0]), "{scores:?}");
}

#[test]
fn the_end_of_input_interrupts_scoring() {
    let mut engine = go("1");
    engine.answer("boardsize 19");
    play(&mut engine, "D4 Q16 D16 Q4 K10");
    engine.send("final_score\n");
    std::thread::sleep(Duration::from_millis(100));
    engine.close();
    let (rest, _) = engine.wait();
    assert_eq!(
        rest,
        "? cannot score: interrupted before the position was judged\n\n"
    );
}

/// However much is left to play.
#[test]
fn a_score_is_bounded() {
    let clock = SystemClock::new();
    let mut engine = go("1");
    engine.answer("boardsize 19");
    engine.answer("name");
    for moves in ["", "D4", "Q16 Q4", OPEN_BORDERS] {
        engine.answer("clear_board");
        play(&mut engine, moves);
        let started = clock.now();
        engine.answer("final_score");
        let took = clock.now() - started;
        // Below 2 seconds on an idle machine.
        assert!(took < Duration::from_secs(20), "{moves}: {took:?}");
    }
}
