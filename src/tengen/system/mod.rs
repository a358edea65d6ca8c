//! Differences between operating systems: locks, names of files, processes and their children,
//! Ctrl-C, the console, memory. All other code is the same everywhere, checked by `gtp-tests/portable.rs`.
//! Information from Linux's `/proc` is read where it is needed, and unknown elsewhere.

mod console;
mod files;
mod guard;
mod interrupt;
mod memory;
mod processes;

pub use console::hold_window;
pub use files::own_temporary_folder;
pub use files::{open_to_lock, rename, sync_folder, try_lock};
pub use guard::{Guard, watch};
pub use interrupt::{end, end_as_interrupted, raise_on_hangup, raise_on_interrupt};
pub use memory::is_offered;
pub use processes::ProcessGroup;
