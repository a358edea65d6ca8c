//! Kinds of messages about an engine.

use serde::{Deserialize, Serialize};

/// Kind of a message about an engine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ComplaintKind {
    /// A complaint on its error stream.
    #[default]
    Stream,
    /// It refused a setting of the match, and may play by other rules than the referee.
    Refusal,
    /// It has no command for the setting; its command line may have set it.
    Untold,
}

impl ComplaintKind {
    /// Whether it is the default kind, which results omit.
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
    pub(super) fn is_stream(&self) -> bool {
        *self == ComplaintKind::Stream
    }

    /// Whether the engine did not play as requested.
    #[must_use]
    pub fn is_trouble(self) -> bool {
        self != ComplaintKind::Untold
    }
}
