//! Activations that are made of several nodes, and products in general.

use super::super::Op;
use super::arguments::{Arguments, only};
use super::parts::Part;
use super::{Known, Operand, Reader};
use crate::eval::native::kernels::Activation;
use crate::onnx::ModelNode;

impl<'a> Reader<'a> {
    /// tanh(ln(1 + e^x)).
    pub(super) fn mish_factor(&self, node: &ModelNode) -> Result<Known<'a>, String> {
        match self.part(node, 0) {
            Some(Part::Softplus(x)) => Ok(Known::Part(Part::MishFactor(*x))),
            _ => Err("the native backend knows this operator as a part of Mish alone".to_owned()),
        }
    }

    /// The error function.
    pub(super) fn erf(&self, node: &ModelNode) -> Result<Known<'a>, String> {
        match self.part(node, 0) {
            Some(&Part::OverRoot(x)) => Ok(Known::Part(Part::Erf(x, 0.0))),
            _ => Err("the native backend knows this operator as a part of GELU alone".to_owned()),
        }
    }

    /// GELU, where it is one node.
    pub(super) fn gelu(
        &mut self,
        node: &ModelNode,
        arguments: &mut Arguments<'a>,
    ) -> Result<Known<'a>, String> {
        only(
            "approximate",
            arguments.word("approximate", "none")?,
            "none",
        )?;
        let x = self.operand(node, 0)?;
        self.activation(x, x, Activation::Gelu)
    }

    /// A product: of a value with a part of an activation, of scores with their scale, of tokens with
    /// tokens or constants, or of a vector with a number.
    pub(super) fn product(&mut self, node: &'a ModelNode) -> Result<Known<'a>, String> {
        let activation = |part: &Part<'a>| match *part {
            Part::MishFactor(of) => Some((of, Activation::Mish)),
            Part::Sigmoid(of) => Some((of, Activation::Silu)),
            Part::GeluFactor(of) => Some((of, Activation::Gelu)),
            _ => None,
        };
        for (index, other) in [(0, 1), (1, 0)] {
            if let Some((of, activation)) = self.part(node, index).and_then(activation) {
                return self.activation(self.operand(node, other)?, of, activation);
            }
            if self.is_constant(node, other) {
                continue;
            }
            match self.part(node, index) {
                Some(&Part::Erf(of, 1.0)) => {
                    same(self.operand(node, other)?, of)?;
                    return Ok(Known::Part(Part::TwiceGelu(of)));
                }
                Some(&Part::InverseRoot(of, extent, epsilon)) => {
                    same(self.operand(node, other)?, of)?;
                    let op = Op::RmsNorm { epsilon, extent };
                    return Ok(self.push(op, vec![of.value], of.shape, of.element));
                }
                _ => {}
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
        same(x, of)?;
        Ok(self.push(Op::Activate(activation), vec![x.value], x.shape, x.element))
    }
}

/// Refuses a value that is not the one that a part was made of.
fn same(x: Operand, of: Operand) -> Result<(), String> {
    match x.value == of.value && x.shape == of.shape {
        true => Ok(()),
        false => Err("it multiplies a value by what was made of another one".to_owned()),
    }
}
