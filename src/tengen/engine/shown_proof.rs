//! Presents a proven result to clients, which list moves with visits and show a line of play.

use crate::game::Proof;
use crate::search::{Purpose, SearchReport, StopFlag};
use crate::solver::{Solvable, Solve, SolveLimits};

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
        let effort = SolveLimits {
            nodes: LINE,
            threads: 1,
            halt: &|_| stop.is_raised(),
        };
        best.pv = vec![best.mv];
        best.pv.extend(solver.line(&next, &effort));
        // The solver has proven each of these moves, and the search may have been at the first.
        best.pv_visits.truncate(1);
        best.pv_visits.resize(best.pv.len(), 1);
    }
}
