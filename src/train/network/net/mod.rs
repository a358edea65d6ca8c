//! Networks, described once and interpreted in several ways.
//!
//! An architecture calls the methods of [`Layers`] from the planes to the heads. Their effect
//! depends on the implementation: [`InitWeights`] creates the initial weights and counts them,
//! [`Forward`] computes with Burn (recording gradients while fitting), [`crate::export`] writes the ONNX
//! graph with every batch norm folded into its convolution, [`Net2Net`] transfers the weights of a
//! smaller network. A new kind of block is therefore one function in one file, and the exported
//! network is the fitted one.

mod backward;
mod extension;
mod forward;
#[cfg(test)]
mod grow_tests;
mod kernel;
mod net2net;
#[cfg(test)]
mod testing;
mod weights;

pub use forward::{Forward, Maps, Mode};
pub(crate) use forward::{all_numbers, numbers};
pub(crate) use kernel::{norm_as_line, transpose};

pub use net2net::{Grown, Net2Net};
pub use weights::{Counts, InitWeights, Role, WeightTensor, Weights};

pub use tengen_nn::eval::LEAD_SCALE;

/// Added to the variance in a batch norm; the usual value.
pub const NORM_EPSILON: f32 = 1e-5;

/// A convolution with stride 1 that keeps height and width.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conv {
    /// Number of output channels.
    pub channels: usize,
    /// Side of the kernel, odd.
    pub kernel: usize,
}

impl Conv {
    /// A 3x3 convolution.
    pub const fn wide(channels: usize) -> Conv {
        Conv {
            channels,
            kernel: 3,
        }
    }

    /// A 1x1 convolution.
    pub const fn point(channels: usize) -> Conv {
        Conv {
            channels,
            kernel: 1,
        }
    }
}

/// Statistics over all points of a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pooling {
    /// Their mean.
    Mean,
    /// Their mean and their maximum.
    MeanMax,
    /// Mean, maximum, and sum in units of [`AREA_UNIT`]: the mean times the board's area, so that a
    /// network for several boards can distinguish them and sum over points.
    MeanMaxSum,
}

/// Sums over a board are in units of 169 points, a 13x13 board: on 9x9 a sum is half of the mean,
/// on 19x19 twice.
pub const AREA_UNIT: f32 = 169.0;

impl Pooling {
    /// Number of values per channel.
    pub const fn parts(self) -> usize {
        match self {
            Pooling::Mean => 1,
            Pooling::MeanMax => 2,
            Pooling::MeanMaxSum => 3,
        }
    }
}

/// Building blocks of networks. Names are unique within a network and stable between versions:
/// checkpoints find their weights by them.
pub trait Layers {
    /// Channels of board-shaped numbers: `[batch, channels, height, width]`.
    type Map: Clone;
    /// A plain vector: `[batch, len]`.
    type Vector: Clone;

    /// Convolution without bias, then batch norm.
    fn conv_norm(&mut self, name: &str, x: &Self::Map, conv: Conv) -> Self::Map;

    /// The same, then max(x, 0); one pass over memory less where it is fitted.
    fn conv_norm_relu(&mut self, name: &str, x: &Self::Map, conv: Conv) -> Self::Map {
        let x = self.conv_norm(name, x, conv);
        self.relu(&x)
    }

    /// 3x3 convolution of each channel separately, without bias; then batch norm, then max(x, 0).
    fn depthwise_norm_relu(&mut self, name: &str, x: &Self::Map) -> Self::Map;

    /// Batch norm alone, where it does not follow a convolution.
    fn norm(&mut self, name: &str, x: &Self::Map) -> Self::Map;

    /// Convolution with bias.
    fn conv(&mut self, name: &str, x: &Self::Map, conv: Conv) -> Self::Map;

    /// Fully connected layer with bias.
    fn linear(&mut self, name: &str, x: &Self::Vector, len: usize) -> Self::Vector;

    /// max(x, 0).
    fn relu(&mut self, x: &Self::Map) -> Self::Map;

    /// max(x, 0).
    fn relu_vector(&mut self, x: &Self::Vector) -> Self::Vector;

    /// a + b of equal shape.
    fn add(&mut self, a: &Self::Map, b: &Self::Map) -> Self::Map;

    /// Adds number c of the vector to all points of channel c.
    fn add_per_channel(&mut self, x: &Self::Map, bias: &Self::Vector) -> Self::Map;

    /// The mean of each channel, then the maximum of each channel and the sum where requested.
    fn pool(&mut self, x: &Self::Map, pooling: Pooling) -> Self::Vector;

    /// All points of the first channel, then of the next.
    fn flatten(&mut self, x: &Self::Map) -> Self::Vector;

    /// The numbers of one vector, then those of the other.
    fn concat(&mut self, a: &Self::Vector, b: &Self::Vector) -> Self::Vector;
}

/// An output used only in training, to learn more from each game (docs/methods.md#networks).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AuxHead {
    /// Final owner of each point: one logit per point, 1 for the side to move (if no points are
    /// counted as in Gao & Wu 2021, 3.2.2: dominion).
    Ownership,
    /// Whether each point will be closed while empty: a logit per point for the side to move, then
    /// for the opponent (D2).
    PointStatus,
    /// The game's margin: one number, whose tanh times 5 is the score.
    Margin,
    /// Final lead of the side to move, in games that count points: one number, in units of
    /// [`LEAD_SCALE`] points.
    Lead,
    /// The opponent's reply: one policy logit per policy index.
    Reply,
}

impl AuxHead {
    /// The name of the output in an exported file.
    pub const fn name(self) -> &'static str {
        match self {
            AuxHead::Ownership => tengen_nn::eval::OWNERSHIP,
            AuxHead::PointStatus => "fate",
            AuxHead::Margin => "score",
            AuxHead::Lead => tengen_nn::eval::LEAD,
            AuxHead::Reply => "reply",
        }
    }

    /// Numbers per position in this output.
    pub const fn len(self, area: usize, policy_len: usize) -> usize {
        match self {
            AuxHead::Ownership => area,
            AuxHead::PointStatus => 2 * area,
            AuxHead::Margin | AuxHead::Lead => 1,
            AuxHead::Reply => policy_len,
        }
    }
}

/// The outputs of a network, as logits for the side to move.
#[derive(Debug, Clone)]
pub struct Heads<V> {
    /// One logit per policy index.
    pub policy: V,
    /// Win, draw (in games with draws), loss.
    pub value: V,
    /// The requested auxiliary heads, in the family's order.
    pub aux: Vec<(AuxHead, V)>,
}

impl<V: Clone> Heads<Vec<V>> {
    /// The outputs for the boards of each size.
    pub fn by_size(&self) -> Vec<Heads<V>> {
        let of = |index: usize| Heads {
            policy: self.policy[index].clone(),
            value: self.value[index].clone(),
            aux: self
                .aux
                .iter()
                .map(|(head, logits)| (*head, logits[index].clone()))
                .collect(),
        };
        (0..self.policy.len()).map(of).collect()
    }
}
