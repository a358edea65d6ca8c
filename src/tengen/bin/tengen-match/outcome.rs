//! Exit code of a match: whether the engines played as requested.

use std::process::ExitCode;

use tengen::referee::results::GameEntry;
use tengen::referee::{Count, Reason};

/// Distinguishes this from a match that could not be played (1) and from wrong arguments (2).
const TROUBLED: u8 = 3;

/// Outcome of a completed match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// All engines played as requested.
    Sound,
    /// An engine complained, refused a setting of the match, lost a game by misbehaviour other than
    /// exceeding its time, or failed when asked about a finished one.
    Troubled,
}

impl Outcome {
    /// The outcome of these games.
    pub(crate) fn of(games: &[GameEntry]) -> Outcome {
        let misbehaved = |game: &GameEntry| game.reason.is_failure() && game.reason != Reason::Time;
        let silent = |game: &GameEntry| game.count.as_ref().is_some_and(Count::has_faults);
        let complained =
            |game: &GameEntry| game.complaints.iter().any(|said| said.kind.is_trouble());
        let troubled = |game: &GameEntry| misbehaved(game) || silent(game) || complained(game);
        if games.iter().any(troubled) {
            Outcome::Troubled
        } else {
            Outcome::Sound
        }
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> ExitCode {
        match outcome {
            Outcome::Sound => ExitCode::SUCCESS,
            Outcome::Troubled => ExitCode::from(TROUBLED),
        }
    }
}
