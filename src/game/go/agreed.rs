//! What counting needs to be told.

use crate::game::Bits;

/// What the players have agreed on at the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Agreed<const WORDS: usize> {
    /// Stones that are taken off before counting.
    pub dead: Bits<WORDS>,
    /// Stones that live in seki: what they enclose is no territory. Of no weight where area counts.
    pub seki: Bits<WORDS>,
    /// Points that their owner has to fill once the dame are filled, and that are no territory for that.
    pub filled: Bits<WORDS>,
}

impl<const WORDS: usize> Agreed<WORDS> {
    /// Every stone is alive, and none in seki.
    #[must_use]
    pub const fn all_alive() -> Self {
        Agreed {
            dead: Bits::EMPTY,
            seki: Bits::EMPTY,
            filled: Bits::EMPTY,
        }
    }
}
