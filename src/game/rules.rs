//! Variants of a game as values, and what a position refuses.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use thiserror::Error;

use super::{BoardSize, Color, HalfPoints, Move};

/// The rules of a game where it has several, komi among them: read from text, shown as text, part
/// of a position.
pub trait Rules:
    Copy + Default + PartialEq + Debug + Display + FromStr<Err = UnknownRules> + Send + Sync + 'static
{
    /// The same rules with this many points given to White; `None` where no points are counted.
    #[must_use]
    fn with_komi(self, komi: HalfPoints) -> Option<Self> {
        let _ = komi;
        None
    }

    /// The points given to White; `None` where no points are counted.
    #[must_use]
    fn komi(&self) -> Option<HalfPoints> {
        None
    }

    /// The name that records have for the rules (SGF's `RU`), komi aside; it is read again. `None`
    /// where the game has no others.
    #[must_use]
    fn record_name(&self) -> Option<String> {
        None
    }

    /// The same rules with fewer moves forbidden, the closest first: for games of which it is not
    /// certain by which rules they were played.
    #[must_use]
    fn relaxed(self) -> Vec<Self> {
        Vec::new()
    }

    /// The rules as a JSON object with KataGo's names, where the game is one of KataGo's.
    #[must_use]
    fn to_json(&self) -> Option<String> {
        None
    }
}

/// The rules of a game that has no others.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OneSet;

impl Rules for OneSet {}

impl Display for OneSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("usual")
    }
}

impl FromStr for OneSet {
    type Err = UnknownRules;

    fn from_str(text: &str) -> Result<Self, UnknownRules> {
        match text {
            "usual" => Ok(OneSet),
            _ => Err(UnknownRules {
                text: text.to_owned(),
                known: "usual",
            }),
        }
    }
}

/// Why a text is no rules of a game.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("no rules of this game are called `{text}`; there is: {known}")]
pub struct UnknownRules {
    /// The text.
    pub text: String,
    /// What could be there, in words.
    pub known: &'static str,
}

/// Why a game cannot be set up on a board.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{game} is not played on {size} here: {limits}")]
pub struct UnsupportedSize {
    /// The game's [`Game::NAME`](super::Game::NAME).
    pub game: &'static str,
    /// The size asked for.
    pub size: BoardSize,
    /// What sizes this game has, in words.
    pub limits: &'static str,
}

/// Why stones cannot stand on the board together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the {color} stone on point {} cannot stand there", point.0)]
pub struct IllegalSetup {
    /// The colour of a stone that does not fit.
    pub color: Color,
    /// Where it would stand.
    pub point: Move,
}

/// How long a game goes on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PliesLeft {
    /// Between good players, as expected.
    pub expected: f64,
    /// Never exceeded; `None` in games that may go on for ever.
    pub bound: Option<u32>,
}

impl PliesLeft {
    /// Whether no more than this many can come.
    #[must_use]
    pub fn at_most(&self, plies: u32) -> bool {
        self.bound.is_some_and(|bound| bound <= plies)
    }
}
