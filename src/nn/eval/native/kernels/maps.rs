//! The small work between convolutions: those of each channel separately, sums of maps, pooling, dense layers.

use super::super::grid::{Grid, parts};
use super::activation::{Activation, activate};
use super::arithmetic::Float;
use super::conv::{Epilogue, Finish, Rounding};
use super::simd::{Job, LANES, Lanes, Simd, Tile, points, points_mut};

/// `activation(first + second + bias)` at each point.
pub struct Combine<'a> {
    pub grid: Grid,
    pub blocks: usize,
    pub first: &'a [Lanes<f32>],
    pub second: Option<&'a [Lanes<f32>]>,
    /// One line per block.
    pub bias: Option<&'a [Lanes<f32>]>,
    pub activation: Activation,
    pub out: Option<&'a mut [Lanes<f32>]>,
    pub rounding: Option<Rounding<'a>>,
}

impl Job for Combine<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(mut self, simd: S) {
        for block in 0..self.blocks {
            let bias = match self.bias {
                Some(bias) => simd.load(&bias[block]),
                None => simd.splat(0.0),
            };
            for row in 0..self.grid.height {
                let start = block * self.grid.len + self.grid.at(row, 0);
                for at in start..start + self.grid.width {
                    let mut x = simd.add(simd.load(&self.first[at]), bias);
                    if let Some(second) = self.second {
                        x = simd.add(x, simd.load(&second[at]));
                    }
                    x = activate(simd, self.activation, x);
                    if let Some(out) = &mut self.out {
                        simd.store(x, &mut out[at]);
                    }
                    if let Some(Rounding { out, inverse, zero }) = &mut self.rounding {
                        let (inverse, zero) = (simd.load(&inverse[block]), simd.load(&zero[block]));
                        out[at] = simd.to_bytes(simd.mul_add(x, inverse, zero));
                    }
                }
            }
        }
    }
}

/// Kind of a reduction over all points of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoolKind {
    Mean,
    Max,
    Sum,
}

/// Reduces each channel to one number.
pub struct Pool<'a> {
    pub grid: Grid,
    pub kind: PoolKind,
    pub input: &'a [Lanes<f32>],
    /// One line per block.
    pub out: &'a mut [Lanes<f32>],
}

impl Job for Pool<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (grid, first) = (self.grid, self.grid.origin());
        let is_max = self.kind == PoolKind::Max;
        for (block, out) in self.out.iter_mut().enumerate() {
            let plane = &self.input[block * grid.len..][..grid.len];
            let begin = if is_max {
                simd.load(&plane[first])
            } else {
                simd.splat(0.0)
            };
            // Four independent chains.
            let mut chains = [begin; 4];
            for row in 0..grid.height {
                let row = &plane[grid.at(row, 0)..][..grid.width];
                let (fours, rest) = row.as_chunks::<4>();
                for four in fours {
                    for (chain, line) in chains.iter_mut().zip(four) {
                        *chain = join(simd, is_max, *chain, simd.load(line));
                    }
                }
                for (chain, line) in chains.iter_mut().zip(rest) {
                    *chain = join(simd, is_max, *chain, simd.load(line));
                }
            }
            let [a, b, c, d] = chains;
            let (left, right) = (join(simd, is_max, a, b), join(simd, is_max, c, d));
            let mut all = join(simd, is_max, left, right);
            if self.kind == PoolKind::Mean {
                let share = simd.splat(1.0 / (grid.width * grid.height) as f32);
                all = simd.mul_add(all, share, simd.splat(0.0));
            }
            simd.store(all, out);
        }
    }
}

/// The larger one, or the sum.
#[inline(always)]
fn join<S: Simd>(simd: S, is_max: bool, a: S::F, b: S::F) -> S::F {
    match is_max {
        true => simd.max(a, b),
        false => simd.add(a, b),
    }
}

/// A fully connected layer: `activation(input x weights + bias)`.
pub struct Dense<'a> {
    pub input: &'a [Lanes<f32>],
    /// For each input, including padding, as many lines as the output has.
    pub weights: &'a [Lanes<f32>],
    pub bias: &'a [Lanes<f32>],
    pub activation: Activation,
    pub out: &'a mut [Lanes<f32>],
}

impl Job for Dense<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let columns = self.out.len();
        let rows = LANES * columns;
        for (column, out) in self.out.iter_mut().enumerate() {
            // Four independent chains of additions.
            let mut chains = [simd.splat(0.0); 4];
            chains[0] = simd.load(&self.bias[column]);
            for (line, weights) in self.input.iter().zip(self.weights.chunks_exact(rows)) {
                let weights = weights[column..].iter().step_by(columns);
                for ((i, x), weight) in line.0.iter().enumerate().zip(weights) {
                    let chain = &mut chains[i % 4];
                    *chain = simd.mul_add(simd.splat(*x), simd.load(weight), *chain);
                }
            }
            let [a, b, c, d] = chains;
            let sum = simd.add(simd.add(a, b), simd.add(c, d));
            simd.store(activate(simd, self.activation, sum), out);
        }
    }
}

/// One convolution of one position in f32, each channel separately.
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
            for (column, points) in parts(grid.width, S::most_points(1)) {
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
