//! Convolution of boards, and gradients of its input.

use rayon::prelude::*;

use super::layout::{copy_out, empty_map, lay_out};
use super::shape::Shape;
use super::weights::pack;
use crate::eval::native::grid::Grid;
use crate::eval::native::kernels::{
    Activation, ConvTask, Epilogue, Float, LANES, Lanes, WIDEST, WinogradTask, Workspace,
    chunk_blocks,
};

/// Boards with the channels of the inputs to boards with those of the outputs.
pub(super) fn forward(shape: Shape, x: &[f32], weights: &[f32]) -> Vec<f32> {
    convolve(shape, x, |output, input, tap| {
        weights[(output * shape.inputs + input) * shape.taps() + tap]
    })
}

/// Gradients of the outputs to gradients of the inputs.
pub(super) fn input_gradient(shape: Shape, weights: &[f32], gradient: &[f32]) -> Vec<f32> {
    // Each weight is applied in the opposite direction.
    convolve(shape.transposed(), gradient, |output, input, tap| {
        weights[(input * shape.inputs + output) * shape.taps() + shape.taps() - 1 - tap]
    })
}

fn convolve(shape: Shape, x: &[f32], weight: impl Fn(usize, usize, usize) -> f32) -> Vec<f32> {
    let (level, grid, [blocks_in, blocks_out]) = (shape.level, shape.grid(), shape.blocks());
    let groups = level.groups(blocks_out);
    let plan = Plan {
        shape,
        grid,
        taps: grid.taps([shape.kernel, shape.kernel]),
        weights: pack(shape, &groups, weight),
        groups,
        bias: vec![Lanes::default(); blocks_out],
        activations: vec![Activation::Identity; blocks_out],
    };
    let (board_in, board_out) = (shape.inputs * shape.area(), shape.outputs * shape.area());
    let mut y = vec![0.0; x.len() / board_in * board_out];
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
                plan.run(memory);
                copy_out(&grid, shape.outputs, &memory.output, y);
            },
        );
    y
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
    room: Workspace,
}

impl Plan {
    fn run(&self, memory: &mut Memory) {
        let epilogue = Epilogue {
            scale: &self.bias,
            bias: &self.bias,
            activations: &self.activations,
            residual: None,
            out: Some(&mut memory.output),
            rounding: None,
        };
        if self.shape.in_frequencies() {
            self.shape.level.enter(WinogradTask {
                grid: self.grid,
                input: &memory.input,
                channels: self.shape.inputs,
                groups: &self.groups,
                weights: &self.weights,
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
            chunk: chunk_blocks(self.taps.len(), LANES, &self.groups),
            groups: &self.groups,
            weights: &self.weights,
            sums: &mut memory.sums,
            epilogue,
        });
    }
}
