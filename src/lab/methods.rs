//! The papers' ways to choose moves, for an engine of the usual kind.

use std::path::PathBuf;
use std::sync::Arc;

use tengen::clock::Clock;
use tengen::encode::Encode;
use tengen::engine::{EngineOptions, MakeThinker, RolloutThinker, ThinkerLog};
use tengen::registry::Method;
use tengen::rollout::Rollout;
use tengen::solver::Solvable;

use crate::critic::{Critic, CriticError, CriticThinker};
use crate::mucgo::play::{Mucgo, MucgoParams};

/// The adaptive critic of 1997.
pub struct ByCritic {
    path: PathBuf,
    time: Arc<dyn Clock>,
}

impl ByCritic {
    /// The critic in the model's file of these options, and the options with its board where they name none.
    ///
    /// # Errors
    /// [`CriticError`] when no file is named, it cannot be read, or is for another game or board.
    pub fn new(
        options: EngineOptions,
        time: Arc<dyn Clock>,
    ) -> Result<(ByCritic, EngineOptions), CriticError> {
        let path = options.model.clone().ok_or(CriticError::NotGiven)?;
        let size = match options.size {
            Some(size) => size,
            None => Critic::load(&path)?.info.size(),
        };
        Critic::load_for(&path, &options.game, size)?;
        let options = EngineOptions {
            size: Some(size),
            ..options
        };
        Ok((ByCritic { path, time }, options))
    }
}

impl Method for ByCritic {
    fn thinkers<G: Encode + Rollout + Solvable>(&self, log: &ThinkerLog) -> MakeThinker<G> {
        let (path, log, time) = (self.path.clone(), log.clone(), Arc::clone(&self.time));
        Arc::new(move || {
            let (path, log) = (path.clone(), log.clone());
            Box::new(CriticThinker::new(path, log, Arc::clone(&time)))
        })
    }
}

/// Mucgo's search of 2019.
pub struct ByMucgo {
    /// Its settings.
    pub params: MucgoParams,
    /// Memory of its tree in bytes.
    pub bytes: usize,
    /// Seed of its playouts.
    pub seed: u64,
    /// Where time is read.
    pub time: Arc<dyn Clock>,
}

impl Method for ByMucgo {
    fn thinkers<G: Encode + Rollout + Solvable>(&self, log: &ThinkerLog) -> MakeThinker<G> {
        log.note("Mucgo's search over random playouts chooses the moves".to_owned());
        let (params, time) = (self.params.clone(), Arc::clone(&self.time));
        let (bytes, seed) = (self.bytes, self.seed);
        Arc::new(move || {
            let search = Mucgo::new(params.clone(), bytes, seed);
            Box::new(RolloutThinker::by(search, Arc::clone(&time)))
        })
    }
}
