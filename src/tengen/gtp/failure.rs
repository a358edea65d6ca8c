//! Errors of commands: the wording of the GTP specification where it has one, followed by the
//! reason.

use std::fmt::Display;

use thiserror::Error;

use crate::engine::ScoringInterrupted;
use crate::game::{BadKomi, Color};

/// A failed command; the text follows the `?`.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Failure {
    /// There is no command of this name.
    #[error("unknown command")]
    UnknownCommand,
    /// Arguments are missing or invalid.
    #[error("syntax error: {0}")]
    Syntax(String),
    /// The rules do not allow the move.
    #[error("illegal move: {0}")]
    IllegalMove(String),
    /// The game does not support this board size.
    #[error("unacceptable size: {0}")]
    UnacceptableSize(String),
    /// Invalid komi.
    #[error(transparent)]
    Komi(BadKomi),
    /// Unknown rules, or rules that cannot be set now.
    #[error("{0}")]
    Rules(String),
    /// There is no move to undo.
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
    /// Dead stones, and therefore the score, are not known.
    #[error("cannot score: {0}")]
    ScoringInterrupted(#[from] ScoringInterrupted),
    /// A move is wanted of a side that has not lost, in a finished game without passes.
    #[error("the game is over, and this side has not lost: there is no move to make")]
    Over,
    /// The restrictions of an analysis exclude all legal moves of this side.
    #[error("no move is left for {0}: avoid and allow exclude every legal one")]
    AllExcluded(Color),
    /// There are stones on the board already.
    #[error("board not empty")]
    NotEmpty,
    /// This number of handicap stones is too large or too small.
    #[error("invalid number of stones")]
    Stones,
    /// Handicap stones cannot stand there.
    #[error("bad vertex list")]
    BadVertices,
    /// The game has no handicap.
    #[error("there are no handicap stones in this game")]
    NoHandicap,
    /// No report: the game is over, or the search could not be run.
    #[error("no search of this position")]
    NoSearch,
    /// Playouts choose the moves: they were requested, or no network fits the board.
    #[error("no network is in use: tengen-network says why")]
    NoNetwork,
    /// This game's endings cannot be solved.
    #[error("this game has no solver")]
    NoSolver,
    /// Unknown setting.
    #[error("unknown parameter; see kata-list-params and tengen-settings")]
    NoSetting,
    /// A setting that is read-only here.
    #[error("this setting can only be 0 here")]
    OnlyZero,
    /// CPU time is not available on this system.
    #[error("CPU time is not available")]
    NoCpuTime,
}

/// Maximum length of a repeated argument.
const REPEATED: usize = 40;

impl Failure {
    /// An invalid argument.
    pub(super) fn wrong(given: &str, wanted: impl Display) -> Failure {
        let mut chars = given.chars();
        let begin: String = chars.by_ref().take(REPEATED).collect();
        let more = if chars.next().is_some() { "..." } else { "" };
        Failure::Syntax(format!("`{begin}{more}` is not a valid {wanted}"))
    }
}
