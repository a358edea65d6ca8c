//! Opens networks for self-play and matches: the fast backend where it is installed.

use std::path::{Path, PathBuf};

use super::TrainError;
use crate::eval::{
    BackendKind, Device, EvalError, EvaluatorFactory, LibraryPlaces, LoadOptions, ModelSource,
};

/// Where and by what networks are run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runtime {
    /// The library to use; `None` takes ONNX Runtime, and `tract` where it is missing.
    pub backend: Option<BackendKind>,
    /// Where to compute.
    pub device: Device,
    /// Where to look for ONNX Runtime.
    pub library: LibraryPlaces,
}

impl Runtime {
    /// The processor, by the fastest library that is installed; ONNX Runtime may also be at
    /// `library`.
    #[must_use]
    pub fn usual(library: Option<PathBuf>) -> Runtime {
        Runtime {
            backend: None,
            device: Device::Cpu,
            library: LibraryPlaces::usual(library),
        }
    }

    /// Opens a network.
    ///
    /// # Errors
    /// [`TrainError::Eval`] when the file cannot be used or the device or library is missing.
    pub fn open(&self, path: &Path) -> Result<EvaluatorFactory, TrainError> {
        let source = ModelSource::File(path.to_path_buf());
        let options = LoadOptions {
            device: self.device,
            ort_library: self.library.clone(),
        };
        let open = |backend| EvaluatorFactory::open(backend, &source, &options);
        match self.backend {
            Some(backend) => Ok(open(backend)?),
            None => match open(BackendKind::Ort) {
                Err(EvalError::Unavailable { reason, .. }) if self.device == Device::Cpu => {
                    log::warn!("tract runs the networks, two to four times slower: {reason}");
                    Ok(open(BackendKind::Tract)?)
                }
                opened => Ok(opened?),
            },
        }
    }
}
