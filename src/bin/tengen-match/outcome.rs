//! Whether the engines of a match played as they should, as the program's exit code says it.

use std::process::ExitCode;

use tengen::referee::results::GameEntry;
use tengen::referee::{Count, Reason};

/// Scripts tell this from a match that could not be played, which is 1, and from wrong arguments,
/// which are 2.
const TROUBLED: u8 = 3;

/// What became of a match that was played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Everybody played as asked.
    Sound,
    /// An engine complained, refused what the match asked of it, lost a game by misbehaviour other than overstepping its time, or failed
    /// when it was asked about a finished one.
    Troubled,
}

impl Outcome {
    /// That of these games.
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
