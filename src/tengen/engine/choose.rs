//! Chooses the move to play from a search report and the rules, and when to resign.

use super::dead_stones::stones;
use crate::game::{Color, Game, GameState, Move, Proof, Settled};
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

/// Number of consecutive searches of one side that must agree.
const MOVES: u32 = 3;

/// No resignation before 1/PART_PLAYED of the board is occupied.
const PART_PLAYED: usize = 3;

/// A resigning side must expect to be behind by at least one point per this many of the board, by 5
/// on 19x19, and by [`MIN_BEHIND`].
const BEHIND: f32 = 72.0;

/// Minimum points behind for a resignation, on small boards.
const MIN_BEHIND: f32 = 2.0;

/// While stones are uncertain, it must be behind by one point per this many without those that are
/// expected to be dead: by 20 on 19x19.
const BEHIND_IN_DOUBT: f32 = 18.0;

/// Decides on resignations in hopeless games.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Resign {
    below: f32,
    /// Black's and White's own consecutive moves that were no better.
    hopeless: [u32; 2],
}

impl Resign {
    /// Resigns after three consecutive searches have expected no better result than `value`, in
    /// [-1, 1]; `None` if that is out of range. Never before a third of the board is played.
    pub fn below(value: f32) -> Option<Resign> {
        (-1.0..=1.0).contains(&value).then_some(Resign {
            below: value,
            hopeless: [0; 2],
        })
    }

    /// Whether searches suggest resigning, including this one for the side to move of `position`;
    /// without a report nothing is known.
    pub(super) fn after<G: Game>(&mut self, position: &G, report: Option<&SearchReport>) -> bool {
        let (color, area) = (position.to_move(), position.size().area());
        let lost = report.is_some_and(|report| {
            let expected = report.expected.as_ref();
            let lead = expected.map(|expected| color.signed(expected.black_ahead));
            let least = MIN_BEHIND.max(area as f32 / BEHIND);
            let behind = lead.is_none_or(|lead| lead <= -least);
            report.visits > 0 && report.value <= self.below && behind
        });
        let hopeless = &mut self.hopeless[color.index()];
        *hopeless = if lost { *hopeless + 1 } else { 0 };
        *hopeless >= MOVES && PART_PLAYED * stones(position) >= area
    }

    /// A new game begins, or moves were undone.
    pub(super) fn forget(&mut self) {
        self.hopeless = [0; 2];
    }
}

/// Whether `color` loses by the count, for every status of uncertain stones, or by far.
pub(super) fn loses_the_count<G: Game>(position: &G, color: Color, settled: &Settled) -> bool {
    let behind = -color.signed(settled.black_ahead.0);
    let far = 2.0 * position.size().area() as f32 / BEHIND_IN_DOUBT;
    settled.certain_winner() == Some(color.opponent()) || behind as f32 >= far
}

#[cfg(test)]
mod tests {
    use super::super::testing::{FillGame, report};
    use super::*;
    use crate::game::{BoardSize, HalfPoints, Move, OwnershipEstimate, PointStatus};
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

    /// Five points in a row, with this many stones; White to move after an odd number.
    fn line(stones: u16) -> FillGame {
        let mut line = FillGame::new(BoardSize::new(5, 1)).expect("a legal size");
        (0..stones).for_each(|point| line.play(Move(point)));
        line
    }

    /// A search report with Black's lead, where points are known.
    fn found(value: f32, black_ahead: Option<f32>) -> SearchReport {
        let mut found = report(&[(0, 1, 1.0)]);
        (found.value, found.visits) = (value, 100);
        found.expected = black_ahead.map(|black_ahead| OwnershipEstimate {
            owner: vec![0.0; 5],
            by_turn: None,
            shared: vec![0.0; 5],
            black_ahead,
            deviation: 0.0,
        });
        found
    }

    #[test]
    fn three_hopeless_searches_in_a_row_are_enough() {
        assert_eq!(Resign::below(-1.5), None);
        assert_eq!(Resign::below(f32::NAN), None);
        let mut resign = Resign::below(-0.9).expect("it is in range");
        let mut after = |value: f32| resign.after(&line(2), Some(&found(value, None)));
        assert_eq!([-0.95, -0.95, -0.5, -0.9, -1.0].map(&mut after), [false; 5]);
        assert!(after(-0.95) && after(-0.95));
        resign.forget();
        assert!(!resign.after(&line(2), None));
    }

    #[test]
    fn the_sides_of_one_program_count_their_own_searches() {
        let mut resign = Resign::below(-0.9).expect("it is in range");
        let (black, white) = (line(2), line(3));
        for _ in 0..2 {
            assert!(!resign.after(&white, Some(&found(-0.95, None))));
            assert!(!resign.after(&black, Some(&found(0.95, None))));
        }
        assert!(resign.after(&white, Some(&found(-0.95, None))));
        assert!(!resign.after(&black, Some(&found(-0.95, None))));
    }

    #[test]
    fn nobody_gives_up_early_or_while_points_say_otherwise() {
        let last = |stones, black_ahead| {
            let mut resign = Resign::below(-0.9).expect("it is in range");
            let found = found(-0.95, black_ahead);
            let after = |_| resign.after(&line(stones), Some(&found));
            [0; 3].map(after)[2]
        };
        assert!(!last(1, None), "one stone of five");
        assert!(last(2, None));
        assert!(last(2, Some(-3.0)));
        assert!(!last(2, Some(-1.5)), "that may turn");
        assert!(
            last(3, Some(3.0)) && !last(3, Some(-3.0)),
            "White is to move"
        );
    }

    #[test]
    fn what_is_in_doubt_is_not_given_up() {
        let settled = |black_ahead: i32, range: [i32; 2]| Settled {
            statuses: vec![PointStatus::Dame; 18],
            black_ahead: HalfPoints(black_ahead),
            range: range.map(HalfPoints),
            open: 0,
            unsettled: 0,
        };
        let line = FillGame::new(BoardSize::new(18, 1)).expect("a legal size");
        let black_loses = |found| loses_the_count(&line, Color::Black, &found);
        assert!(black_loses(settled(-1, [-1, -1])));
        assert!(!black_loses(settled(-1, [-9, 3])), "these stones decide");
        assert!(black_loses(settled(-2, [-9, 3])), "by far");
        assert!(!black_loses(settled(1, [-1, 1])));
        let white_loses = |found| loses_the_count(&line, Color::White, &found);
        assert!(white_loses(settled(3, [-9, 9])) && !white_loses(settled(-3, [-9, 9])));
    }
}
