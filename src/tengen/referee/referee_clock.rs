//! One side's clock during a game, kept by the referee. The engine has its own clock
//! ([`crate::clock::SideClock`]). The two share no code, so that a mistake in either shows as a
//! loss on time instead of being made on both sides.

use std::time::Duration;

use super::time_control::MatchTimeControl;

/// State of a side's clock, updated by [`RefereeClock::spend`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefereeClock {
    control: MatchTimeControl,
    /// Time left in the main time or in the current period.
    left: Duration,
    /// Byoyomi: periods left including the current one; Canadian: moves left in the period; zero in
    /// main time.
    overtime: u32,
}

/// The flag fell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeForfeit;

/// The values of `time_left`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnnouncedTime {
    /// Time left in the main time or in the current period.
    pub time: Duration,
    /// Zero in main time; else the moves (Canadian) or periods (byoyomi) left.
    pub stones: u32,
}

impl RefereeClock {
    /// The clock at the start of a game.
    pub fn new(control: MatchTimeControl) -> RefereeClock {
        let (left, overtime) = match control {
            MatchTimeControl::None => (Duration::MAX, 0),
            // Without main time the first increment comes before the first move.
            MatchTimeControl::Absolute {
                main, increment, ..
            } if main.is_zero() => (increment, 0),
            MatchTimeControl::Absolute { main, .. } => (main, 0),
            MatchTimeControl::Byoyomi(of) | MatchTimeControl::Canadian(of) => {
                match of.main.is_zero() {
                    true => (of.period, of.number),
                    false => (of.main, 0),
                }
            }
        };
        RefereeClock {
            control,
            left,
            overtime,
        }
    }

    /// The values sent to the engine; `None` without a clock.
    pub fn time_left(&self) -> Option<AnnouncedTime> {
        (self.control != MatchTimeControl::None).then_some(AnnouncedTime {
            time: self.left,
            stones: self.overtime,
        })
    }

    /// Maximum time of the next move.
    pub fn longest_move(&self) -> Duration {
        match self.control {
            MatchTimeControl::None => self.left,
            MatchTimeControl::Absolute { most_move, .. } => {
                most_move.map_or(self.left, |most| self.left.min(most))
            }
            MatchTimeControl::Byoyomi(of) => {
                self.left + of.period * self.overtime.checked_sub(1).unwrap_or(of.number)
            }
            MatchTimeControl::Canadian(of) if self.overtime == 0 => self.left + of.period,
            MatchTimeControl::Canadian(_) => self.left,
        }
    }

    /// Charges a move that took `took`; up to `margin` more than [`RefereeClock::longest_move`] is
    /// tolerated.
    ///
    /// # Errors
    /// [`TimeForfeit`] when it took longer; the clock is then at zero.
    pub fn spend(&mut self, took: Duration, margin: Duration) -> Result<(), TimeForfeit> {
        let longest = self.longest_move();
        if took > longest.saturating_add(margin) {
            self.left = Duration::ZERO;
            return Err(TimeForfeit);
        }
        let took = took.min(longest);
        match self.control {
            MatchTimeControl::None => {}
            MatchTimeControl::Absolute { increment, .. } => {
                self.left = self.left - took + increment
            }
            MatchTimeControl::Byoyomi(_) | MatchTimeControl::Canadian(_)
                if self.overtime == 0 && took < self.left =>
            {
                self.left -= took;
            }
            // A move that ends within a period resets it; exactly a period is within.
            MatchTimeControl::Byoyomi(of) => {
                let (in_periods, left) = match self.overtime {
                    0 => (took - self.left, of.number),
                    left => (took, left),
                };
                let used = in_periods.as_nanos().saturating_sub(1) / of.period.as_nanos();
                self.overtime = left.saturating_sub(u32::try_from(used).unwrap_or(u32::MAX));
                self.left = of.period;
            }
            // A new period starts after the last move of one.
            MatchTimeControl::Canadian(of) => {
                let (left, moves) = match self.overtime {
                    0 => (self.left + of.period - took, of.number - 1),
                    moves => (self.left - took, moves - 1),
                };
                (self.left, self.overtime) = match moves {
                    0 => (of.period, of.number),
                    moves => (left, moves),
                };
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::Periods;
    use proptest::prelude::*;

    const NO_MARGIN: Duration = Duration::ZERO;

    /// Spends seconds one move at a time; after each, the values of `time_left`, or "lost".
    #[track_caller]
    fn check(control: &str, moves: &[f64], expected: &str) {
        let mut clock = RefereeClock::new(control.parse().unwrap());
        let states: Vec<String> = moves
            .iter()
            .map(
                |&took| match clock.spend(Duration::from_secs_f64(took), NO_MARGIN) {
                    Err(TimeForfeit) => "lost".to_owned(),
                    Ok(()) => {
                        let left = clock.time_left().unwrap();
                        format!("{}/{}", left.time.as_secs_f64(), left.stones)
                    }
                },
            )
            .collect();
        assert_eq!(states.join(" "), expected);
    }

    #[test]
    fn each_control_runs_by_its_rules() {
        check("10", &[4.0, 5.5, 0.5, 0.1], "6/0 0.5/0 0/0 lost");
        check("2+1", &[1.5, 1.5, 1.1], "1.5/0 1/0 lost");
        check("10/3", &[2.0, 3.0, 3.1], "8/0 5/0 lost");
        check("5/3", &[3.0, 1.5, 0.6], "2/0 0.5/0 lost");
        check(
            "3+2*5",
            &[2.0, 2.0, 5.0, 5.1, 5.0, 5.1],
            "1/0 5/2 5/2 5/1 5/1 lost",
        );
        check("3+2*5", &[13.0, 5.1], "5/1 lost");
        check("0+3*5", &[12.0, 4.0, 5.1], "5/1 5/1 lost");
        check(
            "3+10/2",
            &[2.0, 4.0, 7.0, 9.0, 1.1],
            "1/0 7/1 10/2 1/1 lost",
        );
    }

    #[test]
    fn the_margin_forgives_and_is_not_time() {
        let mut clock = RefereeClock::new("1".parse().unwrap());
        let margin = Duration::from_millis(100);
        assert_eq!(clock.spend(Duration::from_millis(1050), margin), Ok(()));
        assert_eq!(clock.time_left().unwrap().time, Duration::ZERO);
        assert_eq!(
            clock.spend(Duration::from_millis(101), margin),
            Err(TimeForfeit)
        );
    }

    #[test]
    fn without_a_clock_nobody_loses_on_time() {
        let mut clock = RefereeClock::new(MatchTimeControl::None);
        assert_eq!(clock.spend(Duration::from_secs(1 << 40), NO_MARGIN), Ok(()));
        assert_eq!(clock.time_left(), None);
    }

    fn controls() -> impl Strategy<Value = MatchTimeControl> {
        let span = || (0u64..5000).prop_map(Duration::from_millis);
        let period = || (1u64..3000).prop_map(Duration::from_millis);
        let periods = || {
            (span(), period(), 1u32..5).prop_map(|(main, period, number)| Periods {
                main,
                period,
                number,
            })
        };
        prop_oneof![
            (span(), span()).prop_map(|(main, increment)| MatchTimeControl::Absolute {
                main,
                increment,
                most_move: None,
            }),
            periods().prop_map(MatchTimeControl::Byoyomi),
            periods().prop_map(MatchTimeControl::Canadian),
        ]
    }

    proptest! {
        /// A side loses exactly when a move exceeds the longest one announced before it, and the
        /// clock never announces more than it can hold.
        #[test]
        fn the_flag_falls_at_the_announced_moment(
            control in controls(),
            moves in prop::collection::vec(0u64..4000, 1..30),
        ) {
            let mut clock = RefereeClock::new(control);
            for took in moves.into_iter().map(Duration::from_millis) {
                let longest = clock.longest_move();
                let left = clock.time_left().unwrap();
                prop_assert!(left.time <= longest);
                let lost = clock.spend(took, NO_MARGIN).is_err();
                prop_assert_eq!(lost, took > longest);
                if lost {
                    break;
                }
                if let MatchTimeControl::Byoyomi(of) = control {
                    prop_assert!(clock.overtime <= of.number);
                    prop_assert!(left.stones == 0 || (1..=left.stones).contains(&clock.overtime));
                }
            }
        }
    }
}
