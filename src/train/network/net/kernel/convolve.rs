//! Convolution of boards, and gradients of its input.

use rayon::prelude::*;

use super::shape::{Part, Shape, copy_out, empty_map, lay_out};
use super::weights::pack;
use tengen_nn::eval::native::grid::Grid;
use tengen_nn::eval::native::kernels::{
    Activation, ConvTask, Epilogue, Float, LANES, Lanes, WIDEST, WinogradTask, Workspace,
    chunk_blocks,
};

/// Boards with the channels of the inputs to boards with those of the outputs.
pub(super) fn forward(parts: Vec<Part<'_>>, weights: &[f32]) {
    convolve(parts, |shape, output, input, tap| {
        weights[(output * shape.inputs + input) * shape.taps() + tap]
    });
}

/// Gradients of the outputs to gradients of the inputs, by the transposed layer.
pub(super) fn input_gradient(parts: Vec<Part<'_>>, weights: &[f32]) {
    // Each weight is applied in the opposite direction.
    convolve(parts, |shape, output, input, tap| {
        weights[(input * shape.outputs + output) * shape.taps() + shape.taps() - 1 - tap]
    });
}

/// `weight` has shape, output, input and tap.
fn convolve(parts: Vec<Part<'_>>, weight: impl Fn(Shape, usize, usize, usize) -> f32) {
    // Sizes with the same tiles share their weights.
    let mut packed: Option<(usize, Vec<Lanes<f32>>)> = None;
    for Part { shape, x, y } in parts {
        let (grid, blocks_out) = (shape.grid(), shape.blocks()[1]);
        let groups = shape.level.groups(blocks_out);
        let pack = || {
            pack(shape, &groups, |output, input, tap| {
                weight(shape, output, input, tap)
            })
        };
        let same = packed.take().filter(|(tile, _)| *tile == grid.tile);
        let plan = Plan {
            shape,
            grid,
            taps: grid.taps([shape.kernel, shape.kernel]),
            weights: same.map_or_else(pack, |(_, weights)| weights),
            groups,
            bias: vec![Lanes::default(); blocks_out],
            activations: vec![Activation::Identity; blocks_out],
        };
        plan.boards(x, y);
        packed = Some((grid.tile, plan.weights));
    }
}

/// A convolution with its weights.
struct Plan {
    shape: Shape,
    grid: Grid,
    taps: Vec<usize>,
    groups: Vec<usize>,
    weights: Vec<Lanes<f32>>,
    bias: Vec<Lanes<f32>>,
    activations: Vec<Activation>,
}

/// What a thread computes in.
struct Memory {
    input: Vec<Lanes<f32>>,
    output: Vec<Lanes<f32>>,
    sums: Vec<Lanes<f32>>,
    room: Workspace<Float>,
}

impl Plan {
    /// Convolves each board.
    fn boards(&self, x: &[f32], y: &mut [f32]) {
        let (shape, grid, [blocks_in, blocks_out]) = (self.shape, self.grid, self.shape.blocks());
        let (board_in, board_out) = (shape.inputs * shape.area(), shape.outputs * shape.area());
        y.par_chunks_exact_mut(board_out)
            .zip(x.par_chunks_exact(board_in))
            .for_each_init(
                || Memory {
                    input: empty_map(&grid, blocks_in),
                    output: empty_map(&grid, blocks_out),
                    sums: empty_map(&grid, WIDEST),
                    room: match shape.in_frequencies() {
                        true => Workspace::new(&grid, blocks_in, WIDEST),
                        false => Workspace::default(),
                    },
                },
                |memory, (y, x)| {
                    lay_out(&grid, shape.inputs, x, &mut memory.input);
                    self.run(memory);
                    copy_out(&grid, shape.outputs, &memory.output, y);
                },
            );
    }

    fn run(&self, memory: &mut Memory) {
        let epilogue = Epilogue {
            scale: &self.bias,
            bias: &self.bias,
            factors: None,
            activations: &self.activations,
            residual: None,
            out: Some(&mut memory.output),
            rounding: None,
        };
        if self.shape.in_frequencies() {
            self.shape.level.enter(WinogradTask::<Float> {
                grid: self.grid,
                input: &memory.input,
                channels: self.shape.inputs,
                groups: &self.groups,
                weights: &self.weights,
                factors: &[],
                room: &mut memory.room,
                epilogue,
            });
            return;
        }
        self.shape.level.enter(ConvTask::<Float> {
            grid: self.grid,
            taps: &self.taps,
            input: &memory.input,
            channels: self.shape.inputs,
            chunk: chunk_blocks(
                self.shape.inputs.div_ceil(LANES),
                self.taps.len(),
                LANES,
                &self.groups,
            ),
            groups: &self.groups,
            weights: &self.weights,
            sums: &mut memory.sums,
            epilogue,
        });
    }
}
