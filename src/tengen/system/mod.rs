//! Differences between operating systems: locks, new and temporary files, processes and their children,
//! Ctrl-C, the console, memory. All other code is the same everywhere, checked by `gtp-tests/portable.rs`.
//! Information from Linux's `/proc` is read where it is needed, and unknown elsewhere.

mod files;
mod interrupt;
mod processes;

use std::hint::black_box;
use std::thread;

pub use files::{
    UNFINISHED, open_to_lock, own_temporary_folder, rename, replace, sync_folder, try_lock,
    write_unfinished,
};
pub use interrupt::{
    end, end_as_interrupted, hold_window, raise_on_hangup, raise_on_interrupt, raise_on_kill,
};
pub use processes::{Guard, ProcessGroup, watch};

/// Bytes that are left to the rest of the program. More than 32 MiB: the C library of Linux gets so much from the
/// system each time and keeps nothing of it, and how it gets other memory does not change.
const RESERVE: usize = 36 << 20;

/// Whether the system offers this many bytes and some more. It refuses where the memory of the process is limited
/// (`ulimit -v`).
///
/// A request for memory that is refused ends the program. So whatever grows without a need to, such as the tree of
/// a search, asks first, and leaves something to all others.
pub fn is_offered(bytes: usize) -> bool {
    let mut memory = Vec::<u8>::new();
    // Nothing is accessed: it costs two system calls.
    let is_offered = memory
        .try_reserve_exact(bytes.saturating_add(RESERVE))
        .is_ok();
    // Without a use of the memory the compiler may leave the request out.
    black_box(&memory);
    is_offered
}

/// Processors that this process may use; 1 where the system does not say.
pub fn processors() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

/// Name of this machine, as Linux says it; else that of its environment, which schedulers pass on from another one.
pub fn host_name() -> Option<String> {
    let told = std::fs::read_to_string("/proc/sys/kernel/hostname");
    let mut names = ["HOSTNAME", "COMPUTERNAME"].map(std::env::var).into_iter();
    told.ok().or_else(|| names.find_map(Result::ok))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_there_can_be_is_not_offered() {
        assert!(is_offered(0) && is_offered(1 << 20));
        assert!(!is_offered(isize::MAX as usize) && !is_offered(usize::MAX));
    }
}
