//! What a controller means by `time_left`.
//!
//! GTP has main time told with no stones, and time in an overtime period with the stones (KGS: the
//! periods) that are left. Controllers do otherwise, too: they tell main time with stones, all time
//! with overtime included, a period without its stones, or time under a control that has none. A
//! report is read so that no move which the clock allows loses the game by any of these readings that
//! the report fits (table in docs/clock.md).

use std::time::Duration;

use super::{Overtime, TimeControl, TimeLeft};

/// Overtime as far as readings differ by it.
struct Terms {
    period: Duration,
    /// The periods of byoyomi; `None` in Canadian overtime, which has one.
    periods: Option<u32>,
    /// Stones of a Canadian period.
    stones: u32,
}

impl Terms {
    /// `None` where nothing follows main time.
    fn of(overtime: Overtime) -> Option<Terms> {
        let terms = match overtime {
            Overtime::None | Overtime::Fischer { .. } => None,
            Overtime::Canadian { period, stones } => Some(Terms {
                period,
                periods: None,
                stones,
            }),
            Overtime::Byoyomi { period, periods } => Some(Terms {
                period,
                periods: Some(periods),
                stones: 1,
            }),
        };
        terms.filter(|terms| !terms.period.is_zero())
    }

    /// All of it.
    fn whole(&self) -> Duration {
        self.period.saturating_mul(self.periods.unwrap_or(1))
    }
}

/// What is left on a clock that has shown `own`, given what the controller tells: time, and stones or
/// periods, 0 for none. Keeps in mind with `tells_whole` that this controller counts overtime as part
/// of its time.
pub(super) fn left(
    control: TimeControl,
    own: TimeLeft,
    tells_whole: &mut bool,
    (time, stones): (Duration, u32),
) -> TimeLeft {
    let in_overtime = matches!(own, TimeLeft::Canadian { .. } | TimeLeft::Byoyomi { .. });
    let says_nothing = time.is_zero() && stones == 0;
    let (main, overtime) = match control {
        // Programs without a clock may say that there is no time; others have one that was not told.
        TimeControl::Unlimited if time.is_zero() && own == TimeLeft::Unlimited => return own,
        TimeControl::Unlimited => return TimeLeft::Main(time),
        TimeControl::Limited { main, overtime } => (main, overtime),
    };
    let Some(terms) = Terms::of(overtime) else {
        return TimeLeft::Main(time);
    };
    // That main time is used up: nothing new in overtime, which is counted here, too.
    if says_nothing {
        return if in_overtime {
            own
        } else {
            TimeLeft::Main(time)
        };
    }
    let period = terms.period;
    match stones {
        0 if time > main + period / 2 => *tells_whole = true,
        1.. if time <= period => *tells_whole = false,
        _ => {}
    }
    // Far less than is left by this clock, and no more than a period: it may be one.
    let has_dropped = matches!(own, TimeLeft::Main(own) if time <= period && own > time + period);
    let is_plain = stones == 0 && !*tells_whole && !main.is_zero() && !in_overtime && !has_dropped;
    if is_plain {
        TimeLeft::Main(time)
    } else if time <= period {
        within(&terms, own, time, stones)
    } else if time > terms.whole() {
        TimeLeft::Main(time - terms.whole())
    } else {
        // A move begins with a full period.
        let full = time.as_nanos() / period.as_nanos();
        let told = if stones == 0 { u32::MAX } else { stones };
        TimeLeft::Byoyomi {
            period,
            periods: u32::try_from(full).unwrap_or(u32::MAX).min(told),
        }
    }
}

/// Time in a period.
fn within(terms: &Terms, own: TimeLeft, period: Duration, stones: u32) -> TimeLeft {
    match (terms.periods, stones) {
        // Nobody says that there is another one.
        (Some(_), 0) => TimeLeft::Byoyomi { period, periods: 1 },
        (Some(most), told) => TimeLeft::Byoyomi {
            period,
            periods: told.min(most),
        },
        (None, 0) => TimeLeft::Canadian {
            period,
            stones: match own {
                TimeLeft::Canadian { stones, .. } => stones,
                _ => terms.stones.max(1),
            },
        },
        (None, stones) => TimeLeft::Canadian { period, stones },
    }
}

#[cfg(test)]
#[path = "told_tests.rs"]
mod tests;
