//! The interface between a game in progress and a method of choosing moves, and the log of the networks in use.

use std::sync::Arc;

use thiserror::Error;

use crate::game::{Game, GameState};
use crate::search::{Limits, Observer, SearchError, SearchReport, SearchRequest, StopFlag};
use parking_lot::Mutex;
use tengen_nn::eval::EvalError;

/// Why a thinker has no report.
#[derive(Debug, Error)]
pub enum ThinkError {
    /// The network cannot be loaded or run.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// The method's own reason, such as a file that cannot be read or does not fit.
    #[error(transparent)]
    Other(Box<dyn std::error::Error + Send + Sync>),
    /// The search has no report.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The thinker's thread cannot be started or has ended.
    #[error("the search thread is gone: {0}")]
    Gone(String),
    /// The thinker was told to stop, or ran out of time, and did not answer.
    #[error("the search did not answer in time")]
    Late,
}

impl ThinkError {
    /// The reason of a method whose errors this module does not know.
    pub fn other(reason: impl std::error::Error + Send + Sync + 'static) -> ThinkError {
        ThinkError::Other(Box::new(reason))
    }
}

/// Chooses moves for one game. Runs on one thread and may load a network on the first call;
/// creating a thinker must be free, because GoGui starts engines that it never asks for a move.
pub trait Thinker<G: Game>: Send {
    /// Searches a position whose side to move has at least one legal move, until a limit is reached
    /// or its stop flag is raised, and reports what was found, however little; `observer` sees
    /// reports meanwhile, as the request says. Moves that the history forbids are not legal.
    ///
    /// # Errors
    /// [`ThinkError`] when there is no report at all; the caller then plays some legal move.
    fn search(
        &mut self,
        request: &SearchRequest<G>,
        observer: &mut Observer<'_>,
    ) -> Result<SearchReport, ThinkError>;

    /// A first evaluation without search: value and priors of one visit.
    ///
    /// # Errors
    /// As [`Thinker::search`].
    fn evaluate(&mut self, start: &GameState<G>) -> Result<SearchReport, ThinkError> {
        let once = Limits {
            visits: Some(1),
            budget: None,
        };
        let request = SearchRequest::new(start.clone()).within(once);
        self.search(&request, &mut |_| {})
    }

    /// Does the preparations of a search from `start` during idle time. Stops when `stop` is
    /// raised, except for what must be done anyway.
    fn prepare(&mut self, start: &GameState<G>, stop: &StopFlag) {
        let (_, _) = (start, stop);
    }

    /// A new game begins: results of earlier games may not affect it.
    fn new_game(&mut self) {}
}

/// Creates a thinker: called before the first search, and again after a thinker has panicked.
pub type MakeThinker<G> = Arc<dyn Fn() -> Box<dyn Thinker<G>> + Send + Sync>;

/// Events so far; clones share them.
#[derive(Debug, Clone, Default)]
pub struct ThinkerLog(Arc<Mutex<Vec<String>>>);

impl ThinkerLog {
    /// Adds an event.
    pub fn note(&self, text: String) {
        self.0.lock().push(text);
    }

    /// All events in order; empty before the first search.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        self.0.lock().clone()
    }
}
