//! What each operator says, and which of its ways are known here.

use super::super::super::kernels::PoolKind;
use super::super::constants::{integers, signed_bytes, ungrouped};
use super::super::{Conv, Dense, Op, Shape, ValueId, Weights};
use super::{Known, Reader};
use crate::onnx::{Attribute, ModelNode};

/// Height and width of the largest kernel: larger ones are nothing for a board.
const LARGEST_KERNEL: usize = 15;
/// Numbers of the longest vector, and of a convolution whose groups were spread out: no network has more, and
/// a damaged file must not take all memory.
const LONGEST_VECTOR: usize = 1 << 20;
const MOST_WEIGHTS: usize = 1 << 26;

impl Reader<'_> {
    /// What a pool over height and width says. The axes of a sum are an input, those of others are not.
    pub(super) fn pool(&self, node: &ModelNode) -> Result<PoolKind, String> {
        let right = [[2, 3], [-2, -1]].map(Vec::from);
        let (kind, axes) = match node.op.as_str() {
            "GlobalAveragePool" => return Ok(PoolKind::Mean),
            "ReduceSum" => (PoolKind::Sum, Some(integers(self.tensor(node, 1)?)?)),
            op => {
                let axes = match node.attribute("axes") {
                    Some(Attribute::Ints(axes)) => Some(axes.clone()),
                    _ => None,
                };
                let is_max = op == "ReduceMax";
                (
                    if is_max {
                        PoolKind::Max
                    } else {
                        PoolKind::Mean
                    },
                    axes,
                )
            }
        };
        match axes.is_some_and(|axes| right.contains(&axes)) {
            true => Ok(kind),
            false => Err("its axes are not height and width".to_owned()),
        }
    }

    pub(super) fn conv(&self, node: &ModelNode, channels: usize) -> Result<Conv, String> {
        let (dims, numbers) = self.numbers(node, 1)?;
        let &[outputs, inputs, height, width] = dims else {
            return Err("its kernel has not four dimensions".to_owned());
        };
        let groups = groups(node, channels, [outputs, inputs])?;
        let odd = |len: usize| len % 2 == 1 && len <= LARGEST_KERNEL;
        if !odd(height) || !odd(width) || outputs == 0 {
            return Err(format!("its kernel is {height}x{width}"));
        }
        let half = [height as i64 / 2, width as i64 / 2];
        let is = |name, wanted: Vec<i64>| {
            let found = node.attribute(name);
            found.is_none_or(|found| *found == Attribute::Ints(wanted))
        };
        let padded = node.attribute("pads") == Some(&Attribute::Ints([half, half].concat()));
        let unpadded = half == [0, 0] && is("pads", vec![0; 4]);
        if !(padded || unpadded) || node.attribute("auto_pad").is_some() {
            return Err("it does not keep height and width".to_owned());
        }
        if !is("strides", vec![1, 1]) || !is("dilations", vec![1, 1]) {
            return Err("it leaves out points".to_owned());
        }
        let bias = match node.inputs.get(2) {
            Some(_) => self.numbers(node, 2)?.1,
            None => vec![0.0; outputs],
        };
        if bias.len() != outputs {
            return Err("its bias has another length".to_owned());
        }
        let is_depthwise = groups > 1 && groups == outputs && groups == channels;
        let spread = if is_depthwise { 1 } else { groups };
        if numbers.len().saturating_mul(spread) > MOST_WEIGHTS {
            return Err(format!("{groups} groups are too many for its size"));
        }
        let points = height * width;
        let weights = match (self.input(node, 0), self.input(node, 1)) {
            _ if is_depthwise => Weights::Float(numbers),
            // A sum of more products could leave 32 bits.
            (Some(Known::Rounded(_, steps)), Some(Known::Scaled(tensor, scales)))
                if self.keeps_bytes && channels * points < 1 << 16 =>
            {
                let weights = ungrouped(signed_bytes(tensor)?, inputs * points, spread);
                let (scales, steps) = (scales.clone(), *steps);
                Weights::Integer {
                    weights,
                    scales,
                    steps,
                }
            }
            _ => Weights::Float(ungrouped(&numbers, inputs * points, spread)),
        };
        let kernel = [height, width];
        Ok(Conv {
            kernel,
            inputs: spread * inputs,
            weights,
            bias,
        })
    }

    pub(super) fn dense(&self, node: &ModelNode, len: usize) -> Result<Dense, String> {
        let (dims, mut weights) = self.numbers(node, 1)?;
        let is = |name, usual: f32| {
            let found = node.attribute(name);
            found.is_none_or(|found| *found == Attribute::Float(usual))
        };
        if node.int("transA").unwrap_or(0) != 0 || !is("alpha", 1.0) || !is("beta", 1.0) {
            return Err("it scales or turns its input".to_owned());
        }
        let is_turned = node.int("transB").unwrap_or(0) != 0;
        let (inputs, outputs) = match *dims {
            [outputs, inputs] if is_turned => (inputs, outputs),
            [inputs, outputs] => (inputs, outputs),
            _ => return Err("its weights have not two dimensions".to_owned()),
        };
        if inputs != len || outputs == 0 {
            return Err(format!("its weights are for {inputs} numbers, not {len}"));
        }
        if is_turned {
            let turned = |i: usize| weights[i % outputs * inputs + i / outputs];
            weights = (0..inputs * outputs).map(turned).collect();
        }
        let bias = match node.inputs.get(2) {
            Some(_) => self.numbers(node, 2)?.1,
            None => vec![0.0; outputs],
        };
        if bias.len() != outputs {
            return Err("its bias has another length".to_owned());
        }
        Ok(Dense { weights, bias })
    }

    pub(super) fn add(
        &self,
        node: &ModelNode,
        x: ValueId,
    ) -> Result<(Op, Vec<ValueId>, Shape), String> {
        let y = self.value(node, 1)?;
        match (self.values[x], self.values[y]) {
            (Shape::Map(a), Shape::Map(b)) if a == b => Ok((Op::Add, vec![x, y], Shape::Map(a))),
            (Shape::Map(a), Shape::Vector(b)) if a == b => Ok((Op::Add, vec![x, y], Shape::Map(a))),
            (Shape::Vector(a), Shape::Map(b)) if a == b => Ok((Op::Add, vec![y, x], Shape::Map(a))),
            (a, b) => Err(format!("it adds a {a:?} and a {b:?}")),
        }
    }

    pub(super) fn concat(&self, node: &ModelNode) -> Result<(Op, Vec<ValueId>, Shape), String> {
        if !matches!(node.int("axis"), Some(1 | -1)) {
            return Err("its axis is not the last".to_owned());
        }
        let (mut inputs, mut total) = (Vec::new(), 0);
        for index in 0..node.inputs.len() {
            let value = self.value(node, index)?;
            let Shape::Vector(len) = self.values[value] else {
                return Err("it joins maps".to_owned());
            };
            inputs.push(value);
            total += len;
            if total > LONGEST_VECTOR {
                return Err(format!("it joins more than {LONGEST_VECTOR} numbers"));
            }
        }
        Ok((Op::Concat, inputs, Shape::Vector(total)))
    }

    /// Checks that a vector only becomes a vector again, or one number a channel.
    pub(super) fn reshape(&self, node: &ModelNode, len: usize) -> Result<(), String> {
        let dims = integers(self.tensor(node, 1)?)?;
        let [batch, channels, ones @ ..] = &dims[..] else {
            return Err("it leaves no batch".to_owned());
        };
        let keeps = |dim: i64| dim == 0 || dim == -1 || dim == len as i64;
        let is_batch = *batch == 0 || *batch == -1;
        if is_batch && keeps(*channels) && matches!(ones, [] | [1, 1]) {
            return Ok(());
        }
        Err(format!("it makes a shape {dims:?}"))
    }
}

/// In how many groups of channels a convolution with a kernel of so many outputs and inputs works.
fn groups(node: &ModelNode, channels: usize, kernel: [usize; 2]) -> Result<usize, String> {
    let [outputs, inputs] = kernel;
    let groups = usize::try_from(node.int("group").unwrap_or(1)).unwrap_or(0);
    if groups == 0 || inputs.checked_mul(groups) != Some(channels) || outputs % groups != 0 {
        return Err(format!(
            "it has {groups} groups of {inputs} channels, and reads {channels}"
        ));
    }
    Ok(groups)
}
