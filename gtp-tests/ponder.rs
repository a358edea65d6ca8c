//! Thinking on the opponent's time.

use std::time::Duration;

use tengen::clock::{Clock as _, SystemClock};

use crate::process::Engine;

/// Number of visits the next search would start with, read from the tree.
fn visits_at_start(engine: &mut Engine) -> u64 {
    let table = engine.answer("tengen-table w");
    let visits = table.lines().skip(1).filter_map(|line| {
        let mut words = line.split_whitespace();
        words.nth(1)?.parse::<u64>().ok()
    });
    visits.sum()
}

fn start(ponder: &str) -> Engine {
    let args = ["--visits", "60", "--threads", "1", "--seed", "1"];
    Engine::start(&[&args, &["--ponder", ponder][..]].concat())
}

#[test]
fn pondering_searches_on_the_opponents_time() {
    let mut idle = start("off");
    idle.answer("genmove b");
    let reused = visits_at_start(&mut idle);
    assert!(reused < 60, "{reused}");

    let mut ponders = start("on");
    ponders.answer("genmove b");
    // A command interrupts it, and it continues after the answer.
    let clock = SystemClock::new();
    loop {
        let visits = visits_at_start(&mut ponders);
        if visits > 4 * reused.max(15) {
            break;
        }
        assert!(clock.now() < Duration::from_secs(60), "{visits} visits");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(visits_at_start(&mut idle), reused, "pondering is off");
}

#[test]
fn pondering_does_not_delay_replies() {
    let mut engine = Engine::start(&["--visits", "60", "--threads", "2", "--ponder"]);
    let mut color = "b";
    for _ in 0..6 {
        engine.answer(&format!("genmove {color}"));
        std::thread::sleep(Duration::from_millis(30));
        for command in ["name", "kgs-game_over", "showboard"] {
            engine.answer(command);
        }
        color = if color == "b" { "w" } else { "b" };
    }
    engine.answer("genmove b");
    std::thread::sleep(Duration::from_millis(50));
    engine.send("quit\n");
    let (rest, took) = engine.wait();
    assert_eq!(rest, "= \n\n");
    assert!(took < Duration::from_secs(2), "{took:?}");
}
