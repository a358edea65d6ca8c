//! The board that a network is for, and the numbers of its policy.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// Width and height of a board in points, each at least 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct BoardSize {
    /// Number of columns (SGF's and GTP's letters), at least 1.
    pub width: u8,
    /// Number of rows, at least 1.
    pub height: u8,
}

impl BoardSize {
    /// A square board.
    pub const fn square(side: u8) -> BoardSize {
        BoardSize {
            width: side,
            height: side,
        }
    }

    /// A rectangular board.
    pub const fn new(width: u8, height: u8) -> BoardSize {
        BoardSize { width, height }
    }

    /// Number of points: width times height.
    pub const fn area(self) -> usize {
        self.width as usize * self.height as usize
    }

    /// All points, row by row from the lower left corner.
    pub fn points(self) -> impl DoubleEndedIterator<Item = Move> + ExactSizeIterator + Clone {
        (0..self.area() as u16).map(Move)
    }

    /// Policy index of the pass: the index after the last point. Not a legal move in games without
    /// passes.
    pub const fn pass(self) -> Move {
        Move(self.area() as u16)
    }

    /// Whether width equals height.
    pub const fn is_square(self) -> bool {
        self.width == self.height
    }

    /// The point in column `x` and row `y`, both from 0 at the lower left corner (A1).
    pub const fn point(self, x: u8, y: u8) -> Move {
        Move(y as u16 * self.width as u16 + x as u16)
    }

    /// Column and row of a point, both from 0 at the lower left corner.
    ///
    /// # Panics
    /// If the width is 0.
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
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}
