//! The date, for game records.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use jiff::tz::Offset;

/// Seconds since 1970 in UTC, from the system clock.
#[must_use]
#[expect(
    clippy::disallowed_methods,
    reason = "this is the one source of the date"
)]
pub fn unix_time() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

/// `2026.08.23 08:40` for a time since 1970 in UTC, at a UTC offset in hours, at most 25 either
/// way; larger ones count as UTC.
#[must_use]
pub fn date_time(unix: Duration, hours_ahead: i8) -> String {
    let seconds = i64::try_from(unix.as_secs()).unwrap_or(i64::MAX);
    let time = Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX);
    let offset = Offset::from_hours(hours_ahead).unwrap_or(Offset::UTC);
    let there = offset.to_datetime(time);
    there.strftime("%Y.%m.%d %H:%M").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates() {
        let check = |unix, hours, expected| {
            assert_eq!(date_time(Duration::from_secs(unix), hours), expected);
        };
        check(0, 0, "1970.01.01 00:00");
        check(0, -1, "1969.12.31 23:00");
        check(951_782_400, 0, "2000.02.29 00:00");
        check(1_598_143_200, 8, "2020.08.23 08:40");
        check(1_767_225_599, 0, "2025.12.31 23:59");
        check(u64::MAX, 25, "9999.12.31 23:00");
    }
}
