//! Why a command failed: in the words of the GTP specification where it has some, and then the reason.

use std::fmt::Display;

use thiserror::Error;

use crate::engine::Unjudged;
use crate::game::BadKomi;

/// A failed command; the text is what the controller reads after the `?`.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Failure {
    /// There is no command of this name.
    #[error("unknown command")]
    UnknownCommand,
    /// Arguments are missing or are not what they should be.
    #[error("syntax error: {0}")]
    Syntax(String),
    /// The rules do not allow the move.
    #[error("illegal move: {0}")]
    IllegalMove(String),
    /// The game is not played on such a board.
    #[error("unacceptable size: {0}")]
    UnacceptableSize(String),
    /// The number is no komi.
    #[error(transparent)]
    Komi(BadKomi),
    /// The game has no such rules, or cannot have them now.
    #[error("{0}")]
    Rules(String),
    /// There is no move to take back.
    #[error("cannot undo")]
    CannotUndo,
    /// The file cannot be read, or is not a game that can be replayed here.
    #[error("cannot load file: {0}")]
    CannotLoad(String),
    /// The file cannot be written.
    #[error("cannot save file: {0}")]
    CannotSave(String),
    /// The game has not ended.
    #[error("cannot score")]
    CannotScore,
    /// What is dead, and so the score, is not known.
    #[error("cannot score: {0}")]
    Unjudged(#[from] Unjudged),
    /// There are stones on the board already.
    #[error("board not empty")]
    NotEmpty,
    /// This many handicap stones have no place, or are no handicap.
    #[error("invalid number of stones")]
    Stones,
    /// Handicap stones cannot stand there.
    #[error("bad vertex list")]
    BadVertices,
    /// The game has no handicap.
    #[error("there are no handicap stones in this game")]
    NoHandicap,
    /// There is nothing to show: the game is over, or the search could not be run.
    #[error("no search of this position")]
    NoSearch,
    /// The moves are chosen by playouts: none was asked for, or none fits the board.
    #[error("no network plays here: tengen-network says why")]
    NoNetwork,
    /// This game's endings cannot be solved.
    #[error("this game has no solver")]
    NoSolver,
    /// There is no setting of this name.
    #[error("unknown setting: kata-list-params and tengen-settings name all")]
    NoSetting,
    /// A setting that is there for its readers only.
    #[error("this setting can only be 0 here")]
    OnlyZero,
    /// The system does not tell the processor time.
    #[error("processor time is not available")]
    NoCpuTime,
}

/// As much of a wrong argument as is repeated.
const REPEATED: usize = 40;

impl Failure {
    /// An argument that is not what it should be.
    pub(super) fn wrong(given: &str, wanted: impl Display) -> Failure {
        let mut chars = given.chars();
        let begin: String = chars.by_ref().take(REPEATED).collect();
        let more = if chars.next().is_some() { "..." } else { "" };
        Failure::Syntax(format!("`{begin}{more}` is no {wanted}"))
    }
}
