//! Where operating systems differ: locks, names of files, processes and their children, Ctrl-C, the
//! console. The rest of the house is the same everywhere; `gtp-tests/portable.rs` watches over that.
//! What Linux tells under `/proc` is asked for where it is needed, and not known elsewhere.

mod console;
mod files;
mod interrupt;
mod processes;

pub(crate) use console::hold_window;
pub(crate) use files::{open_to_lock, rename, sync_folder, try_lock};
pub(crate) use interrupt::{end, end_as_interrupted, raise_on_interrupt};
pub(crate) use processes::ProcessGroup;
