//! Who is stronger, and how sure are we: matches between GTP engines under our own rules.
//!
//! The referee knows the rules of every game, trusts nothing an engine says, and never waits for
//! one longer than agreed. Engines are processes; nothing of this crate's own search or networks
//! is used here.

mod command_line;
mod gtp_client;
mod process;
mod side_clock;
pub mod stats;
mod time_control;
mod vertex;

pub use command_line::CommandLineError;
pub use gtp_client::{Answer, Fault, GtpClient};
pub use process::SpawnError;
pub use side_clock::{SideClock, TimeForfeit, TimeLeft};
pub use time_control::{BadTimeControl, TimeCommands, TimeControl};
