//! Networks of Go: the expected score and owners of a position that an earlier search knows, and the priors of a pass
//! that may end a game, by what they know.

use super::*;
use crate::games::go::SmallGo;

#[test]
fn a_known_position_has_its_points_at_once() {
    let position = SmallGo::new(BoardSize::square(5)).unwrap();
    let &encoding = SmallGo::encodings().last().unwrap();
    let info = ModelInfo {
        points: 1 + 25,
        ..made_up(&position, encoding)
    };
    let make = move || Box::new(HashEvaluator::new(info.clone())) as Box<dyn Evaluator>;
    let time = Arc::new(FakeClock::new());
    let mut searcher = searcher(make, 1, SearchParams::default(), time);
    let first = search(&mut searcher, &position, 50);
    let lead = |report: &SearchReport| report.expected.as_ref().unwrap().black_ahead;

    // The same position: the sums of the search before go on.
    let again = search(&mut searcher, &position, 50);
    assert_eq!((again.reused, again.evaluations), (50, 0));
    assert_eq!(lead(&again), lead(&first));

    // The one after its move: the network is asked, beside the tree.
    let mut next = position.clone();
    next.play(first.moves[0].mv);
    let visits = first.moves[0].visits;
    let after = search(&mut searcher, &next, visits);
    assert_eq!(
        (after.reused, after.playouts, after.evaluations),
        (visits, 0, 1)
    );
    assert_eq!(after.expected.as_ref().unwrap().owner.len(), 25);
    // What it is told does not depend on the search.
    searcher.clear();
    assert_eq!(lead(&search(&mut searcher, &next, 1)), lead(&after));
}

/// The priors of the pass in eight positions whose game may end, with a network of this encoding.
fn priors(encoding: &str) -> Vec<f32> {
    let pass = BoardSize::square(5).pass();
    let mut position = SmallGo::new(BoardSize::square(5)).unwrap();
    let mut priors = Vec::new();
    while priors.len() < 8 {
        let moves: Vec<Move> = position.legal_moves().collect();
        position.play(moves[moves.len() / 2]);
        if !position.scored().is_some_and(|scored| scored.nears_end()) {
            continue;
        }
        let info = SmallGo::encodings().iter().find(|e| e.id() == encoding);
        let info = ModelInfo {
            encoding: encoding.into(),
            planes: info.unwrap().planes(),
            ..model(&position)
        };
        let make = move || Box::new(HashEvaluator::new(info.clone())) as Box<dyn Evaluator>;
        let time = Arc::new(FakeClock::new());
        let mut searcher = searcher(make, 1, SearchParams::default(), time);
        let report = search(&mut searcher, &position, 1);
        let passed = report.moves.iter().find(|found| found.mv == pass);
        priors.push(passed.unwrap().prior);
    }
    priors
}

#[test]
fn a_pass_is_raised_for_networks_that_do_not_know_when_to_pass() {
    // Priors have 16 bits.
    let least = 0.0999;
    let raised = priors("go-1");
    assert!(raised.iter().all(|&prior| prior >= least), "{raised:?}");
    let known = priors("go-2");
    assert!(known.iter().any(|&prior| prior < least), "{known:?}");
}
