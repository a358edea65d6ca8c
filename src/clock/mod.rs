//! Time: where it is read, how it is shared out, and when a search should stop.
//!
//! Everything but [`SystemClock`] is a pure function of plain data. No other room reads the time.

mod source;
mod stop;

pub use source::{Clock, FakeClock, SystemClock};
pub use stop::{Budget, StopReason};
