//! Gradient of a convolution's weights: products of inputs and output gradients, summed over points and boards.
//!
//! Of 3x3 kernels in the frequencies of Winograd's algorithm, like the convolution itself: the gradient of a
//! frequency's weight is the sum, over tiles, of the input's frequency times the gradient's.

use rayon::prelude::*;

use super::products::{GradientSpectra, Products, Transposed};
use super::shape::{GROUPS, Shape, empty_map, lay_out};
use tengen_nn::eval::native::grid::Grid;
use tengen_nn::eval::native::kernels::winograd::Spectra;
use tengen_nn::eval::native::kernels::winograd::transforms::{Tiles, Transforms, kernel_rows};
use tengen_nn::eval::native::kernels::{Float, LANES, Lanes};

/// Tiles whose products are added while sums stay in registers, at least: the boards that have them are taken
/// together.
const TILES_AT_ONCE: usize = 24;

/// Gradients of the outputs, and the inputs, to gradients of the weights.
pub(super) fn weight_gradient(shape: Shape, x: &[f32], gradient: &[f32]) -> Vec<f32> {
    let (board_in, board_out) = (shape.inputs * shape.area(), shape.outputs * shape.area());
    let boards = (x.len() / board_in).div_ceil(GROUPS).max(1);
    let groups: Vec<Vec<Lanes<f32>>> = x
        .par_chunks(boards * board_in)
        .zip(gradient.par_chunks(boards * board_out))
        .map(|(x, gradient)| {
            let mut accumulator = Accumulator::new(shape);
            let some = accumulator.boards;
            x.chunks(some * board_in)
                .zip(gradient.chunks(some * board_out))
                .for_each(|(x, gradient)| accumulator.add(x, gradient));
            accumulator.sums
        })
        .collect();
    let mut groups = groups.into_iter();
    let mut sums = groups.next().unwrap_or_default();
    for group in groups {
        for (sums, group) in sums.iter_mut().zip(group) {
            for (sum, number) in sums.0.iter_mut().zip(group.0) {
                *sum += number;
            }
        }
    }
    unpack(shape, &sums)
}

/// Buffers for the sums.
struct Accumulator {
    shape: Shape,
    grid: Grid,
    /// Boards that are added together.
    boards: usize,
    input: Vec<Lanes<f32>>,
    gradient: Vec<Lanes<f32>>,
    /// Frequencies `[block, board, tile, frequency]`: of the inputs, of the gradients.
    spectra: [Vec<Lanes<f32>>; 2],
    /// `[tap or frequency, block of inputs, input in the block, block of outputs]`.
    sums: Vec<Lanes<f32>>,
}

impl Accumulator {
    fn new(shape: Shape) -> Accumulator {
        let (grid, blocks) = (shape.grid(), shape.blocks());
        let tiles: usize = grid.tiles().into_iter().product();
        let (boards, parts) = match shape.in_frequencies() {
            true => (TILES_AT_ONCE.div_ceil(tiles), grid.frequencies()),
            false => (1, shape.taps()),
        };
        let room = |blocks: usize| match shape.in_frequencies() {
            true => vec![Lanes::default(); blocks * boards * tiles * parts],
            false => Vec::new(),
        };
        Accumulator {
            shape,
            grid,
            boards,
            input: empty_map(&grid, blocks[0]),
            gradient: empty_map(&grid, blocks[1]),
            spectra: blocks.map(room),
            sums: vec![Lanes::default(); parts * blocks[0] * LANES * blocks[1]],
        }
    }

    /// Adds some boards, at most [`Accumulator::boards`].
    fn add(&mut self, x: &[f32], gradient: &[f32]) {
        match (self.shape.in_frequencies(), self.grid.tile) {
            (false, _) => self.add_plain(x, gradient),
            (true, 3) => self.add_in_frequencies::<3, 5, 25>(x, gradient),
            (true, _) => self.add_in_frequencies::<4, 6, 36>(x, gradient),
        }
    }

    fn lay_out(&mut self, x: &[f32], gradient: &[f32]) {
        lay_out(&self.grid, self.shape.inputs, x, &mut self.input);
        lay_out(&self.grid, self.shape.outputs, gradient, &mut self.gradient);
    }

    /// Adds a board, tap by tap, row by row.
    fn add_plain(&mut self, x: &[f32], gradient: &[f32]) {
        self.lay_out(x, gradient);
        let (grid, kernel) = (self.grid, self.shape.kernel);
        let sums = self.sums.len() / self.shape.taps();
        let taps = grid.taps([kernel, kernel]);
        for (tap, sums) in taps.iter().zip(self.sums.chunks_exact_mut(sums)) {
            for row in 0..grid.height {
                self.shape.level.enter(Products {
                    input: &self.input[row * grid.stride + tap..],
                    gradient: &self.gradient[grid.at(row, 0)..],
                    block_lens: [grid.len; 2],
                    step: 1,
                    count: grid.width,
                    inputs: self.shape.inputs,
                    groups: &self.shape.level.groups(self.shape.blocks()[1]),
                    sums,
                });
            }
        }
    }

    /// Adds boards, frequency by frequency.
    fn add_in_frequencies<const TILE: usize, const PATCH: usize, const FREQUENCIES: usize>(
        &mut self,
        x: &[f32],
        gradient: &[f32],
    ) where
        Tiles: Transforms<Float, TILE, PATCH> + Transposed<TILE, PATCH>,
    {
        let (shape, grid, level) = (self.shape, self.grid, self.shape.level);
        let tiles: usize = grid.tiles().into_iter().product();
        let most = self.boards * tiles;
        let boards = x.chunks_exact(shape.inputs * shape.area());
        let boards = boards.zip(gradient.chunks_exact(shape.outputs * shape.area()));
        let mut count = 0;
        for (x, gradient) in boards {
            self.lay_out(x, gradient);
            let [inputs, gradients] = &mut self.spectra;
            let (inputs, _) = inputs.as_chunks_mut::<FREQUENCIES>();
            for (block, map) in self.input.chunks_exact(grid.len).enumerate() {
                let spectra = &mut inputs[block * most + count..][..tiles];
                level.enter(Spectra::<Float, TILE, PATCH, FREQUENCIES> { grid, map, spectra });
            }
            let (gradients, _) = gradients.as_chunks_mut::<FREQUENCIES>();
            for (block, map) in self.gradient.chunks_exact(grid.len).enumerate() {
                let spectra = &mut gradients[block * most + count..][..tiles];
                level.enter(GradientSpectra::<TILE, PATCH, FREQUENCIES> { grid, map, spectra });
            }
            count += tiles;
        }
        let groups = level.groups(shape.blocks()[1]);
        let sums = self.sums.len() / FREQUENCIES;
        for (frequency, sums) in self.sums.chunks_exact_mut(sums).enumerate() {
            level.enter(Products {
                input: &self.spectra[0][frequency..],
                gradient: &self.spectra[1][frequency..],
                block_lens: [most * FREQUENCIES; 2],
                step: FREQUENCIES,
                count,
                inputs: shape.inputs,
                groups: &groups,
                sums,
            });
        }
    }
}

/// Sums as `[outputs, inputs, kernel, kernel]`.
fn unpack(shape: Shape, sums: &[Lanes<f32>]) -> Vec<f32> {
    let (taps, places) = (shape.taps(), shape.inputs.next_multiple_of(LANES));
    let parts = match shape.in_frequencies() {
        true => shape.grid().frequencies(),
        false => taps,
    };
    let (part_len, rows) = (sums.len() / parts.max(1), kernel_rows(shape.grid().tile));
    let mut weights = vec![0.0; shape.outputs * shape.inputs * taps];
    let (mut start, mut first) = (0, 0);
    for group in shape.level.groups(shape.blocks()[1]) {
        for input in 0..shape.inputs {
            for block in 0..group {
                let place = start + input * group + block;
                let line: Vec<Lanes<f32>> = (0..parts)
                    .map(|part| sums[part * part_len + place])
                    .collect();
                let line: Vec<[f32; LANES]> = match shape.in_frequencies() {
                    true => from_frequencies(&line, &rows).concat(),
                    false => line.iter().map(|line| line.0).collect(),
                };
                let first_output = (first + block) * LANES;
                let outputs = LANES.min(shape.outputs - first_output);
                for lane in 0..outputs {
                    let at = ((first_output + lane) * shape.inputs + input) * taps;
                    for (weight, line) in weights[at..at + taps].iter_mut().zip(&line) {
                        *weight = line[lane];
                    }
                }
            }
        }
        start += places * group;
        first += group;
    }
    weights
}

/// A kernel `[3, 3]` of sixteen outputs.
type Kernel = [[[f32; LANES]; 3]; 3];

/// Gradients by frequencies to gradients of a kernel: G' u G.
fn from_frequencies(spectrum: &[Lanes<f32>], rows: &[[f64; 3]]) -> Kernel {
    let mut kernel = [[[0.0; LANES]; 3]; 3];
    for (row, line) in rows.iter().zip(spectrum.chunks_exact(rows.len())) {
        let mut half = [[0.0; LANES]; 3];
        for (column, number) in rows.iter().zip(line) {
            for (half, by) in half.iter_mut().zip(column) {
                add(half, &number.0, *by as f32);
            }
        }
        for (sums, by) in kernel.iter_mut().zip(row) {
            for (sum, half) in sums.iter_mut().zip(&half) {
                add(sum, half, *by as f32);
            }
        }
    }
    kernel
}

fn add(sum: &mut [f32; LANES], numbers: &[f32; LANES], by: f32) {
    for (sum, number) in sum.iter_mut().zip(numbers) {
        *sum += number * by;
    }
}
