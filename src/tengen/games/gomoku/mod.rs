//! Gomoku: five in a row win. Freestyle, standard, Renju and Caro rules, on rectangles of 5x5 to
//! 20x20.
//!
//! A game is drawn when the side to move has no legal move: on a full board, and in Renju when all
//! remaining points are forbidden to Black.

mod encoding;
mod lines;
mod renju;
mod rollout;
mod rules;
mod shape;
mod shape_map;
pub mod threats;

use crate::game::{
    Bits, BitsIter, BoardSize, Color, Game, GameInfo, Illegal, IllegalSetup, Move, Outcome,
    PliesLeft, Recent, UnsupportedSize, zobrist,
};
use lines::MAX_SIDE;
pub use lines::{Direction, Lines, REACH, Window};
pub use rules::{Five, GomokuRules};
pub use shape::{Cells, Shape, Shapes};
pub use shape_map::{MapHistory, ShapeMap};

/// Points of the largest board as a set.
pub type Points = Bits<7>;

/// Length of a winning row, and smallest board side.
const FIVE: u8 = 5;

/// A Gomoku position.
#[derive(Debug, Clone)]
pub struct Gomoku {
    rules: GomokuRules,
    lines: Lines,
    board: Points,
    stones: [Points; 2],
    winner: Option<Color>,
    to_move: Color,
    recent: Recent,
    ply: u16,
    key: u128,
}

impl Gomoku {
    /// The empty board, without a check of its size.
    fn cleared(size: BoardSize, rules: GomokuRules) -> Gomoku {
        Gomoku {
            rules,
            lines: Lines::new(size),
            board: Bits::first(size.area()),
            stones: [Bits::EMPTY; 2],
            winner: None,
            to_move: Color::Black,
            recent: Recent::default(),
            ply: 0,
            key: zobrist::other(zobrist::Kind::Rules, rules as u64),
        }
    }

    /// The stones of one colour.
    pub fn stones(&self, color: Color) -> Points {
        self.stones[color.index()]
    }

    /// The empty points.
    pub fn empty(&self) -> Points {
        self.board & !(self.stones[0] | self.stones[1])
    }

    /// The board as lines.
    pub fn lines(&self) -> &Lines {
        &self.lines
    }

    /// Shape table for a colour.
    pub fn shapes(&self, color: Color) -> &'static Shapes {
        Shapes::of(self.rules.five(color))
    }

    /// Shapes that a stone of `color` on an empty point would make, or an existing stone makes, in
    /// each of [`Direction::ALL`].
    pub fn shapes_at(&self, color: Color, point: Move) -> [Shape; 4] {
        let shapes = self.shapes(color);
        let windows = self.lines.windows(color, point);
        windows.map(|window| shapes.shape(window))
    }

    /// Whether the rules forbid `color` to play on an empty point.
    pub fn is_forbidden(&self, color: Color, point: Move) -> bool {
        self.rules.forbids(color) && renju::is_forbidden(&self.lines, point)
    }

    /// The points where the side to move may play.
    pub fn legal_points(&self) -> Points {
        match self.winner {
            Some(_) => Bits::EMPTY,
            None => self.allowed(self.to_move, self.empty()),
        }
    }

    /// The points of a set that are empty and not forbidden to `color`.
    pub fn allowed(&self, color: Color, points: Points) -> Points {
        let empty = points & self.empty();
        let allowed = |&point: &Move| !renju::is_forbidden(&self.lines, point);
        match self.rules.forbids(color) {
            false => empty,
            true => empty.iter().filter(allowed).collect(),
        }
    }

    /// All empty points where the rules forbid `color` to play.
    pub fn forbidden(&self, color: Color) -> Points {
        self.empty() & !self.allowed(color, self.empty())
    }

    /// Whether `color` has a move.
    pub fn has_move(&self, color: Color) -> bool {
        let mut empty = self.empty().iter();
        empty.any(|point| !self.is_forbidden(color, point))
    }

    /// Whether some five points in a row have no stone of the opponent. Where neither side has any, the game still
    /// continues until the board is full.
    pub fn has_room(&self, color: Color) -> bool {
        let points = self.size().points();
        let mut open = points.filter(|&point| self.stone(point) != Some(color.opponent()));
        // Space for six in a row may be no larger than for five: where overlines win, any space
        // will do.
        let shapes = Shapes::of(Five::OrMore);
        open.any(|point| {
            let mut windows = self.lines.windows(color, point).into_iter();
            windows.any(|window| shapes.shape(window) > Shape::Nothing)
        })
    }

    /// Puts a stone of either colour on an empty point; side to move and result do not change.
    pub fn put(&mut self, color: Color, point: Move) {
        self.lines.toggle(color, point);
        self.stones[color.index()].insert(point);
        self.key ^= zobrist::stone(color, point);
        self.ply += 1;
    }

    /// Removes a stone placed by [`Gomoku::put`].
    pub fn take_back(&mut self, color: Color, point: Move) {
        self.lines.toggle(color, point);
        self.stones[color.index()].remove(point);
        self.key ^= zobrist::stone(color, point);
        self.ply -= 1;
    }

    /// Whether a stone of `color` on the point is part of a winning row.
    fn is_in_five(&self, color: Color, point: Move) -> bool {
        self.shapes_at(color, point).contains(&Shape::Five)
    }
}

impl Game for Gomoku {
    const NAME: &'static str = "gomoku";

    const INFO: GameInfo = GameInfo {
        title: "Gomoku",
        sgf: (4, None),
        usual_board: BoardSize::square(15),
        offered_sides: &[9, 13, 15, 19, 20],
        offered_rules: &["freestyle", "standard", "renju", "caro", "standard-caro"],
        draws: true,
        lost_because: "has let a five be made",
        openings: renju::openings,
        // Threats decide from the first moves on, with any method of move selection. The search's
        // constants are by SPSA (docs/results/gomoku.toml).
        settings: &[
            ("cpuct", "0.97"),
            ("fpu-reduction", "0.1"),
            ("root-policy-temperature", "1.14"),
            ("time-takeover", "off"),
            ("solver-from", "400"),
            ("probe-nodes", "20"),
            ("probe-from", "400"),
        ],
        ..GameInfo::named(Self::NAME)
    };

    type Moves = BitsIter<7>;
    type Rules = GomokuRules;

    fn with_rules(size: BoardSize, rules: GomokuRules) -> Result<Self, UnsupportedSize> {
        let sides = FIVE..=MAX_SIDE;
        if !sides.contains(&size.width) || !sides.contains(&size.height) {
            return Err(UnsupportedSize {
                game: Self::NAME,
                size,
                limits: "rectangles of 5 to 20 columns and rows",
            });
        }
        Ok(Gomoku::cleared(size, rules))
    }

    /// Each stone counts as a ply. Black may have stones on points that Renju forbids.
    fn set_up(&self, stones: &[(Move, Color)], to_move: Color) -> Result<Self, IllegalSetup> {
        let mut position = Gomoku::cleared(self.size(), self.rules);
        position.to_move = to_move;
        for &(point, color) in stones {
            if !position.empty().contains(point) {
                return Err(IllegalSetup { color, point });
            }
            position.put(color, point);
        }
        // Rows are checked once all stones are set: a sixth stone may spoil a five.
        for &(point, color) in stones {
            if position.is_in_five(color, point) {
                // The game ends with a five: two sides cannot both have one.
                if position.winner == Some(color.opponent()) {
                    return Err(IllegalSetup { color, point });
                }
                position.winner = Some(color);
            }
        }
        Ok(position)
    }

    fn rules(&self) -> GomokuRules {
        self.rules
    }

    fn size(&self) -> BoardSize {
        self.lines.size()
    }

    fn to_move(&self) -> Color {
        self.to_move
    }

    fn set_to_move(&mut self, color: Color) {
        self.to_move = color;
    }

    /// The centre, where people begin. To networks, whose games began at random around it, many points are as good, and
    /// a short search would choose any of them.
    fn first_move(&self) -> Option<Move> {
        let size = self.size();
        let centre = size.point((size.width - 1) / 2, (size.height - 1) / 2);
        (self.ply == 0).then_some(centre)
    }

    fn ply(&self) -> u32 {
        self.ply.into()
    }

    fn stone(&self, point: Move) -> Option<Color> {
        let mut colors = Color::BOTH.into_iter();
        colors.find(|&color| self.stones(color).contains(point))
    }

    fn recent(&self) -> Recent {
        self.recent
    }

    fn legal_moves(&self) -> BitsIter<7> {
        self.legal_points().iter()
    }

    fn is_legal(&self, mv: Move) -> bool {
        self.winner.is_none()
            && mv.index() < self.size().area()
            && self.stone(mv).is_none()
            && !self.is_forbidden(self.to_move, mv)
    }

    fn why_rules_forbid(&self, mv: Move) -> Illegal {
        let banned = renju::ban(&self.lines, mv);
        banned.map_or(Illegal::Rules, |ban| Illegal::Forbidden(ban.text()))
    }

    fn play(&mut self, mv: Move) {
        debug_assert!(self.is_legal(mv), "{} plays {mv:?}", self.to_move);
        self.put(self.to_move, mv);
        if self.is_in_five(self.to_move, mv) {
            self.winner = Some(self.to_move);
        }
        self.recent.push(mv);
        self.to_move = self.to_move.opponent();
    }

    fn outcome(&self) -> Option<Outcome> {
        if let Some(winner) = self.winner {
            return Some(Outcome::win(winner));
        }
        (!self.has_move(self.to_move)).then_some(Outcome::DRAW)
    }

    fn key(&self) -> u128 {
        self.key ^ zobrist::to_move(self.to_move)
    }

    /// At most the number of empty points. The expected value lies between what games with Rapfi and
    /// games of Tengen against itself show: the plies before one side can prove a win, and hardly
    /// fewer late in a game than early (docs/methods.md#time).
    fn plies_left(&self) -> PliesLeft {
        let left = match self.winner {
            Some(_) => 0,
            None => self.size().area() as u32 - u32::from(self.ply),
        };
        let usual = (30.0 - f64::from(self.ply) / 6.0).max(20.0);
        PliesLeft {
            expected: usual.min(f64::from(left)),
            bound: Some(left),
        }
    }
}

#[cfg(test)]
mod naive;
#[cfg(test)]
mod renju_cases;
#[cfg(test)]
pub(crate) mod tests;
