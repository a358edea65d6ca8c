//! Time controls: the agreed terms, as plain values.

use std::time::Duration;

/// What follows when a side's main time is used up, or is added to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overtime {
    /// Nothing: the clock has run out (sudden death).
    None,
    /// So many moves within each period; the period starts anew after the last of them.
    Canadian {
        /// Length of a period.
        period: Duration,
        /// Moves to be made in a period, at least 1.
        stones: u32,
    },
    /// Periods for one move each; a move made within a period gives the whole period back.
    Byoyomi {
        /// Length of a period.
        period: Duration,
        /// Periods that may be lost, the last one included; at least 1.
        periods: u32,
    },
    /// Nothing follows, but every finished move adds to the main time (Fischer).
    Fischer {
        /// Added after each move.
        increment: Duration,
        /// Main time never grows beyond this.
        most_main: Option<Duration>,
        /// No single move may take longer than this.
        most_move: Option<Duration>,
    },
}

/// The time each side has for a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TimeControl {
    /// No clock.
    #[default]
    Unlimited,
    /// Main time, then overtime.
    Limited {
        /// Main time of each side.
        main: Duration,
        /// What follows it.
        overtime: Overtime,
    },
}
