//! Priors of a pass that may end a game of Go, by what its networks know.

use super::*;
use crate::game::Scored as _;
use crate::games::go::SmallGo;

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
