//! Time: clocks, time allocation, and when a search should stop.
//!
//! Only [`SystemClock`], [`unix_time`] and [`process_cpu_time`] read the machine's time or date; no
//! other module does. Time allocation and stop rules are functions of plain data.

mod account;
mod allotment;
mod budget;
mod control;
mod experience;
mod lag;
mod manager;
mod params;
mod reading;
mod side;
mod situation;
mod source;
mod steady;
mod stop;
pub mod stop_delays;
mod text;
mod told;

pub use account::{ClockAccount, Told};
pub use budget::{Budget, Progress, StopRules};
pub use control::{Overtime, TimeControl, TimeLeft};
pub use experience::USUAL_LAG;
pub use lag::{Lag, LagMeter};
pub use manager::TimeManager;
pub use params::TimeParams;
pub use side::SideClock;
pub use situation::{MoveTimeUsed, Situation};
pub use source::{
    Clock, FakeClock, PlayoutClock, SystemClock, date_time, process_cpu_time, unix_time,
};
pub use steady::SteadyClock;
pub use stop::StopReason;
pub use text::{BadTimeControl, KATA_SYSTEMS, LONGEST, count, seconds};
