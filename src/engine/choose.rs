//! The move to play, out of what a search reports and what the rules allow.

use crate::game::{Game, Move};
use crate::search::SearchReport;

/// The first legal move of `report`, which lists the move to play first; else any legal move.
/// `None` only when there is no legal move.
pub(super) fn choose<G: Game>(position: &G, report: Option<&SearchReport>) -> Option<Move> {
    let reported = report.map_or(&[][..], |report| &report.moves);
    let best = reported.iter().find(|found| position.is_legal(found.mv));
    best.map(|found| found.mv)
        .or_else(|| position.legal_moves().next())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Line, report};
    use super::*;
    use crate::game::BoardSize;

    /// Moves as (point, visits, prior) on a board of three points with the middle one taken.
    #[track_caller]
    fn check(moves: &[(u16, u64, f32)], expected: u16) {
        let mut position = Line::new(BoardSize::new(3, 1)).expect("a legal size");
        position.play(Move(1));
        let report = report(moves);
        assert_eq!(
            choose(&position, Some(&report)),
            Some(Move(expected)),
            "{moves:?}"
        );
    }

    #[test]
    fn the_searchs_order_then_any_legal_move() {
        check(&[(2, 5, 0.1), (0, 9, 0.9)], 2);
        // An untried move in front: the tried ones are proven losses.
        check(&[(2, 0, 0.1), (0, 9, 0.1)], 2);
        check(&[(1, 7, 0.9), (2, 1, 0.1)], 2);
        check(&[(1, 7, 0.9), (99, 7, 0.9)], 0);
        check(&[(0, 0, f32::NAN)], 0);
        check(&[], 0);
    }

    #[test]
    fn nothing_only_when_there_is_nothing() {
        let mut position = Line::new(BoardSize::new(1, 1)).expect("a legal size");
        assert_eq!(choose(&position, None), Some(Move(0)));
        position.play(Move(0));
        assert_eq!(choose(&position, Some(&report(&[(0, 1, 1.0)]))), None);
    }
}
