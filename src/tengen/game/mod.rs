//! Rules as values: the [`Game`] trait and its types, independent of search, time and text.
//!
//! A position is a small heap-free value that can list and play moves. Code that uses this module
//! is generic over [`Game`] and never matches on a game's name.
//!
//! What only some games have is a *capability*, a trait of its own that a position is asked for:
//! [`Game::scored`], [`Game::superko`].

mod bits;
mod board;
mod capabilities;
#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
pub mod conformance;
mod position_history;
mod result;
mod rules;
pub mod scoring;
mod settle;
pub mod zobrist;

pub use bits::{Bits, BitsIter, Frame, connected};
pub use board::{Color, Recent, Symmetry, ply_cap};
pub use capabilities::{CurrentScore, Scored, Superko};
pub use position_history::{GameState, PositionHistory};
pub use result::{BadKomi, Bounds, HalfPoints, Outcome, ProbeResult, Proof};
pub use rules::{
    GameInfo, Illegal, IllegalSetup, NamedOpening, OneSet, PliesLeft, Rules, UnknownRules,
    UnsupportedSize,
};
pub(crate) use rules::{LONGEST_GAME, short};
pub use settle::{OwnershipEstimate, PointStatus, Settled};
pub use tengen_nn::{BoardSize, Move, NoBoardSize};

/// A position of one game, with its rules, which are the same under all symmetries of the board: networks learn and are
/// asked about turned positions. With the feature `testing`, `conformance::check` tests an implementation.
///
/// Positions are plain values: cloning one copies a few hundred bytes to a few kilobytes. The side
/// to move is part of the position and may be set ([`Game::set_to_move`]), because a GTP controller
/// may play the same colour twice in a row.
pub trait Game: Clone + Send + Sync + std::fmt::Debug + 'static {
    /// Name in lower case, as in command lines, model metadata and file names.
    const NAME: &'static str;

    /// Other properties of the game.
    const INFO: GameInfo = GameInfo::named(Self::NAME);

    /// Iterator over legal moves, ascending by policy index.
    type Moves: Iterator<Item = Move>;

    /// Type of the rules.
    type Rules: Rules;

    /// The empty board, Black to move.
    ///
    /// # Errors
    /// [`UnsupportedSize`] names the sizes that this game has.
    fn with_rules(size: BoardSize, rules: Self::Rules) -> Result<Self, UnsupportedSize>;

    /// The empty board under the default rules.
    ///
    /// # Errors
    /// As [`Game::with_rules`].
    fn new(size: BoardSize) -> Result<Self, UnsupportedSize> {
        Self::with_rules(size, Self::Rules::default())
    }

    /// The position with these stones, with this board and these rules and an empty history: the
    /// stones were not played, so they have captured nothing.
    ///
    /// # Errors
    /// [`IllegalSetup`] when stones overlap, lie off the board, or cannot stand together.
    fn set_up(&self, stones: &[(Move, Color)], to_move: Color) -> Result<Self, IllegalSetup>;

    /// Current rules.
    fn rules(&self) -> Self::Rules;

    /// The board's size.
    fn size(&self) -> BoardSize;

    /// Number of policy indices on this board: its points, and the [pass](GameInfo::passes) of games that have one.
    fn policy_len(&self) -> usize {
        self.size().area() + usize::from(Self::INFO.passes)
    }

    /// The side to move.
    fn to_move(&self) -> Color;

    /// Makes `color` the side to move.
    fn set_to_move(&mut self, color: Color);

    /// The move to begin with, where it is known and no search need find it.
    fn first_move(&self) -> Option<Move> {
        None
    }

    /// Number of moves played; stones that were set up may count.
    fn ply(&self) -> u32;

    /// The stone on a point (`point.index() < size().area()`).
    fn stone(&self, point: Move) -> Option<Color>;

    /// The last moves played.
    fn recent(&self) -> Recent;

    /// The last move played, if any.
    fn last_move(&self) -> Option<Move> {
        self.recent().last()
    }

    /// Legal moves of the side to move, ascending; empty exactly when the game has ended.
    fn legal_moves(&self) -> Self::Moves;

    /// Number of legal moves of the side to move.
    fn legal_count(&self) -> usize {
        self.legal_moves().count()
    }

    /// Whether `mv` (any number, also off the board) is a legal move of the side to move.
    fn is_legal(&self, mv: Move) -> bool;

    /// Reason why a move is illegal, for users.
    fn why_illegal(&self, mv: Move) -> Illegal {
        let area = self.size().area();
        if mv.index() == area && self.policy_len() == area {
            return Illegal::NoPass;
        }
        if mv.index() > area {
            return Illegal::OffBoard;
        }
        if mv.index() < area && self.stone(mv).is_some() {
            return Illegal::Occupied;
        }
        match self.outcome() {
            Some(_) => Illegal::Over,
            None => self.why_rules_forbid(mv),
        }
    }

    /// The rule that forbids a move on an empty point of an unfinished game.
    fn why_rules_forbid(&self, mv: Move) -> Illegal {
        let _ = mv;
        Illegal::Rules
    }

    /// Plays a legal move of the side to move; the turn passes to the other side.
    ///
    /// The caller has checked [`Game::is_legal`]; an illegal move fails a debug assertion.
    fn play(&mut self, mv: Move);

    /// The position after a legal move.
    #[must_use]
    fn after(&self, mv: Move) -> Self {
        let mut next = self.clone();
        next.play(mv);
        next
    }

    /// The result, when the game has ended.
    fn outcome(&self) -> Option<Outcome>;

    /// The game as one that counts points; `None` in other games. All positions of a game answer
    /// alike, and as its [`GameInfo::scored`].
    fn scored(&self) -> Option<&dyn Scored<Self>> {
        None
    }

    /// The game as one whose rules may forbid repetition; `None` in other games. All positions of a
    /// game answer alike.
    fn superko(&self) -> Option<&dyn Superko> {
        None
    }

    /// A 128-bit key of everything that affects the rest of the game: the stones, the side to move,
    /// and in some games ko, passes or earlier moves. In games that do not
    /// [repeat](GameInfo::repeats) it depends only on stones and side to move. Two different
    /// positions share a key with probability 2^-128, which the search ignores.
    fn key(&self) -> u128;

    /// Whether a rule forbids moves that repeat an earlier position.
    fn forbids_repetition(&self) -> bool {
        self.superko().is_some_and(Superko::is_in_force)
    }

    /// Certain bounds of the result for the side to move that hold for any history and the moves it
    /// forbids, as far as they can be computed cheaply.
    fn certain(&self) -> Bounds {
        let outcome = self.outcome();
        outcome.map_or(Bounds::OPEN, |outcome| {
            Bounds::exactly(outcome.proof_for(self.to_move()))
        })
    }

    /// Estimated number of remaining moves.
    fn plies_left(&self) -> PliesLeft;
}
