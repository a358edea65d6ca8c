//! What a search is asked for.

use super::limits::{AnalysisOptions, Limits, Purpose, StopFlag};
use crate::game::{Game, GameState};

/// One search.
#[derive(Debug, Clone)]
pub struct SearchRequest<G: Game> {
    /// The position, with the history that may forbid moves.
    pub start: GameState<G>,
    /// Where the search ends by itself. Without any limit it goes on until `stop` is raised, unless
    /// everything is proven.
    pub limits: Limits,
    /// Raised to end the search early.
    pub stop: StopFlag,
    /// What the search is for, and what is reported.
    pub analysis: AnalysisOptions,
}

impl<G: Game> SearchRequest<G> {
    /// A search for a move, without limits and reports.
    #[must_use]
    pub fn new(start: GameState<G>) -> SearchRequest<G> {
        SearchRequest {
            start,
            limits: Limits::default(),
            stop: StopFlag::new(),
            analysis: AnalysisOptions::default(),
        }
    }

    /// The same with these limits.
    #[must_use]
    pub fn within(self, limits: Limits) -> SearchRequest<G> {
        SearchRequest { limits, ..self }
    }

    /// The same until this flag is raised.
    #[must_use]
    pub fn until(self, stop: &StopFlag) -> SearchRequest<G> {
        let stop = stop.clone();
        SearchRequest { stop, ..self }
    }

    /// The same with these options.
    #[must_use]
    pub fn with(self, analysis: AnalysisOptions) -> SearchRequest<G> {
        SearchRequest { analysis, ..self }
    }

    /// Whether a search for a move has no choice here. A search without limits is for more than the
    /// move.
    #[must_use]
    pub(crate) fn is_forced(&self) -> bool {
        if self.analysis.purpose == Purpose::Position || self.limits == Limits::default() {
            return false;
        }
        let avoid = &self.analysis.avoid;
        let open = self.start.legal_moves().filter(|mv| !avoid.contains(mv));
        match open.take(2).count() {
            0 => self.start.legal_count() == 1,
            open => open == 1,
        }
    }
}
