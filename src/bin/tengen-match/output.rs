//! What the program says. A reader that went away, such as a closed terminal or `| head`, is no
//! reason to end a match.

use std::fmt::Display;
use std::io::{Write as _, stderr, stdout};

/// Writes text to the standard output: reports.
pub(crate) fn print(text: impl Display) {
    let mut out = stdout().lock();
    let _ = write!(out, "{text}").and_then(|()| out.flush());
}

/// Writes text to the standard error: progress and warnings.
pub(crate) fn tell(text: impl Display) {
    let mut out = stderr().lock();
    let _ = write!(out, "{text}").and_then(|()| out.flush());
}
