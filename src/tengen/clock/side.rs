//! One side's clock: remaining time, charges of moves, and reports of a controller.

use std::time::Duration;

use super::{Overtime, TimeControl, TimeLeft};

/// One side's clock under a time control.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SideClock {
    pub(super) control: TimeControl,
    left: TimeLeft,
}

impl SideClock {
    /// A clock with the full time of this control, each time at most [`LONGEST`](super::LONGEST).
    pub fn new(control: TimeControl) -> SideClock {
        let control = control.cut_off();
        let left = match control {
            TimeControl::Unlimited => TimeLeft::Unlimited,
            TimeControl::Limited { main, .. } => TimeLeft::Main(main),
        };
        let clock = SideClock { control, left };
        if left != TimeLeft::Main(Duration::ZERO) {
            return clock;
        }
        clock.with_left(match clock.overtime() {
            Overtime::Canadian { period, stones } => TimeLeft::Canadian { period, stones },
            Overtime::Byoyomi { period, periods } => TimeLeft::Byoyomi { period, periods },
            // Without main time the first increment comes before the first move, or there would be none.
            Overtime::None | Overtime::Fischer { .. } => TimeLeft::Main(clock.paid(Duration::ZERO)),
        })
    }

    /// The time left, as last charged or reported.
    pub fn left(&self) -> TimeLeft {
        self.left
    }

    /// What follows main time.
    pub fn overtime(&self) -> Overtime {
        match self.control {
            TimeControl::Unlimited => Overtime::None,
            TimeControl::Limited { overtime, .. } => overtime,
        }
    }

    /// Charges one finished move that took `elapsed`. A clock that runs out is at zero, and still
    /// gets its increment: if the game continues, the controller counts differently.
    pub fn spend(&mut self, elapsed: Duration) {
        self.left = match self.left {
            TimeLeft::Unlimited => TimeLeft::Unlimited,
            TimeLeft::Main(main) if elapsed < main => TimeLeft::Main(self.paid(main - elapsed)),
            TimeLeft::Main(main) => self.enter_overtime(elapsed - main),
            TimeLeft::Canadian { period, stones } => {
                self.spend_canadian(period.saturating_sub(elapsed), stones)
            }
            TimeLeft::Byoyomi { period, periods } => self.spend_byoyomi(period, periods, elapsed),
        };
    }

    /// Charges thinking time of an undone move: the time is gone, but the move counts for no stone
    /// and earns no increment.
    pub fn spend_without_move(&mut self, elapsed: Duration) {
        self.left = match self.left {
            TimeLeft::Main(main) if elapsed < main => TimeLeft::Main(main - elapsed),
            TimeLeft::Main(main) => match self.overtime() {
                Overtime::Canadian { period, stones } => TimeLeft::Canadian {
                    period: period.saturating_sub(elapsed - main),
                    stones,
                },
                Overtime::Fischer { .. } => TimeLeft::Main(Duration::ZERO),
                _ => self.enter_overtime(elapsed - main),
            },
            TimeLeft::Canadian { period, .. } => {
                self.with_time(period.saturating_sub(elapsed)).left
            }
            TimeLeft::Unlimited | TimeLeft::Byoyomi { .. } => {
                self.spend(elapsed);
                return;
            }
        };
    }

    /// The same clock with this left.
    pub(super) fn with_left(self, left: TimeLeft) -> SideClock {
        SideClock { left, ..self }
    }

    /// The same clock with this time left in its state, at most a full period in overtime.
    pub(super) fn with_time(mut self, time: Duration) -> SideClock {
        let full = match self.overtime() {
            Overtime::Canadian { period, .. } | Overtime::Byoyomi { period, .. } => period,
            Overtime::None | Overtime::Fischer { .. } => Duration::MAX,
        };
        match &mut self.left {
            TimeLeft::Unlimited => {}
            TimeLeft::Main(left) => *left = time,
            TimeLeft::Canadian { period: left, .. } | TimeLeft::Byoyomi { period: left, .. } => {
                *left = time.min(full);
            }
        }
        self
    }

    /// Whether a whole period of byoyomi is left, as at the beginning of each move in it.
    pub(super) fn has_full_byoyomi(&self) -> bool {
        let (left, overtime) = (self.left, self.overtime());
        matches!((left, overtime), (TimeLeft::Byoyomi { period: left, .. }, Overtime::Byoyomi { period, .. })
            if left >= period)
    }

    /// Whether both are in main time, or have as many stones or periods.
    pub(super) fn is_in_state_of(self, other: SideClock) -> bool {
        self.with_time(Duration::ZERO).left == other.with_time(Duration::ZERO).left
    }

    /// Maximum time of the next move without losing the game.
    pub fn longest_move(&self) -> Duration {
        match (self.left, self.overtime()) {
            (TimeLeft::Unlimited, _) => Duration::MAX,
            (TimeLeft::Main(main), Overtime::None) => main,
            (TimeLeft::Main(main), Overtime::Fischer { most_move, .. }) => {
                main.min(most_move.unwrap_or(main))
            }
            (TimeLeft::Main(main), Overtime::Canadian { period, .. }) => main + period,
            (TimeLeft::Main(main), Overtime::Byoyomi { period, periods }) => {
                main + period.saturating_mul(periods)
            }
            (
                TimeLeft::Byoyomi {
                    period: left,
                    periods,
                },
                Overtime::Byoyomi { period, .. },
            ) => left + period.saturating_mul(periods.saturating_sub(1)),
            (TimeLeft::Canadian { period, .. } | TimeLeft::Byoyomi { period, .. }, _) => period,
        }
    }

    /// Main time after a move that left this much of it.
    fn paid(&self, main: Duration) -> Duration {
        match self.overtime() {
            Overtime::Fischer {
                increment,
                most_main,
                ..
            } => (main + increment).min(most_main.unwrap_or(Duration::MAX)),
            _ => main,
        }
    }

    /// Charges the part of a move that exceeded main time.
    fn enter_overtime(&self, rest: Duration) -> TimeLeft {
        match self.overtime() {
            Overtime::None | Overtime::Fischer { .. } => TimeLeft::Main(self.paid(Duration::ZERO)),
            Overtime::Canadian { period, stones } => {
                self.spend_canadian(period.saturating_sub(rest), stones)
            }
            Overtime::Byoyomi { period, periods } => self.spend_byoyomi(period, periods, rest),
        }
    }

    /// A move in a Canadian period after which `period` is left of it.
    fn spend_canadian(&self, period: Duration, stones: u32) -> TimeLeft {
        match (stones, self.overtime()) {
            (0 | 1, Overtime::Canadian { period, stones }) => TimeLeft::Canadian { period, stones },
            _ => TimeLeft::Canadian {
                period,
                stones: stones.saturating_sub(1),
            },
        }
    }

    /// A move of length `elapsed` begun with `left` of the current period.
    fn spend_byoyomi(&self, left: Duration, periods: u32, elapsed: Duration) -> TimeLeft {
        let Overtime::Byoyomi { period, .. } = self.overtime() else {
            return self.left;
        };
        let beyond = elapsed.saturating_sub(left);
        let lost = if elapsed <= left || period.is_zero() {
            0
        } else {
            beyond.as_nanos().div_ceil(period.as_nanos())
        };
        TimeLeft::Byoyomi {
            period,
            periods: periods.saturating_sub(u32::try_from(lost).unwrap_or(u32::MAX)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn secs(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn clock(main: u64, overtime: Overtime) -> SideClock {
        SideClock::new(TimeControl::Limited {
            main: secs(main),
            overtime,
        })
    }

    /// Charges the moves in order and compares the remaining time.
    #[track_caller]
    fn check(mut clock: SideClock, moves: &[u64], expected: TimeLeft) {
        for &seconds in moves {
            clock.spend(secs(seconds));
        }
        assert_eq!(clock.left(), expected, "after {moves:?}");
    }

    const CANADIAN: Overtime = Overtime::Canadian {
        period: secs(30),
        stones: 3,
    };
    const BYOYOMI: Overtime = Overtime::Byoyomi {
        period: secs(10),
        periods: 3,
    };

    #[test]
    fn sudden_death_stops_at_zero() {
        check(clock(10, Overtime::None), &[4], TimeLeft::Main(secs(6)));
        check(
            clock(10, Overtime::None),
            &[4, 9],
            TimeLeft::Main(Duration::ZERO),
        );
        check(
            SideClock::new(TimeControl::Unlimited),
            &[4],
            TimeLeft::Unlimited,
        );
    }

    #[test]
    fn a_canadian_period_is_refilled_after_its_last_stone() {
        let canadian = |period, stones| TimeLeft::Canadian {
            period: secs(period),
            stones,
        };
        check(clock(10, CANADIAN), &[4], TimeLeft::Main(secs(6)));
        check(clock(10, CANADIAN), &[4, 8], canadian(28, 2));
        check(clock(0, CANADIAN), &[10, 10], canadian(10, 1));
        check(clock(0, CANADIAN), &[10, 10, 10], canadian(30, 3));
    }

    #[test]
    fn a_byoyomi_period_comes_back_when_the_move_is_made_in_it() {
        let byoyomi = |periods| TimeLeft::Byoyomi {
            period: secs(10),
            periods,
        };
        check(clock(5, BYOYOMI), &[15], byoyomi(3));
        check(clock(5, BYOYOMI), &[16], byoyomi(2));
        check(clock(5, BYOYOMI), &[15, 10, 11], byoyomi(2));
        check(clock(0, BYOYOMI), &[99], byoyomi(0));
    }

    #[test]
    fn fischer_pays_every_finished_move() {
        let fischer = |most_main: Option<u64>| Overtime::Fischer {
            increment: secs(3),
            most_main: most_main.map(secs),
            most_move: None,
        };
        let main = |seconds| TimeLeft::Main(secs(seconds));
        check(clock(10, fischer(None)), &[1, 4], main(11));
        check(clock(10, fischer(Some(11))), &[1, 1], main(11));
        check(clock(10, fischer(None)), &[10], main(3));
    }

    #[test]
    fn without_main_time_the_first_increment_is_there_at_once() {
        let fischer = |most_main: Option<u64>| Overtime::Fischer {
            increment: secs(5),
            most_main: most_main.map(secs),
            most_move: None,
        };
        let main = |seconds| TimeLeft::Main(secs(seconds));
        check(clock(0, fischer(None)), &[], main(5));
        check(clock(0, fischer(None)), &[2, 9], main(5));
        check(clock(0, fischer(Some(4))), &[], main(4));
        check(clock(0, Overtime::None), &[], main(0));
    }

    #[test]
    fn a_move_taken_back_costs_its_time_and_nothing_else() {
        let taken_back = |mut clock: SideClock, seconds: u64| {
            clock.spend_without_move(secs(seconds));
            clock.left()
        };
        let canadian = TimeLeft::Canadian {
            period: secs(22),
            stones: 3,
        };
        let overtime = clock(0, CANADIAN).with_left(TimeLeft::Canadian {
            period: secs(30),
            stones: 3,
        });
        assert_eq!(taken_back(overtime, 8), canadian);
        assert_eq!(
            taken_back(clock(10, Overtime::None), 4),
            TimeLeft::Main(secs(6))
        );
        // The move that used up the main time: the period has begun, and all its stones are left.
        let begun = TimeLeft::Canadian {
            period: secs(29),
            stones: 3,
        };
        assert_eq!(taken_back(clock(4, CANADIAN), 5), begun);
    }
}
