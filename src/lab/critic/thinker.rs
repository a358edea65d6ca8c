//! A thinker without search: evaluates the board after each move with the adaptive critic.

use std::path::PathBuf;
use std::sync::Arc;

use super::{Critic, CriticError, Judge};
use tengen::clock::{Clock, StopReason};
use tengen::engine::{ThinkError, Thinker, ThinkerLog};
use tengen::game::{Game, scoring};
use tengen::search::{MoveReport, Observer, SearchReport, SearchRequest};

/// Plays the move that a critic values most. The file is read before the first move.
pub struct CriticThinker {
    path: PathBuf,
    critic: Option<Critic>,
    judge: Judge,
    log: ThinkerLog,
    time: Arc<dyn Clock>,
}

impl CriticThinker {
    /// A thinker with the critic in this file.
    #[must_use]
    pub fn new(path: PathBuf, log: ThinkerLog, time: Arc<dyn Clock>) -> CriticThinker {
        CriticThinker {
            path,
            critic: None,
            judge: Judge::default(),
            log,
            time,
        }
    }

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
