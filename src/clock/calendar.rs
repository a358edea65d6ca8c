//! The date, for game records.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// Seconds since 1970 in UTC, by the machine's calendar.
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

/// `2026.08.23 08:40` for a time since 1970 in UTC, at a place that is so many hours ahead of it.
/// The date is counted in eras of 400 years from 1 March of year 0 (Hinnant, "chrono-compatible
/// low-level date algorithms").
#[must_use]
pub fn date_time(unix: Duration, hours_ahead: i8) -> String {
    let seconds = i64::try_from(unix.as_secs()).unwrap_or(0) + i64::from(hours_ahead) * 3600;
    let (days, of_day) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let shifted = days + 719_468;
    let (era, of_era) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year_of_era = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let march_month = (5 * of_year + 2) / 153;
    let day = of_year - (153 * march_month + 2) / 5 + 1;
    let month = if march_month < 10 {
        march_month + 3
    } else {
        march_month - 9
    };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    let (hour, minute) = (of_day / 3600, of_day / 60 % 60);
    format!("{year:04}.{month:02}.{day:02} {hour:02}:{minute:02}")
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
    }
}
