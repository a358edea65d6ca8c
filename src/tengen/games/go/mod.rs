//! Go on any rectangle up to 19x19: area or territory scoring, komi, simple ko and superko.
//!
//! A position contains everything that determines legality except earlier boards: whether superko
//! forbids a move is asked of [`PositionHistory`](crate::game::PositionHistory). Two consecutive passes
//! end the game, and all stones on the board count as alive unless dead stones are given
//! ([`Go::score`]). Under rules by which players agree on dead stones, the search estimates the
//! agreement ([`Scored::searched`]).

mod board;
mod counting;
mod encoding;
mod ending;
mod handicap;
mod history;
mod ladder;
mod life;
mod rollout;
mod rules;
mod score;
mod seki;

use crate::game::{
    Bits, BitsIter, BoardSize, Bounds, Color, Frame, Game, GameInfo, HalfPoints, Illegal,
    IllegalSetup, Move, Outcome, PliesLeft, Recent, Scored, Superko, UnsupportedSize, zobrist,
};
use crate::solver::Solvable;
use board::Board;
use handicap::Handicap;
pub use ladder::Laddered;
pub use life::PassAlive;
pub use rollout::{Features, WeightFit};
pub use rules::{GoRules, HandicapBonus, KoRule, Scoring};

/// Go on boards up to 9x9, and on narrow boards with as many points.
pub type SmallGo = Go<111, 2>;

/// Go on boards up to 19x19.
pub type LargeGo = Go<421, 6>;

/// Maximum number of columns and of rows.
const MAX_SIDE: u8 = 19;

/// Number of moves whose captures a position knows.
const REMEMBERED: usize = 4;

/// A Go position on a board of at most `64 * WORDS - 1` points.
#[derive(Debug, Clone)]
pub struct Go<const CELLS: usize, const WORDS: usize> {
    board: Board<CELLS, WORDS>,
    rules: GoRules,
    handicap: Handicap,
    to_move: Color,
    /// The point that ko forbids the side to move.
    ko: Option<Move>,
    /// Consecutive passes, 2 at most.
    passes: u8,
    /// Captured stones, by their colour.
    prisoners: [u32; 2],
    ply: u32,
    recent: Recent,
    /// Stones captured by each of the last moves, most recent first.
    captures: [Bits<WORDS>; REMEMBERED],
    /// Whether the final position proves nothing after both have passed, because dead stones must
    /// be estimated.
    judged: bool,
}

/// Agreement of the players at the end of a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Agreed<const WORDS: usize> {
    /// Dead stones, removed before counting.
    pub dead: Bits<WORDS>,
    /// Stones alive in seki: the points they surround are not territory. No effect under area
    /// scoring.
    pub seki: Bits<WORDS>,
    /// Points that their owner must fill once the dame are filled; therefore not territory.
    pub filled: Bits<WORDS>,
}

impl<const WORDS: usize> Agreed<WORDS> {
    /// All stones alive, none in seki.
    pub const ALL_ALIVE: Self = Agreed {
        dead: Bits::EMPTY,
        seki: Bits::EMPTY,
        filled: Bits::EMPTY,
    };
}

impl<const CELLS: usize, const WORDS: usize> Go<CELLS, WORDS> {
    /// The stones of one colour.
    pub fn stones(&self, color: Color) -> Bits<WORDS> {
        self.board.stones(color)
    }

    /// The empty points.
    pub fn empty(&self) -> Bits<WORDS> {
        self.board.empty()
    }

    /// The stones of the chain that the stone on `point` belongs to.
    pub fn chain(&self, point: Move) -> Bits<WORDS> {
        self.board.chain_of(point)
    }

    /// The liberties of the chain that the stone on `point` belongs to.
    pub fn liberties(&self, point: Move) -> Bits<WORDS> {
        self.board.frame().neighbors(self.chain(point)) & self.empty()
    }

    /// The last liberty of the chain that the stone on `point` belongs to, if it has just one.
    pub fn last_liberty(&self, point: Move) -> Option<Move> {
        self.board.last_liberty(point)
    }

    /// Stones of the chains in `stones` with one, two and three liberties.
    pub fn by_liberties(&self, stones: Bits<WORDS>) -> [Bits<WORDS>; 3] {
        let (mut left, mut sets) = (stones, [Bits::EMPTY; 3]);
        while let Some(stone) = left.lowest() {
            let chain = self.chain(stone);
            left.remove_all(chain);
            let liberties = (self.next_to(chain) & self.empty()).count();
            if let Some(set) = sets.get_mut(liberties - 1) {
                *set |= chain;
            }
        }
        sets
    }

    /// The pass.
    pub fn pass(&self) -> Move {
        self.size().pass()
    }

    /// Consecutive passes before this position: two have ended the game.
    pub fn passes(&self) -> u8 {
        self.passes
    }

    /// Number of captured stones of this colour.
    pub fn prisoners(&self, color: Color) -> u32 {
        self.prisoners[color.index()]
    }

    /// Komi: points that White gets in addition to those on the board.
    pub fn komi(&self) -> HalfPoints {
        let bonus = 2 * i32::from(self.rules.bonus(self.handicap.stones()));
        HalfPoints(self.rules.komi.0.saturating_add(bonus))
    }

    /// Whether a point is an eye of `color` that should not be filled: surrounded by its stones,
    /// and not to be made a false eye by the opponent.
    pub fn is_eye(&self, color: Color, point: Move) -> bool {
        self.empty().contains(point) && self.board.is_eye(color, point)
    }

    /// Geometry of the board.
    pub fn frame(&self) -> &Frame<WORDS> {
        self.board.frame()
    }

    /// All points next to a point of `set`.
    pub fn next_to(&self, set: Bits<WORDS>) -> Bits<WORDS> {
        self.board.frame().neighbors(set)
    }

    /// The chains that have a stone in `some`.
    pub fn connected(&self, some: Bits<WORDS>) -> Bits<WORDS> {
        let within = |color| {
            let stones = self.stones(color);
            self.board.frame().flood(some & stones, stones)
        };
        within(Color::Black) | within(Color::White)
    }

    /// All points where the side to move may play.
    pub fn legal_points(&self) -> Bits<WORDS> {
        if self.passes >= 2 {
            return Bits::EMPTY;
        }
        let mut legal = self.board.legal(self.to_move, self.rules.suicide);
        if let Some(ko) = self.ko {
            legal.remove(ko);
        }
        legal
    }

    /// A position without stones or history.
    fn begin(board: Board<CELLS, WORDS>, rules: GoRules) -> Self {
        Go {
            board,
            rules,
            handicap: Handicap::NONE,
            to_move: Color::Black,
            ko: None,
            passes: 0,
            prisoners: [0; 2],
            ply: 0,
            recent: Recent::default(),
            captures: [Bits::EMPTY; REMEMBERED],
            judged: false,
        }
    }

    /// Key of everything in a position except its stones and the side to move.
    fn rest_key(&self) -> u128 {
        use zobrist::Kind;
        let GoRules { ko, scoring, .. } = self.rules;
        let flags = u64::from(self.rules.suicide) << 3 | u64::from(self.judged) << 4;
        let rules = ko as u64 | (scoring as u64) << 2 | flags;
        let mut key = zobrist::other(Kind::Rules, rules)
            ^ zobrist::other(Kind::Komi, self.komi().0 as u64)
            ^ zobrist::other(Kind::Passes, self.passes.into());
        if let Some(ko) = self.ko {
            key ^= zobrist::other(Kind::Ko, ko.0.into());
        }
        if self.handicap.is_open() && self.rules.handicap != HandicapBonus::Zero {
            key ^= zobrist::other(Kind::Handicap, 0);
        }
        if self.rules.scoring == Scoring::Territory {
            key ^= zobrist::other(Kind::Prisoners, self.prisoners_ahead() as u64);
        }
        key
    }
}

impl<const CELLS: usize, const WORDS: usize> Game for Go<CELLS, WORDS> {
    const NAME: &'static str = "go";

    const INFO: GameInfo = GameInfo {
        title: "Go",
        sgf: (1, None),
        offered_sides: &[9, 13, 19],
        offered_rules: &[
            "chinese",
            "japanese",
            "korean",
            "aga",
            "new-zealand",
            "tromp-taylor",
        ],
        passes: true,
        scored: true,
        draws: true,
        repeats: true,
        // A lost game may go on for hundreds of moves.
        settings: &[("resign-below", "-0.95"), ("subtree-bias-factor", "0.45")],
        ..GameInfo::named(Self::NAME)
    };

    type Moves = BitsIter<WORDS>;
    type Rules = GoRules;

    fn with_rules(size: BoardSize, rules: GoRules) -> Result<Self, UnsupportedSize> {
        let fits = size.width <= MAX_SIDE && size.height <= MAX_SIDE;
        let board = fits.then(|| Board::new(size)).flatten();
        let board = board.ok_or(UnsupportedSize {
            game: Self::NAME,
            size,
            limits: "rectangles of at most 19 columns or rows",
        })?;
        Ok(Go::begin(board, rules))
    }

    /// Two or more black stones alone are a handicap.
    fn set_up(&self, stones: &[(Move, Color)], to_move: Color) -> Result<Self, IllegalSetup> {
        let empty = Board::new(self.size()).expect("it has this size");
        let mut position = Go::begin(empty, self.rules);
        for &(point, color) in stones {
            if !position.empty().contains(point) {
                return Err(IllegalSetup { color, point });
            }
            position.board.put(color, point);
        }
        let dead = stones.iter().find(|stone| position.board.is_dead(stone.0));
        if let Some(&(point, color)) = dead {
            return Err(IllegalSetup { color, point });
        }
        let [black, white] = Color::BOTH.map(|color| position.stones(color).count() as u16);
        position.handicap = Handicap::of_set_up(black, white);
        position.to_move = to_move;
        Ok(position)
    }

    fn rules(&self) -> GoRules {
        self.rules
    }

    fn size(&self) -> BoardSize {
        self.board.frame().size()
    }

    fn to_move(&self) -> Color {
        self.to_move
    }

    /// If that changes the side to move, the ko expires and no pass precedes; a finished game stays
    /// finished.
    fn set_to_move(&mut self, color: Color) {
        if color != self.to_move {
            self.to_move = color;
            self.ko = None;
            if self.passes == 1 {
                self.passes = 0;
            }
        }
    }

    fn ply(&self) -> u32 {
        self.ply
    }

    fn stone(&self, point: Move) -> Option<Color> {
        let mut colors = Color::BOTH.into_iter();
        colors.find(|&color| self.stones(color).contains(point))
    }

    fn recent(&self) -> Recent {
        self.recent
    }

    fn legal_moves(&self) -> BitsIter<WORDS> {
        let mut legal = self.legal_points();
        if self.passes < 2 {
            legal.insert(self.pass());
        }
        legal.iter()
    }

    fn is_legal(&self, mv: Move) -> bool {
        let point = || {
            self.empty().contains(mv)
                && self.ko != Some(mv)
                && self.board.is_legal(self.to_move, mv, self.rules.suicide)
        };
        self.passes < 2 && (mv == self.pass() || point())
    }

    fn why_rules_forbid(&self, mv: Move) -> Illegal {
        match self.ko == Some(mv) {
            true => Illegal::Ko,
            false => Illegal::Suicide,
        }
    }

    fn play(&mut self, mv: Move) {
        debug_assert!(self.is_legal(mv), "{} plays {mv:?}", self.to_move);
        self.handicap.play(self.to_move, mv != self.pass());
        let before = self.empty();
        if mv == self.pass() {
            self.ko = None;
            self.passes += 1;
        } else {
            let taken = self.board.play(self.to_move, mv);
            self.ko = taken.ko;
            self.passes = 0;
            self.prisoners[self.to_move.index()] += taken.own;
            self.prisoners[self.to_move.opponent().index()] += taken.theirs;
        }
        self.captures.rotate_right(1);
        self.captures[0] = self.empty() & !before;
        self.to_move = self.to_move.opponent();
        self.recent.push(mv);
        self.ply += 1;
    }

    fn outcome(&self) -> Option<Outcome> {
        let over = self.passes >= 2;
        over.then(|| Outcome::by_points(self.score(&Agreed::ALL_ALIVE)))
    }

    fn scored(&self) -> Option<&dyn Scored<Self>> {
        Some(self)
    }

    fn superko(&self) -> Option<&dyn Superko> {
        Some(self)
    }

    fn key(&self) -> u128 {
        self.board.key() ^ self.rest_key() ^ zobrist::to_move(self.to_move)
    }

    /// By the rules or by secured points. Superko may forbid an answer because of an earlier board; under superko no
    /// side is assumed to answer.
    fn certain(&self) -> Bounds {
        self.proven_by(|alive| match self.forbids_repetition() {
            true => alive.kept,
            false => alive.secured,
        })
    }

    /// Unbounded. The expected value fills two thirds to three quarters of the points, as in
    /// typical games on all board sizes: a rough estimate.
    fn plies_left(&self) -> PliesLeft {
        let area = self.size().area() as f64;
        let expected = match self.passes {
            2.. => 0.0,
            _ => (self.empty().count() as f64 - 0.3 * area).max(0.05 * area),
        };
        PliesLeft {
            expected,
            bound: None,
        }
    }
}

/// No solver yet: proofs by Benson's regions depend on the repetition rule.
impl<const CELLS: usize, const WORDS: usize> Solvable for Go<CELLS, WORDS> {}

#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
pub mod diagram;
#[cfg(test)]
mod naive;
#[cfg(test)]
mod tests;
