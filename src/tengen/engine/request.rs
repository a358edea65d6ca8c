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

/// A move for one side.
#[derive(Debug, Clone)]
pub struct MoveRequest {
    /// The side.
    pub color: Color,
    /// Use of the move.
    pub kind: MoveKind,
    /// Raised to end the search early with the best move so far.
    pub stop: StopFlag,
    /// Reports during the search, and moves to avoid: they are played only when there is no other.
    pub analysis: AnalysisOptions,
}

impl MoveRequest {
    /// A move to be played, without reports.
    pub fn new(color: Color, stop: &StopFlag) -> MoveRequest {
        MoveRequest {
            color,
            kind: MoveKind::Play,
            stop: stop.clone(),
            analysis: AnalysisOptions::default(),
        }
    }

    /// A move of this kind.
    #[must_use]
    pub fn of_kind(self, kind: MoveKind) -> MoveRequest {
        MoveRequest { kind, ..self }
    }

    /// The same with these options.
    #[must_use]
    pub fn with(self, analysis: AnalysisOptions) -> MoveRequest {
        MoveRequest { analysis, ..self }
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

/// An analysis of the current position.
#[derive(Debug, Clone)]
pub struct AnalysisRequest {
    /// The side to move.
    pub color: Color,
    /// How far it goes.
    pub effort: AnalysisEffort,
    /// Raised to end it.
    pub stop: StopFlag,
    /// Reports, moves to avoid, and more.
    pub options: AnalysisOptions,
}

impl AnalysisRequest {
    /// An analysis without reports.
    pub fn new(color: Color, effort: AnalysisEffort, stop: &StopFlag) -> AnalysisRequest {
        AnalysisRequest {
            color,
            effort,
            stop: stop.clone(),
            options: AnalysisOptions::default(),
        }
    }

    /// The same with these options.
    #[must_use]
    pub fn with(self, options: AnalysisOptions) -> AnalysisRequest {
        AnalysisRequest { options, ..self }
    }
}
