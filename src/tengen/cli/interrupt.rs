//! Ctrl-C in subcommands with results to report or to save: the first one asks it to end, the
//! second ends it.

use anyhow::Context as _;
use tengen::program;
use tengen::search::StopFlag;

/// A flag that Ctrl-C or `kill` raises.
pub(super) fn stop_on_ctrl_c() -> anyhow::Result<StopFlag> {
    let raised = program::stop_on_ctrl_c().context("Ctrl-C cannot be caught")?;
    Ok(StopFlag::from(raised))
}

/// Ends the program as an uncaught Ctrl-C would, so that a shell ends its loop, too.
pub(super) fn end_as_interrupted() -> anyhow::Result<()> {
    program::end_as_interrupted().context("interrupted")
}
