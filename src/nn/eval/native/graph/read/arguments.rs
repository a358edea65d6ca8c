//! What a node is given: its attributes, the names of its inputs, the numbers of constants. Each attribute is read
//! once, with the value that ONNX gives it where it is not there; one that is not read is refused, never ignored.

use std::borrow::Cow;
use std::ops::Deref;

use crate::onnx::{Attribute, FLOAT, ModelNode, Numbers, Tensor};

/// A node, and which of its attributes have not been read yet.
pub(super) struct NodeReader<'a> {
    node: &'a ModelNode,
    left: Vec<&'a (String, Attribute)>,
}

impl Deref for NodeReader<'_> {
    type Target = ModelNode;

    fn deref(&self) -> &ModelNode {
        self.node
    }
}

impl<'a> NodeReader<'a> {
    pub(super) fn new(node: &'a ModelNode) -> NodeReader<'a> {
        NodeReader {
            node,
            left: node.attributes.iter().collect(),
        }
    }

    /// The name of an input; `None` for an optional one that is left out.
    pub(super) fn input(&self, index: usize) -> Option<&'a str> {
        let name = self.node.inputs.get(index)?;
        (!name.is_empty()).then_some(name)
    }

    fn take(&mut self, name: &str) -> Option<&'a Attribute> {
        let at = self.left.iter().position(|(key, _)| key == name)?;
        Some(&self.left.swap_remove(at).1)
    }

    /// An integer, or what is usual.
    pub(super) fn int(&mut self, name: &str, usual: i64) -> Result<i64, String> {
        match self.take(name) {
            None => Ok(usual),
            Some(Attribute::Int(value)) => Ok(*value),
            Some(other) => Err(wrong(name, other, "one integer")),
        }
    }

    /// Several integers; `None` where they are not there.
    pub(super) fn ints(&mut self, name: &str) -> Result<Option<&'a [i64]>, String> {
        match self.take(name) {
            None => Ok(None),
            Some(Attribute::Ints(values)) => Ok(Some(values)),
            Some(other) => Err(wrong(name, other, "a list of integers")),
        }
    }

    /// A number, or what is usual.
    pub(super) fn float(&mut self, name: &str, usual: f32) -> Result<f32, String> {
        match self.take(name) {
            None => Ok(usual),
            Some(Attribute::Float(value)) => Ok(*value),
            Some(other) => Err(wrong(name, other, "one number")),
        }
    }

    /// A word, or what is usual.
    pub(super) fn word(&mut self, name: &str, usual: &'a str) -> Result<&'a str, String> {
        match self.take(name) {
            None => Ok(usual),
            Some(Attribute::String(value)) => Ok(value),
            Some(other) => Err(wrong(name, other, "a word")),
        }
    }

    /// An axis, counted from the front; a negative one is counted from behind.
    pub(super) fn axis(&mut self, name: &str, usual: i64, rank: i64) -> Result<i64, String> {
        let axis = self.int(name, usual)?;
        match axis {
            _ if (0..rank).contains(&axis) => Ok(axis),
            _ if (-rank..0).contains(&axis) => Ok(axis + rank),
            _ => Err(format!("its attribute {name} is {axis}, of {rank} axes")),
        }
    }

    /// Refuses what has not been read.
    pub(super) fn finish(&self) -> Result<(), String> {
        match self.left.first() {
            None => Ok(()),
            Some((name, value)) => {
                let value = text(value);
                Err(format!(
                    "its attribute {name} ({value}) is not known for this operator set"
                ))
            }
        }
    }
}

fn wrong(name: &str, found: &Attribute, wanted: &str) -> String {
    format!("its attribute {name} is {}, not {wanted}", text(found))
}

fn text(value: &Attribute) -> String {
    match value {
        Attribute::Int(value) => value.to_string(),
        Attribute::Ints(values) => format!("{values:?}"),
        Attribute::Float(value) => format!("{value:?}"),
        Attribute::String(value) => format!("{value:?}"),
    }
}

/// Refuses an attribute of a value that this backend has no code for.
pub(super) fn only<T: PartialEq + std::fmt::Debug>(
    name: &str,
    found: T,
    known: T,
) -> Result<(), String> {
    match found == known {
        true => Ok(()),
        false => Err(format!("its attribute {name} is {found:?}, not {known:?}")),
    }
}

/// ONNX's element type of half precision.
pub(super) const HALF: i32 = 10;

/// The element type of a constant of [`floats`].
pub(super) fn element(tensor: &Tensor) -> i32 {
    match tensor.numbers {
        Numbers::F16(_) => HALF,
        _ => FLOAT,
    }
}

/// Numbers as f32, from any precision.
pub(super) fn floats(tensor: &Tensor) -> Result<Cow<'_, [f32]>, String> {
    match &tensor.numbers {
        Numbers::F32(numbers) => Ok(numbers.into()),
        Numbers::F16(numbers) => Ok(numbers.iter().map(|number| number.to_f32()).collect()),
        _ => Err(format!("{} is not made of numbers", tensor.name)),
    }
}

pub(super) fn bytes(tensor: &Tensor) -> Result<&[u8], String> {
    match &tensor.numbers {
        Numbers::U8(numbers) => Ok(numbers),
        _ => Err(format!("{} is not u8", tensor.name)),
    }
}

/// The integers of a constant of any width.
pub(super) fn integers(tensor: &Tensor) -> Result<Vec<i64>, String> {
    Ok(match &tensor.numbers {
        Numbers::I64(numbers) => numbers.clone(),
        Numbers::I32(numbers) => numbers.iter().map(|&x| x.into()).collect(),
        Numbers::I8(numbers) => numbers.iter().map(|&x| x.into()).collect(),
        Numbers::U8(numbers) => numbers.iter().map(|&x| x.into()).collect(),
        Numbers::F32(_) | Numbers::F16(_) => {
            return Err(format!("{} is not made of integers", tensor.name));
        }
    })
}

/// Dequantised integers, with one scale per index of the first dimension.
pub(super) fn dequantised(integers: &[i64], scales: &[f32]) -> Vec<f32> {
    let len = (integers.len() / scales.len().max(1)).max(1);
    let parts = integers.chunks(len).zip(scales);
    let numbers = parts.flat_map(|(part, scale)| part.iter().map(move |&x| x as f32 * scale));
    numbers.collect()
}

/// Weights `[output, input of a group, ...]` of a grouped convolution, expanded with zeros for the
/// inputs of all other groups; `row` is the length of an output's. More products than needed, but
/// for a few groups faster than separate loops.
pub(super) fn ungrouped<T: Copy + Default>(weights: &[T], row: usize, groups: usize) -> Vec<T> {
    let outputs = weights.len() / row.max(1) / groups;
    let mut all = vec![T::default(); weights.len() * groups];
    for (output, weights) in weights.chunks_exact(row.max(1)).enumerate() {
        let start = (output * groups + output / outputs.max(1)) * row;
        all[start..start + row].copy_from_slice(weights);
    }
    all
}
