//! Whatever chooses moves: the border between one game in progress and a search.

use std::sync::Arc;

use thiserror::Error;

use crate::critic::CriticError;
use crate::eval::EvalError;
use crate::game::{Game, GameState};
use crate::search::{AnalysisOptions, Limits, SearchError, SearchReport, StopFlag};

/// Why a thinker has no report to give.
#[derive(Debug, Error)]
pub enum ThinkError {
    /// The network cannot be loaded or run.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// The critic's file cannot be read or does not fit.
    #[error(transparent)]
    Critic(#[from] CriticError),
    /// The search has nothing to report.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The thinker's thread cannot be started or has ended.
    #[error("the search thread is gone: {0}")]
    Gone(String),
    /// The thinker was told to stop, or ran out of time, and did not answer.
    #[error("the search did not answer in time")]
    Late,
}

/// Chooses moves for one game. Driven by one thread, which may take its time to load a network on
/// the first call; making a thinker must cost nothing, because GoGui starts engines that it never
/// asks for a move.
pub trait Thinker<G: Game>: Send {
    /// Searches the position that was reached, whose side to move has at least one legal move, until
    /// a limit is reached or `stop` is raised, and reports what was found, however little. Moves that
    /// the past forbids are none.
    ///
    /// # Errors
    /// [`ThinkError`] when nothing at all can be said; the caller then plays some legal move.
    fn think(
        &mut self,
        start: &GameState<G>,
        limits: &Limits,
        stop: &StopFlag,
    ) -> Result<SearchReport, ThinkError> {
        self.watch(
            start,
            limits,
            stop,
            &AnalysisOptions::default(),
            &mut |_| {},
        )
    }

    /// Searches as [`Thinker::think`] does, as `analysis` wants it, and hands reports to `see`
    /// while it runs. Without limits it goes on until `stop` is raised, unless all is proven.
    ///
    /// # Errors
    /// As [`Thinker::think`].
    fn watch(
        &mut self,
        start: &GameState<G>,
        limits: &Limits,
        stop: &StopFlag,
        analysis: &AnalysisOptions,
        see: &mut dyn FnMut(SearchReport),
    ) -> Result<SearchReport, ThinkError>;

    /// A first impression, without any search: value and priors of one visit.
    ///
    /// # Errors
    /// As [`Thinker::think`].
    fn evaluate(&mut self, start: &GameState<G>) -> Result<SearchReport, ThinkError> {
        let once = Limits {
            visits: Some(1),
            budget: None,
        };
        self.think(start, &once, &StopFlag::new())
    }

    /// Does beforehand, while nobody waits, what a search from `start` would begin with. Leaves
    /// off when `stop` is raised, unless what it does has to be done in any case.
    fn prepare(&mut self, start: &GameState<G>, stop: &StopFlag) {
        let (_, _) = (start, stop);
    }

    /// A new game begins: nothing that was searched for earlier games may make a difference to it.
    fn new_game(&mut self) {}
}

/// Makes a thinker: called before the first search, and again after a thinker has panicked.
pub type MakeThinker<G> = Arc<dyn Fn() -> Box<dyn Thinker<G>> + Send + Sync>;
