//! Output of the program. A reader that closes its pipe, such as a closed terminal or `| head`,
//! does not end a match.

use std::fmt::Display;

use anyhow::{Context as _, Result};
use serde::Serialize;
use tengen::program;
pub(crate) use tengen::program::tell;

/// Writes text to the standard output: reports.
pub(crate) fn print(text: impl Display) -> Result<()> {
    Ok(program::print(text)?)
}

/// Writes a JSON report.
pub(crate) fn print_json(report: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(report).context("the report")?;
    print(format_args!("{text}\n"))
}
