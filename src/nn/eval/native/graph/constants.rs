//! Constants of a model.

use std::borrow::Cow;

use crate::onnx::{FLOAT, Numbers, Tensor};

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

pub(super) fn signed_bytes(tensor: &Tensor) -> Result<&[i8], String> {
    match &tensor.numbers {
        Numbers::I8(numbers) => Ok(numbers),
        _ => Err(format!("{} is not i8", tensor.name)),
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
