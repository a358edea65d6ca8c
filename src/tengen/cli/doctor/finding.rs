//! Findings about parts of the machine.

use serde::Serialize;

/// State of a part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum State {
    /// It works.
    Ok,
    /// Not available, and not requested.
    Absent,
    /// Does not work, although requested.
    Broken,
}

#[derive(Debug, Serialize)]
pub(super) struct Finding {
    pub(super) state: State,
    pub(super) what: &'static str,
    pub(super) text: String,
    /// Suggested fix; empty if nothing needs fixing.
    pub(super) fix: String,
}

impl Finding {
    pub(super) fn ok(what: &'static str, text: String) -> Finding {
        Finding {
            state: State::Ok,
            what,
            text,
            fix: String::new(),
        }
    }
}
