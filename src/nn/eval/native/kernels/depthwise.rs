//! Depthwise convolutions: each channel separately.

use super::super::grid::Grid;
use super::arithmetic::Float;
use super::conv::{Epilogue, Finish, points, points_mut};
use super::simd::{Job, Lanes, Simd, Tile};

/// One convolution of one position, in f32.
pub struct DepthwiseTask<'a> {
    pub grid: Grid,
    /// Offsets that the weights of the kernel read, from the grid's first point.
    pub taps: &'a [usize],
    pub input: &'a [Lanes<f32>],
    pub blocks: usize,
    /// One line per block and tap.
    pub weights: &'a [Lanes<f32>],
    /// Buffer for the sums of a block.
    pub sums: &'a mut [Lanes<f32>],
    pub epilogue: Epilogue<'a>,
}

impl Job for DepthwiseTask<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        let grid = self.grid;
        let weights = self.weights.chunks_exact(self.taps.len());
        for (block, weights) in (0..self.blocks).zip(weights) {
            for (column, points) in grid.columns(S::most_points(1)) {
                let columns = Columns {
                    grid,
                    taps: self.taps,
                    map: &self.input[block * grid.len..],
                    weights,
                    column,
                    sums: self.sums,
                };
                simd.tile(1, points, columns);
            }
            for row in 0..grid.height {
                simd.enter(Finish::<Float> {
                    sums: &self.sums[row * grid.stride..],
                    len: grid.len,
                    at: grid.at(row, 0),
                    blocks: block..block + 1,
                    points: grid.width,
                    epilogue: &mut self.epilogue,
                });
            }
        }
    }
}

/// A block, in some columns of all rows.
struct Columns<'a> {
    grid: Grid,
    taps: &'a [usize],
    map: &'a [Lanes<f32>],
    weights: &'a [Lanes<f32>],
    column: usize,
    sums: &'a mut [Lanes<f32>],
}

impl Tile for Columns<'_> {
    #[inline(always)]
    fn run<S: Simd, const BLOCKS: usize, const POINTS: usize>(self, simd: S) {
        for row in 0..self.grid.height {
            let at = row * self.grid.stride + self.column;
            let mut sums = [simd.splat(0.0); POINTS];
            for (tap, weights) in self.taps.iter().zip(self.weights) {
                let weights = simd.load(weights);
                let lines = points::<_, POINTS>(self.map, at + tap);
                for point in 0..POINTS {
                    sums[point] = simd.mul_add(simd.load(&lines[point]), weights, sums[point]);
                }
            }
            let out = points_mut::<_, POINTS>(self.sums, at);
            for point in 0..POINTS {
                simd.store(sums[point], &mut out[point]);
            }
        }
    }
}
