//! From an f32 network to an int8 one: activations as u8 and weights as i8, in the QDQ form that
//! ONNX Runtime turns into integer convolutions (three times as fast on processors with VNNI).
//!
//! [`interpret`] computes the network on example positions and shows every tensor; [`range`] finds
//! for each the range that loses least; [`rewrite`] writes the network again with
//! `QuantizeLinear`/`DequantizeLinear` pairs around what is to be computed in integers; [`compare`]
//! says what it cost, on [`examples`]. Nothing is fitted again.

pub mod compare;
pub mod examples;
pub mod interpret;
pub mod range;
pub mod rewrite;

use std::collections::BTreeMap;

use crate::onnx::{Model, Numbers, OnnxError, Tensor};
use interpret::run;
use range::{Histogram, Range, Spread};

/// Rows computed at a time: their activations stay in the cache's reach.
const CHUNK: usize = 16;

/// The int8 form of the network in an ONNX file, with activation ranges calibrated on `planes`,
/// rows of the network's input.
///
/// # Errors
/// [`OnnxError`] when the file is not a network that `tengen-train` has exported in f32.
pub fn to_int8(onnx: &[u8], planes: &[f32]) -> Result<Vec<u8>, OnnxError> {
    let model = Model::read(onnx)?;
    let is_integer = |tensor: &&Tensor| matches!(tensor.numbers, Numbers::I8(_));
    if let Some(tensor) = model.tensors.iter().find(is_integer) {
        let message = format!("constant {} is quantised already", tensor.name);
        return Err(OnnxError::Foreign(message));
    }
    let ranges = calibrate(&model, planes)?;
    rewrite::rewrite(&model, &ranges)
}

/// The range of each tensor that [`rewrite`] wants in integers, over all rows.
fn calibrate(model: &Model, planes: &[f32]) -> Result<BTreeMap<String, Range>, OnnxError> {
    let row_len = interpret::row_len(model)?;
    let wanted = rewrite::quantised(model);
    let mut spreads: BTreeMap<String, Spread> = BTreeMap::new();
    for rows in planes.chunks(CHUNK * row_len) {
        run(model, rows, |name, numbers| {
            if wanted.contains(name) {
                spreads.entry(name.to_owned()).or_default().add(numbers);
            }
        })?;
    }
    let histograms = spreads.into_iter();
    let mut histograms: BTreeMap<String, Histogram> = histograms
        .map(|(name, spread)| (name, Histogram::new(spread)))
        .collect();
    for rows in planes.chunks(CHUNK * row_len) {
        run(model, rows, |name, numbers| {
            if let Some(histogram) = histograms.get_mut(name) {
                histogram.add(numbers);
            }
        })?;
    }
    let ranges = histograms.into_iter();
    Ok(ranges
        .map(|(name, histogram)| (name, histogram.best_range()))
        .collect())
}

#[cfg(test)]
#[cfg(feature = "tract")]
mod tests;
