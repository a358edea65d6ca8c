//! How a game that counts points stands before it is over.

use super::{Color, HalfPoints};

/// What would come of a game if it ended as it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Standing {
    /// Whose each point would be, in policy order; nobody's are none.
    pub owners: Vec<Option<Color>>,
    /// By how much Black would be ahead, komi included.
    pub black_ahead: HalfPoints,
    /// Whether it is certain who wins, if both sides answer as they should. Superko may forbid an answer
    /// by a board from long before: unlike [`super::Game::certain`], this does not look at that.
    pub decided: bool,
}
