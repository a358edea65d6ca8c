//! Stones captured by the last moves.

use crate::game::Bits;

/// Number of moves that are remembered.
pub(super) const MOST: usize = 4;

/// Stones captured by each of the last moves, most recent first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Captures<const WORDS: usize>([Bits<WORDS>; MOST]);

impl<const WORDS: usize> Captures<WORDS> {
    /// Value before the first move.
    pub(super) const NONE: Self = Captures([Bits::EMPTY; MOST]);

    /// Adds a move; the oldest is dropped.
    pub(super) fn push(&mut self, captures: Bits<WORDS>) {
        self.0.rotate_right(1);
        self.0[0] = captures;
    }

    /// Captures, most recent move first.
    pub(super) fn iter(self) -> impl Iterator<Item = Bits<WORDS>> {
        self.0.into_iter()
    }
}
