//! Ctrl-C, and ends of the process that need no clearing up.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Has Ctrl-C or a plain `kill` raise a flag; the second one ends the process.
#[cfg(unix)]
pub(crate) fn raise_on_interrupt(raised: &Arc<AtomicBool>) -> io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::flag;

    for signal in [SIGINT, SIGTERM] {
        // In this order: only the second one finds the flag up.
        flag::register_conditional_default(signal, Arc::clone(raised))?;
        flag::register(signal, Arc::clone(raised))?;
    }
    Ok(())
}

/// Has Ctrl-C or Ctrl-Break raise a flag; the second one ends the process. When the window is closed
/// the system ends it in any case. To be called once in a process.
#[cfg(not(unix))]
pub(crate) fn raise_on_interrupt(raised: &Arc<AtomicBool>) -> io::Result<()> {
    use std::sync::atomic::Ordering;

    let raised = Arc::clone(raised);
    let handler = move || {
        if raised.swap(true, Ordering::Relaxed) {
            end(INTERRUPTED);
        }
    };
    ctrlc::set_handler(handler).map_err(io::Error::other)
}

/// Ends the process as Ctrl-C ends one that does not catch it: a shell ends its loop, too.
///
/// # Errors
/// As the system's.
#[cfg(unix)]
pub(crate) fn end_as_interrupted() -> io::Result<()> {
    signal_hook::low_level::emulate_default_handler(signal_hook::consts::SIGINT)
}

/// Ends the process as Ctrl-C ends one that does not catch it: `cmd` asks whether to end its batch
/// file, too.
#[cfg(not(unix))]
pub(crate) fn end_as_interrupted() -> io::Result<()> {
    end(INTERRUPTED)
}

/// `STATUS_CONTROL_C_EXIT` of the Windows API.
#[cfg(not(unix))]
const INTERRUPTED: i32 = 0xc000_013a_u32.cast_signed();

/// Ends the process without running what C libraries have put off until the end.
#[cfg(unix)]
pub(crate) fn end(status: i32) -> ! {
    signal_hook::low_level::exit(status)
}

/// Ends the process: on Windows the standard library does not go by way of the C library.
#[cfg(not(unix))]
#[expect(
    clippy::disallowed_methods,
    reason = "all is written where this is called"
)]
pub(crate) fn end(status: i32) -> ! {
    std::process::exit(status)
}
