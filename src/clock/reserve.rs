//! What is kept back of a clock: for lag and accidents, whoever thinks.

use std::time::Duration;

use super::budget::from_seconds;
use super::experience::Experience;

/// Added to an assumed lag in reserves.
const LEAST_LAG: Duration = Duration::from_millis(5);
/// An accident may take a second: so much is kept back for it, in seconds, unless that is more
/// than this share of a short clock.
const LEAST_ACCIDENT: f64 = 1.3;
const LARGEST_ACCIDENT_SHARE: f64 = 0.04;
/// No more than this is kept back for accidents, in seconds.
const LARGEST_ACCIDENT: f64 = 5.0;
/// What is kept back for accidents beyond the least is given free over so many last moves, where
/// the controller tells the time.
const RELEASE_MOVES: f64 = 12.0;
/// The accident that an overtime period has to survive, in seconds: one of a second, and jitter.
const PERIOD_ACCIDENT: f64 = 1.2;
/// It keeps back no more than this share of a period after which the game is lost.
const LAST_PERIOD_SHARE: f64 = 0.1;
/// Lag of all moves to come never keeps back more than this share of the time left.
const LARGEST_LAG_RESERVE: f64 = 0.6;

/// The least time after which a move has to be there: a root evaluation takes a few milliseconds.
/// The reserve holds it for every move to come.
pub(super) const LEAST_HARD: Duration = Duration::from_millis(10);

impl Experience {
    /// What lag may take of so many moves. As long as it is only assumed it must not take a short
    /// clock's time for thinking.
    pub(super) fn lag_of(&self, moves: u32) -> Duration {
        let lag = if self.lag.is_assumed() {
            (self.lag_of_a_move() + LEAST_LAG) * moves
        } else {
            self.lag.reserve(moves)
        };
        // Neither one spike nor a word may take the whole clock.
        lag.min(self.present.mul_f64(LARGEST_LAG_RESERVE))
    }

    /// What a byoyomi or Canadian period keeps back, where running over costs a period or the game:
    /// a bad lag, several times the usual one while that is only assumed, and a share of the period
    /// for accidents, a larger one where there is no period to lose.
    pub(super) fn margin(&self, period: Duration, last: bool) -> Duration {
        let lag = if self.lag.is_assumed() {
            self.lag.usual() * 3
        } else {
            self.lag.worst()
        };
        lag + period_accident(period, if last { LAST_PERIOD_SHARE } else { 0.03 })
    }

    /// What a Canadian period keeps back for a second accident, which adds up with the first as
    /// long as nobody tells the time.
    pub(super) fn untold_accident(&self, period: Duration) -> Duration {
        if self.lag.is_assumed() {
            period_accident(period, LAST_PERIOD_SHARE)
        } else {
            Duration::ZERO
        }
    }

    /// Time kept back: lag and the least time of every move to come, and something for accidents. That
    /// they happen in the moves that lose most to lag is no more likely than elsewhere, so spread and
    /// accidents add up like errors.
    pub(super) fn reserve(&self, moves: u32) -> Duration {
        let full = self.full.as_secs_f64();
        let least = LEAST_ACCIDENT.min(LARGEST_ACCIDENT_SHARE * full);
        let told = (self.params.time_reserve * full).clamp(least, LARGEST_ACCIDENT);
        let accidents = if self.lag.is_assumed() {
            // What nobody tells adds up.
            2.0 * told
        } else {
            let released = told * (f64::from(moves) / RELEASE_MOVES).min(1.0);
            released.max(least)
        };
        let lag = self.lag_of(moves);
        let spread = self.lag.spread(moves).min(lag);
        let kept = from_seconds(spread.as_secs_f64().hypot(accidents));
        lag - spread + LEAST_HARD * moves + kept
    }
}

/// What a period keeps back for one accident: at most this share of it.
fn period_accident(period: Duration, share: f64) -> Duration {
    period.mul_f64(share).min(from_seconds(PERIOD_ACCIDENT))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::TimeParams;

    /// What is known on a clock of a minute after forty moves that lost these seconds in turn.
    fn known(lost: [f64; 2]) -> Experience {
        let minute = Duration::from_secs(60);
        let mut known = Experience::new(TimeParams::default(), None);
        (known.full, known.present) = (minute, minute);
        for mv in 0..40 {
            known.lag.measure(lost[mv % 2], 1, false);
        }
        known
    }

    #[test]
    fn jitter_and_accidents_are_not_kept_back_twice() {
        let known = known([0.0, 0.1]);
        let steady = known.lag.usual() * 12 + LEAST_HARD * 12;
        let beyond = (known.reserve(12) - steady).as_secs_f64();
        let (jitter, accidents) = (known.lag.spread(12).as_secs_f64(), 1.8);
        assert!(jitter > 0.4, "{jitter}");
        assert!(beyond > accidents, "{beyond}");
        assert!(beyond < accidents + jitter / 4.0, "{beyond}");
    }

    #[test]
    fn a_wild_connection_does_not_take_the_whole_clock() {
        let mut known = known([0.0, 20.0]);
        known.present = Duration::from_secs(5);
        let kept = known.reserve(12).as_secs_f64();
        assert!(kept < 5.0 * LARGEST_LAG_RESERVE + 1.8 + 0.2, "{kept}");
    }
}
