//! Output of the program. A reader that closes its pipe, such as a closed terminal or `| head`,
//! does not end a match.

use std::fmt::Display;
use std::io::{Write as _, stderr};

use anyhow::{Context as _, Result};
use serde::Serialize;
use tengen::program;

/// Writes text to the standard output: reports.
pub(crate) fn print(text: impl Display) -> Result<()> {
    Ok(program::print(text)?)
}

/// Writes a JSON report.
pub(crate) fn print_json(report: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(report).context("the report")?;
    print(format_args!("{text}\n"))
}

/// Writes text to the standard error: progress and warnings.
pub(crate) fn tell(text: impl Display) {
    let mut out = stderr().lock();
    let _ = write!(out, "{text}").and_then(|()| out.flush());
}
