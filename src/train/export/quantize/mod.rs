//! Quantisation of an f32 network to int8: activations as u8 and weights as i8, in the QDQ form
//! that ONNX Runtime converts to integer convolutions (three times as fast on processors with
//! VNNI).
//!
//! `tract` evaluates the network on example positions and returns its inner tensors, with the same
//! numbers on every machine; [`range`] finds the best range for each; [`rewrite`] rewrites the
//! network with `QuantizeLinear`/`DequantizeLinear` pairs around integer operations; [`compare`]
//! measures the loss, on [`examples`]. There is no retraining.

pub mod compare;
pub mod examples;
pub mod range;
pub mod rewrite;

use std::collections::BTreeMap;

use examples::Examples;
use range::{Histogram, Range, Spread};
use tengen_nn::eval::{EvalError, InnerTensors};
use tengen_nn::onnx::{Model, Numbers, OnnxError, Tensor};

/// The int8 form of the network in an ONNX file, with activation ranges calibrated on positions of all
/// boards that it is for. `path` only names the file in errors.
///
/// # Errors
/// [`EvalError`] when the file is not an f32 network exported by `tengen-train`.
pub fn to_int8(path: &str, onnx: &[u8], boards: &[Examples]) -> Result<Vec<u8>, EvalError> {
    let failed = |error: OnnxError| EvalError::Load {
        path: path.to_owned(),
        reason: error.to_string(),
    };
    let model = Model::read_whole(onnx).map_err(failed)?;
    let is_integer = |tensor: &&Tensor| matches!(tensor.numbers, Numbers::I8(_));
    if let Some(tensor) = model.tensors.iter().find(is_integer) {
        let message = format!("constant {} is already quantised", tensor.name);
        return Err(failed(OnnxError::Foreign(message)));
    }
    let names: Vec<String> = rewrite::quantised(&model).into_iter().collect();
    let ranges = calibrate(path, onnx, names, boards)?;
    rewrite::rewrite(&model, &ranges).map_err(failed)
}

/// The range of each of the tensors called `names`, over all rows of all boards.
fn calibrate(
    path: &str,
    onnx: &[u8],
    names: Vec<String>,
    boards: &[Examples],
) -> Result<BTreeMap<String, Range>, EvalError> {
    let load = |examples: &Examples| InnerTensors::load(path, onnx, &names, Some(examples.size));
    let mut on_boards: Vec<InnerTensors> = boards.iter().map(load).collect::<Result<_, _>>()?;
    let mut observe = |see: &mut dyn FnMut(usize, &[f32])| {
        let mut pairs = on_boards.iter_mut().zip(boards);
        pairs.try_for_each(|(tensors, examples)| tensors.run(examples.batch.planes(), &mut *see))
    };
    let mut spreads = vec![Spread::default(); names.len()];
    observe(&mut |at, numbers| spreads[at].add(numbers))?;
    let mut histograms: Vec<Histogram> = spreads.into_iter().map(Histogram::new).collect();
    observe(&mut |at, numbers| histograms[at].add(numbers))?;
    let ranges = histograms.iter().map(Histogram::best_range);
    Ok(names.into_iter().zip(ranges).collect())
}

#[cfg(test)]
mod tests;
