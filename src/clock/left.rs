//! What is on a clock.

use std::fmt;
use std::time::Duration;

/// The time that one side has left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeLeft {
    /// No limit.
    Unlimited,
    /// In main time, with all the overtime still to come.
    Main(Duration),
    /// In a Canadian period.
    Canadian {
        /// Time left in this period.
        period: Duration,
        /// Moves still to be made in this period, at least 1.
        stones: u32,
    },
    /// In a byoyomi period.
    Byoyomi {
        /// Time left in this period.
        period: Duration,
        /// Periods left, this one included; 0 when time has run out.
        periods: u32,
    },
}

impl fmt::Display for TimeLeft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeLeft::Unlimited => f.write_str("no limit"),
            TimeLeft::Main(main) => write!(f, "{:.2} s", main.as_secs_f64()),
            TimeLeft::Canadian { period, stones } => {
                write!(f, "{:.2} s for {stones} stones", period.as_secs_f64())
            }
            TimeLeft::Byoyomi { period, periods } => {
                write!(f, "{:.2} s of {periods} periods", period.as_secs_f64())
            }
        }
    }
}
