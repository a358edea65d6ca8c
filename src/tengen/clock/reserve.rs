//! Reserves of a clock for lag and accidents.

use std::time::Duration;

use super::budget::from_seconds;
use super::experience::Experience;

/// The share of the remaining time that the assumed lag of all future moves takes at most.
const ASSUMED_LAG_SHARE: f64 = 0.25;
/// Added to an assumed lag in reserves.
const LEAST_LAG: Duration = Duration::from_millis(5);
/// An accident may take a second: this much is reserved for it, in seconds, unless it is more than
/// this share of a short clock.
const LEAST_ACCIDENT: f64 = 1.3;
const LARGEST_ACCIDENT_SHARE: f64 = 0.03;
/// A clock too short for that reserves this, in seconds, unless it is more than this larger share.
const SMALL_ACCIDENT: f64 = 0.3;
const LARGEST_SMALL_SHARE: f64 = 0.05;
/// Maximum reserve for accidents, in seconds.
const LARGEST_ACCIDENT: f64 = 5.0;
/// The reserve for accidents beyond the minimum is released over this many last moves, if the
/// controller reports the time.
const RELEASE_MOVES: f64 = 12.0;
/// The accident that an overtime period must survive, in seconds: one of a second, and jitter.
const PERIOD_ACCIDENT: f64 = 1.2;
/// Maximum share reserved of a period whose end loses the game.
const LAST_PERIOD_SHARE: f64 = 0.1;
/// Maximum share of the remaining time reserved for the lag of future moves.
const LARGEST_LAG_RESERVE: f64 = 0.6;

/// Minimum time per move: a root evaluation takes a few milliseconds. It is reserved for every
/// future move.
pub(super) const LEAST_HARD: Duration = Duration::from_millis(10);

impl Experience {
    /// Lag of this many moves. While it is only assumed it may not take a short clock's thinking
    /// time.
    pub(super) fn lag_of(&self, moves: u32) -> Duration {
        let lag = if self.lag.is_assumed() {
            let lag = self.lag.mean() * moves;
            let most = self.present.mul_f64(ASSUMED_LAG_SHARE);
            let lag = if self.lag_is_told { lag } else { lag.min(most) };
            lag + LEAST_LAG * moves
        } else {
            self.lag.reserve(moves)
        };
        // Neither a single spike nor a set value may take the whole clock.
        lag.min(self.present.mul_f64(LARGEST_LAG_RESERVE))
    }

    /// Reserve of a byoyomi or Canadian period, where an overrun costs a period or the game: a bad
    /// lag, several times the usual one until it is measured well, and a share of the period for
    /// accidents, a larger one if there is no period to lose.
    pub(super) fn margin(&self, period: Duration, last: bool) -> Duration {
        let lag = if self.lag.is_known() {
            self.lag.worst()
        } else {
            self.lag.careful() * 3
        };
        let share = match last {
            true => LAST_PERIOD_SHARE,
            false => LARGEST_ACCIDENT_SHARE,
        };
        lag + period_accident(period, share)
    }

    /// Reserve of a Canadian period for a second accident, which adds to the first while the
    /// controller does not report the time.
    pub(super) fn untold_accident(&self, period: Duration) -> Duration {
        if self.lag.is_assumed() {
            period_accident(period, LAST_PERIOD_SHARE)
        } else {
            Duration::ZERO
        }
    }

    /// Reserved time: lag and the minimum time of every future move, and a reserve for accidents.
    pub(super) fn reserve(&self, moves: u32) -> Duration {
        let full = self.full.as_secs_f64();
        let least = least_accident(full);
        let told = (self.params.time_reserve * full).clamp(least, LARGEST_ACCIDENT);
        let accidents = if self.lag.is_assumed() {
            // Without reports of the time errors add up.
            2.0 * told
        } else {
            let released = told * (f64::from(moves) / RELEASE_MOVES).min(1.0);
            released.max(least)
        };
        self.lag_of(moves) + LEAST_HARD * moves + from_seconds(accidents)
    }
}

/// Reserve for accidents of a clock, until its last move, in seconds.
fn least_accident(full: f64) -> f64 {
    let small = SMALL_ACCIDENT.min(LARGEST_SMALL_SHARE * full);
    small.max(LARGEST_ACCIDENT_SHARE * full).min(LEAST_ACCIDENT)
}

/// Reserve of a period for one accident: at most this share of it.
fn period_accident(period: Duration, share: f64) -> Duration {
    period.mul_f64(share).min(from_seconds(PERIOD_ACCIDENT))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::TimeParams;

    #[test]
    fn what_is_only_assumed_takes_a_quarter_of_a_short_clock_in_a_long_game() {
        let reserve = |lag| {
            let mut assumed = Experience::new(TimeParams::default(), lag);
            assumed.full = Duration::from_secs(10);
            assumed.present = Duration::from_secs(8);
            assumed.lag_of(120).as_secs_f64()
        };
        // Plus five milliseconds a move.
        assert!((reserve(None) - 2.6).abs() < 1e-9, "{}", reserve(None));
        assert!((reserve(Some(Duration::from_millis(30))) - 4.2).abs() < 1e-9);
    }

    #[test]
    fn what_is_kept_for_accidents_grows_with_the_clock() {
        for (full, kept) in [
            (2.0, 0.1),
            (6.0, 0.3),
            (10.0, 0.3),
            (20.0, 0.6),
            (60.0, 1.3),
        ] {
            assert!((least_accident(full) - kept).abs() < 1e-9, "{full}");
        }
    }

    #[test]
    fn a_wild_connection_does_not_take_the_whole_clock() {
        let mut known = Experience::new(TimeParams::default(), None);
        known.full = Duration::from_secs(60);
        known.present = Duration::from_secs(5);
        for mv in 0..40 {
            known.lag.measure(f64::from(mv % 2) * 20.0, 1, false);
        }
        let kept = known.reserve(12).as_secs_f64();
        assert!(kept < 5.0 * LARGEST_LAG_RESERVE + 1.8 + 0.2, "{kept}");
    }
}
