//! Ctrl-C during a match, or the end of its terminal: kills the engines and prints the result so far,
//! which is kept. A second Ctrl-C ends the program at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use tengen::program;
use tengen::referee::EngineProcesses;

use crate::output::tell;

/// Whether the program was interrupted.
#[derive(Clone)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Catches Ctrl-C and the end of the terminal from now on; call it once.
    pub(crate) fn caught() -> Result<Interrupt> {
        let raised = program::stop_on_ctrl_c().context("Ctrl-C cannot be caught")?;
        Ok(Interrupt(raised))
    }

    /// If interrupted, kills the engines, prints the result so far and ends the program, as an uncaught
    /// Ctrl-C would.
    pub(crate) fn end_if_asked(&self, engines: &EngineProcesses, so_far: impl FnOnce() -> String) {
        if !self.0.load(Ordering::Relaxed) {
            return;
        }
        // A busy one might never see that its input is closed.
        engines.kill();
        tell(format_args!("\n{}\n", so_far()));
        if let Err(error) = program::end_as_interrupted() {
            tell(format_args!("tengen-match: {error}\n"));
        }
        // In any case: games without their engines must not be kept.
        program::end(1)
    }
}
