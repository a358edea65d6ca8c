//! Ctrl-C where a subcommand has something to say or to keep: the first one asks it to end, the
//! second ends it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use anyhow::Context as _;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{flag, low_level};
use tengen::search::StopFlag;

/// A flag that Ctrl-C or a plain `kill` raises.
pub(super) fn stop_on_ctrl_c() -> anyhow::Result<StopFlag> {
    let raised = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        // In this order: only the second one finds the flag up.
        let ending = flag::register_conditional_default(signal, Arc::clone(&raised));
        let asking = ending.and_then(|_| flag::register(signal, Arc::clone(&raised)));
        asking.context("Ctrl-C cannot be caught")?;
    }
    Ok(StopFlag::from(raised))
}

/// Ends the program as Ctrl-C ends one that does not catch it, so that a shell ends its loop, too.
pub(super) fn end_as_interrupted() -> anyhow::Result<()> {
    low_level::emulate_default_handler(SIGINT).context("interrupted")
}
