//! Depthwise convolutions: each channel separately.

use super::super::grid::Grid;
use super::conv::{Epilogue, Finish, Float};
use super::simd::{Job, Lanes, Simd};

/// One convolution of one position, in f32.
pub(in super::super) struct DepthwiseTask<'a> {
    pub(in super::super) grid: Grid,
    /// Offsets that the weights of the kernel read, from the grid's first point.
    pub(in super::super) taps: &'a [usize],
    pub(in super::super) input: &'a [Lanes<f32>],
    pub(in super::super) blocks: usize,
    /// One line per block and tap.
    pub(in super::super) weights: &'a [Lanes<f32>],
    /// Buffer for the sums of a row.
    pub(in super::super) row: &'a mut [Lanes<f32>],
    pub(in super::super) epilogue: Epilogue<'a>,
}

impl Job for DepthwiseTask<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        let (grid, width) = (self.grid, self.grid.width);
        let weights = self.weights.chunks_exact(self.taps.len());
        for (block, weights) in (0..self.blocks).zip(weights) {
            let map = &self.input[block * grid.len..];
            for row in 0..grid.height {
                self.row[..width].fill(Lanes::default());
                for (tap, weights) in self.taps.iter().zip(weights) {
                    let weights = simd.load(weights);
                    let lines = &map[row * grid.stride + tap..][..width];
                    for (sum, line) in self.row[..width].iter_mut().zip(lines) {
                        simd.store(simd.mul_add(simd.load(line), weights, simd.load(sum)), sum);
                    }
                }
                simd.enter(Finish::<Float> {
                    sums: self.row,
                    len: grid.len,
                    at: grid.at(row, 0),
                    blocks: block..block + 1,
                    points: width,
                    epilogue: &mut self.epilogue,
                });
            }
        }
    }
}
