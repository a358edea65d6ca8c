//! A search's report, rewritten by what the solver knows.

use std::time::Duration;

use crate::clock::StopReason;
use crate::game::{Move, Proof};
use crate::search::{MoveReport, SearchReport};
use crate::solver::Advice;

/// A report with nothing but the moves.
pub(super) fn unsearched(advice: &Advice) -> SearchReport {
    let prior = 1.0 / advice.moves.len() as f32;
    let moves = advice.moves.iter();
    let moves = moves.map(|rated| MoveReport::unsearched(rated.mv, prior));
    SearchReport::unsearched(moves.collect(), StopReason::Proven)
}

/// The search's report with the solver's knowledge: its order of moves, equals as the search
/// ordered them.
pub(super) fn merge_proof(
    mut report: SearchReport,
    advice: &Advice,
    elapsed: Duration,
) -> SearchReport {
    let best = advice
        .moves
        .first()
        .map(|rated| (rated.bounds, rated.score));
    for found in &mut report.moves {
        let rated = advice.moves.iter().find(|rated| rated.mv == found.mv);
        if let Some(proof) = rated.and_then(|rated| rated.bounds.proof()) {
            found.proof = Some(proof);
            (found.value, found.lcb) = (proof.value(), proof.value());
        }
    }
    let is_best = |found: &MoveReport| {
        let rated = advice.moves.iter().find(|rated| rated.mv == found.mv);
        rated.map(|rated| (rated.bounds, rated.score)) == best
    };
    if let Some(chosen) = report.moves.iter().position(is_best) {
        let best = report.moves.remove(chosen);
        report.moves.insert(0, best);
    }
    report.proof = Some(advice.proof);
    report.value = advice.proof.value();
    report.elapsed = elapsed;
    report.stop = StopReason::Proven;
    report
}

/// The search's report with moves that are known to lose behind all others.
pub(super) fn merge_losing(mut report: SearchReport, losing: &[Move]) -> SearchReport {
    for found in &mut report.moves {
        if losing.contains(&found.mv) {
            found.proof = Some(Proof::Loss);
            (found.value, found.lcb) = (Proof::Loss.value(), Proof::Loss.value());
        }
    }
    // Behind all others as those that the search has proven to lose, which may have more visits.
    let lost = |found: &MoveReport| found.proof == Some(Proof::Loss);
    report.moves.sort_by_key(lost);
    report
}
