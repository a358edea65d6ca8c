//! Ctrl-C, ends of the process without cleanup, and the window of a program started by a double click.

use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Makes Ctrl-C or a plain `kill` set a flag; the second one ends the process.
#[cfg(unix)]
pub fn raise_on_interrupt(raised: &Arc<AtomicBool>) -> io::Result<()> {
    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::flag;

    for signal in [SIGINT, SIGTERM] {
        // In this order: only the second one sees the flag set.
        match is_first_process() {
            true => {
                flag::register_conditional_shutdown(signal, SIGNALLED + signal, Arc::clone(raised))?
            }
            false => flag::register_conditional_default(signal, Arc::clone(raised))?,
        };
        flag::register(signal, Arc::clone(raised))?;
    }
    Ok(())
}

/// Makes a plain `kill` set a flag, too: before that of [`raise_on_interrupt`], if it is called before that.
#[cfg(unix)]
pub fn raise_on_kill(raised: &Arc<AtomicBool>) -> io::Result<()> {
    signal_hook::flag::register(signal_hook::consts::SIGTERM, Arc::clone(raised)).map(drop)
}

/// There is none: what ends a process ends it at once.
#[cfg(not(unix))]
pub fn raise_on_kill(_raised: &Arc<AtomicBool>) -> io::Result<()> {
    Ok(())
}

/// Status of a process that a signal ended, to which its number is added, as a shell has it.
#[cfg(unix)]
const SIGNALLED: i32 = 128;

/// Whether this is a container's first process, which no signal ends by default.
#[cfg(unix)]
fn is_first_process() -> bool {
    std::process::id() == 1
}

/// Makes Ctrl-C or Ctrl-Break set a flag; the second one ends the process. When the window is
/// closed the system ends it in any case. To be called once in a process.
#[cfg(not(unix))]
pub fn raise_on_interrupt(raised: &Arc<AtomicBool>) -> io::Result<()> {
    use std::sync::atomic::Ordering;

    let raised = Arc::clone(raised);
    let handler = move || {
        if raised.swap(true, Ordering::Relaxed) {
            end(INTERRUPTED);
        }
    };
    ctrlc::set_handler(handler).map_err(io::Error::other)
}

/// Makes the end of the terminal set a flag, too, each time that it is told: a shell and the system
/// both do. It stays ignored where it is (`nohup`), and unchanged where that is not known.
#[cfg(unix)]
pub fn raise_on_hangup(raised: &Arc<AtomicBool>) -> io::Result<()> {
    use signal_hook::consts::SIGHUP;

    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    if is_ignored(SIGHUP, &status) == Some(false) {
        signal_hook::flag::register(SIGHUP, Arc::clone(raised))?;
    }
    Ok(())
}

/// Whether the process with this `/proc/self/status` ignores a signal; `None` if it does not say so.
#[cfg(unix)]
fn is_ignored(signal: i32, status: &str) -> Option<bool> {
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = u64::from_str_radix(ignored?.trim(), 16).ok()?;
    Some((ignored >> (signal - 1)) & 1 == 1)
}

/// The end of a console ends the process: [`raise_on_interrupt`].
#[cfg(not(unix))]
pub fn raise_on_hangup(_raised: &Arc<AtomicBool>) -> io::Result<()> {
    Ok(())
}

/// Ends the process like an uncaught Ctrl-C: a shell ends its loop, too.
///
/// # Errors
/// The system's error.
#[cfg(unix)]
pub fn end_as_interrupted() -> io::Result<()> {
    use signal_hook::consts::SIGINT;

    if is_first_process() {
        end(SIGNALLED + SIGINT);
    }
    signal_hook::low_level::emulate_default_handler(SIGINT)
}

/// Ends the process like an uncaught Ctrl-C: `cmd` asks whether to end its batch file, too.
#[cfg(not(unix))]
pub fn end_as_interrupted() -> io::Result<()> {
    end(INTERRUPTED)
}

/// `STATUS_CONTROL_C_EXIT` of the Windows API.
#[cfg(not(unix))]
const INTERRUPTED: i32 = 0xc000_013a_u32.cast_signed();

/// Ends the process without running the exit handlers of C libraries.
#[cfg(unix)]
pub fn end(status: i32) -> ! {
    signal_hook::low_level::exit(status)
}

/// Ends the process: on Windows the standard library does not use the C library for this.
#[cfg(not(unix))]
#[expect(
    clippy::disallowed_methods,
    reason = "all is written where this is called"
)]
pub fn end(status: i32) -> ! {
    std::process::exit(status)
}

/// Text for a user who started the program by a double click: read on, and close the window.
#[cfg(windows)]
const WORDS: &str = "\
This program is for board programs and consoles: START.txt beside it says how to begin.
本程序供对局界面和命令行使用：用法见同一文件夹里的 START.txt。
Press Enter to close. 按回车键关闭。";

/// Keeps the window open until its user has read it: Windows opens one for a program that is
/// started by a double click, and closes it at the end together with the error message.
#[cfg(windows)]
pub fn hold_window() {
    use std::io::{IsTerminal as _, Write as _, stderr, stdin};

    // A program started in a console usually has arguments.
    let is_bare = std::env::args_os().len() <= 1;
    if is_bare && stdin().is_terminal() && stderr().is_terminal() {
        // If this cannot be written, it cannot be read either.
        let _ = write!(stderr(), "\n{WORDS} ");
        let _ = stdin().read_line(&mut String::new());
    }
}

/// Elsewhere a window stays open by itself, or there is none.
#[cfg(not(windows))]
pub fn hold_window() {}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_told_apart() {
        let status = "Name:\ttengen\nSigBlk:\t0000000000000001\nSigIgn:\t0000000000001001\n";
        let ignored = |signal| is_ignored(signal, status);
        assert_eq!(
            [1, 2, 13].map(ignored),
            [Some(true), Some(false), Some(true)]
        );
        assert_eq!(is_ignored(1, ""), None);
        assert_eq!(is_ignored(1, "SigIgn:\tnone\n"), None);
    }
}
