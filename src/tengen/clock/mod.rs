//! Time: clocks, time allocation, and when a search should stop.
//!
//! Only [`SystemClock`], [`unix_time`] and [`process_cpu_time`] read the machine's time or date; no
//! other module does. Time allocation and stop rules are functions of plain data.

mod account;
mod allotment;
mod budget;
mod calendar;
mod control;
mod cpu;
mod experience;
mod habit;
mod lag;
mod left;
mod manager;
mod params;
mod reading;
mod reserve;
mod side;
mod situation;
mod source;
mod stop;
pub mod stop_delays;
mod takeover;
mod text;
mod told;

pub use account::{ClockAccount, Told};
pub use budget::{Budget, Progress, StopRules};
pub use calendar::{date_time, unix_time};
pub use control::{Overtime, TimeControl};
pub use cpu::process_cpu_time;
pub use experience::USUAL_LAG;
pub use lag::{Lag, LagMeter};
pub use left::TimeLeft;
pub use manager::TimeManager;
pub use params::TimeParams;
pub use side::SideClock;
pub use situation::{MoveTimeUsed, Situation};
pub use source::{Clock, FakeClock, PlayoutClock, SystemClock};
pub use stop::StopReason;
pub use text::{BadTimeControl, KATA_SYSTEMS, LONGEST, count, seconds};
