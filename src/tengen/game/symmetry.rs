//! The symmetries of a board: eight of a square, four of other rectangles.

use super::{BoardSize, Move};

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
    #[must_use]
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

#[cfg(test)]
mod tests {
    use super::*;

    fn points(size: BoardSize) -> impl Iterator<Item = Move> {
        (0..size.area() as u16).map(Move)
    }

    #[test]
    fn every_symmetry_is_a_permutation_undone_by_its_inverse() {
        for size in [BoardSize::square(5), BoardSize::new(4, 3)] {
            for symmetry in Symmetry::all(size) {
                let mut seen = vec![false; size.area()];
                for point in points(size) {
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
            .map(|s| points(size).map(|p| s.apply(size, p)).collect())
            .collect();
        assert_eq!(images.len(), 8);
        assert!(Symmetry::all(size).all(|s| s.apply(size, Move(9)) == Move(9)));
    }
}
