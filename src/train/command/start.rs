//! The start and the end of a program of training, also by Ctrl-C during a long command, or the end of its terminal:
//! it prints the result so far, and how to continue. The files are consistent at any time, so the program then ends.
//! A second Ctrl-C ends it at once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use parking_lot::Mutex;

use crate::TrainError;
use crate::durable::waits_for_room;
use tengen::program;

/// How most interrupted commands are continued.
pub const GOES_ON: &str =
    "Whole games and checkpoints are kept; the same command continues from there.";

/// Exit status of a program that must not work on a run, so that schedulers do not start it again:
/// `EX_CONFIG` of sysexits.h.
const REFUSED: i32 = 78;

/// Runs the program of this name with a log, and ends the process with the status of the result. Call it after
/// [`tengen::processor::check`], with nothing else in `main`.
#[inline(never)]
pub fn start(name: &str, run: impl FnOnce() -> anyhow::Result<()>) -> ! {
    let status = match prepare().and_then(|()| run()) {
        Ok(()) => 0,
        Err(error) => {
            program::tell(format_args!(
                "{name}: {}\n",
                program::one_line(error.as_ref())
            ));
            match error.downcast_ref::<TrainError>() {
                Some(TrainError::Refused(_)) => REFUSED,
                _ => 1,
            }
        }
    };
    program::end(status)
}

/// Sets up the log, and makes this thread one of the pool's.
///
/// Fitting runs thousands of short parallel steps a second from one thread. As one of the pool's threads it does its
/// share at once, instead of waking another thread and waiting for it, which on a busy machine takes longer than the
/// step.
fn prepare() -> anyhow::Result<()> {
    // A proof is no news where thousands of positions are searched; tract warns of all recent sets of operators.
    let usual = "info,tengen::engine::solver_thinker=warn,tract_onnx::model=error";
    let filter = env_logger::Env::default().default_filter_or(usual);
    env_logger::Builder::from_env(filter).init();
    rayon::ThreadPoolBuilder::new()
        .use_current_thread()
        .build_global()?;
    Ok(())
}

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
                while !watch.is_asked() || watch.is_left_alone() {
                    std::thread::sleep(LOOK_INTERVAL);
                }
                let mut so_far = watch.so_far.lock().clone();
                if waits_for_room() {
                    so_far += "; what the full disk had no room for is lost";
                }
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

    /// Whether the command will end by itself: not while it waits for room on a full disk.
    fn is_left_alone(&self) -> bool {
        self.left_alone.load(Ordering::Relaxed) && !waits_for_room()
    }

    /// Prints the result so far and ends the program, as an uncaught Ctrl-C would.
    pub fn end(&self, so_far: &str) {
        program::tell(format_args!("\nInterrupted {so_far}\n{}\n", self.goes_on));
        if let Err(error) = program::end_as_interrupted() {
            program::tell(format_args!("tengen-train: {error}\n"));
        }
    }
}
