//! An engine's account of a clock that its controller keeps.
//!
//! The controller charges more than the engine measures, and it reports the time in whole seconds,
//! late, or never. So there are several readings of its clock, each with bounds of the time left,
//! and a plan has to be safe for all of them. A report drops those with which it does not agree.

use std::time::Duration;

use super::reading::{Charge, Reading};
use super::{LONGEST, Lag, SideClock, TimeControl, TimeLeft, told};

/// While nothing is reported, a move may have stalled for this long, and main time have ended so
/// much earlier.
const STALL: Duration = Duration::from_millis(1200);

/// One side's clock as far as the engine knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ClockAccount {
    control: TimeControl,
    /// The most likely state, for display.
    likely: SideClock,
    /// At least one, each of another state.
    readings: Vec<Reading>,
    /// The last move, unless it was undone.
    last: Option<LastMove>,
    has_moved: bool,
    is_told: bool,
    /// Whether no move since the last report was free.
    is_measured: bool,
    /// The unit of all reports so far, and the habits with which they agree.
    unit: Duration,
    habits: Vec<Habit>,
    /// Whether the controller includes overtime in the time that it reports.
    tells_whole: bool,
}

/// A move, and the readings before it.
#[derive(Debug, Clone, PartialEq, Eq)]
struct LastMove {
    before: Vec<Reading>,
    elapsed: Duration,
    lag: Lag,
}

impl LastMove {
    /// How the clock may stand that stood so before.
    fn after(&self, before: Reading) -> Vec<Reading> {
        before.after(SideClock::spend, self.elapsed, self.lag)
    }
}

/// What a report has shown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Told {
    /// Time that the controller has charged beyond this engine's measurements since the last
    /// report, in seconds; `None` if that cannot be said.
    pub(crate) lost_seconds: Option<f64>,
    /// The controller counts whole seconds.
    pub(crate) coarse: bool,
    /// The report says how the clock stands; earlier errors do not matter any more.
    pub(crate) settles: bool,
}

impl ClockAccount {
    /// A clock with the full time of this control.
    pub(crate) fn new(control: TimeControl) -> ClockAccount {
        let clock = SideClock::new(control);
        ClockAccount {
            control: clock.control,
            likely: clock,
            readings: vec![Reading::exact(clock)],
            last: None,
            has_moved: false,
            is_told: false,
            is_measured: true,
            unit: COARSEST_UNIT,
            habits: Habit::all(),
            tells_whole: false,
        }
    }

    /// Sets the clock back to the full time of its control.
    pub(crate) fn reset(&mut self) {
        *self = ClockAccount::new(self.control);
    }

    /// The most likely state of the clock.
    pub(crate) fn likely(&self) -> SideClock {
        self.likely
    }

    /// All ways in which the clock may stand, each with the least time that it may have.
    pub(crate) fn readings(&self) -> impl Iterator<Item = SideClock> {
        self.readings.iter().map(|reading| reading.least)
    }

    /// Charges one finished move.
    pub(crate) fn spend(&mut self, elapsed: Duration, lag: Lag) {
        let before = self.charge(SideClock::spend, elapsed, lag);
        // Some clocks start with the second move.
        if !std::mem::replace(&mut self.has_moved, true) {
            before.iter().for_each(|reading| self.add(*reading));
            self.is_measured = false;
        }
        self.last = Some(LastMove {
            before,
            elapsed,
            lag,
        });
    }

    /// Charges thinking time of an undone move: the time is gone, but the move counts for no stone
    /// and earns no increment.
    pub(crate) fn spend_without_move(&mut self, elapsed: Duration, lag: Lag) {
        self.charge(SideClock::spend_without_move, elapsed, lag);
        self.last = None;
    }

    /// Charges a time to all readings, and returns the earlier ones.
    fn charge(&mut self, charge: Charge, elapsed: Duration, lag: Lag) -> Vec<Reading> {
        let stall = if self.is_told { Duration::ZERO } else { STALL };
        let doubtful = Lag {
            doubt: lag.doubt + stall,
            ..lag
        };
        charge(&mut self.likely, elapsed + lag.usual);
        let before = std::mem::take(&mut self.readings);
        // If the game goes on, a reading by which it is lost was wrong.
        let any = before.iter().any(|reading| reading.allows(elapsed));
        for reading in &before {
            if !any || reading.allows(elapsed) {
                let after = reading.after(charge, elapsed, doubtful);
                after.into_iter().for_each(|reading| self.add(reading));
            }
        }
        before
    }

    fn add(&mut self, reading: Reading) {
        if !self.readings.iter_mut().any(|own| own.joins(reading)) {
            self.readings.push(reading);
        }
    }

    /// Takes over the remaining time from the controller (GTP `time_left`): without `stones` it is
    /// main time, otherwise it is time in an overtime period and the remaining stones (Canadian) or
    /// periods (byoyomi). A report that contradicts the time control gets the interpretation that
    /// is safe.
    pub(crate) fn set_left(&mut self, time: Duration, stones: u32) -> Told {
        let time = time.min(LONGEST);
        self.unit = unit_of(time, self.unit);
        self.is_told = true;
        let (believed, tells_whole) = self.interpreted(self.likely, time, stones);
        self.tells_whole = tells_whole;
        let before = std::mem::take(&mut self.readings);
        let habits = std::mem::take(&mut self.habits);
        for habit in &habits {
            let told = self.agreeing(&before, *habit, time, stones);
            if !told.is_empty() {
                self.habits.push(*habit);
            }
            told.into_iter().for_each(|reading| self.add(reading));
        }
        let agrees = !self.readings.is_empty();
        let is_late = agrees && self.habits.iter().all(|habit| habit.late);
        self.likely = match self.readings.first() {
            Some(late) if is_late => late.least,
            _ => believed,
        };
        for habit in &habits {
            // A stall, a correction, other rules; or it is late only by chance.
            if !agrees || is_late {
                self.believe(habit.reading(believed, self.unit), &before);
            }
            if !agrees {
                self.habits.push(*habit);
                // It may be from before the last move.
                let last = self.last.as_ref().filter(|_| habit.late);
                let told = last.map(|last| last.after(habit.reading(believed, self.unit)));
                told.into_iter()
                    .flatten()
                    .for_each(|reading| self.add(reading));
            }
        }
        let is_measured = std::mem::replace(&mut self.is_measured, true) && !is_late;
        let is_measured = is_measured && self.has_moved;
        let lost_seconds = lost_seconds(&before, &self.readings).filter(|_| is_measured);
        let coarse = self.unit == COARSEST_UNIT;
        Told {
            lost_seconds,
            coarse,
            settles: !coarse || !agrees,
        }
    }

    /// The clock that a report means, if it has stood at `own`.
    fn interpreted(&self, own: SideClock, time: Duration, stones: u32) -> (SideClock, bool) {
        let mut tells_whole = self.tells_whole;
        let left = told::left(self.control, own.left(), &mut tells_whole, time, stones);
        (own.with_left(left), tells_whole)
    }

    /// What agrees with a report by this habit and with the readings `now`.
    fn agreeing(&self, now: &[Reading], habit: Habit, time: Duration, stones: u32) -> Vec<Reading> {
        let doubt = self.doubt();
        let late = self.last.as_ref().filter(|_| habit.late);
        let told_of = late.map_or(now, |last| &last.before);
        let told = told_of.iter().filter_map(|own| {
            let (clock, _) = self.interpreted(own.least, time, stones);
            let told = habit.reading(clock, self.unit);
            // The clock may have run for long before the first move: it need not be almost full.
            let says_less = clock.left().time() < own.least.left().time();
            match !self.has_moved && says_less {
                true => Some(told),
                false => own.and(told, doubt),
            }
        });
        let Some(last) = late else {
            return told.collect();
        };
        told.flat_map(|before| last.after(before))
            .flat_map(|told| now.iter().filter_map(move |own| own.and(told, doubt)))
            .collect()
    }

    /// Takes over a report that agrees with no reading.
    fn believe(&mut self, told: Reading, before: &[Reading]) {
        self.add(told);
        // Who counts the stones differently may be wrong.
        for own in before {
            if let Some(own) = own.with_time_of(told, self.doubt()) {
                self.add(own);
            }
        }
    }

    /// By how much less than in its readings the clock may have.
    fn doubt(&self) -> Duration {
        let last = self.last.as_ref();
        last.map_or(Duration::ZERO, |last| last.lag.doubt)
    }
}

/// The time by which the most that can be left has become less.
fn lost_seconds(before: &[Reading], now: &[Reading]) -> Option<f64> {
    let ([before], [now]) = (before, now) else {
        return None;
    };
    let is_counted = matches!(
        now.most.left(),
        TimeLeft::Main(_) | TimeLeft::Canadian { .. }
    );
    let same = before.most.is_in_state_of(now.most) && is_counted;
    let [before, now] = [before, now].map(|reading| reading.most.left().time().as_secs_f64());
    same.then_some(before - now)
}

/// The coarsest and the finest unit in which times are reported.
pub(super) const COARSEST_UNIT: Duration = Duration::from_secs(1);
const FINEST_UNIT: Duration = Duration::from_millis(1);

/// A way to round to a unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rounding {
    Down,
    Nearest,
    Up,
}

/// A way to report the time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Habit {
    rounding: Rounding,
    /// Reports are from before the last move.
    pub(super) late: bool,
}

/// The coarsest unit of which this time is a multiple, at most `unit`.
pub(super) fn unit_of(time: Duration, mut unit: Duration) -> Duration {
    while unit > FINEST_UNIT && !time.as_nanos().is_multiple_of(unit.as_nanos()) {
        unit /= 10;
    }
    unit
}

impl Habit {
    /// All habits: a controller may have each that agrees with its reports.
    pub(super) fn all() -> Vec<Habit> {
        let roundings = [Rounding::Down, Rounding::Nearest, Rounding::Up];
        let habits = |late| roundings.map(|rounding| Habit { rounding, late });
        [habits(false), habits(true)].concat()
    }

    /// What a report that is rounded so says of the clock.
    pub(super) fn reading(self, told: SideClock, unit: Duration) -> Reading {
        let (below, above) = match self.rounding {
            _ if told.has_full_byoyomi() => (Duration::ZERO, Duration::ZERO),
            Rounding::Down => (Duration::ZERO, unit),
            Rounding::Nearest => (unit / 2, unit / 2),
            Rounding::Up => (unit, Duration::ZERO),
        };
        let time = told.left().time();
        Reading {
            least: told.with_time(time.saturating_sub(below)),
            most: told.with_time(time.saturating_add(above)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Overtime;
    use super::*;

    const LAG: Lag = Lag {
        usual: Duration::from_millis(60),
        doubt: Duration::from_millis(180),
    };

    fn seconds(seconds: f64) -> Duration {
        Duration::from_secs_f64(seconds)
    }

    fn account(main: f64, overtime: Overtime) -> ClockAccount {
        ClockAccount::new(TimeControl::Limited {
            main: seconds(main),
            overtime,
        })
    }

    const CANADIAN: Overtime = Overtime::Canadian {
        period: Duration::from_secs(20),
        stones: 5,
    };

    /// The readings, as texts.
    fn readings(account: &ClockAccount) -> String {
        let texts = account.readings().map(|clock| clock.left().to_string());
        texts.collect::<Vec<_>>().join("; ")
    }

    /// An account that has seen the first move of a clock that runs from the start.
    fn begun(main: f64, overtime: Overtime) -> ClockAccount {
        let mut account = account(main, overtime);
        account.spend(Duration::ZERO, Lag::default());
        account.set_left(seconds(main), 0);
        account
    }

    #[test]
    fn stones_are_counted_from_either_end_of_main_time() {
        let mut account = account(10.0, CANADIAN);
        account.spend(seconds(6.0), Lag::default());
        assert_eq!(readings(&account), "4.00 s");
        account.spend(seconds(3.5), LAG);
        // A stall may have ended it; and the first move may have been free.
        assert_eq!(readings(&account), "19.06 s for 4 stones; 0.44 s");
        account.spend(seconds(4.0), LAG);
        let three = "15.00 s for 3 stones; 16.38 s for 4 stones; 0.00 s";
        assert_eq!(readings(&account), three);
        // In tenths of a second.
        account.set_left(seconds(16.5), 4);
        assert_eq!(readings(&account), "16.40 s for 4 stones");
    }

    #[test]
    fn a_reading_by_which_the_game_is_lost_was_wrong() {
        let mut account = begun(1.0, CANADIAN);
        let canadian = |period, stones| {
            let left = TimeLeft::Canadian {
                period: seconds(period),
                stones,
            };
            Reading::exact(account.likely.with_left(left))
        };
        account.readings = vec![canadian(9.0, 2), canadian(5.0, 3)];
        account.spend(seconds(6.5), LAG);
        assert_eq!(readings(&account), "2.44 s for 1 stone");
    }

    /// Without main time the game begins in overtime; and each move in byoyomi has a whole period.
    #[test]
    fn a_full_period_that_is_told_is_full() {
        let byoyomi = Overtime::Byoyomi {
            period: seconds(1.0),
            periods: 5,
        };
        let stone = Overtime::Canadian {
            period: seconds(1.0),
            stones: 1,
        };
        for (overtime, told, expected) in [
            (byoyomi, 5, "1.00 s of 5 periods"),
            (byoyomi, 4, "1.00 s of 4 periods"),
            (stone, 1, "1.00 s for 1 stone"),
        ] {
            let mut account = account(0.0, overtime);
            account.set_left(seconds(1.0), told);
            assert_eq!(readings(&account), expected);
            account.spend(seconds(0.5), Lag::default());
            account.set_left(seconds(1.0), told);
            assert_eq!(readings(&account), expected);
        }
        let mut account = account(60.0, byoyomi);
        account.set_left(seconds(1.0), 5);
        assert_eq!(readings(&account), "1.00 s of 5 periods");
    }

    /// Some controllers send the settings again before every move, and the clock runs on its way.
    #[test]
    fn before_the_first_move_only_the_report_is_believed() {
        let stone = Overtime::Canadian {
            period: seconds(5.0),
            stones: 1,
        };
        let byoyomi = Overtime::Byoyomi {
            period: seconds(5.0),
            periods: 1,
        };
        for (overtime, expected) in [
            (stone, "3.00 s for 1 stone"),
            (byoyomi, "3.00 s of 1 period"),
        ] {
            let mut account = account(0.0, overtime);
            account.set_left(seconds(4.0), 1);
            assert_eq!(readings(&account), expected);
            account.set_left(seconds(4.3), 1);
            let least = account.readings().map(|clock| clock.left().time()).min();
            assert!(least.is_some_and(|least| least < seconds(4.3)));
        }
    }

    #[test]
    fn a_time_that_was_rounded_up_is_not_believed() {
        let mut account = begun(60.0, Overtime::None);
        account.spend(seconds(2.5), LAG);
        account.set_left(seconds(58.0), 0);
        assert_eq!(readings(&account), "57.44 s");
        // Known by now: it does not round down.
        account.spend(seconds(2.0), LAG);
        account.set_left(seconds(56.0), 0);
        assert_eq!(readings(&account), "55.38 s");
        // After a stall the report is all that is known.
        account.spend(seconds(2.0), LAG);
        account.set_left(seconds(50.0), 0);
        assert_eq!(readings(&account), "49.00 s");
    }

    #[test]
    fn what_was_rounded_down_is_certain() {
        let mut account = begun(60.0, Overtime::None);
        account.spend(seconds(2.25), LAG);
        account.set_left(seconds(57.0), 0);
        for told in [54.0, 51.0] {
            account.spend(seconds(3.0), LAG);
            account.set_left(seconds(told), 0);
        }
        assert_eq!(readings(&account), "51.57 s");
        account.spend(
            seconds(3.0),
            Lag {
                usual: seconds(1.0),
                ..LAG
            },
        );
        account.set_left(seconds(48.0), 0);
        assert_eq!(readings(&account), "48.00 s");
    }

    #[test]
    fn a_report_may_be_older_than_the_last_move() {
        let mut account = begun(60.0, CANADIAN);
        for (moved, told) in [(2.0, 59.987), (3.0, 57.96), (4.0, 54.93)] {
            account.spend(seconds(moved), LAG);
            account.set_left(seconds(told), 0);
        }
        assert_eq!(readings(&account), "50.87 s");
        account.spend(seconds(60.0), LAG);
        account.set_left(seconds(50.9), 0);
        // Or it is main time with overtime, as some tell it.
        let either = "10.84 s for 4 stones; 30.90 s";
        assert_eq!(readings(&account), either);
    }

    #[test]
    fn what_is_told_twice_is_of_now() {
        let mut account = begun(600.0, Overtime::None);
        account.spend(seconds(18.9), LAG);
        account.set_left(seconds(20.0), 0);
        assert_eq!(
            readings(&account),
            "0.04 s",
            "if it was from before the move"
        );
        account.set_left(seconds(20.0), 0);
        assert_eq!(readings(&account), "19.00 s");
    }

    #[test]
    fn lag_is_what_the_most_that_is_left_has_lost() {
        let mut account = begun(60.0, Overtime::None);
        account.spend(seconds(2.0), LAG);
        let told = account.set_left(seconds(57.955), 0);
        assert!(
            (told.lost_seconds.unwrap() - 0.044).abs() < 0.002,
            "{told:?}"
        );
        assert!(told.settles && !told.coarse);
        account.spend_without_move(seconds(1.0), LAG);
        assert_eq!(readings(&account), "56.89 s");
        account.reset();
        assert_eq!(readings(&account), "60.00 s");
        account.spend(seconds(2.0), LAG);
        let told = account.set_left(seconds(57.9), 0);
        assert_eq!(told.lost_seconds, None, "the first move may be free");
    }

    #[test]
    fn a_unit_divides_all_times() {
        let after = |seconds: &[f64]| {
            let times = seconds.iter().map(|time| Duration::from_secs_f64(*time));
            times.fold(COARSEST_UNIT, |unit, time| unit_of(time, unit))
        };
        assert_eq!(after(&[60.0, 0.0, 58.0]), COARSEST_UNIT);
        assert_eq!(after(&[60.0, 58.5, 57.0]), Duration::from_millis(100));
        assert_eq!(after(&[60.0, 58.513_7, 57.5]), FINEST_UNIT);
    }
}
