//! Types shared by all games: colours, board sizes and moves.

use std::fmt;
use std::ops::Neg;
use std::str::FromStr;

use thiserror::Error;

/// A player, and the colour of its stones. Black moves first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Color {
    /// The side that moves first.
    Black = 0,
    /// The side that moves second.
    White = 1,
}

impl Color {
    /// Both colours, Black first.
    pub const BOTH: [Color; 2] = [Color::Black, Color::White];

    /// The other colour.
    #[must_use]
    pub const fn opponent(self) -> Color {
        match self {
            Color::Black => Color::White,
            Color::White => Color::Black,
        }
    }

    /// Turns a number that is positive where Black is ahead into one that is positive where this side is, and back:
    /// White's is negated.
    #[must_use]
    pub fn signed<T: Neg<Output = T>>(self, number: T) -> T {
        match self {
            Color::Black => number,
            Color::White => -number,
        }
    }

    /// 0 for Black, 1 for White: an index into per-colour arrays.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Color::Black => "black",
            Color::White => "white",
        })
    }
}

/// Width and height of a board in points, each at least 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BoardSize {
    /// Number of columns (SGF's and GTP's letters), at least 1.
    pub width: u8,
    /// Number of rows, at least 1.
    pub height: u8,
}

impl BoardSize {
    /// Default number of plies after which a game or a playout is ended as a draw: four per point.
    /// NoGo and Gomoku end long before.
    #[must_use]
    pub const fn ply_cap(self) -> u32 {
        4 * self.area() as u32
    }

    /// A square board.
    #[must_use]
    pub const fn square(side: u8) -> BoardSize {
        BoardSize {
            width: side,
            height: side,
        }
    }

    /// A rectangular board.
    #[must_use]
    pub const fn new(width: u8, height: u8) -> BoardSize {
        BoardSize { width, height }
    }

    /// Number of points: width times height.
    #[must_use]
    pub const fn area(self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Policy index of the pass: the index after the last point. Not a legal move in games without
    /// passes.
    #[must_use]
    pub const fn pass(self) -> Move {
        Move(self.area() as u16)
    }

    /// The points that are connected to one of `starts` through points that are `open`, themselves among them.
    #[must_use]
    pub fn connected(
        self,
        starts: impl IntoIterator<Item = Move>,
        open: impl Fn(Move) -> bool,
    ) -> Vec<Move> {
        let mut reached = vec![false; self.area()];
        let mut todo: Vec<Move> = starts.into_iter().collect();
        while let Some(point) = todo.pop() {
            if !open(point) || std::mem::replace(&mut reached[point.index()], true) {
                continue;
            }
            let (x, y) = self.column_row(point);
            let around = [
                (x > 0).then(|| self.point(x - 1, y)),
                (x + 1 < self.width).then(|| self.point(x + 1, y)),
                (y > 0).then(|| self.point(x, y - 1)),
                (y + 1 < self.height).then(|| self.point(x, y + 1)),
            ];
            todo.extend(around.into_iter().flatten());
        }
        let points = (0..self.area()).filter(|&at| reached[at]);
        points.map(|at| Move(at as u16)).collect()
    }

    /// Whether width equals height.
    #[must_use]
    pub const fn is_square(self) -> bool {
        self.width == self.height
    }

    /// The point in column `x` and row `y`, both from 0 at the lower left corner (A1).
    #[must_use]
    pub const fn point(self, x: u8, y: u8) -> Move {
        Move(y as u16 * self.width as u16 + x as u16)
    }

    /// Column and row of a point, both from 0 at the lower left corner.
    #[must_use]
    pub const fn column_row(self, point: Move) -> (u8, u8) {
        let width = self.width as u16;
        ((point.0 % width) as u8, (point.0 / width) as u8)
    }
}

/// A text that is not a board size.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "{0:?} is not a board size: expected a side, as 9, or width and height, as 13x9, each from \
 1 to 255"
)]
pub struct NoBoardSize(String);

impl FromStr for BoardSize {
    type Err = NoBoardSize;

    /// Parses the displayed form, or the side of a square board.
    fn from_str(text: &str) -> Result<BoardSize, NoBoardSize> {
        let (width, height) = text.split_once('x').unwrap_or((text, text));
        let side = |text: &str| text.parse().ok().filter(|&side: &u8| side > 0);
        match (side(width), side(height)) {
            (Some(width), Some(height)) => Ok(BoardSize::new(width, height)),
            _ => Err(NoBoardSize(text.to_owned())),
        }
    }
}

impl fmt::Display for BoardSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.width, self.height)
    }
}

/// A move, numbered as in the network's policy: points row by row from the lower left corner (A1 is
/// 0, B1 is 1), then the pass in Go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Move(pub u16);

impl Move {
    /// The move as an array index.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
