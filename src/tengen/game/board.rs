//! Colours, symmetries and last moves: what is known of a board without rules.

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

    /// `B` or `W`.
    pub const fn letter(self) -> &'static str {
        match self {
            Color::Black => "B",
            Color::White => "W",
        }
    }

    /// `Black` or `White`, as players are called.
    pub const fn capital(self) -> &'static str {
        match self {
            Color::Black => "Black",
            Color::White => "White",
        }
    }

    /// Turns a number that is positive where Black is ahead into one that is positive where this side is, and back:
    /// White's is negated.
    pub fn signed<T: Neg<Output = T>>(self, number: T) -> T {
        match self {
            Color::Black => number,
            Color::White => -number,
        }
    }

    /// 0 for Black, 1 for White: an index into per-colour arrays.
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
pub const fn ply_cap(size: BoardSize) -> u32 {
    4 * size.area() as u32
}

/// One symmetry: optionally transpose, then mirror columns, then mirror rows.
///
/// Numbered 0..8; bit 0 mirrors columns, bit 1 mirrors rows, bit 2 transposes first (square
/// boards only).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Symmetry(u8);

impl Symmetry {
    /// The identity.
    pub const IDENTITY: Symmetry = Symmetry(0);

    /// The symmetries of a board of this size, the identity first.
    pub fn all(size: BoardSize) -> impl ExactSizeIterator<Item = Symmetry> {
        (0..if size.is_square() { 8 } else { 4 }).map(Symmetry)
    }

    /// Image of a point under this symmetry; a pass (any index past the points) stays.
    pub fn apply(self, size: BoardSize, mv: Move) -> Move {
        if mv.index() >= size.area() {
            return mv;
        }
        let (mut x, mut y) = size.column_row(mv);
        if self.0 & 4 != 0 {
            (x, y) = (y, x);
        }
        if self.0 & 1 != 0 {
            x = size.width - 1 - x;
        }
        if self.0 & 2 != 0 {
            y = size.height - 1 - y;
        }
        size.point(x, y)
    }

    /// The inverse symmetry.
    #[must_use]
    pub fn inverse(self) -> Symmetry {
        // Mirroring before or after a transposition exchanges the roles of columns and rows.
        match self.0 {
            5 => Symmetry(6),
            6 => Symmetry(5),
            own => Symmetry(own),
        }
    }
}

/// The last moves that led to a position, at most eight, in one 128-bit number: input encodings and
/// rules may need them, and adding one costs a shift.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Recent(u128);

impl Recent {
    /// Number of moves stored.
    pub const MOST: usize = 8;
    /// Marks an empty slot; no move has this number.
    const NONE: u16 = u16::MAX;

    /// Adds a move; the oldest is dropped.
    pub fn push(&mut self, mv: Move) {
        self.0 = self.0 << u16::BITS | u128::from(mv.0);
    }

    /// The most recent move; `None` at the start of a game.
    pub fn last(self) -> Option<Move> {
        self.iter().next()
    }

    /// The moves, most recent first.
    pub fn iter(self) -> impl Iterator<Item = Move> {
        let lanes = (0..Self::MOST as u32).map(move |lane| (self.0 >> (u16::BITS * lane)) as u16);
        lanes.take_while(|&mv| mv != Self::NONE).map(Move)
    }
}

impl Default for Recent {
    /// No moves.
    fn default() -> Self {
        Recent(u128::MAX)
    }
}

impl FromIterator<Move> for Recent {
    /// Collects moves in the order of play and keeps the last ones.
    fn from_iter<I: IntoIterator<Item = Move>>(moves: I) -> Self {
        let mut recent = Recent::default();
        moves.into_iter().for_each(|mv| recent.push(mv));
        recent
    }
}

impl fmt::Debug for Recent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_symmetry_is_a_permutation_undone_by_its_inverse() {
        for size in [BoardSize::square(5), BoardSize::new(4, 3)] {
            for symmetry in Symmetry::all(size) {
                let mut seen = vec![false; size.area()];
                for point in size.points() {
                    let image = symmetry.apply(size, point);
                    assert!(!std::mem::replace(&mut seen[image.index()], true));
                    assert_eq!(symmetry.inverse().apply(size, image), point, "{symmetry:?}");
                }
            }
        }
    }

    #[test]
    fn the_eight_symmetries_differ_and_leave_a_pass_alone() {
        let size = BoardSize::square(3);
        let images: std::collections::HashSet<Vec<Move>> = Symmetry::all(size)
            .map(|s| size.points().map(|p| s.apply(size, p)).collect())
            .collect();
        assert_eq!(images.len(), 8);
        assert!(Symmetry::all(size).all(|s| s.apply(size, Move(9)) == Move(9)));
    }

    #[test]
    fn the_last_eight_are_kept_newest_first() {
        assert_eq!(Recent::default().last(), None);
        for count in [1, 3, 8, 11] {
            let recent: Recent = (0..count).map(Move).collect();
            let expected: Vec<Move> = (0..count).rev().take(Recent::MOST).map(Move).collect();
            assert_eq!(recent.iter().collect::<Vec<_>>(), expected);
            assert_eq!(recent.last(), Some(Move(count - 1)));
        }
    }
}
