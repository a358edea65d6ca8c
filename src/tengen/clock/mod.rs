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
mod params;
mod reading;
mod side;
mod source;
pub mod stop;
mod told;

pub(crate) use account::{ClockAccount, Told};
pub use budget::{Budget, Progress, StopRules};
pub use control::{
    BadTimeControl, KATA_SYSTEMS, LONGEST, Overtime, TimeControl, TimeLeft, count, seconds,
};
pub(crate) use experience::TimeManager;
pub use lag::USUAL_LAG;
pub(crate) use lag::{Lag, LagMeter};
pub(crate) use params::Situation;
pub use params::{MoveTimeUsed, TimeParams};
pub use side::SideClock;
pub use source::{
    Clock, FakeClock, PlayoutClock, SteadyClock, SystemClock, date_time, process_cpu_time,
    unix_time,
};
pub use stop::StopReason;
