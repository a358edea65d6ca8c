//! Merges the solver's results into a search report, and presents proven results to clients, which list moves with
//! visits and show a line of play.

use std::time::Duration;

use crate::clock::StopReason;
use crate::game::{Move, Proof};
use crate::search::{MoveReport, Purpose, SearchReport, StopFlag};
use crate::solver::{RatedMove, Solvable, Solve, SolveLimits, SolvedMoves};

/// A report with moves only.
pub(super) fn unsearched(advice: &SolvedMoves) -> SearchReport {
    let moves = advice.moves.iter().map(|rated| rated.mv);
    SearchReport::equally_likely(moves, StopReason::Proven)
}

/// The search's report with the solver's move order; ties in the order of the search.
pub(super) fn merge_proof(
    mut report: SearchReport,
    advice: &SolvedMoves,
    elapsed: Duration,
) -> SearchReport {
    let rated = |found: &MoveReport| advice.moves.iter().find(|rated| rated.mv == found.mv);
    let merit = |rated: &RatedMove| (rated.bounds, rated.score);
    for found in &mut report.moves {
        if let Some(proof) = rated(found).and_then(|rated| rated.bounds.proof()) {
            found.prove(proof);
        }
    }
    let best = advice.moves.first().map(merit);
    report.put_first(|found| rated(found).map(merit) == best);
    report.proof = Some(advice.proof);
    report.value = advice.proof.value();
    report.elapsed = elapsed;
    report.stop = StopReason::Proven;
    report
}

/// The report of an interrupted search, with static knowledge: a winning move first, and losing
/// moves last, unless all lose.
pub(super) fn merge_static(mut report: SearchReport, known: &SearchReport) -> SearchReport {
    let proven = |wanted| {
        let moves = known.moves.iter();
        let proven = moves.filter(move |found| found.proof == Some(wanted));
        proven.map(|found| found.mv)
    };
    let win = proven(Proof::Win).next();
    if report.put_first(|found| Some(found.mv) == win) {
        report
            .moves
            .iter_mut()
            .take(1)
            .for_each(|best| best.prove(Proof::Win));
        (report.proof, report.value) = (Some(Proof::Win), Proof::Win.value());
        return report;
    }
    let losing: Vec<Move> = proven(Proof::Loss).collect();
    match losing.len() < known.moves.len() {
        true => merge_losing(report, &losing),
        false => report,
    }
}

/// The search's report with moves that are known to lose last.
pub(super) fn merge_losing(mut report: SearchReport, losing: &[Move]) -> SearchReport {
    for found in &mut report.moves {
        if losing.contains(&found.mv) {
            found.prove(Proof::Loss);
        }
    }
    // Last, like moves that the search has proven to lose, which may have more visits.
    let lost = |found: &MoveReport| found.proof == Some(Proof::Loss);
    report.moves.sort_by_key(lost);
    report
}

/// Node limit for the line of play.
const LINE: u64 = 50_000;

/// Counts the solver's proof of a move as a visit if the search had none: for the move to play and
/// all winning moves. In an analysis the move to play gets a principal variation.
pub(super) fn show_proof<G: Solvable>(
    report: &mut SearchReport,
    purpose: Purpose,
    solver: &mut dyn Solve<G>,
    position: &G,
    stop: &StopFlag,
) {
    if !purpose.is_shown() {
        return;
    }
    let mut looks = 0;
    for (place, found) in report.moves.iter_mut().enumerate() {
        let matters = place == 0 || found.proof == Some(Proof::Win);
        if matters && found.visits == 0 {
            found.visits = 1;
            found.pv_visits.fill(1);
            looks += 1;
        }
    }
    report.visits += looks;
    let Some(best) = report.moves.first_mut() else {
        return;
    };
    if purpose == Purpose::Position {
        let mut next = position.clone();
        next.play(best.mv);
        let halt = |_: u64| stop.is_raised();
        best.pv = vec![best.mv];
        best.pv
            .extend(solver.line(&next, &SolveLimits::alone(LINE, &halt)));
        // The solver has proven each of these moves, and the search may have been at the first.
        best.pv_visits.truncate(1);
        best.pv_visits.resize(best.pv.len(), 1);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::report;
    use super::*;

    /// The moves of an interrupted search in playing order, given static knowledge.
    fn order(known: [(u16, Option<Proof>); 3]) -> (Vec<u16>, Option<Proof>) {
        let mut at_once = report(&known.map(|(mv, _)| (mv, 0, 0.3)));
        for (found, (_, proof)) in at_once.moves.iter_mut().zip(known) {
            found.proof = proof;
        }
        let broken_off = report(&[(0, 9, 0.5), (1, 5, 0.3), (2, 1, 0.2)]);
        let merged = merge_static(broken_off, &at_once);
        let moves = merged.moves.iter().map(|found| found.mv.0);
        (moves.collect(), merged.proof)
    }

    #[test]
    fn what_is_known_at_once_goes_before_what_a_search_had_so_far() {
        let (win, loss) = (Some(Proof::Win), Some(Proof::Loss));
        assert_eq!(
            order([(2, None), (1, None), (0, None)]),
            (vec![0, 1, 2], None)
        );
        assert_eq!(
            order([(2, win), (1, None), (0, None)]),
            (vec![2, 0, 1], win)
        );
        assert_eq!(
            order([(2, None), (1, None), (0, loss)]),
            (vec![1, 2, 0], None)
        );
        // If all moves lose, the search's order is the best.
        assert_eq!(
            order([(2, loss), (1, loss), (0, loss)]),
            (vec![0, 1, 2], None)
        );
    }
}
