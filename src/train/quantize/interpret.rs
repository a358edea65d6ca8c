//! Computes an exported network in f32, node by node, and shows every tensor on the way. Slow and
//! plain: for calibration, where the backends would hide what is inside.

use std::collections::HashMap;

use crate::onnx::{Attribute, Dim, Model, ModelNode, Numbers, OnnxError};
use crate::train::net::convolve_planes;

/// Numbers with a shape.
#[derive(Debug, Clone)]
struct Array {
    dims: Vec<usize>,
    numbers: Vec<f32>,
}

/// Length of one row of the network's only input.
///
/// # Errors
/// [`OnnxError::Foreign`] when there is another number of inputs or its lengths are not fixed.
pub fn row_len(model: &Model) -> Result<usize, OnnxError> {
    input_shape(model).map(|(_, dims)| dims.iter().product())
}

/// Name of the only input, and its shape without the batch.
fn input_shape(model: &Model) -> Result<(&str, Vec<usize>), OnnxError> {
    let [input] = &model.header.inputs[..] else {
        return Err(foreign("it has not exactly one input"));
    };
    let fixed = |dim: &Dim| match dim {
        Dim::Fixed(len) => Ok(*len),
        Dim::Symbol(_) => Err(foreign("its input has no fixed size")),
    };
    let dims = input.dims.iter().skip(1).map(fixed);
    Ok((&input.name, dims.collect::<Result<_, _>>()?))
}

fn foreign(reason: &str) -> OnnxError {
    OnnxError::Foreign(reason.to_owned())
}

/// Computes whole rows of the input; `observe` sees the input and each node's output by name.
///
/// # Errors
/// [`OnnxError::Foreign`] when a node is not one that `tengen-train` writes.
pub fn run(
    model: &Model,
    planes: &[f32],
    mut observe: impl FnMut(&str, &[f32]),
) -> Result<(), OnnxError> {
    let (input, mut dims) = input_shape(model)?;
    let rows = planes.len() / dims.iter().product::<usize>().max(1);
    dims.insert(0, rows);
    observe(input, planes);
    let mut values: HashMap<&str, Array> = HashMap::new();
    let numbers = planes.to_vec();
    values.insert(input, Array { dims, numbers });
    for node in &model.nodes {
        let output = compute(model, node, &values).ok_or_else(|| {
            OnnxError::Foreign(format!("{} {} cannot be computed", node.op, node.output))
        })?;
        observe(&node.output, &output.numbers);
        values.insert(&node.output, output);
    }
    Ok(())
}

/// The output of one node; `None` when its operator, arguments or shapes are strange.
fn compute(model: &Model, node: &ModelNode, values: &HashMap<&str, Array>) -> Option<Array> {
    let value = |index: usize| values.get(node.inputs.get(index)?.as_str());
    let weights = |index: usize| model.weights(node.inputs.get(index)?);
    let x = value(0)?;
    match node.op.as_str() {
        "Conv" if node.int("group").unwrap_or(1) == 1 => {
            conv(x, weights(1)?, weights(2).map(|(_, bias)| bias))
        }
        "Gemm" => gemm(x, weights(1)?, weights(2)?.1),
        "Relu" => Some(each(x, |number| number.max(0.0))),
        "Add" => add(x, value(1)?),
        "ReduceMean" => reduce(x, |plane| plane.iter().sum::<f32>() / plane.len() as f32),
        "ReduceMax" => reduce(x, |plane| {
            plane.iter().copied().fold(f32::NEG_INFINITY, f32::max)
        }),
        "Concat" => {
            let parts: Option<Vec<&Array>> = (0..node.inputs.len()).map(value).collect();
            concat(&parts?)
        }
        "Flatten" => reshape(x, &[0, -1]),
        "Reshape" => match &model.tensor(node.inputs.get(1)?)?.numbers {
            Numbers::I64(dims) => reshape(x, dims),
            _ => None,
        },
        _ => None,
    }
    .filter(|_| {
        node.attribute("strides")
            .is_none_or(|s| *s == Attribute::Ints(vec![1, 1]))
    })
}

fn each(x: &Array, with: impl Fn(f32) -> f32) -> Array {
    Array {
        dims: x.dims.clone(),
        numbers: x.numbers.iter().map(|&number| with(number)).collect(),
    }
}

/// Convolution that keeps height and width.
fn conv(x: &Array, (dims, factors): (&[usize], &[f32]), bias: Option<&[f32]>) -> Option<Array> {
    let (&[rows, inputs, height, width], &[outputs, _, kernel, _]) = (&x.dims[..], dims) else {
        return None;
    };
    let shape = [inputs, outputs, kernel, height, width];
    let mut numbers = convolve_planes(shape, &x.numbers, factors);
    if let Some(bias) = bias {
        let planes = numbers.chunks_exact_mut(height * width);
        for (plane, channel) in planes.zip((0..outputs).cycle()) {
            plane.iter_mut().for_each(|number| *number += bias[channel]);
        }
    }
    let dims = vec![rows, outputs, height, width];
    Some(Array { dims, numbers })
}

fn gemm(x: &Array, (dims, factors): (&[usize], &[f32]), bias: &[f32]) -> Option<Array> {
    let (&[rows, inner], &[_, len]) = (&x.dims[..], dims) else {
        return None;
    };
    let mut numbers = Vec::with_capacity(rows * len);
    for row in x.numbers.chunks_exact(inner) {
        let mut sums = bias.to_vec();
        for (number, factors) in row.iter().zip(factors.chunks_exact(len)) {
            for (sum, factor) in sums.iter_mut().zip(factors) {
                *sum += number * factor;
            }
        }
        numbers.append(&mut sums);
    }
    let dims = vec![rows, len];
    Some(Array { dims, numbers })
}

/// a + b, of equal shape or with one number of b for each plane of a.
fn add(a: &Array, b: &Array) -> Option<Array> {
    let repeat = a.numbers.len().checked_div(b.numbers.len())?;
    if a.numbers.len() != repeat * b.numbers.len() {
        return None;
    }
    let b = b
        .numbers
        .iter()
        .flat_map(|&number| std::iter::repeat_n(number, repeat));
    let numbers = a.numbers.iter().zip(b).map(|(a, b)| a + b).collect();
    Some(Array {
        dims: a.dims.clone(),
        numbers,
    })
}

/// One number for each plane.
fn reduce(x: &Array, with: impl Fn(&[f32]) -> f32) -> Option<Array> {
    let &[rows, channels, height, width] = &x.dims[..] else {
        return None;
    };
    let numbers = x.numbers.chunks_exact(height * width).map(with).collect();
    let dims = vec![rows, channels];
    Some(Array { dims, numbers })
}

/// Vectors one after another, row by row.
fn concat(parts: &[&Array]) -> Option<Array> {
    let rows = *parts.first()?.dims.first()?;
    let mut numbers = Vec::new();
    for row in 0..rows {
        for part in parts {
            let &[_, len] = &part.dims[..] else {
                return None;
            };
            numbers.extend(&part.numbers[row * len..][..len]);
        }
    }
    let dims = vec![rows, numbers.len() / rows.max(1)];
    Some(Array { dims, numbers })
}

/// The same numbers under another shape, as ONNX's Reshape reads it.
fn reshape(x: &Array, wanted: &[i64]) -> Option<Array> {
    let kept = |(axis, &dim): (usize, &i64)| match dim {
        0 => x.dims.get(axis).copied(),
        -1 => Some(0),
        dim => usize::try_from(dim).ok(),
    };
    let mut dims: Vec<usize> = wanted.iter().enumerate().map(kept).collect::<Option<_>>()?;
    let known: usize = dims.iter().filter(|&&dim| dim != 0).product();
    for dim in dims.iter_mut().filter(|dim| **dim == 0) {
        *dim = x.numbers.len().checked_div(known)?;
    }
    Some(Array {
        dims,
        numbers: x.numbers.clone(),
    })
}
