//! The start and the end of a program of training.

use tengen::program;

use crate::TrainError;

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
    let filter = env_logger::Env::default().default_filter_or("info");
    env_logger::Builder::from_env(filter).init();
    rayon::ThreadPoolBuilder::new()
        .use_current_thread()
        .build_global()?;
    Ok(())
}
