//! Maximum delays when a search is stopped. Outer levels wait longer: the search for its threads,
//! the engine for its search, the time manager before the clock runs out.

use std::time::Duration;

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
