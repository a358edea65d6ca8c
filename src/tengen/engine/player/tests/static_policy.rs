//! Moves without a search result or after an interrupted search.

use super::*;
use crate::clock::{StopReason, SystemClock};
use crate::engine::{MakeThinker, RolloutThinker, static_policy};
use crate::game::HalfPoints;
use crate::game::Proof;
use crate::games::go::SmallGo;

/// A player whose static knowledge is `moves`, and the reason of the last call.
fn looking(
    mut engine: Player<FillGame>,
    moves: &'static [(u16, Option<Proof>)],
) -> Player<FillGame> {
    engine.look_at_once = Box::new(move |_| {
        let plain: Vec<(u16, u64, f32)> = moves.iter().map(|(mv, _)| (*mv, 0, 0.2)).collect();
        let mut found = report(&plain);
        for (found, (_, proof)) in found.moves.iter_mut().zip(moves) {
            found.proof = *proof;
        }
        found.stop = StopReason::Time;
        found
    });
    engine
}

const OPEN: &[(u16, Option<Proof>)] = &[(2, None), (1, None), (4, None), (0, None), (3, None)];

#[track_caller]
fn plays(engine: &mut Player<FillGame>, stop: &StopFlag, expected: u16) {
    let decision = engine.genmove(&MoveRequest::new(Color::Black, stop), &mut |_| {});
    assert_eq!(decision, Decision::Play(Vertex::Point(Move(expected))));
}

#[test]
fn without_a_search_it_is_what_looks_best() {
    for behaviour in [Behaviour::Fails, Behaviour::Panics, Behaviour::Hangs] {
        let mut engine = looking(player(behaviour.clone()), OPEN);
        engine.set_time_control(limited(0));
        plays(&mut engine, &StopFlag::new(), 2);
        assert!(engine.last_report().is_none(), "{behaviour:?}");
        plays(&mut engine, &StopFlag::new(), 1);
    }
}

#[test]
fn a_flag_that_is_up_before_leaves_no_time_for_a_search() {
    let raised = StopFlag::new();
    raised.raise();
    for behaviour in [Behaviour::Highest, Behaviour::Hangs] {
        plays(&mut looking(player(behaviour), OPEN), &raised, 2);
    }
}

#[test]
fn the_best_so_far_is_played_where_nothing_else_is_known() {
    let clock = FakeClock::new();
    let mut engine = looking(timed_player(Behaviour::SpeaksAndHangs, &clock), OPEN);
    engine.set_time_control(limited(1));
    let mut request = MoveRequest::new(Color::Black, &StopFlag::new());
    request.options.interval = Some(Duration::ZERO);
    let decision = engine.genmove(&request, &mut |_| clock.advance(Duration::from_secs(1)));
    assert_eq!(decision, Decision::Play(Vertex::Point(Move(4))));
}

/// The thinker would search in vain.
#[test]
fn no_time_at_all_asks_no_thinker() {
    let begun = StopFlag::new();
    let mut engine = looking(player(Behaviour::WhenStopped(begun.clone())), OPEN);
    engine.set_thinking_limits(ThinkingLimits {
        time_per_move: Some(Duration::ZERO),
        late_after: Some(Duration::ZERO),
        ..ThinkingLimits::default()
    });
    plays(&mut engine, &StopFlag::new(), 2);
    assert!(!begun.is_raised());
}

/// Esc while dead stones are estimated, before anything was searched: it was A1.
#[test]
fn a_judgement_that_is_stopped_leaves_a_move_that_makes_sense() {
    let stop = StopFlag::new();
    let time: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let make: MakeThinker<SmallGo> = {
        let time = Arc::clone(&time);
        Arc::new(move || Box::new(RolloutThinker::new(1, 1 << 30, Arc::clone(&time))))
    };
    let size = BoardSize::square(9);
    let empty = SmallGo::new(size).expect("a usual board");
    let raised = stop.clone();
    let mut engine = Player::new(empty, make, ThinkingLimits::default(), time);
    engine.dead_stones.expect = Some(Box::new(move |_, _, _| {
        raised.raise();
        None
    }));
    engine.look_at_once = static_policy::look_at_once();
    // White is behind, so that a pass would lose.
    engine.set_komi(HalfPoints(-15));
    for (color, vertex) in [
        (Color::Black, Vertex::Point(size.point(4, 4))),
        (Color::White, Vertex::Point(size.point(2, 3))),
        (Color::Black, Vertex::Pass),
    ] {
        engine.play(Play { color, vertex }).expect("legal");
    }
    let decision = engine.genmove(&MoveRequest::new(Color::White, &stop), &mut |_| {});
    let Decision::Play(Vertex::Point(mv)) = decision else {
        panic!("the board is open: {decision:?}");
    };
    assert!(stop.is_raised(), "the judge was asked what is dead");
    let (x, y) = size.column_row(mv);
    assert!((1..8).contains(&x) && (1..8).contains(&y), "{x} {y}");
}
