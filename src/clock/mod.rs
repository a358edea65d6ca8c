//! Time: where it is read, how it is shared out, and when a search should stop.
//!
//! Everything but [`SystemClock`] and [`process_cpu_time`] is a pure function of plain data. No
//! other room reads the time.

mod allot;
mod control;
mod cpu;
mod side;
mod source;
mod stop;

pub use allot::even_split;
pub use control::{BadTimeControl, Overtime, TimeControl, count, seconds};
pub use cpu::process_cpu_time;
pub use side::{SideClock, TimeLeft};
pub use source::{Clock, FakeClock, SystemClock};
pub use stop::{Budget, StopReason};
