//! What an engine is asked for: a move, or an analysis.

use std::time::Duration;

use crate::game::{Color, Symmetry};
use crate::search::{AnalysisOptions, StopFlag};

/// Use of the chosen move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MoveKind {
    /// It is played, and the clock is charged.
    Play,
    /// The same in the cleanup phase of a game whose players disagree on dead stones: the game
    /// continues after two passes, and there is no pass while dead stones of the opponent are on
    /// the board. The engine does not resign.
    Cleanup,
    /// It is only named: nothing changes.
    Named,
}

/// A question to an engine, for one side.
#[derive(Debug, Clone)]
pub struct Request<K> {
    /// The side to move.
    pub color: Color,
    /// What is asked for.
    pub kind: K,
    /// Raised to end the search early with what it has found so far.
    pub stop: StopFlag,
    /// Reports during the search, and more. A move to avoid is played only when there is no other.
    pub options: AnalysisOptions,
    /// How long the controller has waited for it already; its clock runs.
    pub waited: Duration,
}

/// A move for one side.
pub type MoveRequest = Request<MoveKind>;

/// An analysis of the current position.
pub type AnalysisRequest = Request<AnalysisEffort>;

impl<K> Request<K> {
    /// Without reports.
    fn of(color: Color, kind: K, stop: &StopFlag) -> Request<K> {
        Request {
            color,
            kind,
            stop: stop.clone(),
            options: AnalysisOptions::default(),
            waited: Duration::ZERO,
        }
    }

    /// The same with these options.
    #[must_use]
    pub fn with(self, options: AnalysisOptions) -> Request<K> {
        Request { options, ..self }
    }
}

impl MoveRequest {
    /// A move to be played, without reports.
    pub fn new(color: Color, stop: &StopFlag) -> MoveRequest {
        Request::of(color, MoveKind::Play, stop)
    }

    /// The same for a controller that has waited this long.
    #[must_use]
    pub fn after(self, waited: Duration) -> MoveRequest {
        MoveRequest { waited, ..self }
    }

    /// A move of this kind.
    #[must_use]
    pub fn of_kind(self, kind: MoveKind) -> MoveRequest {
        MoveRequest { kind, ..self }
    }
}

impl AnalysisRequest {
    /// An analysis without reports.
    pub fn new(color: Color, effort: AnalysisEffort, stop: &StopFlag) -> AnalysisRequest {
        Request::of(color, effort, stop)
    }
}

/// Limit of an analysis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnalysisEffort {
    /// Search until it is stopped.
    Endless,
    /// Search until the root has this many visits, or for this time; with neither, until it is
    /// stopped.
    Bounded {
        /// Visits of the root, reused ones counted.
        visits: Option<u64>,
        /// Search time.
        time: Option<Duration>,
    },
    /// Report what earlier searches know of the position, or one evaluation if that is nothing.
    OneEvaluation,
    /// Report the network's evaluation of the game under a symmetry of the board, turned back: one visit,
    /// without any search.
    Network(Symmetry),
}

impl AnalysisEffort {
    /// A search until the root has this many visits.
    pub fn visits(visits: u64) -> AnalysisEffort {
        AnalysisEffort::Bounded {
            visits: Some(visits),
            time: None,
        }
    }
}
