//! What subcommands that are no conversation write: to the standard output, and why they end.

use std::io::{ErrorKind, Write as _};

use tengen::program::one_line;

/// Says why the program ends, on the standard error stream.
pub(crate) fn complain(error: &anyhow::Error) {
    // Nobody is left to tell when even that fails.
    let text = one_line(error.as_ref());
    let _ = writeln!(std::io::stderr(), "tengen: {text}");
}

/// Writes a line to the standard output; for subcommands that are not a conversation.
pub(super) fn print(line: &str) -> anyhow::Result<()> {
    // Flushed, so that a table grows before the reader's eyes also through a pipe.
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}

/// Whether nobody reads the standard output any more.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let io = error.downcast_ref::<std::io::Error>();
    io.is_some_and(|error| error.kind() == ErrorKind::BrokenPipe)
}
