//! How a controller reports the time: rounded, and perhaps late.

use std::time::Duration;

use super::SideClock;
use super::reading::Reading;

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
    use super::*;

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
