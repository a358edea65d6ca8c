//! Time controls: the agreed terms, as plain values, and how controllers write them.

use std::time::Duration;

use thiserror::Error;

/// The longest time taken from text. It keeps every later sum of durations far from overflow.
const LONGEST: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

/// What follows when a side's main time is used up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overtime {
    /// Nothing: the clock has run out (sudden death).
    None,
    /// So many moves within each period; the period starts anew after the last of them.
    Canadian {
        /// Length of a period.
        period: Duration,
        /// Moves to be made in a period, at least 1.
        stones: u32,
    },
    /// Periods for one move each; a move made within a period gives the whole period back.
    Byoyomi {
        /// Length of a period.
        period: Duration,
        /// Periods that may be lost, the last one included; at least 1.
        periods: u32,
    },
}

/// The time each side has for a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TimeControl {
    /// No clock.
    #[default]
    Unlimited,
    /// Main time, then overtime.
    Limited {
        /// Main time of each side.
        main: Duration,
        /// What follows it.
        overtime: Overtime,
    },
}

/// Text that is not a time control, or a number that is not a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("not a time control: expected non-negative seconds and whole numbers")]
pub struct BadTimeControl;

impl TimeControl {
    /// GTP's `time_settings MAIN PERIOD STONES`: a period with no stones means no limit, no period
    /// at all means sudden death, anything else is Canadian overtime.
    ///
    /// # Errors
    /// [`BadTimeControl`] unless `fields` holds three numbers.
    pub fn from_gtp(fields: &[&str]) -> Result<TimeControl, BadTimeControl> {
        let [main, period, stones, ..] = fields else {
            return Err(BadTimeControl);
        };
        let (main, period, stones) = (seconds(main)?, seconds(period)?, count(stones)?);
        Ok(match (period.is_zero(), stones) {
            (false, 0) => TimeControl::Unlimited,
            (true, _) => TimeControl::Limited {
                main,
                overtime: Overtime::None,
            },
            (false, stones) => TimeControl::Limited {
                main,
                overtime: Overtime::Canadian { period, stones },
            },
        })
    }

    /// KGS's `kgs-time_settings`: `none`, `absolute MAIN`, `canadian MAIN PERIOD STONES` or
    /// `byoyomi MAIN PERIOD PERIODS`.
    ///
    /// # Errors
    /// [`BadTimeControl`] for any other system or a missing number.
    pub fn from_kgs(fields: &[&str]) -> Result<TimeControl, BadTimeControl> {
        match fields {
            ["none", ..] => Ok(TimeControl::Unlimited),
            ["absolute", main, ..] => TimeControl::from_gtp(&[main, "0", "0"]),
            ["canadian", main, period, stones, ..] => {
                TimeControl::from_gtp(&[main, period, stones])
            }
            ["byoyomi", main, period, periods, ..] => {
                let (main, period, periods) = (seconds(main)?, seconds(period)?, count(periods)?);
                let overtime = if period.is_zero() || periods == 0 {
                    Overtime::None
                } else {
                    Overtime::Byoyomi { period, periods }
                };
                Ok(TimeControl::Limited { main, overtime })
            }
            _ => Err(BadTimeControl),
        }
    }
}

/// Seconds as controllers write them (`300`, `29.5`), cut off at ten years.
///
/// # Errors
/// [`BadTimeControl`] for anything but a finite number that is not negative.
pub fn seconds(text: &str) -> Result<Duration, BadTimeControl> {
    let seconds = number(text)?;
    if seconds < 0.0 {
        return Err(BadTimeControl);
    }
    Ok(Duration::from_secs_f64(seconds.min(LONGEST.as_secs_f64())))
}

/// A whole number of stones or periods; a fraction is dropped, because some controllers write
/// every number as a float.
///
/// # Errors
/// [`BadTimeControl`] for anything but a finite number that is not negative.
pub fn count(text: &str) -> Result<u32, BadTimeControl> {
    let count = number(text)?;
    if count < 0.0 {
        return Err(BadTimeControl);
    }
    // A float-to-integer cast saturates.
    Ok(count as u32)
}

fn number(text: &str) -> Result<f64, BadTimeControl> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() => Ok(number),
        _ => Err(BadTimeControl),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limited(main: u64, overtime: Overtime) -> Result<TimeControl, BadTimeControl> {
        Ok(TimeControl::Limited {
            main: Duration::from_secs(main),
            overtime,
        })
    }

    #[track_caller]
    fn check_gtp(text: &str, expected: Result<TimeControl, BadTimeControl>) {
        let fields: Vec<&str> = text.split(' ').collect();
        assert_eq!(TimeControl::from_gtp(&fields), expected, "{text}");
    }

    #[track_caller]
    fn check_kgs(text: &str, expected: Result<TimeControl, BadTimeControl>) {
        let fields: Vec<&str> = text.split(' ').collect();
        assert_eq!(TimeControl::from_kgs(&fields), expected, "{text}");
    }

    #[test]
    fn gtp_time_settings() {
        let canadian = Overtime::Canadian {
            period: Duration::from_secs(30),
            stones: 5,
        };
        check_gtp("900 0 0", limited(900, Overtime::None));
        check_gtp("900 0 25", limited(900, Overtime::None));
        check_gtp("0 1 0", Ok(TimeControl::Unlimited));
        check_gtp("300 30 5", limited(300, canadian));
        check_gtp("300.0 30.0 5.0", limited(300, canadian));
        for bad in ["", "900", "900 0", "-1 0 0", "nan 0 0", "inf 0 0", "1 1 x"] {
            check_gtp(bad, Err(BadTimeControl));
        }
    }

    #[test]
    fn kgs_time_settings() {
        let byoyomi = Overtime::Byoyomi {
            period: Duration::from_secs(10),
            periods: 3,
        };
        check_kgs("none", Ok(TimeControl::Unlimited));
        check_kgs("absolute 60", limited(60, Overtime::None));
        check_kgs("byoyomi 60 10 3", limited(60, byoyomi));
        check_kgs("canadian 0 1 0", Ok(TimeControl::Unlimited));
        for bad in ["", "fischer 60 5", "byoyomi 60 10", "absolute"] {
            check_kgs(bad, Err(BadTimeControl));
        }
    }

    #[test]
    fn absurd_times_are_cut_off() {
        assert_eq!(seconds("1e300"), Ok(LONGEST));
        assert_eq!(count("1e300"), Ok(u32::MAX));
    }
}
