//! Reasons why a move is illegal.

use thiserror::Error;

/// Reason why a move is illegal, as a short text for users.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Illegal {
    /// The point is not on the board.
    #[error("the board has no such point")]
    OffBoard,
    /// The game has no passes.
    #[error("this game has no pass")]
    NoPass,
    /// The point is occupied.
    #[error("the point is occupied")]
    Occupied,
    /// The game has ended.
    #[error("the game is over")]
    Over,
    /// It would leave an own block without liberties.
    #[error("suicide")]
    Suicide,
    /// It would capture stones, in a game that forbids it.
    #[error("it would capture")]
    Capture,
    /// It would retake a ko.
    #[error("ko")]
    Ko,
    /// It would repeat an earlier position of the game.
    #[error("superko: it repeats an earlier position")]
    Superko,
    /// Forbidden to Black by a rule of Renju.
    #[error("Black is forbidden {0}")]
    Forbidden(&'static str),
    /// Forbidden by another rule of the game.
    #[error("the rules forbid it")]
    Rules,
}
