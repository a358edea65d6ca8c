//! What a model computes, in the few operations that networks for boards are made of.
//!
//! `QuantizeLinear` and `DequantizeLinear` are gone: a convolution says itself in what steps it
//! reads its input. Whoever else reads a rounded tensor gets it unrounded, which is more exact and
//! costs nothing here.

mod constants;
mod read;

use super::kernels::PoolKind;

/// Index of a value in [`Graph::values`].
pub(super) type ValueId = usize;

/// What a value looks like, for one position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// So many channels, each a number a point.
    Map(usize),
    /// So many numbers.
    Vector(usize),
}

/// How numbers become bytes: `round(x / scale) + zero`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Steps {
    pub(super) scale: f32,
    pub(super) zero: u8,
}

/// A convolution that keeps height and width.
#[derive(Debug)]
pub(super) struct Conv {
    /// Height and width, both odd.
    pub(super) kernel: [usize; 2],
    pub(super) inputs: usize,
    pub(super) weights: Weights,
    /// A number an output channel.
    pub(super) bias: Vec<f32>,
}

/// `[output, input, height, width]`, row-major.
#[derive(Debug)]
pub(super) enum Weights {
    Float(Vec<f32>),
    Integer {
        weights: Vec<i8>,
        /// A number an output channel.
        scales: Vec<f32>,
        /// Of the input.
        steps: Steps,
    },
}

/// A fully connected layer.
#[derive(Debug)]
pub(super) struct Dense {
    /// `[input, output]`, row-major.
    pub(super) weights: Vec<f32>,
    pub(super) bias: Vec<f32>,
}

#[derive(Debug)]
pub(super) enum Op {
    Conv(Conv),
    /// Each channel by itself; `inputs` is 1.
    Depthwise(Conv),
    Dense(Dense),
    Relu,
    /// Two maps, or a map and a vector that counts for every point.
    Add,
    Pool(PoolKind),
    /// A vector times a number.
    Scale(f32),
    /// Vectors one after the other.
    Concat,
    /// A map as a vector.
    Flatten,
}

#[derive(Debug)]
pub(super) struct Node {
    pub(super) op: Op,
    pub(super) inputs: Vec<ValueId>,
    pub(super) output: ValueId,
}

/// A network that this backend can compute.
#[derive(Debug)]
pub(super) struct Graph {
    pub(super) values: Vec<Shape>,
    /// In an order in which they can be computed.
    pub(super) nodes: Vec<Node>,
    pub(super) input: ValueId,
    pub(super) outputs: Vec<ValueId>,
}
