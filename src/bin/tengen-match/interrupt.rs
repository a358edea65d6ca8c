//! Ctrl-C during a match: prints the result so far, which is kept. A second one ends the program at
//! once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result};
use tengen::program;

use crate::output::tell;

/// Whether the program was interrupted.
#[derive(Clone)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Catches Ctrl-C from now on; call it once.
    pub(crate) fn caught() -> Result<Interrupt> {
        let raised = program::stop_on_ctrl_c().context("Ctrl-C cannot be caught")?;
        Ok(Interrupt(raised))
    }

    /// If interrupted, prints the result so far and ends the program, as an uncaught Ctrl-C would.
    /// Engines end with it: their input closes.
    pub(crate) fn end_if_asked(&self, so_far: impl FnOnce() -> String) {
        if self.0.load(Ordering::Relaxed) {
            tell(format_args!("\n{}\n", so_far()));
            if let Err(error) = program::end_as_interrupted() {
                tell(format_args!("tengen-match: {error}\n"));
            }
        }
    }
}
