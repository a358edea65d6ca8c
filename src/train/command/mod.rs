//! What the command lines of training share: start, flags, progress, Ctrl-C.

mod event_printer;
mod interrupt;
mod play_args;
mod start;

pub use event_printer::{EventPrinter, Reporter, print};
pub use interrupt::Interrupt;
pub use play_args::{Inference, MachineArgs, PlayArgs, Threads};
pub use start::{GOES_ON, start};
