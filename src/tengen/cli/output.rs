//! Output of subcommands that are not sessions, and error messages.

use std::io::{ErrorKind, Write as _};

use serde::Serialize;
use tengen::program::one_line;

/// Prints the error that ends the program, on the standard error stream.
pub(crate) fn complain(error: &anyhow::Error) {
    // If even that fails, nothing can be reported.
    let text = one_line(error.as_ref());
    let _ = writeln!(std::io::stderr(), "tengen: {text}");
}

/// Writes a line to the standard output; for subcommands that are not a session.
pub(super) fn print(line: &str) -> anyhow::Result<()> {
    // Flushed, so that tables appear row by row also through a pipe.
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}

/// Writes a report to the standard output, as JSON or as text.
pub(super) fn print_report<R: Serialize>(
    report: &R,
    json: bool,
    text: impl FnOnce(&R) -> String,
) -> anyhow::Result<()> {
    print(&match json {
        true => serde_json::to_string(report)?,
        false => text(report),
    })
}

/// Whether the standard output was closed.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<std::io::Error>();
    io.is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}
