//! Interpretation of `time_left`.
//!
//! In GTP, main time is reported without stones, and time in an overtime period with the remaining
//! stones (KGS: periods). Controllers deviate: they report main time with stones, all time
//! including overtime, a period without its stones, or time under a control without any. A report
//! is interpreted so that no move which the clock allows loses the game under any of the
//! interpretations that fit the report (table in docs/programs-and-servers.md#clocks).

use std::time::Duration;

use super::{Overtime, TimeControl, TimeLeft};

/// The remaining time on a clock that has shown `own`, given the controller's report: time, and
/// stones or periods, 0 for none. `tells_whole` records that this controller includes overtime in
/// its time.
pub(super) fn left(
    control: TimeControl,
    own: TimeLeft,
    tells_whole: &mut bool,
    time: Duration,
    stones: u32,
) -> TimeLeft {
    let in_overtime = matches!(own, TimeLeft::Canadian { .. } | TimeLeft::Byoyomi { .. });
    let says_nothing = time.is_zero() && stones == 0;
    let (main, overtime) = match control {
        // Programs without a clock may report zero; others have a clock that was not announced.
        TimeControl::Unlimited if time.is_zero() && own == TimeLeft::Unlimited => return own,
        TimeControl::Unlimited => return TimeLeft::Main(time),
        TimeControl::Limited { main, overtime } => (main, overtime),
    };
    // A period, and all of them together.
    let (period, whole) = match overtime {
        Overtime::Canadian { period, .. } => (period, period),
        Overtime::Byoyomi { period, periods } => (period, period.saturating_mul(periods)),
        Overtime::None | Overtime::Fischer { .. } => return TimeLeft::Main(time),
    };
    if period.is_zero() {
        return TimeLeft::Main(time);
    }
    // Main time is used up: no news in overtime, which is counted here, too.
    if says_nothing {
        return if in_overtime {
            own
        } else {
            TimeLeft::Main(time)
        };
    }
    match stones {
        0 if time > main + period / 2 => *tells_whole = true,
        1.. if time <= period => *tells_whole = false,
        _ => {}
    }
    // Much less than on this clock, and no more than a period: it may be a period.
    let has_dropped = matches!(own, TimeLeft::Main(own) if time <= period && own > time + period);
    let is_plain = stones == 0 && !*tells_whole && !main.is_zero() && !in_overtime && !has_dropped;
    if is_plain {
        TimeLeft::Main(time)
    } else if time <= period {
        within(overtime, own, time, stones)
    } else if time > whole {
        TimeLeft::Main(time - whole)
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
fn within(overtime: Overtime, own: TimeLeft, period: Duration, stones: u32) -> TimeLeft {
    let stones = match (stones, overtime, own) {
        // Without a number nothing says that there is another one.
        (0, Overtime::Byoyomi { .. }, _) => 1,
        (_, Overtime::Byoyomi { periods, .. }, _) => stones.min(periods),
        (0, _, TimeLeft::Canadian { stones, .. }) => stones,
        (0, Overtime::Canadian { stones, .. }, _) => stones.max(1),
        _ => stones,
    };
    match (overtime, stones) {
        (Overtime::Byoyomi { .. }, periods) => TimeLeft::Byoyomi { period, periods },
        _ => TimeLeft::Canadian { period, stones },
    }
}

#[cfg(test)]
mod tests;
