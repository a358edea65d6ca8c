//! What nodes make that has a meaning only together with others: parts of Mish and SiLU, of
//! normalisations, of attention.

use std::fmt;

use super::super::{Extent, Op};
use super::attention::{Mixed, Scores, Split};
use super::{Known, Operand, Reader};
use crate::eval::native::kernels::Activation;
use crate::onnx::{ModelNode, Tensor};

/// A part of an operation.
#[derive(Debug, Clone)]
pub(super) enum Part<'a> {
    /// ln(1 + e^x), of which Mish is made.
    Softplus(Operand),
    /// tanh of the same: what Mish multiplies x with.
    MishFactor(Operand),
    /// 1 / (1 + e^-x): what SiLU multiplies x with.
    Sigmoid(Operand),
    /// x^2, of which a normalisation is made.
    Square(Operand),
    /// Its mean, and what was added.
    MeanSquare(Operand, Extent, f32),
    /// The root of the same.
    RootMeanSquare(Operand, Extent, f32),
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
            Part::Square(_) | Part::MeanSquare(..) | Part::RootMeanSquare(..) => {
                "a part of a normalisation"
            }
            Part::Planes(_) => "a map whose points are one axis",
            Part::Neighbours(_) | Part::Spread(..) | Part::SpreadNeighbours(..) => {
                "a part of rotary positions"
            }
            Part::Split(_) | Part::Scores(_) | Part::Shares(_) | Part::Mixed(_) => {
                "a part of attention"
            }
        })
    }
}

impl<'a> Reader<'a> {
    /// tanh(ln(1 + e^x)).
    pub(super) fn mish_factor(&self, node: &ModelNode) -> Result<Known<'a>, String> {
        match self.part(node, 0) {
            Some(Part::Softplus(x)) => Ok(Known::Part(Part::MishFactor(*x))),
            _ => Err("the native backend knows this operator as a part of Mish alone".to_owned()),
        }
    }

    /// A product: of a value with a part of an activation, of scores with their scale, of tokens with
    /// tokens or constants, or of a vector with a number.
    pub(super) fn product(&mut self, node: &'a ModelNode) -> Result<Known<'a>, String> {
        let activation = |part: &Part<'a>| match *part {
            Part::MishFactor(of) => Some((of, Activation::Mish)),
            Part::Sigmoid(of) => Some((of, Activation::Silu)),
            _ => None,
        };
        for (index, other) in [(0, 1), (1, 0)] {
            if let Some((of, activation)) = self.part(node, index).and_then(activation) {
                return self.activation(self.operand(node, other)?, of, activation);
            }
        }
        match [self.is_constant(node, 0), self.is_constant(node, 1)] {
            [false, true] => self.product_with_constant(node, 0, 1),
            [true, false] => self.product_with_constant(node, 1, 0),
            _ => self.product_of_tokens(node),
        }
    }

    /// A value times a factor that was made of it.
    fn activation(
        &mut self,
        x: Operand,
        of: Operand,
        activation: Activation,
    ) -> Result<Known<'a>, String> {
        if x.value != of.value || x.shape != of.shape {
            return Err(
                "it multiplies a value by a part of an activation of another one".to_owned(),
            );
        }
        Ok(self.push(Op::Activate(activation), vec![x.value], x.shape, x.element))
    }
}
