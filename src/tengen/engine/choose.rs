//! Chooses the move to play from a search report and the rules.

use crate::game::{Game, GameState, Move, Proof};
use crate::search::SearchReport;

/// The first legal move of `report`, which lists the move to play first; otherwise any legal move.
/// Moves to `avoid` come last, and if the first move is one of them, proven losses come after the
/// other moves: they may have more visits. `None` only when there is no legal move. Moves that the
/// history forbids are not legal.
pub(super) fn choose<G: Game>(
    start: &GameState<G>,
    report: Option<&SearchReport>,
    avoid: &[Move],
) -> Option<Move> {
    let found = report.map_or(&[][..], |report| &report.moves);
    let reported = found.iter().map(|found| found.mv);
    let legal = reported.filter(|&mv| start.position().is_legal(mv) && start.allows(mv));
    let mut candidates = legal.chain(start.legal_moves());
    let first = candidates.next()?;
    if !avoid.contains(&first) {
        return Some(first);
    }
    let lost = |mv: &Move| {
        let known = found.iter().find(|found| found.mv == *mv);
        known.is_some_and(|found| found.proof == Some(Proof::Loss))
    };
    let others = candidates.filter(|mv| !avoid.contains(mv));
    // Ties go to the first.
    others.min_by_key(lost).or(Some(first))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{FillGame, report};
    use super::*;
    use crate::game::BoardSize;
    use crate::games::go::SmallGo;

    /// Moves as (point, visits, prior) on a board of three points with the middle one taken.
    #[track_caller]
    fn check(moves: &[(u16, u64, f32)], expected: u16) {
        let mut position = FillGame::new(BoardSize::new(3, 1)).expect("a legal size");
        position.play(Move(1));
        let report = report(moves);
        assert_eq!(
            choose(&position.into(), Some(&report), &[]),
            Some(Move(expected)),
            "{moves:?}"
        );
    }

    #[test]
    fn the_searchs_order_then_any_legal_move() {
        check(&[(2, 5, 0.1), (0, 9, 0.9)], 2);
        // An unvisited move first: the visited ones are proven losses.
        check(&[(2, 0, 0.1), (0, 9, 0.1)], 2);
        check(&[(1, 7, 0.9), (2, 1, 0.1)], 2);
        check(&[(1, 7, 0.9), (99, 7, 0.9)], 0);
        check(&[(0, 0, f32::NAN)], 0);
        check(&[], 0);
    }

    #[test]
    fn moves_to_avoid_are_played_only_when_there_is_no_other() {
        let position = FillGame::new(BoardSize::new(3, 1)).expect("a legal size");
        let check = |avoid: &[u16], expected| {
            let avoid: Vec<Move> = avoid.iter().copied().map(Move).collect();
            let report = report(&[(2, 9, 0.5), (1, 3, 0.3)]);
            let chosen = choose(&position.clone().into(), Some(&report), &avoid);
            assert_eq!(chosen, Some(Move(expected)), "{avoid:?}");
        };
        check(&[2], 1);
        check(&[2, 1], 0);
        check(&[0, 1, 2], 2);
        // A losing move is chosen, regardless of its visits, only when there is no other.
        let mut report = report(&[(2, 9, 0.5), (1, 3, 0.3), (0, 1, 0.2)]);
        report.moves[1].proof = Some(Proof::Loss);
        for (avoid, expected) in [(&[2][..], 0), (&[2, 0], 1)] {
            let avoid: Vec<Move> = avoid.iter().copied().map(Move).collect();
            let chosen = choose(&position.clone().into(), Some(&report), &avoid);
            assert_eq!(chosen, Some(Move(expected)), "{avoid:?}");
        }
    }

    #[test]
    fn what_the_past_forbids_is_never_played() {
        let start = SmallGo::new(BoardSize::new(3, 1)).expect("a legal size");
        let mut game = GameState::from(start);
        // Black's a1 would repeat the board after the first two moves.
        [0, 2, 1, 2].into_iter().for_each(|mv| game.play(Move(mv)));
        let [forbidden, free] = [0, 1].map(Move);
        assert!(game.position().is_legal(forbidden));
        let report = report(&[(0, 9, 0.9), (1, 1, 0.1)]);
        assert_eq!(choose(&game, Some(&report), &[]), Some(free));
        assert_eq!(choose(&game, None, &[free]), Some(Move(3)), "a pass");
    }

    #[test]
    fn nothing_only_when_there_is_nothing() {
        let mut position = FillGame::new(BoardSize::new(1, 1)).expect("a legal size");
        assert_eq!(choose(&position.clone().into(), None, &[]), Some(Move(0)));
        position.play(Move(0));
        assert_eq!(
            choose(&position.into(), Some(&report(&[(0, 1, 1.0)])), &[]),
            None
        );
    }
}
