//! One way in which a clock may stand that the controller keeps.

use std::time::Duration;

use super::{Lag, Overtime, SideClock, TimeLeft};

/// A state of the clock (main time, or a number of stones or periods), and bounds of the time left
/// in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) least: SideClock,
    pub(super) most: SideClock,
}

/// Charges a time to a clock.
pub(super) type Charge = fn(&mut SideClock, Duration);

impl Reading {
    /// A clock whose time is known.
    pub(super) fn exact(clock: SideClock) -> Reading {
        let (least, most) = (clock, clock);
        Reading { least, most }
    }

    /// How the clock may stand after this time and lag: in two states if it depends on the lag.
    pub(super) fn after(self, charge: Charge, elapsed: Duration, lag: Lag) -> Vec<Reading> {
        let charged = |mut clock: SideClock, time| {
            charge(&mut clock, time);
            clock
        };
        let most = charged(self.most, elapsed);
        let least = charged(self.least, elapsed + lag.usual);
        let unlucky = charged(self.least, elapsed + lag.usual + lag.doubt);
        // Less time is the worse state, and doubts are the reserves' part; but from when stones
        // are counted decides how many are due later.
        let counts = matches!(least.overtime(), Overtime::Canadian { .. });
        let worst = match counts && !unlucky.is_in_state_of(least) {
            true => unlucky,
            false => least,
        };
        if worst.is_in_state_of(most) {
            let least = worst;
            return vec![Reading { least, most }];
        }
        let best_at_least = match most.left() {
            _ if least.is_in_state_of(most) => least,
            TimeLeft::Main(_) => most.with_time(Duration::ZERO),
            _ => most,
        };
        let readings = [
            (worst, worst.with_time(Duration::MAX)),
            (best_at_least, most),
        ];
        readings
            .map(|(least, most)| Reading { least, most })
            .to_vec()
    }

    /// Whether a move of this length can have been in time.
    pub(super) fn allows(self, elapsed: Duration) -> bool {
        elapsed <= self.most.longest_move()
    }

    /// What agrees with another reading too, if that may have up to `doubt` less than this.
    pub(super) fn and(self, other: Reading, doubt: Duration) -> Option<Reading> {
        let [own, others] = [self, other]
            .map(|reading| [reading.least, reading.most].map(|clock| clock.left().time()));
        let agrees = self.least.is_in_state_of(other.least)
            && others[0] <= own[1]
            && own[0].saturating_sub(doubt) <= others[1];
        let least = own[0].clamp(others[0], others[1]);
        agrees.then(|| Reading {
            least: self.least.with_time(least),
            most: self.least.with_time(own[1].min(others[1]).max(least)),
        })
    }

    /// This number of Canadian stones with the time of another one, if that agrees.
    pub(super) fn with_time_of(self, other: Reading, doubt: Duration) -> Option<Reading> {
        let counts = |clock: SideClock| matches!(clock.left(), TimeLeft::Canadian { .. });
        let told = Reading {
            least: self.least.with_time(other.least.left().time()),
            most: self.least.with_time(other.most.left().time()),
        };
        (counts(self.least) && counts(other.least))
            .then(|| self.and(told, doubt))
            .flatten()
    }

    /// Extends this reading to another one of the same state; false if it is of another state.
    pub(super) fn joins(&mut self, other: Reading) -> bool {
        let same = self.least.is_in_state_of(other.least);
        if same {
            let earlier = |a: SideClock, b: SideClock| a.left().time() <= b.left().time();
            if earlier(other.least, self.least) {
                self.least = other.least;
            }
            if earlier(self.most, other.most) {
                self.most = other.most;
            }
        }
        same
    }
}

#[cfg(test)]
mod tests {
    use super::super::TimeControl;
    use super::*;

    const LAG: Lag = Lag {
        usual: Duration::from_millis(100),
        doubt: Duration::from_millis(500),
    };

    fn clock(main: u64, overtime: Overtime) -> SideClock {
        SideClock::new(TimeControl::Limited {
            main: Duration::from_secs(main),
            overtime,
        })
    }

    /// The readings after a move, as `STATE TO TIME`.
    fn after(clock: SideClock, elapsed: f64) -> String {
        let elapsed = Duration::from_secs_f64(elapsed);
        let readings = Reading::exact(clock).after(SideClock::spend, elapsed, LAG);
        let texts = readings.iter().map(|reading| {
            let most = reading.most.left().time().as_secs_f64();
            format!("{} to {most:.2}", reading.least.left())
        });
        texts.collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn the_end_of_main_time_may_be_now_or_later() {
        let canadian = clock(
            10,
            Overtime::Canadian {
                period: Duration::from_secs(20),
                stones: 5,
            },
        );
        assert_eq!(after(canadian, 4.0), "5.90 s to 6.00");
        let either = "19.70 s for 4 stones to 20.00; 0.20 s to 0.30";
        assert_eq!(after(canadian, 9.7), either);
        let either = "19.95 s for 4 stones to 20.00; 0.00 s to 0.05";
        assert_eq!(after(canadian, 9.95), either);
        assert_eq!(after(canadian, 10.5), "19.40 s for 4 stones to 19.50");
    }

    #[test]
    fn a_period_may_be_lost_or_not() {
        let byoyomi = clock(
            0,
            Overtime::Byoyomi {
                period: Duration::from_secs(10),
                periods: 3,
            },
        );
        assert_eq!(after(byoyomi, 9.8), "10.00 s of 3 periods to 10.00");
        let either = "10.00 s of 2 periods to 10.00; 10.00 s of 3 periods to 10.00";
        assert_eq!(after(byoyomi, 9.95), either);
    }

    #[test]
    fn readings_agree_within_the_doubt() {
        let reading = |least: f64, most: f64| {
            let at =
                |seconds| clock(60, Overtime::None).with_time(Duration::from_secs_f64(seconds));
            Reading {
                least: at(least),
                most: at(most),
            }
        };
        let doubt = Duration::from_millis(500);
        let own = reading(10.0, 12.0);
        assert_eq!(
            own.and(reading(11.0, 13.0), doubt),
            Some(reading(11.0, 12.0))
        );
        assert_eq!(
            own.and(reading(9.0, 11.0), doubt),
            Some(reading(10.0, 11.0))
        );
        assert_eq!(own.and(reading(9.0, 9.6), doubt), Some(reading(9.6, 9.6)));
        assert_eq!(own.and(reading(9.0, 9.4), doubt), None);
        assert_eq!(own.and(reading(12.1, 13.0), doubt), None);
    }
}
