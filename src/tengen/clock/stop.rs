//! Why a search ended, and how long that takes at most.
//!
//! Of the delays outer levels wait longer: the search for its threads, the engine for its search, the time manager
//! before the clock runs out.

use std::fmt;
use std::time::Duration;

/// Why a search ended. The default is for empty reports: a search of no visits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum StopReason {
    /// The visit limit is reached.
    #[default]
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
    /// The tree has filled its memory, and there was none for pruning; trees over playouts are not pruned.
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

/// Interval at which a waiting thread checks clock and stop flag.
pub const LOOK: Duration = Duration::from_millis(5);

/// How long a search waits for its threads to finish: the evaluation of a batch.
pub const BATCH: Duration = Duration::from_millis(35);

/// From the stop request to the answer of a search: it sees the request, waits for its threads and
/// notices that they are late.
pub const ANSWER: Duration = BATCH.saturating_add(LOOK.saturating_mul(2));

/// From the stop request to when the engine gives the search up. A program that must end within 100
/// ms has half of them left, regardless of its search.
pub const GRACE: Duration = ANSWER.saturating_add(LOOK);
