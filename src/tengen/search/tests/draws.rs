//! Draws, passes and repeated positions.

use std::collections::HashMap;

use super::toy::{PASS, RowGame, black_to_move};
use super::*;
use crate::game::{Bounds, Move};

/// Bounds of every reachable position from the rules alone, by retrograde analysis; an endless game
/// proves nothing.
fn solved(start: &RowGame) -> HashMap<u128, Bounds> {
    let mut positions = HashMap::from([(start.key(), start.clone())]);
    let mut todo = vec![start.clone()];
    while let Some(position) = todo.pop() {
        for mv in position.legal_moves() {
            let mut next = position.clone();
            next.play(mv);
            if positions.insert(next.key(), next.clone()).is_none() {
                todo.push(next);
            }
        }
    }
    let mut bounds: HashMap<u128, Bounds> = positions.keys().map(|&k| (k, Bounds::OPEN)).collect();
    loop {
        let mut changed = false;
        for (key, position) in &positions {
            let new = match position.outcome() {
                Some(outcome) => Bounds::exactly(outcome.proof_for(position.to_move())),
                None => position
                    .legal_moves()
                    .map(|mv| {
                        let mut next = position.clone();
                        next.play(mv);
                        bounds[&next.key()].flip()
                    })
                    .fold(Bounds::exactly(Proof::Loss), Bounds::or),
            };
            changed |= bounds.insert(*key, new) != Some(new);
        }
        if !changed {
            return bounds;
        }
    }
}

#[test]
fn what_is_proven_is_true_with_draws_and_repetition() {
    let mut drawn = 0;
    for points in 2..=5 {
        let position = line(points);
        let truth = solved(&position);
        for threads in [1, 3] {
            let mut searcher = hashing(&position, threads, SearchParams::default());
            let report = search(&mut searcher, &position, 20_000);
            check_tree(&searcher, &position);
            let tree = searcher.tree.as_ref().unwrap();
            for (key, true_bounds) in &truth {
                let Some(id) = tree.find(*key) else { continue };
                let found = tree.node(id).state().bounds();
                assert_eq!(true_bounds.and(found), *true_bounds, "{points} points");
                drawn += u32::from(found.proof() == Some(Proof::Draw));
            }
            if let Some(proof) = report.proof {
                assert_eq!(truth[&position.key()].proof(), Some(proof));
            }
        }
    }
    assert!(drawn > 0);
}

#[test]
fn small_boards_are_solved_as_far_as_they_can_be() {
    // Three points in a row: the first player takes the middle and with it all.
    let position = line(3);
    let truth = solved(&position)[&position.key()];
    assert_eq!(truth.proof(), Some(Proof::Win));
    let mut searcher = hashing(&position, 2, SearchParams::default());
    let report = search(&mut searcher, &position, 100_000);
    assert_eq!(
        (report.proof, report.stop),
        (Some(Proof::Win), StopReason::Proven)
    );
}

#[test]
fn a_proven_draw_takes_no_more_visits() {
    // White has passed on an empty board: a pass draws, and is known to draw as soon as it was
    // tried.
    let mut position = line(9);
    position.play(Move(9));
    let info = model(&position);
    let make = move || Box::new(HashEvaluator::new(info.clone())) as Box<dyn Evaluator>;
    let params = SearchParams {
        batch: 8,
        ..SearchParams::default()
    };
    let mut searcher = searcher(make, 1, params, Arc::new(FakeClock::new()));
    let report = search(&mut searcher, &position, 3000);
    let pass = report
        .moves
        .iter()
        .find(|found| found.mv == Move(9))
        .unwrap();
    assert_eq!(pass.proof, Some(Proof::Draw));
    assert!(pass.visits < 20, "{} visits", pass.visits);
    assert!(
        report.evaluations > 1500,
        "{} evaluations",
        report.evaluations
    );
    assert!(report.value >= 0.0, "a draw is certain");
    check_tree(&searcher, &position);
}

#[test]
fn a_draw_is_played_when_nothing_better_is_expected() {
    let mut position = line(9);
    position.play(Move(9));
    let played = |value: f32| {
        let info = model(&position);
        let make = move || Box::new(Opinion(info.clone(), value)) as Box<dyn Evaluator>;
        let clock = Arc::new(FakeClock::new());
        let mut searcher = searcher(make, 1, SearchParams::default(), clock);
        search(&mut searcher, &position, 300)
            .best()
            .unwrap()
            .clone()
    };
    // The evaluator favours Black: the side behind accepts the draw, the side ahead plays on.
    let (glad, ahead) = (played(0.6), played(-0.6));
    assert_eq!((glad.mv, glad.proof), (Move(9), Some(Proof::Draw)));
    assert!(ahead.mv != Move(9) && ahead.value > 0.3, "{ahead:?}");
}

/// An evaluator that favours Black or White, and passes last.
struct Opinion(ModelInfo, f32);

impl Evaluator for Opinion {
    fn info(&self) -> &ModelInfo {
        &self.0
    }

    fn evaluate(
        &mut self,
        batch: &tengen_nn::eval::Batch,
        out: &mut tengen_nn::eval::Outputs,
    ) -> Result<(), EvalError> {
        out.reset_for(batch.len(), [self.0.policy_len, self.0.outcomes, 0, 0]);
        for row in 0..batch.len() {
            let black = if black_to_move(batch.row(row)) {
                1.0
            } else {
                -1.0
            };
            // The value is the difference of two probabilities: tanh of half the logits'.
            let logits = out.value_logits_mut(row);
            logits[0] = 2.0 * (self.1 * black).atanh();
            out.policy_mut(row)[PASS] = -1.0;
        }
        Ok(())
    }
}

#[test]
fn lines_of_play_end_where_a_position_comes_back() {
    for threads in [1, 4] {
        let position = line(4);
        let mut searcher = hashing(&position, threads, SearchParams::default());
        let report = search(&mut searcher, &position, 30_000);
        for found in &report.moves {
            assert!(found.pv.len() < 200, "a line of {} moves", found.pv.len());
        }
        check_tree(&searcher, &position);
    }
}
