//! What nodes make: values, and what has a meaning only together with others: parts of Mish and SiLU, of
//! normalisations, of attention.

use std::fmt;

use super::super::{Extent, Heads, Shape, ValueId};
use crate::onnx::Tensor;

/// A value, as what a node reads it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Operand {
    pub(super) value: ValueId,
    pub(super) shape: Shape,
    /// In what the file says it is computed. Here that is f32.
    pub(super) element: i32,
}

/// A part of an operation.
#[derive(Debug, Clone)]
pub(super) enum Part<'a> {
    /// ln(1 + e^x), of which Mish is made.
    Softplus(Operand),
    /// tanh of the same: what Mish multiplies x with.
    MishFactor(Operand),
    /// 1 / (1 + e^-x): what SiLU multiplies x with.
    Sigmoid(Operand),
    /// x / sqrt 2, of which GELU is made.
    OverRoot(Operand),
    /// The error function of it, and what was added.
    Erf(Operand, f32),
    /// Half of erf + 1: what GELU multiplies x with.
    GeluFactor(Operand),
    /// x (erf + 1).
    TwiceGelu(Operand),
    /// x^2, of which a normalisation is made.
    Square(Operand),
    /// Its mean, and what was added.
    MeanSquare(Operand, Extent, f32),
    /// The root of the same.
    RootMeanSquare(Operand, Extent, f32),
    /// 1 over that.
    InverseRoot(Operand, Extent, f32),
    /// A map whose points are one axis: `[batch, channels, points]`.
    Planes(Operand),
    /// Each channel's neighbour in its pair, of which rotary positions are made.
    Neighbours(Operand),
    /// Tokens times a constant with a number for each channel of each point.
    Spread(Operand, &'a Tensor),
    /// The same of neighbours.
    SpreadNeighbours(Operand, &'a Tensor),
    /// Tokens with an axis of heads.
    Split(Split),
    /// The same with batch and heads as one axis.
    Joined(Split),
    /// Products of queries and keys.
    Scores(Scores),
    /// Their softmax.
    Shares(Scores),
    /// Values in these shares.
    Mixed(Mixed),
}

impl fmt::Display for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Part::Softplus(_) | Part::MishFactor(_) => "a part of Mish",
            Part::Sigmoid(_) => "a part of SiLU",
            Part::OverRoot(_) | Part::Erf(..) | Part::GeluFactor(_) | Part::TwiceGelu(_) => {
                "a part of GELU"
            }
            Part::Square(_)
            | Part::MeanSquare(..)
            | Part::RootMeanSquare(..)
            | Part::InverseRoot(..) => "a part of a normalisation",
            Part::Planes(_) => "a map whose points are one axis",
            Part::Neighbours(_) | Part::Spread(..) | Part::SpreadNeighbours(..) => {
                "a part of rotary positions"
            }
            Part::Split(_)
            | Part::Joined(_)
            | Part::Scores(_)
            | Part::Shares(_)
            | Part::Mixed(_) => "a part of attention",
        })
    }
}

/// The axes of tokens that are split into heads, in their first order.
pub(super) const UNMOVED: [usize; 4] = [BATCH, POINTS, HEADS, CHANNELS];
pub(super) const BATCH: usize = 0;
pub(super) const POINTS: usize = 1;
pub(super) const HEADS: usize = 2;
pub(super) const CHANNELS: usize = 3;

/// Tokens whose channels are split into heads.
#[derive(Debug, Clone)]
pub(super) struct Split {
    pub(super) x: Operand,
    pub(super) heads: usize,
    pub(super) dim: usize,
    /// How often each head is there.
    pub(super) repeat: usize,
    /// What it is multiplied by.
    pub(super) scale: f32,
    pub(super) axes: [usize; 4],
}

/// Products of queries and keys.
#[derive(Debug, Clone)]
pub(super) struct Scores {
    pub(super) query: Operand,
    pub(super) key: Operand,
    pub(super) heads: Heads,
}

/// Values, mixed in shares.
#[derive(Debug, Clone)]
pub(super) struct Mixed {
    pub(super) scores: Scores,
    pub(super) value: Operand,
    pub(super) axes: [usize; 4],
}

/// Axes after one more exchange.
fn exchanged(axes: [usize; 4], by: &[i64]) -> Option<[usize; 4]> {
    let &[a, b, c, d] = by else { return None };
    let mut seen = [false; 4];
    let mut all = [0; 4];
    for (to, from) in all.iter_mut().zip([a, b, c, d]) {
        let from = usize::try_from(from).ok().filter(|&from| from < 4)?;
        if std::mem::replace(&mut seen[from], true) {
            return None;
        }
        *to = axes[from];
    }
    Some(all)
}

impl Split {
    pub(super) fn new(x: Operand, [heads, dim]: [usize; 2]) -> Split {
        Split {
            x,
            heads,
            dim,
            repeat: 1,
            scale: 1.0,
            axes: UNMOVED,
        }
    }

    /// Lengths of its axes, in their present order; -1 for the batch.
    pub(super) fn dims(&self, area: usize) -> [i64; 4] {
        let lengths = [
            -1,
            area as i64,
            (self.heads * self.repeat) as i64,
            self.dim as i64,
        ];
        self.axes.map(|axis| lengths[axis])
    }

    pub(super) fn transposed(&self, by: &[i64]) -> Option<Split> {
        let axes = exchanged(self.axes, by)?;
        Some(Split {
            axes,
            ..self.clone()
        })
    }
}

impl Mixed {
    pub(super) fn transposed(&self, by: &[i64]) -> Option<Mixed> {
        let axes = exchanged(self.axes, by)?;
        Some(Mixed {
            axes,
            ..self.clone()
        })
    }

    pub(super) fn channels(&self) -> usize {
        self.scores.heads.heads * self.scores.heads.value_dim
    }
}
