//! Time controls as plain values.

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
