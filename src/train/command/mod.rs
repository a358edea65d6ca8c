//! What the command lines of training share: flags, progress, Ctrl-C.

mod event_printer;
mod interrupt;
mod play_args;
mod progress;

pub use event_printer::EventPrinter;
pub use interrupt::Interrupt;
pub use play_args::{Inference, MachineArgs, PlayArgs, Threads};
pub use progress::{Reporter, print};

/// Makes this thread one of the pool's, at the start of a program.
///
/// Fitting runs thousands of short parallel steps a second from one thread. As one of the pool's threads it does its
/// share at once, instead of waking another thread and waiting for it, which on a busy machine takes longer than the
/// step.
///
/// # Errors
/// When the pool exists already, or the system gives no threads.
pub fn fit_on_this_thread() -> Result<(), rayon::ThreadPoolBuildError> {
    rayon::ThreadPoolBuilder::new()
        .use_current_thread()
        .build_global()
}
