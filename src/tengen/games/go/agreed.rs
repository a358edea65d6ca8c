//! What the players agree on before counting.

use crate::game::Bits;

/// Agreement of the players at the end of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Agreed<const WORDS: usize> {
    /// Dead stones, removed before counting.
    pub dead: Bits<WORDS>,
    /// Stones alive in seki: the points they surround are not territory. No effect under area
    /// scoring.
    pub seki: Bits<WORDS>,
    /// Points that their owner must fill once the dame are filled; therefore not territory.
    pub filled: Bits<WORDS>,
}

impl<const WORDS: usize> Agreed<WORDS> {
    /// All stones alive, none in seki.
    #[must_use]
    pub const fn all_alive() -> Self {
        Agreed {
            dead: Bits::EMPTY,
            seki: Bits::EMPTY,
            filled: Bits::EMPTY,
        }
    }
}
