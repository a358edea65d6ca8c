//! Sets of points of one board.

use tengen::game::{Move, zobrist};

/// Maximum points of a [`PointSet`]: those of the largest board.
pub const MAX_POINTS: usize = zobrist::MAX_POINTS;

/// A set of points, one bit each in policy order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct PointSet([u64; MAX_POINTS.div_ceil(64)]);

impl PointSet {
    /// Adds a point below [`MAX_POINTS`].
    pub fn insert(&mut self, point: Move) {
        self.0[point.index() / 64] |= 1 << (point.index() % 64);
    }

    /// Whether the point is in the set.
    #[must_use]
    pub fn contains(&self, point: Move) -> bool {
        self.0
            .get(point.index() / 64)
            .is_some_and(|word| word >> (point.index() % 64) & 1 == 1)
    }

    /// The points, ascending.
    pub fn iter(&self) -> impl Iterator<Item = Move> {
        let bits = |word: u64| (0..64).filter(move |bit| word >> bit & 1 == 1);
        let words = self.0.iter().enumerate();
        words.flat_map(move |(index, word)| {
            bits(*word).map(move |bit| Move(index as u16 * 64 + bit))
        })
    }
}
