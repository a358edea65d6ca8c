//! Thinking on the opponent's time.

use std::time::Duration;

use crate::process::Engine;

/// Has a move generated, waits, and reads out of the tree how many visits the next search begins
/// with.
fn visits_at_start(engine: &mut Engine, pause: Duration) -> u64 {
    engine.answer("genmove b");
    std::thread::sleep(pause);
    let table = engine.answer("tengen-table w");
    let visits = table.lines().skip(1).filter_map(|line| {
        let mut words = line.split_whitespace();
        words.nth(1)?.parse::<u64>().ok()
    });
    visits.sum()
}

#[test]
fn pondering_searches_on_the_opponents_time() {
    let pause = Duration::from_millis(700);
    let args = |ponder| {
        [
            "--visits",
            "60",
            "--threads",
            "1",
            "--seed",
            "1",
            "--ponder",
            ponder,
        ]
    };
    let idle = visits_at_start(&mut Engine::start(&args("off")), pause);
    let pondered = visits_at_start(&mut Engine::start(&args("on")), pause);
    assert!(
        idle < 60 && pondered > 4 * idle.max(15),
        "{idle} and {pondered}"
    );
}

#[test]
fn pondering_holds_nothing_up() {
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
