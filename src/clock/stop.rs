//! How long a search may think, and why it stopped.

use std::fmt;
use std::time::Duration;

/// Thinking time for one move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Budget {
    /// The search should stop here.
    pub soft: Duration,
    /// The search must have answered by then.
    pub hard: Duration,
}

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// The visit limit is reached.
    Visits,
    /// The time is used up.
    Time,
    /// Somebody asked: `quit`, end of input, an interrupt.
    Interrupted,
    /// The result is proven.
    Proven,
    /// There is only one legal move.
    OnlyMove,
    /// The search tree has filled its memory.
    Memory,
    /// The evaluator or a worker failed; the move is the best found so far.
    Failed,
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StopReason::Visits => "visits",
            StopReason::Time => "time",
            StopReason::Interrupted => "interrupted",
            StopReason::Proven => "proven",
            StopReason::OnlyMove => "only move",
            StopReason::Memory => "memory full",
            StopReason::Failed => "failed",
        })
    }
}
