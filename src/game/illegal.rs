//! Why a move is not legal.

use thiserror::Error;

/// Why a move is not legal, in a few words for people.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Illegal {
    /// The board has no such point.
    #[error("the board has no such point")]
    OffBoard,
    /// The game has no passes.
    #[error("this game has no pass")]
    NoPass,
    /// There is a stone already.
    #[error("the point is occupied")]
    Occupied,
    /// The game has ended.
    #[error("the game is over")]
    Over,
    /// It would leave a block of its own side without liberties.
    #[error("suicide")]
    Suicide,
    /// It would take stones, in a game that forbids it.
    #[error("it would capture")]
    Capture,
    /// It would take back the stone that has just taken one.
    #[error("ko")]
    Ko,
    /// It would bring back an earlier position of the game.
    #[error("superko: it repeats an earlier position")]
    Superko,
    /// A rule of Renju forbids it to Black.
    #[error("Black is forbidden {0}")]
    Forbidden(&'static str),
    /// The rules of the game forbid it.
    #[error("the rules forbid it")]
    Rules,
}
