//! What the engine is to do for the board.

use serde::Serialize;

/// Task of the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(in super::super) enum Task {
    /// Choose a move and play it.
    Move,
    /// Search the position until stopped.
    Analyse,
    /// Think on the human player's time.
    Ponder,
    /// Determine dead stones.
    Count,
    /// Search every position of the line.
    Review,
    /// Search the position after a move that was tried.
    Judge,
    /// Evaluate each position of the line by the network alone.
    Skim,
}

impl Task {
    /// Its name on the page.
    pub(in super::super) fn name(self) -> &'static str {
        match self {
            Task::Move => "move",
            Task::Analyse => "analyse",
            Task::Ponder => "ponder",
            Task::Count => "count",
            Task::Review => "review",
            Task::Judge => "judge",
            Task::Skim => "skim",
        }
    }
}

/// A task in one position of one game; a different one ends its search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TaskRequest {
    pub(super) task: Task,
    pub(super) node: usize,
    /// Identifies the game and its settings.
    pub(super) serial: u64,
    /// The number of the area to which an analysis is limited; 0 for the whole board.
    pub(super) area: u64,
}
