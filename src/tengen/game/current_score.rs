//! Score of an unfinished game if it ended now.

use super::{Color, HalfPoints};

/// The score if the game ended now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CurrentScore {
    /// Owner of each point, in policy order; `None` for neutral points.
    pub owners: Vec<Option<Color>>,
    /// Black's lead, komi included.
    pub black_ahead: HalfPoints,
    /// Whether the winner is certain if both sides answer correctly. Superko may forbid an answer;
    /// unlike [`super::Game::certain`], this ignores it.
    pub decided: bool,
}
