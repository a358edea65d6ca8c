//! Who chooses the moves and why: written where networks are loaded and fail, read by whoever asks.

use std::sync::Arc;

use parking_lot::Mutex;

/// The story so far; clones share it.
#[derive(Debug, Clone, Default)]
pub struct Standing(Arc<Mutex<Vec<String>>>);

impl Standing {
    /// Adds what has happened.
    pub(super) fn note(&self, text: String) {
        self.0.lock().push(text);
    }

    /// Everything that has happened, the last last; nothing before the first search.
    #[must_use]
    pub fn story(&self) -> Vec<String> {
        self.0.lock().clone()
    }
}
