//! When to resign.

use super::dead_stones::stones;
use crate::game::{Color, Game, Settled};
use crate::search::SearchReport;

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
    #[must_use]
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
    use crate::game::HalfPoints;
    use crate::game::{BoardSize, Move, OwnershipEstimate, PointStatus};

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
