//! The graph of a model, in the few operations that networks for boards need.
//!
//! `QuantizeLinear` and `DequantizeLinear` are removed: a convolution stores the quantisation steps
//! of its input. Other readers of a rounded tensor get it unrounded, which is more exact and costs
//! nothing here. This is valid for the files of `tengen-train quantize`, which round for speed
//! only: in other files rounding may stand for a ReLU, and they are refused.

mod read;

use std::fmt;
use std::sync::Arc;

use super::grid::Layout;
use super::kernels::{Activation, LANES, Lanes, Pairing, PoolKind};

/// Index of a value in [`Graph::values`].
pub(super) type ValueId = usize;

/// Shape of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shape {
    /// Channels with one number per point: `[batch, channels, height, width]`.
    Map(usize),
    /// Channels with one number for all points: `[batch, channels, 1, 1]`.
    Pooled(usize),
    /// Channels with one number per point, as a row of tokens: `[batch, points, channels]`.
    Tokens(usize),
    /// A vector: `[batch, numbers]`. It cannot be added to a map: ONNX would broadcast its numbers
    /// over columns.
    Vector(usize),
}

impl Shape {
    /// Where the numbers of each point lie; `None` if it is not about points.
    pub(super) fn layout(self) -> Option<Layout> {
        match self {
            Shape::Map(_) => Some(Layout::Board),
            Shape::Tokens(_) => Some(Layout::Row),
            Shape::Pooled(_) | Shape::Vector(_) => None,
        }
    }

    /// How many numbers it is for a position, on a board of this many points.
    fn numbers(self, area: usize) -> usize {
        match self {
            Shape::Map(channels) | Shape::Tokens(channels) => channels.saturating_mul(area),
            Shape::Pooled(numbers) | Shape::Vector(numbers) => numbers,
        }
    }

    /// Number of dimensions, the batch among them.
    pub(super) fn rank(self) -> i64 {
        match self {
            Shape::Map(_) | Shape::Pooled(_) => 4,
            Shape::Tokens(_) => 3,
            Shape::Vector(_) => 2,
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape::Map(channels) => write!(f, "[batch, {channels}, height, width]"),
            Shape::Pooled(channels) => write!(f, "[batch, {channels}, 1, 1]"),
            Shape::Tokens(channels) => write!(f, "[batch, points, {channels}]"),
            Shape::Vector(len) => write!(f, "[batch, {len}]"),
        }
    }
}

/// Quantisation: `round(x / scale) + zero`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Steps {
    pub(super) scale: f32,
    /// From 0 to 255, or from -128 to 127 for signed bytes.
    pub(super) zero: i16,
}

impl Steps {
    /// The byte of the zero point.
    pub(super) fn zero_byte(self) -> u8 {
        // Signed bytes as their two's complement.
        self.zero.rem_euclid(256) as u8
    }
}

/// A convolution that keeps height and width.
#[derive(Debug)]
pub(super) struct Conv {
    /// Height and width, both odd.
    pub(super) kernel: [usize; 2],
    pub(super) inputs: usize,
    pub(super) weights: Weights,
    /// One number per output channel.
    pub(super) bias: Vec<f32>,
}

impl Conv {
    /// Leaves out the last channels that it reads where all their weights are 0: planes that others read,
    /// such as those of one number.
    fn leave_out_last_inputs(&mut self) {
        let Weights::Float(weights) = &mut self.weights else {
            return;
        };
        let points = self.kernel[0] * self.kernel[1];
        let row = self.inputs * points;
        let last = |row: &[f32]| row.iter().rposition(|&weight| weight != 0.0);
        let last = weights.chunks_exact(row).filter_map(last).max();
        let inputs = last.map_or(1, |last| last / points + 1);
        if inputs < self.inputs {
            let kept = weights.chunks_exact(row);
            *weights = kept
                .flat_map(|row| &row[..inputs * points])
                .copied()
                .collect();
            self.inputs = inputs;
        }
    }
}

/// `[output, input, height, width]`, row-major.
#[derive(Debug)]
pub(super) enum Weights {
    Float(Vec<f32>),
    Integer {
        weights: Vec<i8>,
        /// One number per output channel.
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

/// What attention is made of: queries, keys and values of its heads.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Heads {
    pub(super) heads: usize,
    /// Heads of keys and values, each for as many of `heads` that follow each other.
    pub(super) kv_heads: usize,
    /// Channels of a head of queries and keys.
    pub(super) query_dim: usize,
    /// Channels of a head of values.
    pub(super) value_dim: usize,
    /// What scores are multiplied by.
    pub(super) scale: f32,
}

/// Over what the mean square of a normalisation is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// The channels of each point.
    Point,
    /// The channels of all points.
    Board,
}

#[derive(Debug)]
pub(super) enum Op {
    /// Of tokens it is a matrix: its kernel is 1x1.
    Conv(Conv),
    /// Each channel separately; `inputs` is 1.
    Depthwise(Conv),
    Dense(Dense),
    Activate(Activation),
    /// Two maps, or a map and one number per channel.
    Add,
    Pool(PoolKind),
    /// A vector times a number.
    Scale(f32),
    /// Concatenated vectors.
    Concat,
    /// A map as a vector.
    Flatten,
    Tokens(TokenOp),
}

impl Op {
    /// Numbers of its weights, of outputs in whole blocks.
    fn weights(&self) -> usize {
        match self {
            Op::Conv(conv) | Op::Depthwise(conv) => {
                let row = conv.inputs * conv.kernel[0] * conv.kernel[1];
                conv.bias.len().next_multiple_of(LANES) * row
            }
            Op::Dense(dense) => dense.weights.len(),
            Op::Tokens(TokenOp::Pair(_, Some(table))) => table.len() * LANES,
            _ => 0,
        }
    }
}

/// What only tokens have.
#[derive(Debug, Clone)]
pub(super) enum TokenOp {
    /// A map as tokens, or tokens as a map.
    Move,
    /// x / sqrt(mean of x^2 + epsilon).
    RmsNorm { epsilon: f32, extent: Extent },
    /// x - mean of x, of each point: with [`TokenOp::RmsNorm`] a layer normalisation.
    Center,
    /// Two of the same shape number by number, or one and a table.
    Pair(Pairing, Option<Table>),
    /// Softmax of the products of queries with all keys, times the values; reads queries, keys, values.
    Attend(Heads),
}

/// A number for each channel of each point, block by block.
pub(super) type Table = Arc<Vec<Lanes<f32>>>;

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
    /// In topological order.
    pub(super) nodes: Vec<Node>,
    pub(super) input: ValueId,
    pub(super) outputs: Vec<ValueId>,
}

impl Graph {
    /// Leaves out nodes whose answer nothing reads.
    fn leave_out_unread(&mut self) {
        let mut read = vec![false; self.values.len()];
        self.outputs.iter().for_each(|&value| read[value] = true);
        for node in self.nodes.iter().rev() {
            if read[node.output] {
                node.inputs.iter().for_each(|&value| read[value] = true);
            }
        }
        self.nodes.retain(|node| read[node.output]);
    }

    /// Shifts the zero point of bytes so that their 256 numbers start at `least` instead of 0.
    pub(super) fn begin_bytes_with(&mut self, least: i16) {
        for node in &mut self.nodes {
            if let Op::Conv(Conv {
                weights: Weights::Integer { steps, .. },
                ..
            }) = &mut node.op
            {
                steps.zero += least;
            }
        }
    }
}
