//! Rules as values: the [`Game`] trait and its types, independent of search, time and text.
//!
//! A position is a small heap-free value that can list and play moves. Code that uses this module
//! is generic over [`Game`] and never matches on a game's name.

mod bits;
mod blocks;
mod board;
#[cfg(test)]
pub(crate) mod conformance;
mod current_score;
pub mod go;
pub mod gomoku;
mod illegal;
mod info;
mod komi;
mod list;
pub mod nogo;
mod position_history;
mod recent;
mod result;
mod rules;
mod settle;
mod symmetry;
#[cfg(test)]
pub mod tictactoe;
pub(crate) mod zobrist;

pub use crate::with_game;
pub use bits::{Bits, BitsIter};
pub use blocks::{Blocks, Frame, Placed};
pub use board::{BoardSize, Color, Move, NoBoardSize};
pub use current_score::CurrentScore;
pub use illegal::Illegal;
pub use info::GameInfo;
pub use komi::BadKomi;
pub use list::{GAMES, UnknownGame, begin, game_names, info, known_name};
pub use position_history::{GameState, PositionHistory};
pub use recent::Recent;
pub use result::{Bounds, HalfPoints, Outcome, Proof};
pub use rules::{IllegalSetup, OneSet, PliesLeft, Rules, UnknownRules, UnsupportedSize};
pub use settle::{OwnershipEstimate, PointStatus, Settled};
pub use symmetry::Symmetry;

/// A position of one game, with its rules.
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

    /// Number of policy indices on this board: its points, and the pass in Go.
    fn policy_len(&self) -> usize {
        self.size().area()
    }

    /// The side to move.
    fn to_move(&self) -> Color;

    /// Makes `color` the side to move.
    fn set_to_move(&mut self, color: Color);

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

    /// Whether a legal move fills an eye of the side to move, which is always a blunder.
    fn fills_eye(&self, mv: Move) -> bool {
        let _ = mv;
        false
    }

    /// Plays a legal move of the side to move; the turn passes to the other side.
    ///
    /// The caller has checked [`Game::is_legal`]; an illegal move fails a debug assertion.
    fn play(&mut self, mv: Move);

    /// Undoes the end of the game by passes, for players who resume because they disagree on dead
    /// stones. Other ends stay.
    fn resume(&mut self) {}

    /// The position from which players resume who disagree on dead stones: moves cost nothing, and
    /// the next end of the game is final.
    #[must_use]
    fn disputed(&self) -> Self {
        let mut position = self.clone();
        position.resume();
        position
    }

    /// The position as the search sees it: where players have to agree on dead stones, the end of
    /// the game proves nothing ([`Game::certain`]) beyond what they must agree on.
    #[must_use]
    fn searched(&self) -> Self {
        self.clone()
    }

    /// The result, when the game has ended.
    fn outcome(&self) -> Option<Outcome>;

    /// The score that the players may agree on, given the expected ownership; `None` in games
    /// without dead stones.
    fn settle(&self, expected: &OwnershipEstimate) -> Option<Settled> {
        let _ = expected;
        None
    }

    /// The result of a finished game after the chains on these points are removed as dead, with all
    /// scoring rules applied. In games without dead stones, the result.
    fn outcome_without(&self, dead: &[Move]) -> Outcome {
        let _ = dead;
        self.outcome().unwrap_or(Outcome::DRAW)
    }

    /// The chains with a stone on one of these points, each as its points, ascending; in games
    /// without chains, the stones.
    fn chains_of(&self, points: &[Move]) -> Vec<Vec<Move>> {
        let stones = points.iter().filter(|point| self.stone(**point).is_some());
        stones.map(|&stone| vec![stone]).collect()
    }

    /// Whether a stone is dead, if that is certain without playing on.
    fn certainly_dead(&self, stone: Move) -> Option<bool> {
        let _ = stone;
        None
    }

    /// The point that ko forbids the side to move.
    fn ko(&self) -> Option<Move> {
        None
    }

    /// Whether players who resume over dead stones may retake a ko only after a pass (Japanese
    /// rules of 1989, article 7).
    fn passes_for_ko(&self) -> bool {
        false
    }

    /// Whether the players agree on dead stones, so that a pass may leave some on the board.
    fn agrees_on_dead(&self) -> bool {
        false
    }

    /// Number of handicap stones, 2 or more; 0 for none, and in games without a handicap.
    fn handicap(&self) -> u16 {
        0
    }

    /// The score if the game ended here; `None` in games without points, and under rules by which
    /// it depends on an agreement of the players.
    fn current_score(&self) -> Option<CurrentScore> {
        None
    }

    /// A 128-bit key of everything that affects the rest of the game: the stones, the side to move,
    /// and in some games ko, passes or earlier moves. In games that do not
    /// [repeat](GameInfo::repeats) it depends only on stones and side to move. Two different
    /// positions share a key with probability 2^-128, which the search ignores.
    fn key(&self) -> u128;

    /// The key by which the repetition rule distinguishes positions.
    fn repetition_key(&self) -> u128 {
        self.key()
    }

    /// Whether a rule forbids moves that repeat an earlier position, by its
    /// [`Game::repetition_key`]. Such moves are among the legal ones; [`PositionHistory`] filters
    /// them.
    fn forbids_repetition(&self) -> bool {
        false
    }

    /// The [`Game::repetition_key`] of the position after a legal move.
    fn repetition_key_after(&self, mv: Move) -> u128 {
        let mut next = self.clone();
        next.play(mv);
        next.repetition_key()
    }

    /// Whether a legal move is allowed with any history: always true without a repetition rule,
    /// otherwise true for a pass, which never counts as a repetition.
    fn always_allows(&self, mv: Move) -> bool {
        !self.forbids_repetition() || mv.index() >= self.size().area()
    }

    /// Certain bounds of the result for the side to move that hold for any history and the moves it
    /// forbids, as far as they can be computed cheaply.
    fn certain(&self) -> Bounds {
        let outcome = self.outcome();
        outcome.map_or(Bounds::OPEN, |outcome| {
            Bounds::exactly(outcome.proof_for(self.to_move()))
        })
    }

    /// Whether players may consider ending the game by passes.
    fn nears_end(&self) -> bool {
        false
    }

    /// Legal moves that affect no open point, so that a pass is as good; as far as this can be
    /// computed cheaply.
    fn idle_moves(&self) -> Vec<Move> {
        Vec::new()
    }

    /// Named openings on an empty board of this size: their moves in order.
    #[must_use]
    fn named_openings(size: BoardSize) -> Vec<(&'static str, Vec<Move>)> {
        let _ = size;
        Vec::new()
    }

    /// Estimated number of remaining moves.
    fn plies_left(&self) -> PliesLeft;

    /// The ply from which searches of a tenth of a second usually prove the result, so that moves
    /// need no more thought; `None` where games are mostly decided without a proof.
    fn usually_proven_from(&self) -> Option<u32> {
        None
    }
}
