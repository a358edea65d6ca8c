//! What a game says of itself: its properties, its variants, and why it refuses a board, stones or a move.

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
    fn with_komi(self, komi: HalfPoints) -> Option<Self> {
        let _ = komi;
        None
    }

    /// The komi; `None` where no points are counted.
    fn komi(&self) -> Option<HalfPoints> {
        None
    }

    /// Name of the rules in records (SGF's `RU`), without komi, in a form that can be parsed again.
    /// `None` where the game has only one variant.
    fn record_name(&self) -> Option<String> {
        None
    }

    /// The same rules with fewer moves forbidden, the closest first: for games whose rules are not
    /// known for certain.
    fn relaxed(self) -> Vec<Self> {
        Vec::new()
    }

    /// The rules as a JSON object with KataGo's names, for games that KataGo supports.
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
            _ => Err(UnknownRules::new(text, "usual")),
        }
    }
}

/// A text that is not a set of rules of a game, or that names some which are not played here.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("unknown rules `{text}` (expected one of: {known})")]
pub struct UnknownRules {
    /// The text.
    text: String,
    /// The rules played here, for messages.
    known: &'static str,
}

/// Maximum number of characters that are repeated in a message.
const REPEATED: usize = 40;

/// Input for messages: of a long text the beginning, marked as such.
pub(crate) fn short(text: &str) -> String {
    let mut chars = text.chars();
    let begin: String = chars.by_ref().take(REPEATED).collect();
    match chars.next() {
        Some(_) => begin + "...",
        None => begin,
    }
}

impl UnknownRules {
    pub(crate) fn new(text: impl AsRef<str>, known: &'static str) -> UnknownRules {
        let text = short(text.as_ref());
        UnknownRules { text, known }
    }
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
#[error("a {color} stone cannot stand where it is set up")]
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
    pub fn at_most(&self, plies: u32) -> bool {
        self.bound.is_some_and(|bound| bound <= plies)
    }
}

/// Maximum number of moves of a game: every position of it is kept.
pub(crate) const LONGEST_GAME: usize = 20_000;

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
    /// The game has as many moves as are kept.
    #[error("a game has at most {LONGEST_GAME} moves")]
    TooLong,
    /// Forbidden to Black by a rule of Renju.
    #[error("Black is forbidden {0}")]
    Forbidden(&'static str),
    /// Forbidden by another rule of the game.
    #[error("the rules forbid it")]
    Rules,
}

/// A named opening: its moves in order, Black's first.
pub type NamedOpening = (&'static str, Vec<Move>);

/// Names, properties and defaults of a game.
#[derive(Debug, Clone, Copy)]
pub struct GameInfo {
    /// Name in lower case, as in command lines, model metadata and file names.
    pub name: &'static str,
    /// Name for people, such as `NoGo`.
    pub title: &'static str,
    /// Number in SGF (`GM`), and name of the rules (`RU`) where other games share the number.
    pub sgf: (u32, Option<&'static str>),
    /// Board size when none is given.
    pub usual_board: BoardSize,
    /// Side lengths of square boards that a dialog for a new game offers, the usual one included.
    pub offered_sides: &'static [u8],
    /// Names of rules that a dialog offers; empty where there is nothing to choose.
    pub offered_rules: &'static [&'static str],
    /// Boards searched for the signature of `tengen bench`.
    pub bench_boards: &'static [BoardSize],
    /// Whether it has a pass: the policy index after the last point.
    pub passes: bool,
    /// Whether the players count points once both have passed ([`Scored`](super::Scored)).
    pub scored: bool,
    /// Whether it can be drawn: networks then have a third probability.
    pub draws: bool,
    /// Whether a position can repeat, so that a game may be unbounded.
    pub repeats: bool,
    /// Reason of a win where no points are counted, with the loser as subject: "has no legal move".
    pub lost_because: &'static str,
    /// Named openings on an empty board of this size.
    pub openings: fn(BoardSize) -> Vec<NamedOpening>,
    /// The ply from which searches of a tenth of a second usually prove the result, so that moves
    /// need no more thought; `None` where games are mostly decided without a proof.
    pub usually_proven_from: fn(BoardSize) -> Option<u32>,
    /// Engine settings whose defaults differ for this game, with their values: any name and text
    /// that a file of settings accepts.
    pub settings: &'static [(&'static str, &'static str)],
}

impl GameInfo {
    /// Number of possible results for a side: win and loss, and draw where possible.
    pub const fn outcomes(&self) -> usize {
        if self.draws { 3 } else { 2 }
    }

    /// A game with defaults except for its name: played on 9x9, no pass or repetition, the side
    /// without a legal move loses.
    pub const fn named(name: &'static str) -> GameInfo {
        GameInfo {
            name,
            title: name,
            sgf: (1, Some(name)),
            usual_board: BoardSize::square(9),
            offered_sides: &[9],
            offered_rules: &[],
            bench_boards: &[],
            passes: false,
            scored: false,
            draws: false,
            repeats: false,
            lost_because: "has no legal move",
            openings: |_| Vec::new(),
            usually_proven_from: |_| None,
            settings: &[],
        }
    }
}
