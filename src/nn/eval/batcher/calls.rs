//! Statistics of evaluator calls.

use std::sync::atomic::{AtomicU64, Ordering};

/// Calls and rows of a batcher so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Calls {
    /// Calls of its evaluators.
    pub calls: u64,
    /// Rows (positions) evaluated in these calls.
    pub rows: u64,
}

/// [`Calls`] as atomic counters.
#[derive(Debug, Default)]
pub(super) struct Counted {
    calls: AtomicU64,
    rows: AtomicU64,
}

impl Counted {
    pub(super) fn add(&self, rows: usize) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.rows.fetch_add(rows as u64, Ordering::Relaxed);
    }

    pub(super) fn so_far(&self) -> Calls {
        Calls {
            calls: self.calls.load(Ordering::Relaxed),
            rows: self.rows.load(Ordering::Relaxed),
        }
    }
}
