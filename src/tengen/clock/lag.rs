//! Lag: time that a controller's clock charges for a move beyond the engine's own measurement.

use std::time::Duration;

use super::LONGEST;

/// Assumed lag per move, if it is neither set nor measured.
pub const USUAL_LAG: Duration = Duration::from_millis(60);
/// Weight of a new measurement, after the first ones.
const WEIGHT: f64 = 0.2;
/// Standard deviations reserved for a bad moment.
const DEVIATIONS: f64 = 3.0;
/// Minimum lag of a move, for pipes and schedulers.
const MIN_SECONDS: f64 = 0.005;

/// Time that a controller charges for a move beyond the engine's own measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Lag {
    /// The most to expect of a move, on average; the least is none.
    pub(crate) usual: Duration,
    /// By how much the moves since the last report may together exceed that.
    pub(crate) doubt: Duration,
}

/// A running estimate of the lag of one move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LagMeter {
    assumed_seconds: f64,
    mean_seconds: f64,
    variance: f64,
    measured: u32,
    /// The last measurement was.
    coarse: bool,
    /// Whether the assumption is the user's.
    pub(super) is_told: bool,
}

impl LagMeter {
    /// Before any measurement the lag of a move is `told`; `None` for [`USUAL_LAG`].
    pub(crate) fn new(told: Option<Duration>) -> LagMeter {
        let assumed = told.unwrap_or(USUAL_LAG).min(LONGEST).as_secs_f64();
        LagMeter {
            assumed_seconds: assumed,
            mean_seconds: assumed,
            variance: 0.0,
            measured: 0,
            coarse: false,
            is_told: told.is_some(),
        }
    }

    /// Records the total lag of `moves` moves, in seconds. `coarse`: the controller counts whole
    /// seconds, which show some of the lag and nothing of its jitter.
    pub(crate) fn measure(&mut self, lost_seconds: f64, moves: u32, coarse: bool) {
        let lag = lost_seconds / f64::from(moves.max(1));
        // A gain needs no reserve: this clock has charged time that the controller's does not
        // count.
        let lag = lag.max(0.0);
        self.coarse = coarse;
        let error = lag - self.mean_seconds;
        // The assumption counts as one measurement.
        let weight = WEIGHT.max(1.0 / f64::from(self.measured + 2));
        self.mean_seconds += weight * error;
        if !coarse && self.measured > 0 {
            self.variance = (1.0 - weight) * (self.variance + weight * error * error);
        }
        self.measured = self.measured.saturating_add(1);
    }

    /// The mean lag of a move.
    pub(crate) fn mean(&self) -> Duration {
        Duration::from_secs_f64(self.mean_seconds)
    }

    /// The mean lag, at least the assumed one until it is measured well.
    pub(crate) fn careful(&self) -> Duration {
        let least = match self.coarse {
            true => self.assumed_seconds,
            false => 0.0,
        };
        Duration::from_secs_f64(self.mean_seconds.max(least))
    }

    /// What to charge for the lag of a move, the `nth` since the time was last known, from 1.
    pub(crate) fn charge(&self, nth: u32) -> Lag {
        let unlucky = |moves: u32, deviation: f64| DEVIATIONS * deviation * f64::from(moves).sqrt();
        // Until it is measured well, as if lags were distributed exponentially.
        let deviation = match self.coarse {
            true => self.assumed_seconds,
            false => self.variance.sqrt(),
        };
        let more = unlucky(nth, deviation) - unlucky(nth.saturating_sub(1), deviation);
        let doubt = match self.is_assumed() {
            true => unlucky(nth, self.assumed_seconds),
            false => 0.0,
        };
        Lag {
            usual: self.careful() + Duration::from_secs_f64(more),
            doubt: Duration::from_secs_f64(doubt),
        }
    }

    /// The usual lag of a move, at least the minimum.
    pub(crate) fn usual(&self) -> Duration {
        Duration::from_secs_f64(self.mean_seconds.max(MIN_SECONDS))
    }

    /// A bad lag: the usual one and three standard deviations.
    pub(crate) fn worst(&self) -> Duration {
        self.reserve(1)
    }

    /// Whether the lag is only assumed.
    pub(crate) fn is_assumed(&self) -> bool {
        self.measured == 0
    }

    /// Whether lags were measured well enough to know a bad one.
    pub(crate) fn is_known(&self) -> bool {
        self.measured > 0 && !self.coarse
    }

    /// Total lag of `moves` moves, with three standard deviations of the sum.
    pub(crate) fn reserve(&self, moves: u32) -> Duration {
        let moves = f64::from(moves);
        let spread = DEVIATIONS * (self.variance * moves).sqrt();
        Duration::from_secs_f64(self.mean_seconds.max(MIN_SECONDS) * moves + spread)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(text: u64) -> Duration {
        Duration::from_millis(text)
    }

    #[test]
    fn the_assumption_holds_until_there_are_measurements() {
        let mut lag = LagMeter::new(Some(millis(100)));
        assert_eq!((lag.usual(), lag.reserve(10)), (millis(100), millis(1000)));
        for _ in 0..40 {
            lag.measure(0.02, 1, false);
        }
        assert!(
            lag.usual() < millis(22) && lag.worst() < millis(40),
            "{lag:?}"
        );
        for _ in 0..40 {
            lag.measure(0.0, 1, false);
        }
        assert_eq!(lag.usual(), millis(5));
    }

    #[test]
    fn a_spike_widens_the_reserve() {
        let mut lag = LagMeter::new(Some(millis(50)));
        for spike in 0..30 {
            lag.measure(if spike == 29 { 1.0 } else { 0.05 }, 1, false);
        }
        assert!(lag.worst() > millis(1000), "{lag:?}");
    }

    #[test]
    fn a_gain_is_no_jitter() {
        let mut lag = LagMeter::new(Some(millis(50)));
        for gain in 0..30 {
            lag.measure(if gain % 5 == 0 { -1.0 } else { 0.0 }, 1, false);
        }
        assert!(lag.worst() < millis(20), "{lag:?}");
    }

    #[test]
    fn whole_seconds_are_no_jitter_and_moves_share_a_loss() {
        let mut lag = LagMeter::new(Some(millis(100)));
        for rounding in 0..100 {
            lag.measure(f64::from(rounding % 2), 5, true);
        }
        assert_eq!(lag.worst(), lag.usual());
        assert!(
            lag.usual() > millis(80) && lag.usual() < millis(120),
            "{lag:?}"
        );
    }
}
