//! The papers' ways to choose moves, for an engine of the usual kind.

use std::path::PathBuf;
use std::sync::Arc;

use tengen::clock::{Clock, StopReason};
use tengen::encode::Encode;
use tengen::engine::{EngineOptions, MakeThinker, RolloutThinker, ThinkError, Thinker, ThinkerLog};
use tengen::game::Game;
use tengen::registry::Method;
use tengen::rollout::Rollout;
use tengen::search::{Observer, SearchReport, SearchRequest};
use tengen::solver::Solvable;

use crate::critic::{Critic, CriticError};
use crate::mucgo::{Mucgo, MucgoParams};

/// The adaptive critic of 1997.
pub struct ByCritic {
    path: PathBuf,
    critic: Critic,
}

impl ByCritic {
    /// The critic in the model's file of these options, and the options with its board where they name none.
    ///
    /// # Errors
    /// [`CriticError`] when no file is named, it cannot be read, or is for another game or board.
    pub fn new(options: EngineOptions) -> Result<(ByCritic, EngineOptions), CriticError> {
        let path = options.model.clone().ok_or_else(|| {
            let how = "gtp critic needs a critic: --model FILE, made by tengen-lab critic";
            CriticError(how.to_owned())
        })?;
        let critic = Critic::load(&path)?;
        let size = options.size.unwrap_or(critic.info.size());
        critic.check(&options.game, size)?;
        let options = EngineOptions {
            size: Some(size),
            ..options
        };
        Ok((ByCritic { path, critic }, options))
    }
}

impl Method for ByCritic {
    fn thinkers<G: Encode + Rollout + Solvable>(
        &self,
        _: &EngineOptions,
        time: &Arc<dyn Clock>,
        log: &ThinkerLog,
    ) -> MakeThinker<G> {
        let (path, info) = (self.path.display(), &self.critic.info);
        log.note(format!(
            "critic {path} chooses the moves ({}, {} games)",
            info.taught, info.games
        ));
        let (critic, time) = (self.critic.clone(), Arc::clone(time));
        Arc::new(move || {
            Box::new(CriticThinker {
                critic: critic.clone(),
                time: Arc::clone(&time),
            })
        })
    }
}

/// Plays the move to the board that a critic values most, without a search.
struct CriticThinker {
    critic: Critic,
    time: Arc<dyn Clock>,
}

impl<G: Game> Thinker<G> for CriticThinker {
    /// There are no intermediate reports, and limits are not looked at: each move is valued once.
    fn search(
        &mut self,
        request: &SearchRequest<G>,
        _: &mut Observer<'_>,
    ) -> Result<SearchReport, ThinkError> {
        let start = &request.start;
        let (started, position) = (self.time.now(), start.position());
        let Critic { info, network } = &self.critic;
        let fits = self.critic.check(G::NAME, position.size());
        fits.map_err(ThinkError::other)?;
        let mut moves = network.moves(position, info.fills_eyes);
        moves.retain(|&(mv, _)| start.allows(mv));
        moves.sort_by(|a, b| b.1.total_cmp(&a.1));
        let count = moves.len() as u64;
        let points = moves.iter().map(|&(mv, _)| mv);
        let mut report = SearchReport::equally_likely(points, StopReason::Visits);
        for (found, (_, value)) in report.moves.iter_mut().zip(&moves) {
            let value = (2.0 * value - 1.0) as f32;
            (found.visits, found.pv_visits) = (1, vec![1]);
            (found.value, found.lcb) = (value, value);
        }
        Ok(SearchReport {
            value: report.best().map_or(0.0, |best| best.value),
            visits: count,
            playouts: count,
            evaluations: count,
            elapsed: self.time.now().saturating_sub(started),
            ..report
        })
    }
}

/// Mucgo's search of 2019.
pub struct ByMucgo {
    /// Its settings.
    pub params: MucgoParams,
    /// Seed of its playouts.
    pub seed: u64,
}

impl Method for ByMucgo {
    fn thinkers<G: Encode + Rollout + Solvable>(
        &self,
        options: &EngineOptions,
        time: &Arc<dyn Clock>,
        log: &ThinkerLog,
    ) -> MakeThinker<G> {
        log.note("Mucgo's search over random playouts chooses the moves".to_owned());
        let (params, time, seed) = (self.params.clone(), Arc::clone(time), self.seed);
        let bytes = (options.search.memory_mib as usize) << 20;
        Arc::new(move || {
            let search = Mucgo::new(params.clone(), bytes, seed);
            Box::new(RolloutThinker::by(search, Arc::clone(&time)))
        })
    }
}
