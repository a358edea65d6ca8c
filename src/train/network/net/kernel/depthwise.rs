//! Depthwise convolutions, of each channel separately, and their gradients; weights `[channels, 1, kernel, kernel]`.

use rayon::prelude::*;

use super::shape::{GROUPS, Part, Shape, copy_out, empty_map, lay_out};
use tengen_nn::eval::native::grid::Grid;
use tengen_nn::eval::native::kernels::simd::{Job, Simd, Tile};
use tengen_nn::eval::native::kernels::{Activation, DepthwiseTask, Epilogue, LANES, Lanes};

/// Boards to boards, with as many channels out as in; `backward` as in [`super::convolve()`].
pub(super) fn convolve(parts: Vec<Part<'_>>, weights: &[f32], backward: bool) {
    let mut packed: Vec<Lanes<f32>> = Vec::new();
    for Part { shape, x, y } in parts {
        let taps = shape.taps();
        if packed.is_empty() {
            packed = vec![Lanes::default(); shape.blocks()[0] * taps];
            for channel in 0..shape.inputs {
                for tap in 0..taps {
                    let from = if backward { taps - 1 - tap } else { tap };
                    let line = &mut packed[channel / LANES * taps + tap];
                    line.0[channel % LANES] = weights[channel * taps + from];
                }
            }
        }
        boards(shape, x, y, &packed);
    }
}

/// Convolves each board with weights in lines of channels.
fn boards(shape: Shape, x: &[f32], y: &mut [f32], weights: &[Lanes<f32>]) {
    let (level, grid, [blocks, _]) = (shape.level, shape.grid(), shape.blocks());
    let taps = grid.taps([shape.kernel, shape.kernel]);
    let bias = vec![Lanes::default(); blocks];
    let activations = vec![Activation::Identity; blocks];
    let board = shape.inputs * shape.area();
    y.par_chunks_exact_mut(board)
        .zip(x.par_chunks_exact(board))
        .for_each_init(
            || [blocks, blocks, 1].map(|blocks| empty_map(&grid, blocks)),
            |[input, output, sums], (y, x)| {
                lay_out(&grid, shape.inputs, x, input);
                level.enter(DepthwiseTask {
                    grid,
                    taps: &taps,
                    input,
                    blocks,
                    weights,
                    sums,
                    epilogue: Epilogue {
                        scale: &bias,
                        bias: &bias,
                        factors: None,
                        activations: &activations,
                        residual: None,
                        out: Some(output),
                        rounding: None,
                    },
                });
                copy_out(&grid, shape.inputs, output, y);
            },
        );
}

/// Gradients of the outputs, and the inputs, to gradients of the weights.
pub(super) fn weight_gradient(shape: Shape, x: &[f32], gradient: &[f32]) -> Vec<f32> {
    let (level, grid, [blocks, _]) = (shape.level, shape.grid(), shape.blocks());
    let taps = grid.taps([shape.kernel, shape.kernel]);
    let board = shape.inputs * shape.area();
    let boards = (x.len() / board).div_ceil(GROUPS).max(1);
    let groups: Vec<Vec<Lanes<f32>>> = x
        .par_chunks(boards * board)
        .zip(gradient.par_chunks(boards * board))
        .map(|(x, gradient)| {
            let mut sums = vec![Lanes::default(); blocks * taps.len()];
            let [mut input, mut gradients] = [(); 2].map(|()| empty_map(&grid, blocks));
            for (x, gradient) in x.chunks_exact(board).zip(gradient.chunks_exact(board)) {
                lay_out(&grid, shape.inputs, x, &mut input);
                lay_out(&grid, shape.inputs, gradient, &mut gradients);
                level.enter(Products {
                    grid,
                    taps: &taps,
                    input: &input,
                    gradient: &gradients,
                    sums: &mut sums,
                });
            }
            sums
        })
        .collect();
    let mut weights = vec![0.0; shape.inputs * taps.len()];
    for sums in &groups {
        for channel in 0..shape.inputs {
            for tap in 0..taps.len() {
                let line = &sums[channel / LANES * taps.len() + tap];
                weights[channel * taps.len() + tap] += line.0[channel % LANES];
            }
        }
    }
    weights
}

/// Adds a board's products of inputs and gradients, for each tap.
struct Products<'a> {
    grid: Grid,
    taps: &'a [usize],
    input: &'a [Lanes<f32>],
    gradient: &'a [Lanes<f32>],
    /// One line per block and tap.
    sums: &'a mut [Lanes<f32>],
}

impl Job for Products<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (grid, count) = (self.grid, self.taps.len());
        for (block, sums) in self.sums.chunks_exact_mut(count).enumerate() {
            let start = block * grid.len;
            let mut first = 0;
            while first < count {
                let some = (count - first).min(S::most_points(1));
                let job = Taps {
                    grid,
                    taps: &self.taps[first..first + some],
                    input: &self.input[start..],
                    gradient: &self.gradient[start..],
                    sums: &mut sums[first..first + some],
                };
                simd.tile(1, some, job);
                first += some;
            }
        }
    }
}

/// The same for a block and a few taps.
struct Taps<'a> {
    grid: Grid,
    taps: &'a [usize],
    input: &'a [Lanes<f32>],
    gradient: &'a [Lanes<f32>],
    sums: &'a mut [Lanes<f32>],
}

impl Tile for Taps<'_> {
    #[inline(always)]
    fn run<S: Simd, const BLOCKS: usize, const POINTS: usize>(self, simd: S) {
        let (Some(taps), Some(places)) = (
            self.taps.first_chunk::<POINTS>(),
            self.sums.first_chunk_mut::<POINTS>(),
        ) else {
            return;
        };
        let mut sums = [simd.splat(0.0); POINTS];
        for tap in 0..POINTS {
            sums[tap] = simd.load(&places[tap]);
        }
        for row in 0..self.grid.height {
            let gradients = &self.gradient[self.grid.at(row, 0)..][..self.grid.width];
            for (gradient, at) in gradients.iter().zip(row * self.grid.stride..) {
                let gradient = simd.load(gradient);
                for tap in 0..POINTS {
                    let input = simd.load(&self.input[at + taps[tap]]);
                    sums[tap] = simd.mul_add(input, gradient, sums[tap]);
                }
            }
        }
        for tap in 0..POINTS {
            simd.store(sums[tap], &mut places[tap]);
        }
    }
}
