//! How long the end of a search may take. Who waits further outside waits longer: the search for its
//! threads, the engine for its search, the time manager before the clock runs out.

use std::time::Duration;

/// How often who waits looks at the clock and at the stop flag.
pub const LOOK: Duration = Duration::from_millis(5);

/// How long a search waits for its threads when they should come home: the evaluation of a batch.
pub const BATCH: Duration = Duration::from_millis(35);

/// From the word that it is to end to the answer of a search: it sees the word, waits for its threads
/// and sees that they are late.
pub const ANSWER: Duration = BATCH.saturating_add(LOOK.saturating_mul(2));

/// From that word to where the engine gives the search up. A program that has to end within 100 ms
/// has half of them left, whatever its search does.
pub const GRACE: Duration = ANSWER.saturating_add(LOOK);
