//! What a line about an engine tells.

use serde::{Deserialize, Serialize};

/// What a line about an engine tells.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ComplaintKind {
    /// It complained on its error stream.
    #[default]
    Stream,
    /// It refused what the match asked of it, and may play by other rules than the referee.
    Refusal,
    /// It has no command by which it could be told; its command line may have done so.
    Untold,
}

impl ComplaintKind {
    /// Whether it is the usual kind, which results do not write out.
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
    pub(super) fn is_stream(&self) -> bool {
        *self == ComplaintKind::Stream
    }

    /// Whether the engine did not play as it was asked.
    #[must_use]
    pub fn is_trouble(self) -> bool {
        self != ComplaintKind::Untold
    }
}
