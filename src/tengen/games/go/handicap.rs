//! Number of handicap stones: those set up, and those that Black plays before White's first stone.

use crate::game::Color;

/// Handicap of a game so far.
///
/// Clients place handicap stones in three ways: as a setup, as consecutive black moves, and as
/// black moves between white passes. All of them count, as in KataGo
/// (`assumeMultipleStartingBlackMovesAreHandicap`, on by default). Two consecutive white moves mean
/// that a position is being set up move by move: then only stones set up count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Handicap {
    /// Black stones set up on a board without white ones.
    set_up: u16,
    /// Black stones played since.
    played: u16,
    stage: Stage,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// The next black stone counts. `passed`: White has just passed.
    Open { passed: bool },
    /// White has just played its first stone.
    Answered,
    /// No further change.
    Closed,
}

impl Handicap {
    /// No handicap: the empty board.
    pub(super) const NONE: Handicap = Handicap::of_set_up(0, 0);

    /// Handicap of a position set up with this many black stones.
    pub(super) const fn of_set_up(black: u16, white: u16) -> Handicap {
        let (set_up, stage) = match white {
            0 => (black, Stage::Open { passed: false }),
            _ => (0, Stage::Closed),
        };
        Handicap {
            set_up,
            played: 0,
            stage,
        }
    }

    /// The handicap after a move, a stone or a pass.
    pub(super) fn play(&mut self, color: Color, stone: bool) {
        let white = color == Color::White;
        self.stage = match self.stage {
            Stage::Closed => return,
            Stage::Open { passed: true } | Stage::Answered if white => {
                self.played = 0;
                Stage::Closed
            }
            Stage::Open { .. } if white && stone => Stage::Answered,
            Stage::Open { .. } => {
                self.played += u16::from(!white && stone);
                Stage::Open { passed: white }
            }
            Stage::Answered => Stage::Closed,
        };
    }

    /// Number of handicap stones; a single one counts as an ordinary first move.
    pub(super) fn stones(self) -> u16 {
        match self.set_up + self.played {
            0 | 1 => 0,
            stones => stones,
        }
    }

    /// Whether further black stones still add to the handicap.
    pub(super) fn is_open(self) -> bool {
        matches!(self.stage, Stage::Open { .. })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Handicap stones after moves: `B` and `W` are stones, `b` and `w` passes.
    fn after(mut handicap: Handicap, moves: &str) -> u16 {
        for mv in moves.chars() {
            let color = match mv.to_ascii_uppercase() {
                'B' => Color::Black,
                _ => Color::White,
            };
            handicap.play(color, mv.is_ascii_uppercase());
        }
        handicap.stones()
    }

    /// KataGo's rule as its documentation and source describe it.
    #[test]
    fn black_stones_before_whites_first_are_handicap() {
        for (moves, stones) in [
            ("", 0),
            ("B", 0),
            ("BW", 0),
            ("BWBB", 0),
            ("BB", 2),
            ("BBB", 3),
            ("BBWBB", 2),
            ("BwB", 2),
            ("BwBwBW", 3),
            ("bBBW", 2),
            ("BbBW", 2),
            ("WB", 0),
            ("WBB", 0),
            // A position set up by moves.
            ("BBBWW", 0),
            ("BBwW", 0),
            ("BBWw", 0),
            ("BBWBWW", 2),
        ] {
            assert_eq!(after(Handicap::NONE, moves), stones, "{moves}");
        }
        let set_up = |black, white, moves| after(Handicap::of_set_up(black, white), moves);
        assert_eq!(set_up(4, 0, ""), 4);
        assert_eq!(set_up(4, 0, "WBB"), 4);
        assert_eq!(set_up(2, 0, "BBW"), 4, "some set up, some played");
        assert_eq!(set_up(1, 0, "BW"), 2);
        assert_eq!(set_up(2, 0, "BBWW"), 2, "what was set up stays");
        assert_eq!(set_up(5, 1, "BB"), 0);
    }
}
