//! Roulette wheel: draws points in proportion to their weights, which are integers, so that sums
//! stay exact.

use crate::game::{BoardSize, Move};

/// Rows, at most.
const ROWS: usize = 128;

/// Weights of points for both sides, with sums by rows.
#[derive(Debug, Clone)]
pub(super) struct Wheel<const CELLS: usize> {
    width: usize,
    /// 2^16 divided by the columns, rounded up: division by them becomes a multiplication.
    through: u32,
    weights: [[u32; 2]; CELLS],
    rows: [[u32; 2]; ROWS],
    total: [u32; 2],
}

impl<const CELLS: usize> Wheel<CELLS> {
    /// All weights zero.
    pub(super) fn new(size: BoardSize) -> Self {
        Wheel {
            width: usize::from(size.width),
            through: (1_u32 << 16).div_ceil(u32::from(size.width)),
            weights: [[0; 2]; CELLS],
            rows: [[0; 2]; ROWS],
            total: [0; 2],
        }
    }

    pub(super) fn weight(&self, side: usize, point: Move) -> u32 {
        self.weights[point.index()][side]
    }

    /// Sum of all weights.
    pub(super) fn total(&self, side: usize) -> u32 {
        self.total[side]
    }

    /// Sets the weights of a point.
    pub(super) fn set(&mut self, point: Move, weights: [u32; 2]) {
        let row = (u32::from(point.0) * self.through) >> 16;
        let before = std::mem::replace(&mut self.weights[point.index()], weights);
        let row = &mut self.rows[row as usize];
        for side in 0..2 {
            let change = weights[side].wrapping_sub(before[side]);
            row[side] = row[side].wrapping_add(change);
            self.total[side] = self.total[side].wrapping_add(change);
        }
    }

    /// The point selected by a number below the total.
    pub(super) fn point(&self, side: usize, number: u32) -> Move {
        let (mut left, mut row) = (number, 0);
        while left >= self.rows[row][side] {
            left -= self.rows[row][side];
            row += 1;
        }
        let mut point = row * self.width;
        while left >= self.weights[point][side] {
            left -= self.weights[point][side];
            point += 1;
        }
        Move(point as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_has_as_many_numbers_as_it_weighs() {
        let mut wheel = Wheel::<111>::new(BoardSize::new(3, 4));
        for point in 0..12 {
            wheel.set(Move(point), [9, 100]);
        }
        for point in 0..12 {
            wheel.set(Move(point), [u32::from(point) % 4, 1]);
        }
        for (side, total) in [18, 12].into_iter().enumerate() {
            assert_eq!(wheel.total(side), total);
            for point in (0..12).map(Move) {
                let found = (0..total).filter(|&number| wheel.point(side, number) == point);
                assert_eq!(found.count() as u32, wheel.weight(side, point));
            }
        }
    }
}
