//! From operations to steps: fused operations become one pass over memory, and every result gets
//! its slot.

mod lower;
mod pack;
mod results;

use super::graph::TokenOp;
use super::grid::{Grid, Layout};
use super::kernels::{Activation, LANES, Lanes, PoolKind};

/// A compiled network: shared by all evaluators.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) board: Grid,
    pub(super) row: Grid,
    pub(super) steps: Vec<Step>,
    /// Weights of all convolutions, in the order of use.
    pub(super) floats: Vec<Lanes<f32>>,
    /// The same in integers: four bytes or two words a lane.
    pub(super) integers: Vec<Lanes<i32>>,
    pub(super) layout: MemoryLayout,
    /// Whether attention multiplies words, as matrices of tokens do.
    pub(super) has_words: bool,
    pub(super) planes: MapPart,
    /// Slots of the output vectors, in the order of the model's outputs.
    pub(super) outputs: Vec<VectorPart>,
}

impl Plan {
    pub(super) fn grid(&self, layout: Layout) -> Grid {
        match layout {
            Layout::Board => self.board,
            Layout::Row => self.row,
        }
    }

    /// Maximum input blocks of the convolutions of a kind.
    pub(super) fn most_blocks(&self, kind: ConvKind) -> usize {
        let blocks = self.steps.iter().map(|step| match step {
            Step::Conv(step) if step.kind == kind => step.input.channels.div_ceil(LANES),
            _ => 0,
        });
        blocks.max().unwrap_or(0)
    }
}

/// Memory that an evaluator needs: a slot is reused once its value has been read for the last time.
#[derive(Debug, Default)]
pub(super) struct MemoryLayout {
    /// Number of blocks of each slot of f32 maps, and how their points lie.
    pub(super) numbers: Vec<(usize, Layout)>,
    /// For each slot of byte maps, the border value of each block.
    pub(super) bytes: Vec<Vec<u8>>,
    /// Lines of each vector.
    pub(super) vectors: Vec<usize>,
}

/// Some blocks of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MapPart {
    pub(super) slot: usize,
    pub(super) first_block: usize,
    pub(super) channels: usize,
    pub(super) layout: Layout,
}

/// A vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct VectorPart {
    pub(super) slot: usize,
    pub(super) len: usize,
}

/// Destination of an output.
#[derive(Debug)]
pub(super) struct Target {
    /// Slot of f32 maps.
    pub(super) numbers: Option<usize>,
    pub(super) rounded: Option<Rounded>,
}

/// A quantised output; one line per block.
#[derive(Debug)]
pub(super) struct Rounded {
    /// Slot of byte maps.
    pub(super) slot: usize,
    pub(super) inverse: Vec<Lanes<f32>>,
    pub(super) zero: Vec<Lanes<f32>>,
}

/// One pass over memory.
#[derive(Debug)]
pub(super) enum Step {
    Conv(ConvStep),
    Combine {
        first: MapPart,
        second: Option<MapPart>,
        bias: Option<VectorPart>,
        activation: Activation,
        target: Target,
    },
    /// Makes the vector in the slot `out`.
    Vector {
        op: VectorOp,
        out: usize,
    },
    /// Of rows of tokens.
    Tokens {
        op: TokenOp,
        inputs: Vec<MapPart>,
        target: Target,
    },
}

/// What makes a vector.
#[derive(Debug)]
pub(super) enum VectorOp {
    Pool(PoolKind, MapPart),
    /// Of a map, channel after channel.
    Flatten(MapPart),
    Dense {
        input: VectorPart,
        weights: Vec<Lanes<f32>>,
        bias: Vec<Lanes<f32>>,
        activation: Activation,
    },
    Concat(Vec<VectorPart>),
    Activate(Activation, VectorPart),
    /// Times a number.
    Scale(f32, VectorPart),
}

/// How a convolution is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConvKind {
    /// In f32.
    Float,
    /// 3x3 in f32, by Winograd's algorithm.
    Winograd,
    /// 3x3 of bytes by Winograd's algorithm, in words.
    WinogradOfWords,
    /// Each channel separately, in f32.
    Depthwise,
    /// Of bytes.
    Integer,
    /// A product of tokens with a matrix, in words.
    Words,
}

/// A convolution, or several of the same input.
#[derive(Debug)]
pub(super) struct ConvStep {
    pub(super) kind: ConvKind,
    pub(super) taps: Vec<usize>,
    pub(super) input: MapPart,
    /// Input blocks in a chunk.
    pub(super) chunk: usize,
    /// Numbers of output blocks that are computed together.
    pub(super) groups: Vec<usize>,
    /// Offset of its weights.
    pub(super) weights: usize,
    pub(super) scale: Vec<Lanes<f32>>,
    /// Value of one step of the sums of words, by output block and frequency.
    pub(super) factors: Vec<Lanes<f32>>,
    pub(super) bias: Vec<Lanes<f32>>,
    /// Activation of each output block.
    pub(super) activations: Vec<Activation>,
    pub(super) residual: Option<MapPart>,
    /// Of the normalisation of each point of its input: the number that is added to the mean square.
    pub(super) norm: Option<f32>,
    /// What its input is multiplied by first, number by number.
    pub(super) gate: Option<MapPart>,
    pub(super) target: Target,
}
