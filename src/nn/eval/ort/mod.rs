//! The ONNX Runtime backend, from a shared library that is searched at run time. Nothing is linked
//! or downloaded at build time.
//!
//! On the CPU every worker owns a single-threaded session ([`OrtEvaluator`]), which is faster than one
//! multithreaded session at the small batches of a search
//! (docs/methods.md#inference-and-training-libraries). On a GPU a few evaluators ([`BoundEvaluator`]) serve
//! all workers through [`super::batcher`].

mod evaluators;

use std::error::Error as _;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::channel;
use std::time::Duration;

use ort::LoadDynamicError;
use ort::environment::Environment;
use ort::ep::{self, ArenaExtendStrategy, cuda::ConvAlgorithmSearch};
use ort::logging::LogLevel;
use ort::session::Session;
use ort::session::builder::SessionBuilder;

use parking_lot::Mutex;

use super::library::{NEEDED_FOR_GPUS, unloaded};
use super::{Device, EvalError, LibraryPlaces, ModelInfo};
use crate::BoardSize;
pub(super) use evaluators::no_thread;
pub use evaluators::{BoundEvaluator, OrtEvaluator};
use evaluators::{unavailable, words};

/// A network for ONNX Runtime; every worker creates its own evaluator from it.
#[derive(Debug, Clone)]
pub struct OrtModel {
    environment: Environment,
    path: String,
    onnx: Arc<[u8]>,
    info: ModelInfo,
}

impl OrtModel {
    /// Loads the library, if this process has not yet, and checks the model for a board, by default its own;
    /// `path` is only used in errors. The evaluators choose the device.
    ///
    /// # Errors
    /// [`EvalError::Load`] when the metadata are refused ([`ModelInfo::read_for`]) or its tensors would fill the memory,
    /// [`EvalError::Unavailable`] when there is no usable library.
    pub fn load(
        path: &str,
        onnx: Arc<[u8]>,
        board: Option<BoardSize>,
        library: &LibraryPlaces,
    ) -> Result<OrtModel, EvalError> {
        let info = ModelInfo::read_for(path, &onnx, board)?;
        #[cfg(feature = "tract")]
        if !super::native::knows(&info, &onnx) {
            super::tract::judge(path, &onnx, &info)?;
        }
        Ok(OrtModel {
            info,
            environment: environment(library)?,
            path: path.to_owned(),
            onnx,
        })
    }

    /// Metadata of the network.
    pub fn info(&self) -> &ModelInfo {
        &self.info
    }

    /// An evaluator on the processor with its own session, for one worker.
    ///
    /// # Errors
    /// [`EvalError::Unavailable`] when ONNX Runtime cannot create a session, or refuses the model: another backend may
    /// know it.
    pub fn evaluator(&self) -> Result<OrtEvaluator, EvalError> {
        let session = self.commit(self.builder().map_err(|e| unavailable(&e))?);
        let session = session.map_err(|error| unavailable(&error))?;
        Ok(OrtEvaluator::new(&self.info, session))
    }

    /// An evaluator on the GPU of this number, with its own sessions, which have evaluated every
    /// batch size once. All of the network runs on the GPU: an unsupported operation is an error.
    /// Those of one GPU share `has_failed`, by which none frees memory of a lost device.
    ///
    /// # Errors
    /// [`EvalError::Unavailable`] when the GPU cannot be used (it never silently falls back to the
    /// CPU), [`EvalError::Load`] when ONNX Runtime refuses the model or would compute a part of it
    /// on the CPU.
    pub fn on_card(
        &self,
        card: u8,
        has_failed: &Arc<AtomicBool>,
    ) -> Result<BoundEvaluator, EvalError> {
        let session = || {
            let builder = self.builder();
            let builder = builder.and_then(|builder| on_card(builder, card));
            self.commit(builder.map_err(|e| unavailable(&e))?)
        };
        let bound = BoundEvaluator::new(&self.info, has_failed, session);
        bound.map_err(|error| explain(error, card))
    }

    fn builder(&self) -> ort::Result<SessionBuilder> {
        let builder = Session::builder(&self.environment)?;
        Ok(builder.with_intra_threads(1)?.with_inter_threads(1)?)
    }

    fn commit(&self, mut builder: SessionBuilder) -> Result<Session, EvalError> {
        let session = builder.commit_from_memory(&self.onnx);
        session.map_err(|error| {
            let reason = format!("{REFUSES}{}", words(&error));
            EvalError::load(&self.path, reason)
        })
    }
}

/// Before ONNX Runtime's reasons.
const REFUSES: &str = "ONNX Runtime refuses it: ";

/// In messages about CUDA and its libraries ("CUDA failure 35: ..."), and about memory.
const OF_DEVICE: [&str; 2] = [" failure ", "Failed to allocate memory"];

/// An error on a GPU: the network is not to blame for a card that fails or has too little memory. For one that this
/// GPU cannot compute completely advice is appended to the message.
fn explain(error: EvalError, card: u8) -> EvalError {
    // Advice before the reason, whose end may be cut off.
    let of_device = |reason: &str| {
        unavailable(&format!(
            "cuda:{card} (it needs {NEEDED_FOR_GPUS}): {reason}"
        ))
    };
    match error {
        EvalError::Load { path, reason } if reason.contains("default CPU EP") => EvalError::Load {
            path,
            reason: format!(
                "{reason} (all of a network must run on cuda:{card}: take the f32 or f16 file of \
                 one that is in integers, or --device cpu)"
            ),
        },
        EvalError::Load { reason, .. } if OF_DEVICE.iter().any(|word| reason.contains(word)) => {
            of_device(reason.strip_prefix(REFUSES).unwrap_or(&reason))
        }
        EvalError::Unavailable { reason, .. } => of_device(&reason),
        other => other,
    }
}

/// GPU sessions: no operator on the CPU; convolutions by cuDNN's first heuristic, with unlimited
/// scratch memory; and no memory beyond what is needed.
fn on_card(builder: SessionBuilder, card: u8) -> ort::Result<SessionBuilder> {
    let cuda = ep::CUDA::default()
        .with_device_id(card.into())
        .with_conv_algorithm_search(ConvAlgorithmSearch::Heuristic)
        .with_conv_max_workspace(true)
        .with_arena_extend_strategy(ArenaExtendStrategy::SameAsRequested);
    let builder = builder.with_disable_cpu_fallback()?;
    Ok(builder.with_execution_providers([cuda.build().error_on_failure()])?)
}

/// How long a driver may take to find a card: the first time it may take many seconds.
const DRIVER_LIMIT: Duration = Duration::from_secs(60);

/// Loads the library and, for GPUs, the libraries that it needs there, and asks the driver for these GPUs: files do not tell
/// whether all that fits.
///
/// # Errors
/// [`EvalError::Unavailable`] says what is missing.
pub(super) fn check(library: &LibraryPlaces, device: Device) -> Result<(), EvalError> {
    let environment = environment(library)?;
    let Device::Cuda(cards) = device else {
        return Ok(());
    };
    cards.numbers().try_for_each(|card| {
        let environment = environment.clone();
        let ask = move || {
            let builder = Session::builder(&environment);
            let builder = builder.and_then(|builder| on_card(builder, card));
            builder.map(drop).map_err(|e| unavailable(&e))
        };
        answer_within(DRIVER_LIMIT, ask).map_err(|error| explain(error, card))
    })
}

/// The driver's answer, from a thread of its own, which is left alone if it hangs.
fn answer_within(
    limit: Duration,
    ask: impl FnOnce() -> Result<(), EvalError> + Send + 'static,
) -> Result<(), EvalError> {
    let (sender, answer) = channel();
    let thread = std::thread::Builder::new().name("driver".to_owned());
    let asked = thread.spawn(move || drop(sender.send(ask())));
    asked.map_err(|error| no_thread(&error))?;
    let hangs = |_| Err(unavailable(&"the driver does not answer"));
    answer.recv_timeout(limit).unwrap_or_else(hangs)
}

/// The environment of this process. ONNX Runtime allows only one in a process's lifetime, so it
/// cannot be a value that callers own; it is kept after the first success.
static ENVIRONMENT: Mutex<Option<Environment>> = Mutex::new(None);

/// Loads the library, unless a previous call has: then `places` is ignored.
///
/// # Errors
/// [`EvalError::Unavailable`] when there is no usable library. A later call may try again.
fn environment(places: &LibraryPlaces) -> Result<Environment, EvalError> {
    let mut current = ENVIRONMENT.lock();
    if let Some(environment) = current.as_ref() {
        return Ok(environment.clone());
    }
    let path = places.find()?;
    let builder = ort::init_from(&path).map_err(|error| {
        // Its own text leaves out what the system says.
        let cause = match &error {
            LoadDynamicError::Dlopen { error, .. } => error.source(),
            _ => None,
        };
        unavailable(&unloaded(&error, cause))
    })?;
    let environment = builder
        .with_name("tengen")
        .with_logger(Arc::new(note))
        .with_telemetry(false)
        .build()
        .map_err(|error| unavailable(&error))?;
    environment.set_log_level(LogLevel::Error);
    log::info!("ONNX Runtime loaded from {}", path.display());
    Ok(current.insert(environment).clone())
}

/// A message of ONNX Runtime's own log, which else goes to the standard error stream in colours, once for each session: a
/// Gomocup manager takes such a line for an answer. Errors are returned as well, and told then.
fn note(level: LogLevel, _: &str, _: &str, place: &str, text: &str) {
    log::debug!("ONNX Runtime, {level:?}, {place}: {}", words(&text));
}

#[cfg(test)]
mod tests {
    use super::super::testnet::{SMALL, random_batch};
    use super::super::{CudaDevices, Evaluator as _, suite};
    use super::*;

    /// A small network, or a printed line where ONNX Runtime is not installed.
    fn small() -> Option<OrtModel> {
        if !suite::ort_is_installed() {
            return None;
        }
        Some(load("small", SMALL.onnx(1)))
    }

    fn load(path: &str, onnx: Vec<u8>) -> OrtModel {
        OrtModel::load(path, onnx.into(), None, &LibraryPlaces::usual(None)).unwrap()
    }

    /// The GPU code path, on the CPU.
    fn bound(model: &OrtModel) -> BoundEvaluator {
        let session = || model.commit(model.builder().unwrap());
        BoundEvaluator::new(model.info(), &Arc::default(), session).unwrap()
    }

    #[test]
    fn passes_the_suite() {
        if let Some(model) = small() {
            suite::check(&mut model.evaluator().unwrap());
            suite::check(&mut bound(&model));
        }
    }

    #[test]
    fn batches_of_fixed_sizes_say_the_same() {
        let Some(model) = small() else { return };
        let (mut direct, mut bound) = (model.evaluator().unwrap(), bound(&model));
        assert!(bound.preferred_batch() > direct.preferred_batch());
        for rows in [1, 7, 9, 70, 1025, 2] {
            let batch = random_batch(model.info().row_len(), rows, rows as u64);
            let [a, b] = [
                suite::run(&mut direct, &batch),
                suite::run(&mut bound, &batch),
            ];
            for row in 0..rows {
                suite::assert_same_row(&a, row, &b, row, suite::TOLERANCE);
            }
        }
    }

    #[test]
    fn a_card_that_is_not_there_is_an_error() {
        // No machine has this many GPUs, so this fails with and without CUDA.
        if let Some(model) = small() {
            let device = Device::Cuda(CudaDevices::only(63));
            for refused in [
                model.on_card(63, &Arc::default()).map(drop),
                check(&LibraryPlaces::usual(None), device),
            ] {
                let error = refused.unwrap_err();
                assert!(matches!(error, EvalError::Unavailable { .. }), "{error}");
                assert!(!error.to_string().contains('\n'), "{error}");
                assert!(error.to_string().contains("cuda:63 (it needs"), "{error}");
            }
        }
    }

    #[test]
    fn a_driver_that_hangs_is_not_waited_for() {
        let (hanging, end) = channel::<()>();
        let ask = move || {
            let _ = end.recv();
            Ok(())
        };
        let error = answer_within(Duration::from_millis(20), ask).unwrap_err();
        assert!(error.to_string().ends_with("the driver does not answer"));
        drop(hanging);
        assert_eq!(answer_within(DRIVER_LIMIT, || Ok(())), Ok(()));
    }

    #[test]
    fn a_device_that_fails_is_not_the_networks_fault() {
        let explained =
            |reason: &str| explain(EvalError::load("n", REFUSES.to_owned() + reason), 1);
        for of_device in [
            "CUDA failure 35: CUDA driver version is insufficient for CUDA runtime version",
            "Failed to allocate memory for requested buffer of size 9",
        ] {
            let expected = format!("cuda:1 (it needs {NEEDED_FOR_GPUS}): {of_device}");
            let expected = EvalError::unavailable("ort", expected);
            assert_eq!(explained(of_device), expected);
            assert_eq!(explain(unavailable(&of_device), 1), expected);
        }
        let long = explain(unavailable(&"a cause ".repeat(200)), 1);
        assert!(long.to_string().contains(NEEDED_FOR_GPUS), "{long}");
        for of_network in ["Conv has no kernel", "nodes on the default CPU EP"] {
            let error = explained(of_network);
            assert!(matches!(error, EvalError::Load { .. }), "{error}");
        }
    }

    #[test]
    fn a_graph_that_it_does_not_know_is_left_to_other_backends() {
        if !suite::ort_is_installed() {
            return;
        }
        let mut onnx = SMALL.onnx(1);
        // Without a checksum, which would be noticed first.
        let seal = crate::onnx::Header::read(&onnx).unwrap().checksum.unwrap();
        onnx.truncate(seal.covers);
        // The first operator's name: `Conv` becomes `Donv`.
        let at = onnx.windows(6).position(|w| w == b"\x22\x04Conv").unwrap();
        onnx[at + 2] = b'D';
        let model = load("broken.onnx", onnx);
        let error = model.evaluator().unwrap_err();
        assert!(matches!(error, EvalError::Unavailable { .. }), "{error}");
    }

    #[test]
    fn a_file_that_is_no_library_is_refused() {
        // `Cargo.toml` is a file, so the search accepts it and the loader refuses it. Where the
        // real library is installed, another test may have loaded it already.
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
}
