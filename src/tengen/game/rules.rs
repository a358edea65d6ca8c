//! Variants of a game as values, and errors of board setup.

use std::fmt::{Debug, Display};
use std::str::FromStr;

use thiserror::Error;

use super::{BoardSize, Color, HalfPoints, Move};

/// The rules of a game with several variants, komi included: parsed from text, displayed as text,
/// part of a position.
pub trait Rules:
    Copy + Default + PartialEq + Debug + Display + FromStr<Err = UnknownRules> + Send + Sync + 'static
{
    /// The same rules with this komi; `None` where no points are counted.
    #[must_use]
    fn with_komi(self, komi: HalfPoints) -> Option<Self> {
        let _ = komi;
        None
    }

    /// The komi; `None` where no points are counted.
    #[must_use]
    fn komi(&self) -> Option<HalfPoints> {
        None
    }

    /// Name of the rules in records (SGF's `RU`), without komi, in a form that can be parsed again.
    /// `None` where the game has only one variant.
    #[must_use]
    fn record_name(&self) -> Option<String> {
        None
    }

    /// The same rules with fewer moves forbidden, the closest first: for games whose rules are not
    /// known for certain.
    #[must_use]
    fn relaxed(self) -> Vec<Self> {
        Vec::new()
    }

    /// The rules as a JSON object with KataGo's names, for games that KataGo supports.
    #[must_use]
    fn to_json(&self) -> Option<String> {
        None
    }
}

/// Rules of a game with a single variant.
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

/// A text that is not a set of rules of a game.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown rules `{text}` (expected one of: {known})")]
pub struct UnknownRules {
    /// The text that was not recognised.
    pub text: String,
    /// The known rules, for messages.
    pub known: &'static str,
}

/// A board size that a game does not support.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{game} is not played on {size} here: {limits}")]
pub struct UnsupportedSize {
    /// The game's [`Game::NAME`](super::Game::NAME).
    pub game: &'static str,
    /// The size asked for.
    pub size: BoardSize,
    /// Supported sizes, for messages.
    pub limits: &'static str,
}

/// Stones that cannot stand on the board together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the {color} stone on point {} cannot stand there", point.0)]
pub struct IllegalSetup {
    /// Colour of the offending stone.
    pub color: Color,
    /// The point it stands on.
    pub point: Move,
}

/// Estimated remaining length of a game.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PliesLeft {
    /// Expected number of plies between good players until the result is known.
    pub expected: f64,
    /// Upper bound; `None` in games that may be unbounded.
    pub bound: Option<u32>,
}

impl PliesLeft {
    /// Whether at most this many plies remain.
    #[must_use]
    pub fn at_most(&self, plies: u32) -> bool {
        self.bound.is_some_and(|bound| bound <= plies)
    }
}
