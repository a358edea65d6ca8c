//! Quantisation of an f32 network to int8: activations as u8 and weights as i8, in the QDQ form
//! that ONNX Runtime converts to integer convolutions (three times as fast on processors with
//! VNNI).
//!
//! `tract` evaluates the network on example positions and returns its inner tensors, with the same
//! numbers on every machine; [`range`] finds the best range for each; [`rewrite`] rewrites the
//! network with `QuantizeLinear`/`DequantizeLinear` pairs around integer operations; [`compare`]
//! measures the loss, on [`examples`]. There is no retraining.

pub mod examples;
pub mod range;
pub mod rewrite;

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;

use examples::Examples;
use range::{Histogram, Range, Spread};

use crate::play::runtime::Runtime;
use crate::{TrainError, durable};
use tengen::game::BoardSize;
use tengen::system::UNFINISHED;
use tengen_nn::eval::{Difference, EvalError, Evaluator, InnerTensors};
use tengen_nn::onnx::{Model, Numbers, OnnxError, Tensor};

/// The int8 form of the network in an ONNX file, with activation ranges calibrated on positions of all
/// boards that it is for. `path` only names the file in errors.
///
/// # Errors
/// As [`convertible`].
pub fn to_int8(path: &str, onnx: &[u8], boards: &[Examples]) -> Result<Vec<u8>, EvalError> {
    let model = convertible(path, onnx)?;
    let names: Vec<String> = rewrite::quantised(&model).into_iter().collect();
    let ranges = calibrate(path, onnx, names, boards)?;
    rewrite::rewrite(&model, &ranges).map_err(|error| refused(path, &error))
}

/// Reads a network of which there can be an int8 form.
///
/// # Errors
/// [`EvalError`] when the file is not an f32 network exported by `tengen-train`, or is a transformer.
pub fn convertible(path: &str, onnx: &[u8]) -> Result<Model, EvalError> {
    let failed = |error: OnnxError| refused(path, &error);
    let model = Model::read_whole(onnx).map_err(failed)?;
    for Tensor { name, numbers, .. } in &model.tensors {
        let what = match numbers {
            Numbers::I8(_) => "already quantised",
            Numbers::F16(_) => "not in f32",
            _ => continue,
        };
        let message = format!("constant {name} is {what}");
        return Err(failed(OnnxError::Foreign(message)));
    }
    if model.nodes.iter().any(|node| node.op == "Softmax") {
        let reason = "int8 is for convolutions, and this is a transformer";
        return Err(refused(path, &reason));
    }
    Ok(model)
}

fn refused(path: &str, reason: &dyn fmt::Display) -> EvalError {
    EvalError::Load {
        path: path.to_owned(),
        reason: reason.to_string(),
    }
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

/// Maximum mean divergence of the policy for acceptance, in nats (docs/methods.md#networks).
pub const MAX_POLICY_KL: f64 = 0.01;

/// Maximum mean difference of the value for acceptance; values are in [-1, 1].
pub const MAX_VALUE_DIFFERENCE: f64 = 0.02;

/// Difference of a network and its low-precision form on one board.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OnBoard {
    /// The board.
    pub size: BoardSize,
    /// That of the network and its form of fewer bits.
    pub difference: Difference,
}

/// Whether a network with this difference is accepted as a replacement.
pub fn is_accepted(found: &Difference) -> bool {
    found.policy_kl < MAX_POLICY_KL && found.value < MAX_VALUE_DIFFERENCE
}

/// Compares a network's file with its low-precision form, which is to become the file `out`, on the examples of each
/// board. Until it is accepted it has the name of an unfinished file, and only while it is being opened: evaluators read
/// files.
///
/// # Errors
/// [`TrainError`] when a file cannot be written, read or removed, or a network cannot be used.
pub fn compare(
    runtime: &Runtime,
    network: &Path,
    smaller: &[u8],
    out: &Path,
    boards: &[Examples],
) -> Result<Vec<OnBoard>, TrainError> {
    let name = out.file_name().unwrap_or_default();
    let trial = out.with_file_name(format!("{UNFINISHED}{}", name.display()));
    durable::write(&trial, smaller)?;
    let open = |path: &Path, size| Ok::<_, TrainError>(runtime.open(path, size)?.make()?);
    let sizes = boards.iter().map(|examples| examples.size);
    let pairs = sizes.map(|size| Ok([open(network, size)?, open(&trial, size)?]));
    let opened: Result<Vec<[Box<dyn Evaluator>; 2]>, TrainError> = pairs.collect();
    let removed = std::fs::remove_file(&trial);
    let mut opened = opened?;
    removed.map_err(TrainError::io(&trial))?;
    let compared = opened.iter_mut().zip(boards).map(|([first, second], on)| {
        let both: [&mut dyn Evaluator; 2] = [&mut **first, &mut **second];
        Ok(OnBoard {
            size: on.size,
            difference: Difference::between(both, &on.batch, &on.legal)?,
        })
    });
    compared.collect()
}

#[cfg(test)]
mod tests;
