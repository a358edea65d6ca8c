//! Colours, and what is known of a board without rules.

use std::fmt;
use std::ops::Neg;

use serde::{Deserialize, Serialize};
use tengen_nn::{BoardSize, Move};

/// A player, and the colour of its stones. Black moves first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
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

/// Default number of plies after which a game or a rollout is ended as a draw: four per point.
/// NoGo and Gomoku end long before.
#[must_use]
pub const fn ply_cap(size: BoardSize) -> u32 {
    4 * size.area() as u32
}

/// The points that are connected to one of `starts` through points that are `open`, themselves among them.
#[must_use]
pub fn connected(
    size: BoardSize,
    starts: impl IntoIterator<Item = Move>,
    open: impl Fn(Move) -> bool,
) -> Vec<Move> {
    let mut reached = vec![false; size.area()];
    let mut todo: Vec<Move> = starts.into_iter().collect();
    while let Some(point) = todo.pop() {
        if !open(point) || std::mem::replace(&mut reached[point.index()], true) {
            continue;
        }
        let (x, y) = size.column_row(point);
        let around = [
            (x > 0).then(|| size.point(x - 1, y)),
            (x + 1 < size.width).then(|| size.point(x + 1, y)),
            (y > 0).then(|| size.point(x, y - 1)),
            (y + 1 < size.height).then(|| size.point(x, y + 1)),
        ];
        todo.extend(around.into_iter().flatten());
    }
    let points = (0..size.area()).filter(|&at| reached[at]);
    points.map(|at| Move(at as u16)).collect()
}
