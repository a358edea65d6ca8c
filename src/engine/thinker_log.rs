//! Who chooses the moves and why: written where networks are loaded and fail, read by whoever asks.

use std::sync::Arc;

use parking_lot::Mutex;

/// What has happened so far; clones share it.
#[derive(Debug, Clone, Default)]
pub struct ThinkerLog(Arc<Mutex<Vec<String>>>);

impl ThinkerLog {
    /// Adds what has happened.
    pub(super) fn note(&self, text: String) {
        self.0.lock().push(text);
    }

    /// Everything that has happened, the last last; nothing before the first search.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        self.0.lock().clone()
    }
}
