//! What is asked for and cannot be had is an error before a program begins. Looks at files; a network
//! that is named is loaded once and let go, as only that tells whether a backend computes it. What is
//! built in is not loaded: board programs start engines that they never ask for a move.

use thiserror::Error;

use super::{Backend, EngineOptions, built_in, registry};
use crate::critic::{Critic, CriticError};
use crate::encode::Mismatch;
use crate::eval::{
    BackendKind, Candidate, Device, EvalError, EvaluatorFactory, LoadOptions, ModelSource,
    open_best,
};
use crate::game::{BoardSize, UnknownGame};

/// Why settings cannot be had here.
#[derive(Debug, Error)]
pub enum StartError {
    /// The network's file, the backend, its library or its device.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// The network is for another game, board or encoding.
    #[error("cannot use network {path}: {mismatch}")]
    Misfit {
        /// The network's file.
        path: String,
        /// What does not fit.
        mismatch: Mismatch,
    },
    /// The critic's file.
    #[error(transparent)]
    Critic(#[from] CriticError),
    /// There is none.
    #[error("--backend critic needs a critic: --model FILE, made by tengen-train critic")]
    NoCritic,
    /// A network for a game that has none of its own.
    #[error("no network is built in for {game}: give one with --model, or use --backend rollout")]
    NoNetwork {
        /// The game's name.
        game: String,
    },
    /// The game has no such board, or no such rules.
    #[error(transparent)]
    Size(#[from] UnknownGame),
}

impl EngineOptions {
    /// Checks that everything asked for can be had, and settles the board: it is the network's
    /// where only a network is named. What nobody asked for is not checked.
    ///
    /// # Errors
    /// [`StartError`] in one line.
    pub fn resolve(mut self) -> Result<EngineOptions, StartError> {
        if self.backend == Backend::Rollout {
            if self.model.is_some() || self.device != Device::Cpu {
                log::warn!("random playouts need no network: --model and --device are not used");
            }
            return Ok(self);
        }
        if self.backend == Backend::Critic {
            let path = self.model.as_ref().ok_or(StartError::NoCritic)?;
            let size = match self.size {
                Some(size) => size,
                None => Critic::load(path)?.info.size(),
            };
            Critic::load_for(path, &self.game, size)?;
            self.size = Some(size);
            return Ok(self);
        }
        if let Some(path) = &self.model {
            self.size = Some(fitting_size(&self, path.clone().into())?);
        }
        let load = self.load();
        match self.backend {
            Backend::Network(kind) => {
                Candidate::judge(kind, &load).verdict?;
                let own = || built_in(&self.game, self.board(), kind, self.device);
                if self.model.is_none() && own().is_none() {
                    return Err(StartError::NoNetwork { game: self.game });
                }
            }
            Backend::Auto if self.device != Device::Cpu => {
                Candidate::best(&load)?;
            }
            Backend::Auto if self.ort_library.is_some() => {
                load.ort_library.find()?;
            }
            Backend::Auto | Backend::Rollout | Backend::Critic => {}
        }
        if let Some(path) = &self.model {
            self.try_network(&path.clone().into())?;
        }
        Ok(self)
    }

    /// Loads a network as the first search will, so that no other takes its place in silence. One for
    /// a card is tried on the processor, by what runs it on the card: that takes seconds.
    fn try_network(&self, network: &ModelSource) -> Result<(), EvalError> {
        let kind = match self.backend {
            Backend::Network(kind) => Some(kind),
            _ => None,
        };
        let is_for_card = self.device != Device::Cpu;
        let kind = kind.or_else(|| is_for_card.then_some(BackendKind::Ort));
        let load = LoadOptions {
            device: Device::Cpu,
            board: Some(self.board()),
            ..self.load()
        };
        match kind {
            Some(kind) => EvaluatorFactory::open(kind, network, &load).map(drop),
            None => open_best(network, &load).map(drop),
        }
    }
}

/// The board to begin with: the one asked for, or the network's own.
fn fitting_size(options: &EngineOptions, model: ModelSource) -> Result<BoardSize, StartError> {
    let info = model.info()?;
    let size = options.size.unwrap_or(info.size);
    let fits = registry::fits(options, &info, size)?;
    fits.map_err(|mismatch| StartError::Misfit {
        path: model.name(),
        mismatch,
    })?;
    Ok(size)
}
