//! What is said of a part of the machine.

use serde::Serialize;

/// How something is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    /// It works.
    Ok,
    /// It is not there, and nobody asked for it.
    Absent,
    /// It does not work, and it was asked for.
    Broken,
}

#[derive(Debug, Serialize)]
pub(super) struct Finding {
    pub(super) state: State,
    pub(super) what: &'static str,
    pub(super) text: String,
    /// What mends it; empty when there is nothing to mend.
    pub(super) mend: String,
}

impl Finding {
    pub(super) fn ok(what: &'static str, text: String) -> Finding {
        Finding {
            state: State::Ok,
            what,
            text,
            mend: String::new(),
        }
    }
}
