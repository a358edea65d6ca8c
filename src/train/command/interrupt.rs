//! Ctrl-C during a long command, or the end of its terminal: prints the result so far, and how to continue. The files are
//! consistent at any time, so the program then ends. A second Ctrl-C ends it at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use parking_lot::Mutex;
use tengen::program;

/// Interval of the check for an interrupt.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);

/// Whether the program was interrupted, and its message.
#[derive(Clone)]
pub struct Interrupt {
    asked: Arc<AtomicBool>,
    /// Whether the command ends by itself.
    left_alone: Arc<AtomicBool>,
    so_far: Arc<Mutex<String>>,
    /// How the same command continues.
    goes_on: &'static str,
}

impl Interrupt {
    /// Catches Ctrl-C from now on, call it once; `goes_on` says how the work continues.
    pub fn caught(goes_on: &'static str) -> anyhow::Result<Interrupt> {
        let asked = program::stop_on_ctrl_c().context("Ctrl-C cannot be caught")?;
        let interrupt = Interrupt {
            asked,
            left_alone: Arc::new(AtomicBool::new(false)),
            so_far: Arc::new(Mutex::new("before anything was done".to_owned())),
            goes_on,
        };
        let watch = interrupt.clone();
        std::thread::Builder::new()
            .name("interrupt".to_owned())
            .spawn(move || {
                while !watch.is_asked() || watch.left_alone.load(Ordering::Relaxed) {
                    std::thread::sleep(LOOK_INTERVAL);
                }
                let so_far = watch.so_far.lock().clone();
                watch.end(&so_far);
            })?;
        Ok(interrupt)
    }

    /// Sets the progress text for an interrupt.
    pub fn tell(&self, so_far: String) {
        *self.so_far.lock() = so_far;
    }

    /// Whether the program was interrupted.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Relaxed)
    }

    /// From now on the command checks [`Interrupt::is_asked`] itself and then calls
    /// [`Interrupt::end`].
    pub fn leave_alone(&self) {
        self.left_alone.store(true, Ordering::Relaxed);
    }

    /// Prints the result so far and ends the program, as an uncaught Ctrl-C would.
    pub fn end(&self, so_far: &str) {
        program::tell(format_args!("\nInterrupted {so_far}\n{}\n", self.goes_on));
        if let Err(error) = program::end_as_interrupted() {
            program::tell(format_args!("tengen-train: {error}\n"));
        }
    }
}
