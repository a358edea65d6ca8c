//! Rules as values: what every game of this engine is, and nothing about search, time or text.
//!
//! A position is a small heap-free value that knows how to list and play moves. Everything above
//! this room is generic over [`Game`] and never matches on a game's name.

mod bits;
mod blocks;
mod board;
#[cfg(test)]
pub(crate) mod conformance;
pub mod go;
pub mod gomoku;
mod illegal;
mod info;
mod komi;
mod list;
pub mod nogo;
mod past;
mod recent;
mod result;
mod rules;
mod settle;
mod standing;
mod symmetry;
#[cfg(test)]
pub mod tictactoe;
pub(crate) mod zobrist;

pub use crate::with_game;
pub use bits::{Bits, BitsIter};
pub use blocks::{Blocks, Frame, Placed};
pub use board::{BoardSize, Color, Move, NoBoardSize};
pub use illegal::Illegal;
pub use info::GameInfo;
pub use komi::BadKomi;
pub use list::{GAMES, UnknownGame, begin, game_names, info, known_name};
pub use past::{Past, Reached};
pub use recent::Recent;
pub use result::{Bounds, HalfPoints, Outcome, Proof};
pub use rules::{IllegalSetup, OneSet, PliesLeft, Rules, UnknownRules, UnsupportedSize};
pub use settle::{Expected, Fate, Settled};
pub use standing::Standing;
pub use symmetry::Symmetry;

/// A position of one game, with its rules.
///
/// Positions are plain values: cloning one is a copy of a few hundred bytes to a few kilobytes.
/// Whose turn it is belongs to the position and may be set ([`Game::set_to_move`]), because a GTP
/// controller may play the same colour twice in a row.
pub trait Game: Clone + Send + Sync + std::fmt::Debug + 'static {
    /// The game's name in lower case, as command lines, model metadata and file names use it.
    const NAME: &'static str;

    /// What else programs have to know of the game.
    const INFO: GameInfo = GameInfo::named(Self::NAME);

    /// Iterator over legal moves, ascending by policy index.
    type Moves: Iterator<Item = Move>;

    /// Its rules, where it has several.
    type Rules: Rules;

    /// The empty board, Black to move.
    ///
    /// # Errors
    /// [`UnsupportedSize`] names the sizes that this game has.
    fn with_rules(size: BoardSize, rules: Self::Rules) -> Result<Self, UnsupportedSize>;

    /// The empty board under the usual rules.
    ///
    /// # Errors
    /// As [`Game::with_rules`].
    fn new(size: BoardSize) -> Result<Self, UnsupportedSize> {
        Self::with_rules(size, Self::Rules::default())
    }

    /// The position of these stones on a board and under rules as this one's, with no move behind
    /// it: they were not played, so nothing was captured by them.
    ///
    /// # Errors
    /// [`IllegalSetup`] when stones overlap, lie off the board, or cannot stand together.
    fn set_up(&self, stones: &[(Move, Color)], to_move: Color) -> Result<Self, IllegalSetup>;

    /// The rules of this game.
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

    /// Moves played so far; stones that were set up may count.
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

    /// Why a move that is not legal is none, for people.
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

    /// Which rule forbids a move on an empty point of a game that is not over.
    fn why_rules_forbid(&self, mv: Move) -> Illegal {
        let _ = mv;
        Illegal::Rules
    }

    /// Whether a legal move fills an eye of the side to move, which only a blunder does.
    fn fills_eye(&self, mv: Move) -> bool {
        let _ = mv;
        false
    }

    /// Plays a legal move of the side to move; the turn passes to the other side.
    ///
    /// The caller has checked [`Game::is_legal`]; an illegal move fails a debug assertion.
    fn play(&mut self, mv: Move);

    /// Takes back that the game has ended by passes, for players who go on because they do not agree
    /// on what is dead. Other ends stay.
    fn resume(&mut self) {}

    /// The position from which players go on who do not agree on what is dead: to find out, they play as
    /// long as they like at no cost, and the next end of the game is final.
    #[must_use]
    fn disputed(&self) -> Self {
        let mut position = self.clone();
        position.resume();
        position
    }

    /// The position as searches see it: where players have to agree on what is dead, the end of the game
    /// proves nothing ([`Game::certain`]) but what has to be agreed on.
    #[must_use]
    fn searched(&self) -> Self {
        self.clone()
    }

    /// The result, when the game has ended.
    fn outcome(&self) -> Option<Outcome>;

    /// The position as the players may agree to count it, given what is expected to become of it;
    /// `None` in games without dead stones.
    fn settle(&self, expected: &Expected) -> Option<Settled> {
        let _ = expected;
        None
    }

    /// The result of a finished game once the stones on these points, with the chains that they belong to,
    /// are taken off as dead: by all that the rules say of counting. In games without dead stones, the
    /// result.
    fn outcome_without(&self, dead: &[Move]) -> Outcome {
        let _ = dead;
        self.outcome().unwrap_or(Outcome::DRAW)
    }

    /// The chains that have a stone on one of these points, each as its points, ascending; in games
    /// without chains, the stones.
    fn chains_of(&self, points: &[Move]) -> Vec<Vec<Move>> {
        let stones = points.iter().filter(|point| self.stone(**point).is_some());
        stones.map(|&stone| vec![stone]).collect()
    }

    /// Whether a stone is dead, as far as that is certain without playing on.
    fn certainly_dead(&self, stone: Move) -> Option<bool> {
        let _ = stone;
        None
    }

    /// Where the side to move may not take back, just now.
    fn ko(&self) -> Option<Move> {
        None
    }

    /// Whether players who play on about dead stones take back a ko only after they have passed (Japanese
    /// rules of 1989, article 7).
    fn passes_for_ko(&self) -> bool {
        false
    }

    /// Whether the players are going to agree on dead stones, so that a pass may leave some on the
    /// board.
    fn agrees_on_dead(&self) -> bool {
        false
    }

    /// Handicap stones that Black has, 2 or more; 0 for none, and in games without a handicap.
    fn handicap(&self) -> u16 {
        0
    }

    /// What would come of the game if it ended here; `None` in games that count no points, and under
    /// rules by which they cannot be counted before the players agree.
    fn standing(&self) -> Option<Standing> {
        None
    }

    /// A 128-bit key of all that matters for how the game can go on: the stones, the side to move,
    /// and in some games a ko, passes, or the way here. In games that do not
    /// [repeat](GameInfo::repeats) it is equal for equal stones and side to move, whatever the order
    /// of moves. Two different positions share a key with probability 2^-128, which the search
    /// treats as never.
    fn key(&self) -> u128;

    /// The key by which a rule against repetition tells positions apart.
    fn repetition_key(&self) -> u128 {
        self.key()
    }

    /// Whether a rule forbids to play so that an earlier position comes back, by its
    /// [`Game::repetition_key`]. Such moves are among the legal ones: [`Past`] knows them.
    fn forbids_repetition(&self) -> bool {
        false
    }

    /// The [`Game::repetition_key`] of the position after a legal move.
    fn repetition_key_after(&self, mv: Move) -> u128 {
        let mut next = self.clone();
        next.play(mv);
        next.repetition_key()
    }

    /// Whether a legal move may be played whatever has happened before: any, where nothing forbids
    /// repetition; else a pass, which is no repetition anywhere.
    fn always_allows(&self, mv: Move) -> bool {
        !self.forbids_repetition() || mv.index() >= self.size().area()
    }

    /// What is certain of the result for the side to move by the position alone, whatever has
    /// happened before and is forbidden for it, as far as a glance can tell.
    fn certain(&self) -> Bounds {
        let outcome = self.outcome();
        outcome.map_or(Bounds::OPEN, |outcome| {
            Bounds::exactly(outcome.proof_for(self.to_move()))
        })
    }

    /// Whether players may think of ending the game by passes.
    fn nears_end(&self) -> bool {
        false
    }

    /// Legal moves that change nothing that is still open, so that a pass does as well; as far as a glance
    /// can tell.
    fn idle_moves(&self) -> Vec<Move> {
        Vec::new()
    }

    /// Openings that have names, on an empty board of this size: their moves in order.
    #[must_use]
    fn named_openings(size: BoardSize) -> Vec<(&'static str, Vec<Move>)> {
        let _ = size;
        Vec::new()
    }

    /// How many moves are still to be played.
    fn plies_left(&self) -> PliesLeft;

    /// The ply from which searches of a tenth of a second usually prove the result, so that moves need
    /// no more thought; `None` where games are mostly decided without a proof.
    fn usually_proven_from(&self) -> Option<u32> {
        None
    }
}
