//! What the command lines of training share: start, flags, progress, Ctrl-C.

mod event_printer;
mod play_args;
mod start;

pub use event_printer::{EventPrinter, Reporter, print};
pub use play_args::{Inference, MachineArgs, PlayArgs, Threads, refuse_katago};
pub use start::{GOES_ON, Interrupt, start};
