//! Running networks: tensors in, tensors out, independent of any game's rules.
//!
//! The interface is the trait [`Evaluator`]: input planes as plain `f32` in, policy and value
//! logits out. Backends (`native`, `tract`, `ort`), the batcher and the cache all implement it, so
//! a search cannot tell them apart.

mod backend;
mod batch;
mod batcher;
mod cache;
mod candidates;
mod difference;
mod fake;
#[cfg(test)]
#[cfg(all(feature = "tract", feature = "ort"))]
mod foreign_files;
mod info;
mod katago;
#[cfg_attr(
    not(any(feature = "ort", test)),
    expect(dead_code, reason = "only ONNX Runtime computes on GPUs")
)]
mod library;
mod load;
/// The kernels of `native` are public for the training's own layers; they may change with every version.
#[doc(hidden)]
pub mod native;
#[cfg(feature = "ort")]
mod ort;
#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
pub mod suite;
#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
pub mod testnet;
#[cfg(feature = "tract")]
mod tract;

pub use backend::{BackendKind, CudaDevices, Device, EvalError};
pub use batch::{Batch, LEAD_SCALE, Outputs, kl_divergence, log_softmax, softmax};
pub use batcher::{BatchClient, spawn_batcher};
pub use cache::{CachedEvaluator, EvalCache};
pub use candidates::{Candidate, Opened, open_best};
pub use difference::Difference;
pub use fake::HashEvaluator;
pub use info::{LEAD, ModelInfo, OWNERSHIP, PLANES, POLICY, VALUE};
pub use katago::{HumanProfile, UnknownProfile};
pub use library::{
    FETCH, FETCH_FOR_GPUS, LIBRARY_FILE, LibraryPlaces, NEEDED_FOR_GPUS, NO_SUCH_GPU, has_driver,
};
pub use load::{EvaluatorFactory, LoadOptions, ModelSource};
pub use native::{NativeEvaluator, NativeModel};
#[cfg(feature = "ort")]
pub use ort::{BoundEvaluator, OrtEvaluator, OrtModel};
#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
pub use suite::{FailingEvaluator, Failure, StallingEvaluator};
#[cfg(feature = "tract")]
pub use tract::{InnerTensors, TractEvaluator, TractModel};

/// Runs one network on batches of encoded positions. Owned by one thread at a time.
///
/// # Contract
/// `evaluate` fills `out` with exactly `batch.len()` rows; a batch of n gives the same answers as n
/// batches of one, to within 1e-4. Logits are raw: no mask, no softmax. The numbers of rows are finite, which
/// [`evaluate_finite`] checks: a network in integers would turn others into plausible answers.
pub trait Evaluator: Send {
    /// Metadata of the loaded network.
    fn info(&self) -> &ModelInfo;

    /// Evaluates all rows of `batch` into `out`, which is resized to fit.
    ///
    /// # Errors
    /// [`EvalError::Run`] when the backend fails; `out` is then undefined.
    fn evaluate(&mut self, batch: &Batch, out: &mut Outputs) -> Result<(), EvalError>;

    /// Preferred number of rows per call.
    fn preferred_batch(&self) -> usize {
        1
    }
}

/// As [`Evaluator::evaluate`], with a check of the rows and of the answer.
///
/// # Errors
/// [`EvalError::Run`] also when a row is missing, or a number of a row or of the answer is not finite.
pub fn evaluate_finite(
    evaluator: &mut dyn Evaluator,
    batch: &Batch,
    out: &mut Outputs,
) -> Result<(), EvalError> {
    if !batch.is_finite() {
        let reason = "the rows have numbers that are not finite";
        return Err(EvalError::run("network", reason));
    }
    evaluator.evaluate(batch, out)?;
    if out.len() == batch.len() && out.is_finite() {
        return Ok(());
    }
    let reason = "the network answered with missing or non-finite numbers";
    Err(EvalError::run("network", reason))
}

impl<E: Evaluator + ?Sized> Evaluator for Box<E> {
    fn info(&self) -> &ModelInfo {
        (**self).info()
    }

    fn evaluate(&mut self, batch: &Batch, out: &mut Outputs) -> Result<(), EvalError> {
        (**self).evaluate(batch, out)
    }

    fn preferred_batch(&self) -> usize {
        (**self).preferred_batch()
    }
}
