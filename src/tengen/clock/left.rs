//! Remaining time on a clock.

use std::fmt;
use std::time::Duration;

/// Remaining time of one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeLeft {
    /// No limit, as without a clock.
    Unlimited,
    /// In main time, with all overtime still available.
    Main(Duration),
    /// In a Canadian period.
    Canadian {
        /// Remaining time in this period.
        period: Duration,
        /// Remaining moves in this period, at least 1.
        stones: u32,
    },
    /// In a byoyomi period.
    Byoyomi {
        /// Remaining time in this period.
        period: Duration,
        /// Remaining periods, this one included; 0 when time has run out.
        periods: u32,
    },
}

impl TimeLeft {
    /// The time in main time or in the period.
    pub(super) fn time(self) -> Duration {
        match self {
            TimeLeft::Unlimited => Duration::MAX,
            TimeLeft::Main(time)
            | TimeLeft::Canadian { period: time, .. }
            | TimeLeft::Byoyomi { period: time, .. } => time,
        }
    }
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
