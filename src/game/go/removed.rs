//! What the last moves took off the board.

use crate::game::Bits;

/// Moves that are remembered.
pub(super) const MOST: usize = 4;

/// The stones that each of the last moves took, the last move's first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Removed<const WORDS: usize>([Bits<WORDS>; MOST]);

impl<const WORDS: usize> Removed<WORDS> {
    /// Before the first move.
    pub(super) const NONE: Self = Removed([Bits::EMPTY; MOST]);

    /// One move more; the oldest is forgotten.
    pub(super) fn push(&mut self, removed: Bits<WORDS>) {
        self.0.rotate_right(1);
        self.0[0] = removed;
    }

    /// The last move's first.
    pub(super) fn iter(self) -> impl Iterator<Item = Bits<WORDS>> {
        self.0.into_iter()
    }
}
