//! Output of subcommands that are not sessions, their error messages, and their end by Ctrl-C.

use std::io::{ErrorKind, Write as _};

use anyhow::Context as _;
use serde::Serialize;
use tengen::program;
use tengen::program::one_line;
use tengen::search::StopFlag;

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

// Ctrl-C in subcommands with results to report or to save: the first one asks it to end, the
// second ends it.

/// A flag that Ctrl-C or `kill` raises.
pub(super) fn stop_on_ctrl_c() -> anyhow::Result<StopFlag> {
    let raised = program::stop_on_ctrl_c().context("Ctrl-C cannot be caught")?;
    Ok(StopFlag::from(raised))
}

/// Ends the program as an uncaught Ctrl-C would, so that a shell ends its loop, too.
pub(super) fn end_as_interrupted() -> anyhow::Result<()> {
    program::end_as_interrupted().context("interrupted")
}
