//! Opens a network by name: which backend, which file, which device.
//!
//! The one place that knows all backends. Which one to fall back to when one is not available is
//! the caller's decision.

use std::path::PathBuf;
use std::sync::Arc;

#[cfg(feature = "ort")]
use super::OrtModel;
#[cfg(feature = "tract")]
use super::TractModel;
use super::{
    BackendKind, BatchClient, Device, EvalError, Evaluator, HashEvaluator, LibraryPlaces,
    ModelInfo, UniformEvaluator, spawn_batcher,
};

/// A model to be loaded.
#[derive(Debug, Clone)]
pub enum ModelSource {
    /// An ONNX file.
    File(PathBuf),
    /// The bytes of an ONNX file that is part of the program.
    Embedded(&'static [u8]),
}

impl ModelSource {
    /// How errors name it.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            ModelSource::File(path) => path.display().to_string(),
            ModelSource::Embedded(_) => "embedded".to_owned(),
        }
    }

    fn read(&self) -> Result<Arc<[u8]>, EvalError> {
        match self {
            ModelSource::Embedded(onnx) => Ok((*onnx).into()),
            ModelSource::File(path) => {
                let onnx = std::fs::read(path).map_err(|error| EvalError::Load {
                    path: self.name(),
                    reason: error.to_string(),
                })?;
                Ok(onnx.into())
            }
        }
    }
}

/// How to load a model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoadOptions {
    /// Where to compute; `tract` computes on the CPU only.
    pub device: Device,
    /// Where to look for ONNX Runtime.
    pub ort_library: LibraryPlaces,
}

/// Rows a call on a GPU, at most. Source: methods.md section 4.1 (batch cap), not measured here.
const GPU_MAX_BATCH: usize = 256;

#[derive(Debug, Clone)]
enum Model {
    #[cfg(feature = "tract")]
    Tract(TractModel),
    #[cfg(feature = "ort")]
    Ort(OrtModel),
    Uniform,
    Hash,
    Shared(BatchClient),
}

/// A loaded network that makes one evaluator for each worker; what can be shared is.
#[derive(Debug, Clone)]
pub struct EvaluatorFactory {
    info: ModelInfo,
    model: Model,
}

impl EvaluatorFactory {
    /// Loads a network.
    ///
    /// # Errors
    /// [`EvalError::Load`] when the file cannot be read or used, [`EvalError::Unavailable`] when
    /// this machine or this build lacks the backend or the device.
    pub fn open(
        kind: BackendKind,
        source: &ModelSource,
        options: &LoadOptions,
    ) -> Result<EvaluatorFactory, EvalError> {
        let onnx = source.read()?;
        let info = ModelInfo::read(&source.name(), &onnx)?;
        let model = match kind {
            BackendKind::Tract => open_tract(source, &onnx, options)?,
            BackendKind::Ort => open_ort(source, onnx, options)?,
        };
        let factory = EvaluatorFactory { info, model };
        match options.device {
            Device::Cpu => {
                // A backend may accept a file and refuse to run it: better here than in a game.
                factory.make()?;
                Ok(factory)
            }
            Device::Cuda(_) => factory.batched(GPU_MAX_BATCH),
        }
    }

    /// The same network behind one batcher thread, which computes at most `max_batch` rows a
    /// call: the workers' evaluators are its clients. The thread ends with the last of them and
    /// of this factory's clones; nobody waits for it, so that a stalled device cannot hold up the
    /// end of the program.
    ///
    /// # Errors
    /// As [`EvaluatorFactory::make`].
    pub fn batched(&self, max_batch: usize) -> Result<EvaluatorFactory, EvalError> {
        let (client, _detached) = spawn_batcher(self.make()?, max_batch)?;
        Ok(EvaluatorFactory {
            info: self.info.clone(),
            model: Model::Shared(client),
        })
    }

    /// Evaluators that know nothing, see [`UniformEvaluator`].
    #[must_use]
    pub fn uniform(info: ModelInfo) -> EvaluatorFactory {
        let model = Model::Uniform;
        EvaluatorFactory { info, model }
    }

    /// Evaluators that answer the same on every machine, see [`HashEvaluator`].
    #[must_use]
    pub fn hash(info: ModelInfo) -> EvaluatorFactory {
        let model = Model::Hash;
        EvaluatorFactory { info, model }
    }

    /// The loaded model.
    #[must_use]
    pub fn info(&self) -> &ModelInfo {
        &self.info
    }

    /// An evaluator for one worker.
    ///
    /// # Errors
    /// As the backend's: too little memory, a device that has gone.
    pub fn make(&self) -> Result<Box<dyn Evaluator>, EvalError> {
        Ok(match &self.model {
            #[cfg(feature = "tract")]
            Model::Tract(model) => Box::new(model.evaluator()?),
            #[cfg(feature = "ort")]
            Model::Ort(model) => Box::new(model.evaluator()?),
            Model::Uniform => Box::new(UniformEvaluator::new(self.info.clone())),
            Model::Hash => Box::new(HashEvaluator::new(self.info.clone())),
            Model::Shared(client) => Box::new(client.clone()),
        })
    }
}

#[cfg(feature = "tract")]
fn open_tract(
    source: &ModelSource,
    onnx: &[u8],
    options: &LoadOptions,
) -> Result<Model, EvalError> {
    if options.device != Device::Cpu {
        return Err(EvalError::Unavailable {
            backend: "tract",
            reason: format!("it has no device {}: use --backend ort", options.device),
        });
    }
    TractModel::load(&source.name(), onnx).map(Model::Tract)
}

#[cfg(not(feature = "tract"))]
fn open_tract(_: &ModelSource, _: &[u8], _: &LoadOptions) -> Result<Model, EvalError> {
    Err(built_without("tract"))
}

#[cfg(feature = "ort")]
fn open_ort(
    source: &ModelSource,
    onnx: Arc<[u8]>,
    options: &LoadOptions,
) -> Result<Model, EvalError> {
    let (device, places) = (options.device, &options.ort_library);
    OrtModel::load(&source.name(), onnx, device, places).map(Model::Ort)
}

#[cfg(not(feature = "ort"))]
fn open_ort(_: &ModelSource, _: Arc<[u8]>, _: &LoadOptions) -> Result<Model, EvalError> {
    Err(built_without("ort"))
}

#[cfg(not(all(feature = "tract", feature = "ort")))]
fn built_without(backend: &'static str) -> EvalError {
    EvalError::Unavailable {
        backend,
        reason: format!("this program was built without the cargo feature {backend}"),
    }
}

#[cfg(test)]
mod tests {
    use super::super::suite;
    use super::super::testnet::SMALL;
    use super::*;

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
            BackendKind::Tract,
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

    #[cfg(feature = "tract")]
    #[test]
    fn tract_has_no_gpu() {
        let options = LoadOptions {
            device: Device::Cuda(0),
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

    #[test]
    fn workers_may_share_a_batcher() {
        let own = EvaluatorFactory::hash(SMALL.info());
        let shared = own.batched(8).unwrap();
        let (mut first, mut second) = (shared.make().unwrap(), shared.make().unwrap());
        drop(shared);
        suite::check(&mut first);
        suite::agree(&mut second, &mut own.make().unwrap(), 0.0);
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
