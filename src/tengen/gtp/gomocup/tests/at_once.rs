//! Moves with zero time.

use super::*;
use crate::engine::MoveRequest;

/// With the network-free engine of playouts or the default one: neither is asked.
fn hurried(turn: &str, rule: &str) -> GomocupSession {
    let mut session = session();
    let begin = format!("INFO timeout_turn {turn}");
    said(
        &mut session,
        &["START 15", &begin, &format!("INFO rule {rule}")],
    );
    session
}

#[test]
fn a_five_is_made_and_stopped_in_no_time() {
    for turn in ["0", "1", "3"] {
        for rule in ["0", "1", "4", "8", "9"] {
            let mut session = hurried(turn, rule);
            let five = [
                "BOARD", "7,7,1", "8,8,2", "7,8,1", "8,9,2", "7,9,1", "8,10,2", "7,10,1", "3,3,2",
                "DONE",
            ];
            let made = said(&mut session, &five);
            let fives = made == ["7,6"] || made == ["7,11"];
            assert!(fives, "{turn} {rule}: {made:?}");
            let four = [
                "RESTART", "BOARD", "0,0,2", "9,0,1", "1,0,2", "9,2,1", "2,0,2", "9,4,1", "3,0,2",
                "DONE",
            ];
            assert_eq!(said(&mut session, &four), ["OK", "4,0"], "{turn} {rule}");
        }
    }
}

#[test]
fn open_threes_are_stopped_and_carried_on() {
    let mut session = hurried("0", "0");
    let theirs = ["BOARD", "5,7,2", "0,0,1", "6,7,2", "0,2,1", "7,7,2", "DONE"];
    let stop = said(&mut session, &theirs);
    assert!(
        ["3,7", "4,7", "8,7", "9,7"].contains(&stop[0].as_str()),
        "{stop:?}"
    );
    let ours = [
        "RESTART", "BOARD", "0,0,2", "5,7,1", "0,2,2", "6,7,1", "0,4,2", "7,7,1", "14,14,2", "DONE",
    ];
    let four = said(&mut session, &ours);
    assert!(["4,7", "8,7"].contains(&four[1].as_str()), "{four:?}");
}

/// The first move of a line of fours, which no single shape reveals.
#[test]
fn a_line_of_fours_is_found_in_no_time() {
    let mut session = hurried("0", "0");
    // A four by 9,7, its answer, and then another four makes two.
    let lines = [
        "BOARD", "6,7,1", "0,0,2", "7,7,1", "0,2,2", "8,7,1", "5,7,2", "9,5,1", "0,4,2", "9,6,1",
        "0,6,2", "DONE",
    ];
    let found = said(&mut session, &lines);
    assert!(["9,7", "10,7"].contains(&found[0].as_str()), "{found:?}");
}

#[test]
fn sides_are_chosen_by_the_static_value() {
    let mut session = hurried("0", "0");
    let offered = said(&mut session, &["SWAP2BOARD", "DONE"]);
    assert_eq!(
        offered[0]
            .split(' ')
            .filter(|point| is_point(point))
            .count(),
        3
    );
    // Three black stones that White cannot stop in time, or White far away: Black it is.
    for black in [
        ["SWAP2BOARD", "7,7", "0,0", "8,7", "0,14", "9,7", "DONE"],
        ["SWAP2BOARD", "7,7", "0,0", "8,8", "14,0", "7,9", "DONE"],
    ] {
        assert_eq!(said(&mut session, &black), ["SWAP"], "{black:?}");
    }
    assert_eq!(
        said(&mut session, &["SWAP2BOARD", "7,7", "0,0", "8,7", "DONE"]),
        ["SWAP"]
    );
    // White to make a straight four; Black's stones in the corners.
    for white in [
        &["SWAP2BOARD", "0,0", "7,7", "0,14", "8,7", "14,14", "DONE"][..],
        &["SWAP2BOARD", "0,0", "7,7", "14,14", "DONE"],
    ] {
        assert!(is_point(&said(&mut session, white)[0]), "{white:?}");
    }
}

/// A whole game with zero time, on boards of all kinds, against itself: no five is missed.
#[test]
fn games_in_no_time_miss_no_five() {
    for (rule, start) in [
        ("0", "START 15"),
        ("1", "START 20"),
        ("4", "START 15"),
        ("9", "RECTSTART 8,6"),
    ] {
        let mut session = session();
        said(
            &mut session,
            &[start, "INFO timeout_turn 0", &format!("INFO rule {rule}")],
        );
        let mut reply = said(&mut session, &["BEGIN"]);
        let mut plies = 1;
        while is_point(&reply[0]) {
            let engine = session.engine.as_deref_mut().expect("it was started");
            if engine.outcome().is_some() {
                break;
            }
            // The engine plays both sides.
            reply = {
                let us = engine.to_move();
                let five = fives(engine);
                let decision = engine.genmove(
                    &MoveRequest::new(us, &crate::search::StopFlag::new()),
                    &mut |_| {},
                );
                let crate::engine::Decision::Play(crate::record::Vertex::Point(mv)) = decision
                else {
                    break;
                };
                assert!(
                    five.is_empty() || five.contains(&mv),
                    "{rule} {plies}: {five:?}"
                );
                vec![write_point(mv, engine.size())]
            };
            plies += 1;
        }
        assert!(plies > 8, "{rule}: {plies}");
    }
}

/// Points where the side to move wins at once.
fn fives(engine: &mut dyn Engine) -> Vec<crate::game::Move> {
    let us = engine.to_move();
    let mut fives = engine.legal_moves(us);
    fives.retain(|&mv| {
        let vertex = crate::record::Vertex::Point(mv);
        let played = engine.play(crate::record::Play { color: us, vertex });
        let won = engine
            .outcome()
            .is_some_and(|outcome| outcome.winner == Some(us));
        if played.is_ok() {
            engine.undo().expect("it was played");
        }
        won
    });
    fives
}

/// What a manager sent while the program was busy with its earlier lines is already late.
#[test]
fn time_in_the_queue_is_thinking_time() {
    let clock = FakeClock::new();
    let mut options = EngineOptions::of("gomoku").expect("it is on the list");
    options.set("visits", "20").expect("a number");
    let mut session = session_at(options, Arc::new(clock.clone()));
    let limits = ["INFO timeout_match 100000", "INFO time_left 90000"];
    said(&mut session, &["START 15"]);
    said(&mut session, &limits);
    let interrupts = session.interrupts();
    let mut spent = |message, turns: &[&str]| {
        let arrived = interrupts.arrive(message);
        clock.advance(Duration::from_millis(700));
        interrupts.handle(message, turns.len(), arrived);
        said(&mut session, turns);
        let times = session.engine().expect("a board").move_times();
        times.last().expect("a move").used.elapsed
    };
    assert_eq!(spent(1, &["TURN 7,7"]), Duration::from_millis(700));
    // The second move of a script has waited for the first alone.
    assert_eq!(spent(2, &["TURN 0,0", "TURN 14,14"]), Duration::ZERO);
}
