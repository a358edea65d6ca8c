//! Time controls, and what is left on a clock, as plain values; their text formats.

use std::fmt;
use std::time::Duration;

use thiserror::Error;

use crate::program::counted;

/// What follows when a side's main time is used up, or is added to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overtime {
    /// Nothing: the clock has run out (sudden death).
    None,
    /// Canadian: a number of moves within each period; a new period starts after the last of them.
    Canadian {
        /// Length of a period.
        period: Duration,
        /// Moves to be made in a period, at least 1.
        stones: u32,
    },
    /// Byoyomi: periods for one move each; a move made within a period resets it.
    Byoyomi {
        /// Length of a period.
        period: Duration,
        /// Number of periods, the last one included; at least 1.
        periods: u32,
    },
    /// Fischer: every finished move adds to the main time.
    Fischer {
        /// Added after each move.
        increment: Duration,
        /// Maximum main time.
        most_main: Option<Duration>,
        /// Maximum time per move.
        most_move: Option<Duration>,
    },
}

/// The time each side has for a game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TimeControl {
    /// No clock: time is never charged.
    #[default]
    Unlimited,
    /// Main time, then overtime.
    Limited {
        /// Main time of each side.
        main: Duration,
        /// Overtime after it.
        overtime: Overtime,
    },
}

/// Remaining time of one side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeLeft {
    /// No limit, as without a clock.
    Unlimited,
    /// In main time, with all overtime still available.
    Main(Duration),
    /// In a Canadian period.
    Canadian {
        /// Remaining time in this period.
        period: Duration,
        /// Remaining moves in this period, at least 1.
        stones: u32,
    },
    /// In a byoyomi period.
    Byoyomi {
        /// Remaining time in this period.
        period: Duration,
        /// Remaining periods, this one included; 0 when time has run out.
        periods: u32,
    },
}

impl TimeLeft {
    /// The time in main time or in the period.
    pub(super) fn time(self) -> Duration {
        match self {
            TimeLeft::Unlimited => Duration::MAX,
            TimeLeft::Main(time)
            | TimeLeft::Canadian { period: time, .. }
            | TimeLeft::Byoyomi { period: time, .. } => time,
        }
    }
}

impl fmt::Display for TimeLeft {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TimeLeft::Unlimited => f.write_str("no limit"),
            TimeLeft::Main(main) => write!(f, "{:.2} s", main.as_secs_f64()),
            TimeLeft::Canadian { period, stones } => {
                let stones = counted(*stones, "stone");
                write!(f, "{:.2} s for {stones}", period.as_secs_f64())
            }
            TimeLeft::Byoyomi { period, periods } => {
                let periods = counted(*periods, "period");
                write!(f, "{:.2} s of {periods}", period.as_secs_f64())
            }
        }
    }
}

/// Maximum time accepted, ten years. It keeps later sums of durations far from overflow.
pub const LONGEST: Duration = Duration::from_secs(10 * 365 * 24 * 3600);

/// Systems that [`TimeControl::from_kata`] reads.
pub const KATA_SYSTEMS: &[&str] = &[
    "none",
    "absolute",
    "byoyomi",
    "canadian",
    "fischer",
    "fischer-capped",
];

/// Text that is not a time control, or a number that is not a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("not a time control: expected non-negative seconds and whole numbers")]
pub struct BadTimeControl;

impl TimeControl {
    /// The same with each time at most [`LONGEST`].
    pub(super) fn cut_off(mut self) -> TimeControl {
        let cut = |time: &mut Duration| *time = LONGEST.min(*time);
        if let TimeControl::Limited { main, overtime } = &mut self {
            cut(main);
            match overtime {
                Overtime::None => {}
                Overtime::Canadian { period, .. } | Overtime::Byoyomi { period, .. } => cut(period),
                Overtime::Fischer {
                    increment,
                    most_main,
                    most_move,
                } => {
                    cut(increment);
                    most_main.iter_mut().chain(most_move).for_each(cut);
                }
            }
        }
        self
    }

    /// GTP's `time_settings MAIN PERIOD STONES`: a period without stones means no limit, no period
    /// means sudden death, anything else is Canadian overtime. So `0 0 0` is a clock without any
    /// time, as in KataGo, and `0 1 0` is no clock.
    ///
    /// # Errors
    /// [`BadTimeControl`] unless `fields` holds three numbers.
    pub fn from_gtp(fields: &[&str]) -> Result<TimeControl, BadTimeControl> {
        let [main, period, stones, ..] = fields else {
            return Err(BadTimeControl);
        };
        let (main, period, stones) = (seconds(main)?, seconds(period)?, count(stones)?);
        let overtime = match (period.is_zero(), stones) {
            (false, 0) => return Ok(TimeControl::Unlimited),
            (true, _) => Overtime::None,
            (false, stones) => Overtime::Canadian { period, stones },
        };
        Ok(TimeControl::Limited { main, overtime })
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
                let overtime = match period.is_zero() || periods == 0 {
                    true => Overtime::None,
                    false => Overtime::Byoyomi { period, periods },
                };
                Ok(TimeControl::Limited { main, overtime })
            }
            _ => Err(BadTimeControl),
        }
    }

    /// KataGo's `kata-time_settings`: KGS's systems, `fischer MAIN INCREMENT` and `fischer-capped
    /// MAIN INCREMENT MAX_MAIN MAX_MOVE`, where a negative number means no limit.
    ///
    /// # Errors
    /// [`BadTimeControl`] for any other system or a missing number.
    pub fn from_kata(fields: &[&str]) -> Result<TimeControl, BadTimeControl> {
        let (main, increment, most_main, most_move) = match fields {
            ["fischer", main, increment, ..] => (main, increment, None, None),
            ["fischer-capped", main, increment, most_main, most_move, ..] => {
                (main, increment, limit(most_main)?, limit(most_move)?)
            }
            _ => return TimeControl::from_kgs(fields),
        };
        let overtime = Overtime::Fischer {
            increment: seconds(increment)?,
            most_main,
            most_move,
        };
        let main = seconds(main)?;
        Ok(TimeControl::Limited { main, overtime })
    }
}

/// Seconds as controllers write them (`300`, `29.5`), at most ten years.
///
/// # Errors
/// [`BadTimeControl`] for anything but a finite number that is not negative.
pub fn seconds(text: &str) -> Result<Duration, BadTimeControl> {
    limit(text)?.ok_or(BadTimeControl)
}

/// Seconds, or no limit if negative.
fn limit(text: &str) -> Result<Option<Duration>, BadTimeControl> {
    let seconds = number(text)?.min(LONGEST.as_secs_f64());
    Ok((seconds >= 0.0).then(|| Duration::from_secs_f64(seconds)))
}

/// A whole number of stones or periods; a fraction is dropped, because some controllers write every
/// number as a float.
///
/// # Errors
/// [`BadTimeControl`] for anything but a finite number that is not negative.
pub fn count(text: &str) -> Result<u32, BadTimeControl> {
    let count = number(text)?;
    // A float-to-integer cast saturates.
    (count >= 0.0).then_some(count as u32).ok_or(BadTimeControl)
}

fn number(text: &str) -> Result<f64, BadTimeControl> {
    let number = text.parse::<f64>().ok();
    number
        .filter(|number| number.is_finite())
        .ok_or(BadTimeControl)
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
    fn kata_time_settings() {
        let check = |text: &str, expected| {
            let fields: Vec<&str> = text.split(' ').collect();
            assert_eq!(TimeControl::from_kata(&fields), expected, "{text}");
        };
        let fischer = |most_main, most_move| Overtime::Fischer {
            increment: Duration::from_millis(2500),
            most_main,
            most_move,
        };
        let secs = |seconds| Some(Duration::from_secs(seconds));
        check("fischer 60 2.5", limited(60, fischer(None, None)));
        check(
            "fischer-capped 60 2.5 90 -1",
            limited(60, fischer(secs(90), None)),
        );
        check(
            "fischer-capped 60 2.5 -1.0 20",
            limited(60, fischer(None, secs(20))),
        );
        check("absolute 60", limited(60, Overtime::None));
        for bad in [
            "fischer 60",
            "fischer -1 2",
            "fischer-capped 60 2 90",
            "hourglass 60",
        ] {
            check(bad, Err(BadTimeControl));
        }
        // All listed systems can be parsed.
        for system in KATA_SYSTEMS {
            let fields = [*system, "60", "5", "3", "2"];
            assert!(TimeControl::from_kata(&fields).is_ok(), "{system}");
        }
    }

    #[test]
    fn absurd_times_are_cut_off() {
        assert_eq!(seconds("1e300"), Ok(LONGEST));
        assert_eq!(count("1e300"), Ok(u32::MAX));
    }
}
