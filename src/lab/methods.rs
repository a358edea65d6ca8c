//! The papers' ways to choose moves, for an engine of the usual kind.

use std::path::PathBuf;
use std::sync::Arc;

use tengen::clock::{Clock, StopReason};
use tengen::encode::Encode;
use tengen::engine::{EngineOptions, MakeThinker, RolloutThinker, ThinkError, Thinker, ThinkerLog};
use tengen::game::{Game, scoring};
use tengen::registry::Method;
use tengen::rollout::Rollout;
use tengen::search::{MoveReport, Observer, SearchReport, SearchRequest};
use tengen::solver::Solvable;

use crate::critic::{Critic, CriticError, Judge};
use crate::mucgo::{Mucgo, MucgoParams};

/// The adaptive critic of 1997.
pub struct ByCritic {
    path: PathBuf,
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
        let size = match options.size {
            Some(size) => size,
            None => Critic::load(&path)?.info.size(),
        };
        Critic::load_for(&path, &options.game, size)?;
        let options = EngineOptions {
            size: Some(size),
            ..options
        };
        Ok((ByCritic { path }, options))
    }
}

impl Method for ByCritic {
    fn thinkers<G: Encode + Rollout + Solvable>(
        &self,
        _: &EngineOptions,
        time: &Arc<dyn Clock>,
        log: &ThinkerLog,
    ) -> MakeThinker<G> {
        let (path, log, time) = (self.path.clone(), log.clone(), Arc::clone(time));
        Arc::new(move || {
            let (path, log) = (path.clone(), log.clone());
            Box::new(CriticThinker {
                path,
                critic: None,
                judge: Judge::default(),
                log,
                time: Arc::clone(&time),
            })
        })
    }
}

/// Plays the move to the board that a critic values most, without a search. The file is read before the first move.
struct CriticThinker {
    path: PathBuf,
    critic: Option<Critic>,
    judge: Judge,
    log: ThinkerLog,
    time: Arc<dyn Clock>,
}

impl CriticThinker {
    fn load<G: Game>(&self, position: &G) -> Result<Critic, CriticError> {
        let critic = Critic::load_for(&self.path, G::NAME, position.size())?;
        let (path, info) = (self.path.display(), &critic.info);
        self.log.note(format!(
            "critic {path} chooses the moves ({}, {} games)",
            info.taught, info.games
        ));
        Ok(critic)
    }
}

impl<G: Game> Thinker<G> for CriticThinker {
    /// There are no intermediate reports, and every limit is kept: it takes less than a
    /// millisecond.
    fn search(
        &mut self,
        request: &SearchRequest<G>,
        _: &mut Observer<'_>,
    ) -> Result<SearchReport, ThinkError> {
        let start = &request.start;
        let (started, position) = (self.time.now(), start.position());
        let critic = match self.critic.take() {
            Some(critic) => critic,
            None => self.load(position).map_err(ThinkError::other)?,
        };
        let mut moves = self.judge.moves(&critic.network, position);
        let fills_eyes = critic.info.fills_eyes;
        moves.retain(|&(mv, _)| {
            (fills_eyes || !scoring::fills_eye(position, mv)) && start.allows(mv)
        });
        self.critic = Some(critic);
        moves.sort_by(|a, b| b.1.total_cmp(&a.1));
        let count = moves.len() as u64;
        let prior = 1.0 / (count.max(1) as f32);
        let report = |(mv, value): (_, f64)| {
            let value = (2.0 * value - 1.0) as f32;
            MoveReport {
                visits: 1,
                value,
                lcb: value,
                pv_visits: vec![1],
                ..MoveReport::unsearched(mv, prior)
            }
        };
        let moves: Vec<MoveReport> = moves.into_iter().map(report).collect();
        Ok(SearchReport {
            value: moves.first().map_or(0.0, |best| best.value),
            moves,
            proof: None,
            visits: count,
            reused: 0,
            playouts: count,
            evaluations: count,
            collisions: 0,
            nodes: 0,
            expected: None,
            hidden_komi: 0.0,
            elapsed: self.time.now().saturating_sub(started),
            stop: StopReason::Visits,
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
