//! From operations to steps: what belongs together becomes one pass over memory, and every result
//! gets its place.

mod layout;
mod lower;
mod pack;
mod results;

use super::grid::Grid;
use super::kernels::{LANES, Line, PoolKind};

pub(super) use layout::MemoryLayout;

/// A network as it is computed: shared by all evaluators.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) grid: Grid,
    pub(super) steps: Vec<Step>,
    /// Weights of all convolutions, in the order of use.
    pub(super) floats: Vec<Line<f32>>,
    pub(super) integers: Vec<Line<[i8; 4]>>,
    pub(super) layout: MemoryLayout,
    /// Products that a position needs in plain convolutions.
    pub(super) products: u64,
    pub(super) planes: MapPart,
    /// Slots of the vectors that are the answer, in the order of the model's outputs.
    pub(super) outputs: Vec<VectorPart>,
}

impl Plan {
    /// The most input blocks of a convolution by Winograd's way.
    pub(super) fn winograd_blocks(&self) -> usize {
        let blocks = self.steps.iter().map(|step| match step {
            Step::Winograd(step) => step.input.channels.div_ceil(LANES),
            _ => 0,
        });
        blocks.max().unwrap_or(0)
    }
}

/// Some blocks of a map.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MapPart {
    pub(super) slot: usize,
    pub(super) first_block: usize,
    pub(super) channels: usize,
}

/// A vector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct VectorPart {
    pub(super) slot: usize,
    pub(super) len: usize,
}

/// Where an answer goes.
#[derive(Debug)]
pub(super) struct Target {
    /// Slot of maps in f32.
    pub(super) numbers: Option<usize>,
    pub(super) rounded: Option<Rounded>,
}

/// An answer in bytes; a line a block.
#[derive(Debug)]
pub(super) struct Rounded {
    /// Slot of maps in bytes.
    pub(super) slot: usize,
    pub(super) inverse: Vec<Line<f32>>,
    pub(super) zero: Vec<Line<f32>>,
}

/// One pass over memory.
#[derive(Debug)]
pub(super) enum Step {
    /// A convolution in f32.
    Float(ConvStep),
    /// A convolution of 3x3 in f32 by Winograd's way.
    Winograd(ConvStep),
    /// A convolution of each channel by itself, in f32.
    Depthwise(ConvStep),
    /// A convolution of bytes.
    Integer(ConvStep),
    Combine {
        first: MapPart,
        second: Option<MapPart>,
        bias: Option<VectorPart>,
        floor: f32,
        target: Target,
    },
    Pool {
        kind: PoolKind,
        input: MapPart,
        out: usize,
    },
    Dense {
        input: VectorPart,
        weights: Vec<Line<f32>>,
        bias: Vec<Line<f32>>,
        floor: f32,
        out: usize,
    },
    Concat {
        inputs: Vec<VectorPart>,
        out: usize,
    },
    Flatten {
        input: MapPart,
        out: usize,
    },
    Relu {
        input: VectorPart,
        out: usize,
    },
    Scale {
        input: VectorPart,
        factor: f32,
        out: usize,
    },
}

/// A convolution, or several of the same input.
#[derive(Debug)]
pub(super) struct ConvStep {
    pub(super) taps: Vec<usize>,
    pub(super) input: MapPart,
    /// Input blocks in a chunk.
    pub(super) chunk: usize,
    /// Blocks of answers that are computed together.
    pub(super) groups: Vec<usize>,
    /// Where its weights begin.
    pub(super) weights: usize,
    pub(super) scale: Vec<Line<f32>>,
    pub(super) bias: Vec<Line<f32>>,
    pub(super) floor: Vec<Line<f32>>,
    pub(super) residual: Option<MapPart>,
    pub(super) target: Target,
}
