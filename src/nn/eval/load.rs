//! Opens a network by backend, file and device.
//!
//! The only module that knows all backends. Fallbacks are the caller's decision.

use std::fmt;
use std::ops::Range;
#[cfg(feature = "ort")]
use std::panic::resume_unwind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;

#[cfg(feature = "tract")]
use super::TractModel;
use super::info::MAX_BYTES;
#[cfg(feature = "ort")]
use super::library::FETCH_FOR_GPUS;
use super::native::Level;
use super::{
    BackendKind, Batch, Device, EvalError, Evaluator, HashEvaluator, HumanProfile, LibraryPlaces,
    ModelInfo, NativeModel, Outputs, katago,
};
#[cfg(feature = "ort")]
use super::{BoundEvaluator, CudaDevices, OrtModel, spawn_batcher};
use crate::{BoardSize, files};

/// A model to be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ModelSource {
    /// An ONNX file, or one of KataGo's.
    File(PathBuf),
    /// The bytes of an ONNX file that is part of the program.
    Embedded(&'static [u8]),
}

impl From<PathBuf> for ModelSource {
    fn from(path: PathBuf) -> ModelSource {
        ModelSource::File(path)
    }
}

impl ModelSource {
    /// Name for error messages.
    pub fn name(&self) -> String {
        match self {
            ModelSource::File(path) => path.display().to_string(),
            ModelSource::Embedded(_) => "embedded".to_owned(),
        }
    }

    /// The metadata of the network, without loading it.
    ///
    /// # Errors
    /// As [`ModelInfo::of_file`].
    pub fn info(&self) -> Result<ModelInfo, EvalError> {
        match self {
            ModelSource::File(path) => {
                katago::info(path).unwrap_or_else(|| ModelInfo::of_file(path))
            }
            ModelSource::Embedded(onnx) => ModelInfo::read(&self.name(), onnx),
        }
    }

    /// Whether it is a file of KataGo's, which has no board of its own.
    pub fn is_katago(&self) -> bool {
        matches!(self, ModelSource::File(path) if katago::info(path).is_some())
    }

    /// The bytes of an ONNX file; one of KataGo's is turned into one for the board, 19x19 where none is
    /// named, that imitates the players of the profile if it imitates people. An embedded one, which replaces others,
    /// ignores the profile.
    ///
    /// # Errors
    /// [`EvalError::Load`] when the file cannot be read, is not a network, or does not imitate the players that are wanted.
    pub fn onnx(
        &self,
        board: Option<BoardSize>,
        profile: Option<HumanProfile>,
    ) -> Result<Arc<[u8]>, EvalError> {
        match self {
            ModelSource::Embedded(onnx) => Ok((*onnx).into()),
            ModelSource::File(path) => {
                let bytes = files::read(path, MAX_BYTES)
                    .map_err(|error| EvalError::load(&self.name(), error))?;
                match katago::is_katago(&bytes) {
                    true => Ok(katago::to_onnx(&self.name(), &bytes, board, profile)?.into()),
                    false if profile.is_some() => {
                        Err(EvalError::load(&self.name(), katago::NO_IMITATOR))
                    }
                    false => Ok(bytes.into()),
                }
            }
        }
    }
}

/// Options for loading a model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoadOptions {
    /// Device; `native` and `tract` compute on the CPU only.
    pub device: Device,
    /// Where to look for ONNX Runtime.
    pub ort_library: LibraryPlaces,
    /// Board, which the network must be for; `None` for its own, or the first of several.
    pub board: Option<BoardSize>,
    /// Whom a network of KataGo's that imitates people imitates; other files are refused with one.
    pub profile: Option<HumanProfile>,
}

impl LoadOptions {
    /// Checks what was asked for: this backend, or ONNX Runtime by its library or a GPU. That library is loaded, and the
    /// driver asked for the GPU, since files do not tell whether they fit.
    ///
    /// # Errors
    /// [`EvalError::Unavailable`] says what is missing, and how to get it.
    pub fn check(&self, backend: Option<BackendKind>) -> Result<(), EvalError> {
        let needs_ort = self.device != Device::Cpu || self.ort_library.option.is_some();
        let Some(kind) = backend.or(needs_ort.then_some(BackendKind::Ort)) else {
            return Ok(());
        };
        kind.available(self)?;
        #[cfg(feature = "ort")]
        if kind == BackendKind::Ort {
            super::ort::check(&self.ort_library, self.device)?;
        }
        Ok(())
    }
}

/// Rows from which on a GPU call takes no further request: one with 448 takes one more, and with the usual 64 rows
/// fills the largest size of calls, 512. Not measured.
#[cfg(feature = "ort")]
const ENOUGH_FOR_GPU: usize = 449;

/// Evaluators on each GPU: while one computes, the other's rows and answers are transferred, and
/// workers continue. Not measured.
#[cfg(feature = "ort")]
const EVALUATORS_PER_GPU: usize = 2;

/// Rows of the trial evaluation: few, and different from every other dimension.
const TRIED_ROWS: usize = 3;

/// A loaded network that creates one evaluator per worker; shareable data is shared.
#[derive(Clone)]
pub struct EvaluatorFactory {
    info: ModelInfo,
    make: Arc<Make>,
}

type Make = dyn Fn() -> Result<Box<dyn Evaluator>, EvalError> + Send + Sync;

impl EvaluatorFactory {
    fn new<E: Evaluator + 'static>(
        info: ModelInfo,
        make: impl Fn() -> Result<E, EvalError> + Send + Sync + 'static,
    ) -> EvaluatorFactory {
        EvaluatorFactory {
            info,
            make: Arc::new(move || Ok(Box::new(make()?))),
        }
    }

    /// Loads a network, and evaluates a few rows as a trial.
    ///
    /// # Errors
    /// [`EvalError::Load`] when the file cannot be read or used, also where the backend panics;
    /// [`EvalError::Unavailable`] when this machine or this build lacks the backend or the device.
    pub fn open(
        kind: BackendKind,
        source: &ModelSource,
        options: &LoadOptions,
    ) -> Result<EvaluatorFactory, EvalError> {
        guarded(kind, source, || {
            let factory = EvaluatorFactory::load(kind, source, options)?;
            factory.try_out(source)?;
            Ok(factory)
        })
    }

    fn load(
        kind: BackendKind,
        source: &ModelSource,
        options: &LoadOptions,
    ) -> Result<EvaluatorFactory, EvalError> {
        kind.available(options)?;
        let onnx = source.onnx(options.board, options.profile)?;
        let (name, board) = (source.name(), options.board);
        Ok(match kind {
            BackendKind::Native => {
                let model = NativeModel::load(&name, &onnx, board)?;
                EvaluatorFactory::new(model.info().clone(), move || Ok(model.evaluator()))
            }
            #[cfg(feature = "tract")]
            BackendKind::Tract => {
                let model = TractModel::load(&name, &onnx, board)?;
                EvaluatorFactory::new(model.info().clone(), move || model.evaluator())
            }
            #[cfg(feature = "ort")]
            BackendKind::Ort => {
                let model = OrtModel::load(&name, onnx, board, &options.ort_library)?;
                open_ort(model, options.device)?
            }
            #[cfg(not(all(feature = "tract", feature = "ort")))]
            other => return Err(built_without(other)),
        })
    }

    /// Evaluates a few rows as a trial. A backend may accept a file and refuse to run it, a network
    /// may have diverged in training or mix the positions of a batch, and the first call of a GPU
    /// is slow: better here than in a game.
    fn try_out(&self, source: &ModelSource) -> Result<(), EvalError> {
        let failed = |reason| Err(EvalError::load(&source.name(), reason));
        let mut evaluator = self.make()?;
        let mut answer = |rows: Range<usize>| {
            let (mut batch, mut out) = (Batch::new(self.info.row_len()), Outputs::new());
            for row in rows {
                let planes = batch.push(row as u128).iter_mut().step_by(row + 1);
                planes.for_each(|number| *number = f32::from(u8::from(row > 0)));
            }
            let evaluated = evaluator.evaluate(&batch, &mut out).map(|()| out);
            evaluated.map_err(|error| match error {
                EvalError::Run { backend, reason } => {
                    EvalError::run(backend, format!("{}: {reason}", source.name()))
                }
                other => other,
            })
        };
        // The first row is empty, as no position is: some networks divide by the number of points that a plane shows.
        for first in 0..2 {
            let alone = answer(first..first + 1)?;
            if alone.is_finite() {
                return match alone.is_near(&answer(first..first + TRIED_ROWS)?) {
                    true => Ok(()),
                    false => failed(
                        "its answer to a position depends on the other positions of the batch",
                    ),
                };
            }
        }
        failed("its answers contain numbers that are not finite")
    }

    /// Evaluators with uniform answers, see [`HashEvaluator::uniform`]; `info` is as that of a file, with 2 or 3 outcomes.
    pub fn uniform(info: ModelInfo) -> EvaluatorFactory {
        let evaluator = HashEvaluator::uniform(info);
        EvaluatorFactory::new(evaluator.info().clone(), move || Ok(evaluator.clone()))
    }

    /// Evaluators with the same answers on every machine, see [`HashEvaluator`]; `info` as in
    /// [`EvaluatorFactory::uniform`].
    pub fn hash(info: ModelInfo) -> EvaluatorFactory {
        let evaluator = HashEvaluator::new(info);
        EvaluatorFactory::new(evaluator.info().clone(), move || Ok(evaluator.clone()))
    }

    /// Metadata of the loaded model.
    pub fn info(&self) -> &ModelInfo {
        &self.info
    }

    /// An evaluator for one worker.
    ///
    /// # Errors
    /// Errors of the backend: too little memory, a lost device.
    pub fn make(&self) -> Result<Box<dyn Evaluator>, EvalError> {
        (self.make)()
    }
}

impl fmt::Debug for EvaluatorFactory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "EvaluatorFactory({:?})", self.info)
    }
}

/// Result of `open`; a panic of a backend, such as at a file whose tensors do not fit into the memory, as an error.
fn guarded<T>(
    kind: BackendKind,
    source: &ModelSource,
    open: impl FnOnce() -> Result<T, EvalError>,
) -> Result<T, EvalError> {
    catch_unwind(AssertUnwindSafe(open)).unwrap_or_else(|_| {
        let reason =
            format!("{kind} panicked: the file is damaged, or more than this machine can compute");
        Err(EvalError::load(&source.name(), reason))
    })
}

impl BackendKind {
    /// Description of an available backend, judged by files: nothing is loaded.
    ///
    /// # Errors
    /// [`EvalError::Unavailable`] when this machine or this build lacks it or its device.
    pub fn available(self, options: &LoadOptions) -> Result<String, EvalError> {
        let device = options.device;
        if !self.computes_on(device) {
            let reason =
                format!("it has no device {device}: leave --backend out, or use --backend ort");
            return Err(EvalError::unavailable(self.name(), reason));
        }
        match self {
            BackendKind::Native => Ok(format!("part of this program, {}", Level::best())),
            #[cfg(feature = "tract")]
            BackendKind::Tract => Ok("part of this program".to_owned()),
            #[cfg(feature = "ort")]
            BackendKind::Ort => ort_available(options),
            #[cfg(not(all(feature = "tract", feature = "ort")))]
            other => Err(built_without(other)),
        }
    }
}

#[cfg(feature = "ort")]
fn ort_available(options: &LoadOptions) -> Result<String, EvalError> {
    let (device, places) = (options.device, &options.ort_library);
    let refused = |reason| EvalError::unavailable("ort", reason);
    let is_there = || places.candidates().iter().any(|path| path.is_file());
    if device != Device::Cpu && !places.is_named() && !is_there() {
        return Err(refused(format!(
            "{device} needs ONNX Runtime for GPUs, which is not installed: {FETCH_FOR_GPUS}"
        )));
    }
    let library = places.find()?;
    if let Device::Cuda(devices) = device {
        let reason = |card| super::library::refused(card, &library);
        if let Some(reason) = devices.numbers().find_map(reason) {
            return Err(refused(reason));
        }
    }
    Ok(format!("ONNX Runtime at {}", library.display()))
}

#[cfg(feature = "ort")]
fn open_ort(model: OrtModel, device: Device) -> Result<EvaluatorFactory, EvalError> {
    let Device::Cuda(devices) = device else {
        let info = model.info().clone();
        return Ok(EvaluatorFactory::new(info, move || model.evaluator()));
    };
    let evaluators = on_all(devices, |card| {
        let has_failed = Arc::default();
        let evaluators = (0..EVALUATORS_PER_GPU).map(|_| model.on_card(card, &has_failed));
        evaluators.collect()
    })?;
    let boxed = |evaluator: BoundEvaluator| Box::new(evaluator) as Box<dyn Evaluator>;
    shared(evaluators.into_iter().map(boxed).collect(), ENOUGH_FOR_GPU)
}

/// What is made on each of these GPUs, in their order; on all at the same time, as a large network takes a minute on one.
#[cfg(feature = "ort")]
fn on_all<T: Send>(
    devices: CudaDevices,
    make: impl Fn(u8) -> Result<Vec<T>, EvalError> + Sync,
) -> Result<Vec<T>, EvalError> {
    let make = &make;
    std::thread::scope(|scope| {
        let begin = |card| std::thread::Builder::new().spawn_scoped(scope, move || make(card));
        let threads: Vec<_> = devices.numbers().map(begin).collect();
        let mut all = Vec::new();
        for thread in threads {
            let thread = thread.map_err(|error| super::ort::no_thread(&error))?;
            let made = thread.join().unwrap_or_else(|panic| resume_unwind(panic));
            all.extend(made?);
        }
        Ok(all)
    })
}

/// Evaluators behind one batcher, whose clients all workers get; a call takes requests until it has
/// `enough` rows. Nothing waits for its threads, so that a stalled device cannot hold up the end of
/// the program.
#[cfg(feature = "ort")]
fn shared(
    evaluators: Vec<Box<dyn Evaluator>>,
    enough: usize,
) -> Result<EvaluatorFactory, EvalError> {
    let (client, _detached) = spawn_batcher(evaluators, enough)?;
    let info = client.info().clone();
    Ok(EvaluatorFactory::new(info, move || Ok(client.clone())))
}

#[cfg(not(all(feature = "tract", feature = "ort")))]
fn built_without(kind: BackendKind) -> EvalError {
    let reason = format!("this program was built without the cargo feature {kind}");
    EvalError::unavailable(kind.name(), reason)
}

#[cfg(test)]
mod tests {
    use super::super::suite;
    use super::super::testnet::SMALL;
    #[cfg(feature = "tract")]
    use super::super::{CudaDevices, PLANES, POLICY, VALUE};
    use super::*;
    #[cfg(feature = "tract")]
    use crate::onnx::GraphBuilder;

    fn open(kind: BackendKind, path: &str, options: &LoadOptions) -> Result<String, String> {
        let source = ModelSource::File(path.into());
        let factory = EvaluatorFactory::open(kind, &source, options);
        factory
            .map(|f| f.info().network.clone())
            .map_err(|e| e.to_string())
    }

    #[test]
    fn a_file_that_is_not_there_is_named() {
        let text = open(
            BackendKind::Native,
            "/nowhere/net.onnx",
            &LoadOptions::default(),
        );
        let text = text.unwrap_err();
        assert!(
            text.starts_with("cannot load network /nowhere/net.onnx: "),
            "{text}"
        );
    }

    #[cfg(feature = "tract")]
    #[test]
    fn a_file_is_opened_and_every_worker_gets_an_evaluator() {
        let path = std::env::temp_dir().join(format!("tengen-load-{}.onnx", std::process::id()));
        std::fs::write(&path, SMALL.onnx(4)).unwrap();
        let source = ModelSource::File(path.clone());
        let factory =
            EvaluatorFactory::open(BackendKind::Tract, &source, &LoadOptions::default()).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert_eq!(factory.info(), &SMALL.info());
        suite::agree(
            &mut factory.make().unwrap(),
            &mut factory.make().unwrap(),
            0.0,
        );
    }

    /// 0 / 0 for planes without points.
    #[cfg(feature = "tract")]
    #[test]
    fn a_network_may_have_no_answer_to_an_empty_row() {
        let info = SMALL.info();
        let open = |empty: bool| {
            let mut graph = GraphBuilder::new("shares");
            let planes = graph.input(PLANES, info.planes_shape());
            let means = graph.reduce_mean(planes, &[2, 3]);
            let zero = graph.weights("zero", &[1], &[0.0]);
            let below = if empty { zero } else { means };
            let shares = graph.node("Div", &[means, below], Vec::new());
            for (name, len, shape) in [
                (POLICY, info.policy_len, info.policy_shape()),
                (VALUE, info.outcomes, info.value_shape()),
            ] {
                let weights = vec![0.5; info.planes * len];
                let dims = [info.planes, len];
                let weights = graph.weights(&format!("{name}.weights"), &dims, &weights);
                let output = graph.matmul(shares, weights);
                graph.output(name, output, shape);
            }
            let onnx = graph.finish(&info.to_metadata()).unwrap();
            let source = ModelSource::Embedded(onnx.leak());
            EvaluatorFactory::open(BackendKind::Tract, &source, &LoadOptions::default())
        };
        assert!(open(false).is_ok());
        let refused = open(true).unwrap_err().to_string();
        assert!(refused.contains("not finite"), "{refused}");
    }

    #[cfg(feature = "tract")]
    #[test]
    fn tract_has_no_gpu() {
        let options = LoadOptions {
            device: Device::Cuda(CudaDevices::only(0)),
            ..LoadOptions::default()
        };
        let source = ModelSource::Embedded(SMALL.onnx(1).leak());
        let error = EvaluatorFactory::open(BackendKind::Tract, &source, &options).unwrap_err();
        assert!(
            matches!(
                error,
                EvalError::Unavailable {
                    backend: "tract",
                    ..
                }
            ),
            "{error}"
        );
    }

    #[cfg(feature = "ort")]
    #[test]
    fn all_gpus_load_at_the_same_time_and_keep_their_order() {
        use std::sync::atomic::{AtomicUsize, Ordering};

        let two = match "cuda:1,cuda:3".parse() {
            Ok(Device::Cuda(devices)) => devices,
            other => panic!("{other:?}"),
        };
        let begun = AtomicUsize::new(0);
        let made = on_all(two, |card| {
            begun.fetch_add(1, Ordering::Relaxed);
            let are_there = (0..1000).any(|_| {
                std::thread::sleep(std::time::Duration::from_millis(10));
                begun.load(Ordering::Relaxed) == 2
            });
            assert!(are_there, "one waits for the other");
            Ok(vec![card, card])
        });
        assert_eq!(made, Ok(vec![1, 1, 3, 3]));
        let fails = |card| match card {
            1 => Ok(vec![card]),
            _ => Err(EvalError::unavailable("ort", "no such card")),
        };
        assert!(on_all(two, fails).is_err());
    }

    #[cfg(feature = "ort")]
    #[test]
    fn workers_may_share_a_batcher() {
        let own = EvaluatorFactory::hash(SMALL.info());
        let factory = shared(vec![own.make().unwrap()], 8).unwrap();
        let (mut first, mut second) = (factory.make().unwrap(), factory.make().unwrap());
        drop(factory);
        suite::check(&mut first);
        suite::agree(&mut second, &mut own.make().unwrap(), 0.0);
    }

    #[test]
    fn a_panic_of_a_backend_is_an_error_of_the_file() {
        let source = ModelSource::from(PathBuf::from("net.onnx"));
        let opened = guarded(BackendKind::Native, &source, || -> Result<(), EvalError> {
            panic!("as a library may")
        });
        let message = opened.unwrap_err().to_string();
        let is_told = message.contains("net.onnx") && message.contains("native panicked");
        assert!(is_told, "{message}");
    }

    #[test]
    fn a_network_that_fails_its_trial_is_named() {
        let failing = suite::FailingEvaluator::new(SMALL.info(), 1, suite::Failure::Error);
        let factory = EvaluatorFactory::new(SMALL.info(), move || Ok(failing.clone()));
        let tried = factory.try_out(&ModelSource::from(PathBuf::from("net.onnx")));
        let message = tried.unwrap_err().to_string();
        assert!(
            message.contains("net.onnx") && message.contains("on purpose"),
            "{message}"
        );
    }

    #[test]
    fn fakes_need_no_file() {
        for factory in [
            EvaluatorFactory::uniform(SMALL.info()),
            EvaluatorFactory::hash(SMALL.info()),
        ] {
            suite::check(&mut factory.make().unwrap());
        }
    }
}
