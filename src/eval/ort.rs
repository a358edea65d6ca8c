//! The fast backend: ONNX Runtime, from a shared library that is looked for when the program
//! runs. Nothing is linked or downloaded when it is built.
//!
//! On the CPU every worker owns a session with one thread, which beats one session with several
//! threads at the small batches of a search (docs/methods.md#inference-and-training-libraries). On a GPU one
//! session serves all workers through [`super::batcher`].

use std::sync::Arc;

use ort::environment::Environment;
use ort::ep;
use ort::session::Session;
use ort::session::builder::SessionBuilder;
use ort::value::TensorRef;
use parking_lot::Mutex;

use super::{
    Batch, Device, EvalError, Evaluator, LibraryPlaces, LoadOptions, ModelInfo, Outputs, PLANES,
};

const BACKEND: &str = "ort";

/// Rows per call at which a single-thread CPU session has all but reached its best speed
/// (5b32c 11838/s at 8, 12057/s at 16, 10687/s at 1; docs/methods.md#inference-and-training-libraries).
const CPU_BATCH: usize = 8;
/// Rows per call on a GPU: not measured yet, large enough to fill one.
const GPU_BATCH: usize = 64;

/// The environment of this process. ONNX Runtime itself allows only one in a process's life, so
/// it cannot be a value that callers own; it is kept after the first success.
static ENVIRONMENT: Mutex<Option<Environment>> = Mutex::new(None);

/// Loads the library, unless a previous call has: then `places` no longer matter.
///
/// # Errors
/// [`EvalError::Unavailable`] when there is no library or it cannot be used. A later call may
/// try again.
fn environment(places: &LibraryPlaces) -> Result<Environment, EvalError> {
    let mut current = ENVIRONMENT.lock();
    if let Some(environment) = current.as_ref() {
        return Ok(environment.clone());
    }
    let path = places.find()?;
    let builder = ort::init_from(&path).map_err(|error| {
        unavailable(&format!(
            "{error}; get a fitting library with scripts/fetch-onnxruntime.sh"
        ))
    })?;
    let environment = builder
        .with_name("tengen")
        .with_telemetry(false)
        .build()
        .map_err(|error| unavailable(&error))?;
    log::info!("ONNX Runtime loaded from {}", path.display());
    Ok(current.insert(environment).clone())
}

fn unavailable(reason: &impl std::fmt::Display) -> EvalError {
    // The loader's and ONNX Runtime's messages may run over several lines; ours never do.
    let reason = reason.to_string();
    let words: Vec<&str> = reason.split_whitespace().collect();
    EvalError::Unavailable {
        backend: BACKEND,
        reason: words.join(" "),
    }
}

/// A network to be run by ONNX Runtime; every worker makes its own [`OrtEvaluator`] from it.
#[derive(Debug, Clone)]
pub struct OrtModel {
    environment: Environment,
    path: String,
    onnx: Arc<[u8]>,
    info: ModelInfo,
    device: Device,
}

impl OrtModel {
    /// Loads the library, if this process has not yet, and checks the model; `path` only names
    /// the file in errors.
    ///
    /// # Errors
    /// [`EvalError::Load`] when the metadata are refused ([`ModelInfo::read_for`]),
    /// [`EvalError::Unavailable`] when there is no usable library.
    pub fn load(path: &str, onnx: Arc<[u8]>, options: &LoadOptions) -> Result<OrtModel, EvalError> {
        Ok(OrtModel {
            info: ModelInfo::read_for(path, &onnx, options.board)?,
            environment: environment(&options.ort_library)?,
            path: path.to_owned(),
            onnx,
            device: options.device,
        })
    }

    /// What the network is.
    #[must_use]
    pub fn info(&self) -> &ModelInfo {
        &self.info
    }

    /// An evaluator with its own session, for one worker.
    ///
    /// # Errors
    /// [`EvalError::Unavailable`] when the device cannot be used (it never falls back to the CPU
    /// in silence), [`EvalError::Load`] when ONNX Runtime refuses the model.
    pub fn evaluator(&self) -> Result<OrtEvaluator, EvalError> {
        let mut builder = self.session_builder().map_err(|e| unavailable(&e))?;
        let session = builder.commit_from_memory(&self.onnx);
        let session = session.map_err(|error| EvalError::Load {
            path: self.path.clone(),
            reason: format!("ONNX Runtime refuses it: {error}"),
        })?;
        let (height, width) = (self.info.size.height.into(), self.info.size.width.into());
        Ok(OrtEvaluator {
            shape: [0, self.info.planes, height, width],
            info: self.info.clone(),
            device: self.device,
            session,
        })
    }

    fn session_builder(&self) -> ort::Result<SessionBuilder> {
        let builder = Session::builder(&self.environment)?;
        let builder = builder.with_intra_threads(1)?.with_inter_threads(1)?;
        Ok(match self.device {
            Device::Cpu => builder,
            Device::Cuda(id) => {
                let cuda = ep::CUDA::default().with_device_id(id.into());
                builder.with_execution_providers([cuda.build().error_on_failure()])?
            }
        })
    }
}

/// Runs an [`OrtModel`] for one worker.
#[derive(Debug)]
pub struct OrtEvaluator {
    info: ModelInfo,
    device: Device,
    session: Session,
    /// Of the input tensor; the first number is the batch of the call being made.
    shape: [usize; 4],
}

impl OrtEvaluator {
    fn run(&mut self, batch: &Batch, out: &mut Outputs) -> ort::Result<()> {
        self.shape[0] = batch.len();
        // ONNX Runtime reads the caller's rows where they are.
        let planes = TensorRef::from_array_view((self.shape, batch.planes()))?;
        let answer = self.session.run(ort::inputs![PLANES => planes])?;
        out.reset_for(batch.len(), self.info.output_lens());
        let outputs = self.info.outputs().iter().zip(self.info.output_lens());
        for (output, (name, len)) in outputs.enumerate() {
            let rows = logits(&answer, name, batch.len() * len)?;
            for (index, row) in rows.chunks_exact(len).enumerate() {
                out.output_mut(output, index).copy_from_slice(row);
            }
        }
        Ok(())
    }
}

fn logits<'a>(
    answer: &'a ort::session::SessionOutputs<'_>,
    name: &str,
    len: usize,
) -> ort::Result<&'a [f32]> {
    let tensor = answer.get(name);
    let tensor = tensor.ok_or_else(|| ort::Error::new(format!("no output {name}")))?;
    let (shape, numbers) = tensor.try_extract_tensor::<f32>()?;
    if numbers.len() == len {
        return Ok(numbers);
    }
    let message = format!("output {name} has shape {shape:?}, {len} numbers are expected");
    Err(ort::Error::new(message))
}

impl Evaluator for OrtEvaluator {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn evaluate(&mut self, batch: &Batch, out: &mut Outputs) -> Result<(), EvalError> {
        self.info.check_batch(BACKEND, batch)?;
        if batch.is_empty() {
            out.reset_for(0, self.info.output_lens());
            return Ok(());
        }
        self.run(batch, out).map_err(|error| EvalError::Run {
            backend: BACKEND,
            reason: error.to_string(),
        })
    }

    fn preferred_batch(&self) -> usize {
        match self.device {
            Device::Cpu => CPU_BATCH,
            Device::Cuda(_) => GPU_BATCH,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::suite;
    use super::super::testnet::SMALL;
    use super::*;

    /// An evaluator of a small network, or a printed line where ONNX Runtime is not installed.
    fn small(device: Device) -> Option<Result<OrtEvaluator, EvalError>> {
        if !suite::ort_is_installed() {
            return None;
        }
        let options = LoadOptions {
            device,
            ort_library: LibraryPlaces::usual(None),
            ..LoadOptions::default()
        };
        let model = OrtModel::load("small", SMALL.onnx(1).into(), &options);
        Some(model.and_then(|model| model.evaluator()))
    }

    #[test]
    fn passes_the_suite() {
        if let Some(evaluator) = small(Device::Cpu) {
            suite::check(&mut evaluator.unwrap());
        }
    }

    #[test]
    fn a_device_that_is_not_there_is_an_error() {
        // No machine has a thousand GPUs, so this fails with and without CUDA.
        if let Some(evaluator) = small(Device::Cuda(1000)) {
            let error = evaluator.unwrap_err();
            assert!(matches!(error, EvalError::Unavailable { .. }), "{error}");
            assert!(!error.to_string().contains('\n'), "{error}");
        }
    }

    #[test]
    fn a_file_that_is_no_library_is_refused() {
        // `Cargo.toml` is a file, so the search accepts it and the loader refuses it. Where the
        // real library is installed, it may be loaded by another test already.
        let wrong = LibraryPlaces {
            option: Some(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml").into()),
            ..LibraryPlaces::default()
        };
        if let Err(error) = environment(&wrong) {
            let text = error.to_string();
            assert!(text.contains("Cargo.toml"), "{text}");
            assert!(!text.contains('\n'), "{text}");
        }
    }

    #[test]
    fn a_broken_graph_is_a_load_error() {
        if !suite::ort_is_installed() {
            return;
        }
        let mut onnx = SMALL.onnx(1);
        // As a file of before: its checksum would tell first.
        let seal = crate::onnx::Header::read(&onnx).unwrap().seal.unwrap();
        onnx.truncate(seal.covers.try_into().unwrap());
        // The first operator's name: `Conv` becomes `Donv`.
        let at = onnx.windows(4).position(|w| w == b"Conv").unwrap();
        onnx[at..][..4].copy_from_slice(b"Donv");
        let options = LoadOptions {
            ort_library: LibraryPlaces::usual(None),
            ..LoadOptions::default()
        };
        let model = OrtModel::load("broken.onnx", onnx.into(), &options).unwrap();
        let error = model.evaluator().unwrap_err();
        assert!(matches!(error, EvalError::Load { .. }), "{error}");
    }
}
