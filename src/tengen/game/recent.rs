//! The last moves of a game, stored in each position.

use std::fmt;

use super::Move;

/// The last moves that led to a position, at most eight, in one 128-bit number: input encodings and
/// rules may need them, and adding one costs a shift.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Recent(u128);

/// Marks an empty slot; no move has this number.
const NONE: u16 = u16::MAX;
/// Bits of a move.
const WIDTH: u32 = u16::BITS;

impl Recent {
    /// Number of moves stored.
    pub const MOST: usize = 8;

    /// Adds a move; the oldest is dropped.
    pub fn push(&mut self, mv: Move) {
        self.0 = self.0 << WIDTH | u128::from(mv.0);
    }

    /// The most recent move; `None` at the start of a game.
    #[must_use]
    pub fn last(self) -> Option<Move> {
        self.iter().next()
    }

    /// The moves, most recent first.
    pub fn iter(self) -> impl Iterator<Item = Move> {
        let lanes = (0..Self::MOST as u32).map(move |lane| (self.0 >> (WIDTH * lane)) as u16);
        lanes.take_while(|&mv| mv != NONE).map(Move)
    }
}

impl Default for Recent {
    /// No moves.
    fn default() -> Self {
        Recent(u128::MAX)
    }
}

impl FromIterator<Move> for Recent {
    /// Collects moves in the order of play and keeps the last ones.
    fn from_iter<I: IntoIterator<Item = Move>>(moves: I) -> Self {
        let mut recent = Recent::default();
        moves.into_iter().for_each(|mv| recent.push(mv));
        recent
    }
}

impl fmt::Debug for Recent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_eight_are_kept_newest_first() {
        assert_eq!(Recent::default().last(), None);
        for count in [1, 3, 8, 11] {
            let recent: Recent = (0..count).map(Move).collect();
            let expected: Vec<Move> = (0..count).rev().take(Recent::MOST).map(Move).collect();
            assert_eq!(recent.iter().collect::<Vec<_>>(), expected);
            assert_eq!(recent.last(), Some(Move(count - 1)));
        }
    }
}
