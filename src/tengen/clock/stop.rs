//! Why a search ended.

use std::fmt;

/// Why a search ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopReason {
    /// The visit limit is reached.
    Visits,
    /// The time is used up.
    Time,
    /// The remaining time is unlikely to change the move: see `StopRules::overtake`.
    Settled,
    /// Stopped on request: `quit`, end of input, an interrupt.
    Interrupted,
    /// The result is proven.
    Proven,
    /// There is only one legal move, or only one that is not proven to lose.
    OnlyMove,
    /// The tree has filled its memory, and there was no time for pruning.
    Memory,
    /// There was no search: the move is from a book of openings.
    Book,
    /// The evaluator or a worker failed; the move is the best found so far.
    Failed,
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StopReason::Visits => "visits",
            StopReason::Time => "time",
            StopReason::Settled => "settled",
            StopReason::Interrupted => "interrupted",
            StopReason::Proven => "proven",
            StopReason::OnlyMove => "only move",
            StopReason::Memory => "memory full",
            StopReason::Book => "book",
            StopReason::Failed => "failed",
        })
    }
}
