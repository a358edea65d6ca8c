//! GTP, version 2: text in, text out, independent of any game's rules.
//!
//! [`Session`] turns one command into one reply; besides it reads and writes SGF files, as far as
//! [`FileAccess`] permits, and draws for GoGui on the standard error stream. [`serve`] feeds it
//! from a thread that reads ahead, so that `quit`, the end of input and `# interrupt` act during a
//! search. Commands are listed in one table, [`COMMANDS`].

// Any input from controllers and users gets an answer: nothing here may panic.
#![deny(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::string_slice,
    clippy::unreachable
)]

mod analysis;
mod board;
mod commands;
mod files;
mod gomocup;
mod interrupts;
mod katago;
mod line;
mod numbers;
mod sau;
mod server;
mod session;

use std::fmt::Display;

use thiserror::Error;

use crate::clock::BadTimeControl;
use crate::engine::{EngineError, RulesError, ScoringInterrupted};
use crate::game::{BadKomi, Color, short};

pub use board::{
    format_move, format_moves, format_vertex, move_names, parse_color, parse_vertex,
    points_from_top,
};
pub use commands::{COMMANDS, Command, fixed_handicap_points};
pub use files::FileAccess;
pub use gomocup::{Allowance, GomocupOptions, GomocupSession, MakeBrain, read_xy, write_xy};
pub use interrupts::Interrupts;
pub use katago::{KatagoOptions, KatagoResources, MakeAnalyst, MakeImitator, serve_queries};
pub use line::{Input, Request, parse_line};
pub use numbers::Perspective;
pub use sau::{SauOptions, SauResources, SauSession, harmless};
pub use server::{Protocol, serve};
pub use session::{MakeEngine, Session, SessionOptions};

/// The text of a reply, or why the command failed.
type Reply = Result<String, Failure>;

/// A failed command, in the wording of the GTP specification where it has one, followed by the reason; the text follows
/// the `?`.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum Failure {
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
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// The file cannot be read, or is not a game that can be replayed here.
    #[error("cannot load file: {0}")]
    CannotLoad(String),
    /// The file cannot be written.
    #[error("cannot save file: {0}")]
    CannotSave(String),
    /// Dead stones, and therefore the score, are not known.
    #[error("cannot score: {0}")]
    ScoringInterrupted(#[from] ScoringInterrupted),
    /// The restrictions of an analysis exclude all legal moves of this side.
    #[error("no move is left for {0}: avoid and allow exclude every legal one")]
    AllExcluded(Color),
    /// Any other reason.
    #[error("{0}")]
    Refused(&'static str),
}

impl Failure {
    const UNKNOWN_COMMAND: Failure = Failure::Refused("unknown command");
    /// There are stones on the board already.
    const NOT_EMPTY: Failure = Failure::Refused("board not empty");
    /// This number of handicap stones is too large or too small.
    const STONES: Failure = Failure::Refused("invalid number of stones");
    /// Stones cannot stand there.
    const BAD_VERTICES: Failure = Failure::Refused("bad vertex list");
    const CANNOT_UNDO: Failure = Failure::Refused("cannot undo");
    const NO_SEARCH: Failure = Failure::Refused(
        "no search of this position: the game is over, or no time is left for one",
    );

    /// An invalid argument.
    pub(super) fn wrong(given: &str, wanted: impl Display) -> Failure {
        let given = short(given);
        Failure::Syntax(format!("`{given}` is not a valid {wanted}"))
    }
}

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Failure {
        match error {
            EngineError::IllegalMove(why) => Failure::IllegalMove(why.to_string()),
            EngineError::IllegalSetup { .. } => {
                Failure::IllegalMove("these stones cannot stand together".to_owned())
            }
            EngineError::CannotUndo => Failure::CANNOT_UNDO,
            EngineError::WrongGame | EngineError::IllegalRecord { .. } => {
                Failure::CannotLoad(error.to_string())
            }
        }
    }
}

impl From<BadTimeControl> for Failure {
    fn from(error: BadTimeControl) -> Failure {
        Failure::Syntax(error.to_string())
    }
}
