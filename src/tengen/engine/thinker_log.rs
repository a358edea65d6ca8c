//! A log of the networks in use, of failures and their reasons.

use std::sync::Arc;

use parking_lot::Mutex;

/// Events so far; clones share them.
#[derive(Debug, Clone, Default)]
pub struct ThinkerLog(Arc<Mutex<Vec<String>>>);

impl ThinkerLog {
    /// Adds an event.
    pub fn note(&self, text: String) {
        self.0.lock().push(text);
    }

    /// All events in order; empty before the first search.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        self.0.lock().clone()
    }
}
