//! Opens networks for self-play and matches.

use std::path::{Path, PathBuf};

use crate::TrainError;
use tengen::game::BoardSize;
use tengen_nn::eval::{
    BackendKind, Device, EvaluatorFactory, LibraryPlaces, LoadOptions, ModelSource, open_best,
};

/// Backend and device of networks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runtime {
    /// The backend; `None` for the fastest available.
    pub backend: Option<BackendKind>,
    /// The processor, or a GPU.
    pub device: Device,
    /// Places to look for ONNX Runtime.
    pub library: LibraryPlaces,
}

impl Runtime {
    /// The CPU, with the fastest installed library; ONNX Runtime may also be at `library`.
    pub fn usual(library: Option<PathBuf>) -> Runtime {
        Runtime {
            backend: None,
            device: Device::Cpu,
            library: LibraryPlaces::usual(library),
        }
    }

    /// Checks that what was asked for is there, before there is a network to open.
    ///
    /// # Errors
    /// [`TrainError::Eval`] says what is missing, and how to get it.
    pub fn check(&self) -> Result<(), TrainError> {
        Ok(self.options(None).check(self.backend)?)
    }

    fn options(&self, board: Option<BoardSize>) -> LoadOptions {
        LoadOptions {
            device: self.device,
            ort_library: self.library.clone(),
            board,
            profile: None,
        }
    }

    /// Opens a network; for `board`, where it is for several.
    ///
    /// # Errors
    /// [`TrainError::Eval`] when the file cannot be used or the device or library is missing.
    pub fn open(&self, path: &Path, board: BoardSize) -> Result<EvaluatorFactory, TrainError> {
        self.open_named(path, board).map(|(factory, _)| factory)
    }

    /// The same, with the backend that runs it.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn open_named(
        &self,
        path: &Path,
        board: BoardSize,
    ) -> Result<(EvaluatorFactory, BackendKind), TrainError> {
        let source = ModelSource::File(path.to_path_buf());
        let options = self.options(Some(board));
        if let Some(backend) = self.backend {
            let factory = EvaluatorFactory::open(backend, &source, &options)?;
            return Ok((factory, backend));
        }
        let opened = open_best(&source, &options)?;
        for slower in &opened.passed_over {
            log::warn!("{} runs the network, {slower}", opened.kind);
        }
        Ok((opened.factory, opened.kind))
    }
}
