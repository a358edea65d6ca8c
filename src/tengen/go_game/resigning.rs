//! Resignation of lost games of Go.

use super::*;
use crate::engine::Resign;

#[test]
fn games_are_given_up_in_go_only_unless_it_is_said() {
    let resign = |game| EngineOptions::of(game).unwrap().resign_below;
    assert_eq!(resign("go"), Resign::below(-0.95));
    assert_eq!([resign("nogo"), resign("gomoku")], [None, None]);
    let mut options = EngineOptions::of("go").unwrap();
    options.set("resign-below", "off").unwrap();
    assert_eq!(options.resign_below, None);
}

/// White is hopelessly lost: a komi of -40.5 is more than the board.
fn hopeless(moves: &str, resign_below: &str) -> Box<dyn Engine> {
    let resign = ("resign-below", resign_below);
    let mut engine = engine(&[
        ("size", "5"),
        ("rules", "chinese"),
        ("visits", "300"),
        resign,
    ]);
    engine.set_komi(HalfPoints(-81));
    play(&mut *engine, moves).unwrap();
    engine
}

#[test]
fn a_hopeless_game_is_given_up_and_not_too_early() {
    let stop = StopFlag::new();
    let given_up = |engine: &mut dyn Engine| {
        let mut moves =
            (0..6).map(|_| engine.genmove(&MoveRequest::new(Color::White, &stop), &mut |_| {}));
        moves.position(|decision| decision == Decision::Resign)
    };
    let walls = "b1 d1 b2 d2 b3 d3 b4 d4 b5 d5";
    let mut engine = hopeless(walls, "-0.95");
    assert_eq!(given_up(&mut *engine), Some(2), "with the third move");
    assert_eq!(engine.outcome(), Some(Outcome::win(Color::Black)));
    assert_eq!(engine.resigned(), Some(Color::White));
    assert_eq!(given_up(&mut *hopeless(walls, "off")), None);
    // Four stones: nine are a third of the board.
    let early = given_up(&mut *hopeless("b1 d1 b2 d2", "-0.95"));
    assert_eq!(early, Some(5));
    // Other engines know more of the game after a move was taken back, or with another komi.
    let mut engine = hopeless(walls, "-0.95");
    for _ in 0..2 {
        engine.genmove(&MoveRequest::new(Color::White, &stop), &mut |_| {});
    }
    engine.undo().unwrap();
    assert_ne!(
        engine.genmove(&MoveRequest::new(Color::White, &stop), &mut |_| {}),
        Decision::Resign
    );
    engine.genmove(&MoveRequest::new(Color::White, &stop), &mut |_| {});
    engine.set_komi(HalfPoints(-83));
    assert_ne!(
        engine.genmove(&MoveRequest::new(Color::White, &stop), &mut |_| {}),
        Decision::Resign
    );
}

#[test]
fn nobody_gives_up_when_it_comes_to_counting() {
    let stop = StopFlag::new();
    let walls = "b1 d1 b2 d2 b3 d3 b4 d4 b5 d5";
    // Black offers to end the game.
    let mut engine = hopeless(walls, "-0.95");
    for _ in 0..2 {
        engine.genmove(&MoveRequest::new(Color::White, &stop), &mut |_| {});
    }
    play(&mut *engine, "pass").unwrap();
    assert_ne!(
        engine.genmove(&MoveRequest::new(Color::White, &stop), &mut |_| {}),
        Decision::Resign
    );
    // Dead stones are removed from the board, and a genmove after that answers with a move.
    let mut engine = hopeless(walls, "-0.95");
    for _ in 0..4 {
        let cleanup = engine.genmove(
            &MoveRequest::new(Color::White, &stop).of_kind(MoveKind::Cleanup),
            &mut |_| {},
        );
        assert_ne!(cleanup, Decision::Resign);
        let move_here = engine.genmove(
            &MoveRequest::new(Color::White, &stop).of_kind(MoveKind::Named),
            &mut |_| {},
        );
        assert_ne!(move_here, Decision::Resign);
    }
}
