//! From operations to steps: fused operations become one pass over memory, and every result gets
//! its slot.

mod layout;
mod lower;
mod pack;
mod results;

use super::grid::Grid;
use super::kernels::{Activation, LANES, Lanes, PoolKind};

pub(super) use layout::MemoryLayout;

/// A compiled network: shared by all evaluators.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) grid: Grid,
    pub(super) steps: Vec<Step>,
    /// Weights of all convolutions, in the order of use.
    pub(super) floats: Vec<Lanes<f32>>,
    pub(super) integers: Vec<Lanes<[i8; 4]>>,
    pub(super) words: Vec<Lanes<[i16; 2]>>,
    pub(super) layout: MemoryLayout,
    /// Products per position in plain convolutions.
    pub(super) products: u64,
    pub(super) planes: MapPart,
    /// Slots of the output vectors, in the order of the model's outputs.
    pub(super) outputs: Vec<VectorPart>,
}

impl Plan {
    /// Whether convolutions multiply integers.
    pub(super) fn has_integers(&self) -> bool {
        !self.integers.is_empty() || !self.words.is_empty()
    }

    /// Maximum input blocks of the Winograd convolutions in f32, and of those in words.
    pub(super) fn winograd_blocks(&self) -> [usize; 2] {
        let mut most = [0; 2];
        for step in &self.steps {
            let (step, most) = match step {
                Step::Winograd(step) => (step, &mut most[0]),
                Step::WinogradOfWords(step) => (step, &mut most[1]),
                _ => continue,
            };
            *most = step.input.channels.div_ceil(LANES).max(*most);
        }
        most
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
    /// A convolution in f32.
    Float(ConvStep),
    /// A 3x3 Winograd convolution in f32.
    Winograd(ConvStep),
    /// A 3x3 Winograd convolution of bytes, in words.
    WinogradOfWords(ConvStep),
    /// A depthwise convolution in f32.
    Depthwise(ConvStep),
    /// A convolution of bytes.
    Integer(ConvStep),
    Combine {
        first: MapPart,
        second: Option<MapPart>,
        bias: Option<VectorPart>,
        activation: Activation,
        target: Target,
    },
    Pool {
        kind: PoolKind,
        input: MapPart,
        out: usize,
    },
    Dense {
        input: VectorPart,
        weights: Vec<Lanes<f32>>,
        bias: Vec<Lanes<f32>>,
        activation: Activation,
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
    Activate {
        input: VectorPart,
        activation: Activation,
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
    pub(super) target: Target,
}
