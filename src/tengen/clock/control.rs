//! Time controls, and what is left on a clock, as plain values.

use std::fmt;
use std::time::Duration;

/// What follows when a side's main time is used up, or is added to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overtime {
    /// Nothing: the clock has run out (sudden death).
    None,
    /// Canadian: a number of moves within each period; a new period starts after the last of them.
    Canadian {
        /// Length of a period.
        period: Duration,
        /// Moves to be made in a period, at least 1.
        stones: u32,
    },
    /// Byoyomi: periods for one move each; a move made within a period resets it.
    Byoyomi {
        /// Length of a period.
        period: Duration,
        /// Number of periods, the last one included; at least 1.
        periods: u32,
    },
    /// Fischer: every finished move adds to the main time.
    Fischer {
        /// Added after each move.
        increment: Duration,
        /// Maximum main time.
        most_main: Option<Duration>,
        /// Maximum time per move.
        most_move: Option<Duration>,
    },
}

/// The time each side has for a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TimeControl {
    /// No clock: time is never charged.
    #[default]
    Unlimited,
    /// Main time, then overtime.
    Limited {
        /// Main time of each side.
        main: Duration,
        /// Overtime after it.
        overtime: Overtime,
    },
}

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
