//! Time controls on command lines and in GTP.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

use crate::clock::LONGEST;

/// Time of each side for a game. The engine parses the same from GTP commands into its own type,
/// see [`super::RefereeClock`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MatchTimeControl {
    /// No clock; an engine may use the match's limit per move.
    #[default]
    None,
    /// Time for the whole game, and an increment after every move (Fischer) that may be zero.
    Absolute {
        /// Time at the start.
        main: Duration,
        /// Added after every move.
        increment: Duration,
        /// Maximum time of each move, if there is one, as at Gomocup.
        most_move: Option<Duration>,
    },
    /// Main time, then this number of periods; a move uses up each period that it exceeds.
    Byoyomi(Periods),
    /// Main time, then repeated periods for this number of moves each.
    Canadian(Periods),
}

/// The commands for byoyomi, best first.
const BYOYOMI: [&str; 2] = ["kgs-time_settings", "kata-time_settings"];

/// Main time, then periods.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Periods {
    /// Time at the start.
    pub main: Duration,
    /// Length of a period.
    pub period: Duration,
    /// Number of periods, or of moves in each, at least 1.
    pub number: u32,
}

/// Text that is not a time control.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "`{0}` is not a time control; write none, 10 or 15m (the whole game), 10+0.1 (and an increment for \
     every move), 180/30 (at most 30 s for a move), 0/5 (5 s for each move), 10+3*5 (and 3 byoyomi periods of \
     5 s), or 10+30/5 (and 30 s for every 5 moves)"
)]
pub struct BadMatchTimeControl(String);

impl MatchTimeControl {
    /// The best command for this control that the engine lists, or `None` if it has no suitable one. It is told
    /// `fractions` of a second only if it understands them; otherwise it gets whole seconds, rounded down.
    ///
    /// Source of the forms: docs/methods.md#protocols. An engine without byoyomi gets Canadian
    /// periods of one move, which last as long; one without increments gets the main time and
    /// learns of each increment by `time_left`; one without a maximum for a move gets the main time.
    pub fn command(&self, lists: impl Fn(&str) -> bool, fractions: bool) -> Option<String> {
        let seconds = |duration| seconds_text(duration, fractions);
        let settings = |main, period, stones: u32| {
            let text = format!(
                "time_settings {} {} {stones}",
                seconds(main),
                seconds(period)
            );
            lists("time_settings").then_some(text)
        };
        match *self {
            // A period without stones means no limit.
            MatchTimeControl::None => settings(Duration::ZERO, Duration::from_secs(1), 0),
            MatchTimeControl::Absolute {
                main,
                increment,
                most_move,
            } => {
                let plain = increment.is_zero() && most_move.is_none();
                if !lists("kata-time_settings") || plain {
                    return settings(main, Duration::ZERO, 0);
                }
                let (main, increment) = (seconds(main), seconds(increment));
                Some(match most_move.map(seconds) {
                    None => format!("kata-time_settings fischer {main} {increment}"),
                    // There is no maximum of the main time.
                    Some(most) => {
                        format!("kata-time_settings fischer-capped {main} {increment} -1 {most}")
                    }
                })
            }
            MatchTimeControl::Byoyomi(of) => {
                let Some(command) = BYOYOMI.into_iter().find(|command| lists(command)) else {
                    return settings(of.main, of.period, 1);
                };
                let (main, period, periods) = (seconds(of.main), seconds(of.period), of.number);
                Some(format!("{command} byoyomi {main} {period} {periods}"))
            }
            MatchTimeControl::Canadian(of) => settings(of.main, of.period, of.number),
        }
    }

    /// The main time in seconds and the overtime in words, as in SGF's `TM` and `OT`; empty without a clock.
    pub(super) fn for_records(&self) -> [String; 2] {
        let seconds = |time: Duration| time.as_secs_f64().to_string();
        match *self {
            MatchTimeControl::None => [String::new(), String::new()],
            MatchTimeControl::Absolute {
                main,
                increment,
                most_move,
            } => {
                let most = most_move.map(|most| format!("at most {} s a move", seconds(most)));
                let added =
                    (!increment.is_zero()).then(|| format!("{} fischer", seconds(increment)));
                let words: Vec<String> = added.into_iter().chain(most).collect();
                [seconds(main), words.join(", ")]
            }
            MatchTimeControl::Byoyomi(of) => {
                let overtime = format!("{}x{} byo-yomi", of.number, seconds(of.period));
                [seconds(of.main), overtime]
            }
            MatchTimeControl::Canadian(of) => {
                let overtime = format!("{}/{} Canadian", of.number, seconds(of.period));
                [seconds(of.main), overtime]
            }
        }
    }

    /// The moves or periods left in `time_left`, consistent with [`MatchTimeControl::command`]: an
    /// engine with periods of one move has one move in each.
    pub(super) fn announced_stones(&self, stones: u32, lists: impl Fn(&str) -> bool) -> u32 {
        match self {
            MatchTimeControl::Byoyomi(_) if BYOYOMI.iter().all(|command| !lists(command)) => {
                stones.min(1)
            }
            _ => stones,
        }
    }
}

/// Seconds as GTP text, rounded down to whole seconds or to milliseconds.
pub(super) fn seconds_text(duration: Duration, fractions: bool) -> String {
    if fractions && duration.subsec_millis() != 0 {
        format!("{}.{:03}", duration.as_secs(), duration.subsec_millis())
    } else {
        duration.as_secs().to_string()
    }
}

impl FromStr for MatchTimeControl {
    type Err = BadMatchTimeControl;

    fn from_str(text: &str) -> Result<MatchTimeControl, BadMatchTimeControl> {
        parse(text.trim()).ok_or_else(|| BadMatchTimeControl(text.to_owned()))
    }
}

fn parse(text: &str) -> Option<MatchTimeControl> {
    if text == "none" {
        return Some(MatchTimeControl::None);
    }
    let (main, more) = match text.split_once('+') {
        None => (text, None),
        Some((main, more)) => (main, Some(more)),
    };
    let (main, most_move) = match main.split_once('/') {
        None => (parse_duration(main)?, None),
        Some((main, most)) => (parse_duration(main)?, Some(parse_duration(most)?)),
    };
    let periods = |period: &str, number: &str| {
        let (period, number) = (parse_duration(period)?, number.parse().ok()?);
        let valid = number > 0 && !period.is_zero() && most_move.is_none();
        valid.then_some(Periods {
            main,
            period,
            number,
        })
    };
    if let Some((number, period)) = more.and_then(|more| more.split_once('*')) {
        return periods(period, number).map(MatchTimeControl::Byoyomi);
    }
    if let Some((period, moves)) = more.and_then(|more| more.split_once('/')) {
        return periods(period, moves).map(MatchTimeControl::Canadian);
    }
    let increment = more.map_or(Some(Duration::ZERO), parse_duration)?;
    match most_move {
        Some(most) if most.is_zero() => None,
        // Only the moves are limited.
        Some(period) if main.is_zero() && more.is_none() => {
            let number = 1;
            Some(MatchTimeControl::Byoyomi(Periods {
                main,
                period,
                number,
            }))
        }
        Some(_) if main.is_zero() => None,
        None if main.is_zero() && increment.is_zero() => None,
        _ => Some(MatchTimeControl::Absolute {
            main,
            increment,
            most_move,
        }),
    }
}

/// `90`, `1.5`, `90s`, `15m`, `1h`, `250ms`.
fn parse_duration(text: &str) -> Option<Duration> {
    let units = [("ms", 0.001), ("s", 1.0), ("m", 60.0), ("h", 3600.0)];
    let (number, unit) = units
        .into_iter()
        .find_map(|(suffix, unit)| Some((text.strip_suffix(suffix)?, unit)))
        .unwrap_or((text, 1.0));
    if !number.starts_with(|first: char| first.is_ascii_digit() || first == '.') {
        return None;
    }
    let seconds = number.parse::<f64>().ok()? * unit;
    let duration = Duration::try_from_secs_f64(seconds).ok()?;
    (duration <= LONGEST).then_some(duration)
}

impl fmt::Display for MatchTimeControl {
    /// In seconds, as [`FromStr`] reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = |duration: &Duration| duration.as_secs_f64();
        match self {
            MatchTimeControl::None => f.write_str("none"),
            MatchTimeControl::Absolute {
                main,
                increment,
                most_move,
            } => {
                write!(f, "{}", seconds(main))?;
                if let Some(most) = most_move {
                    write!(f, "/{}", seconds(most))?;
                }
                if !increment.is_zero() {
                    write!(f, "+{}", seconds(increment))?;
                }
                Ok(())
            }
            MatchTimeControl::Byoyomi(of) => {
                let (main, period) = (seconds(&of.main), seconds(&of.period));
                write!(f, "{main}+{}*{period}", of.number)
            }
            MatchTimeControl::Canadian(of) => {
                let (main, period) = (seconds(&of.main), seconds(&of.period));
                write!(f, "{main}+{period}/{}", of.number)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, plain: &str, rich: &str) {
        let control: MatchTimeControl = text.parse().unwrap();
        assert_eq!(control.to_string().parse(), Ok(control));
        let told = control.command(|command| command == "time_settings", false);
        assert_eq!(told.as_deref(), Some(plain));
        assert_eq!(control.command(|_| true, true).as_deref(), Some(rich));
    }

    #[test]
    fn every_control_is_read_and_told() {
        check("none", "time_settings 0 1 0", "time_settings 0 1 0");
        check("15m", "time_settings 900 0 0", "time_settings 900 0 0");
        check("2.5", "time_settings 2 0 0", "time_settings 2.500 0 0");
        check(
            "10+100ms",
            "time_settings 10 0 0",
            "kata-time_settings fischer 10 0.100",
        );
        check(
            "10+3*5",
            "time_settings 10 5 1",
            "kgs-time_settings byoyomi 10 5 3",
        );
        check(
            "10m+30s/5",
            "time_settings 600 30 5",
            "time_settings 600 30 5",
        );
        check(
            "0+5",
            "time_settings 0 0 0",
            "kata-time_settings fischer 0 5",
        );
        for each_move in ["0+1*2", "0/2"] {
            check(
                each_move,
                "time_settings 0 2 1",
                "kgs-time_settings byoyomi 0 2 1",
            );
        }
        check(
            "3m/30",
            "time_settings 180 0 0",
            "kata-time_settings fischer-capped 180 0 -1 30",
        );
        check(
            "180/1.5+2",
            "time_settings 180 0 0",
            "kata-time_settings fischer-capped 180 2 -1 1.500",
        );
    }

    #[test]
    fn records_have_main_time_and_overtime() {
        for (control, main, overtime) in [
            ("none", "", ""),
            ("15m", "900", ""),
            ("10+0.1", "10", "0.1 fischer"),
            ("180/30", "180", "at most 30 s a move"),
            ("10+3*5", "10", "3x5 byo-yomi"),
            ("10+30/5", "10", "5/30 Canadian"),
        ] {
            let control: MatchTimeControl = control.parse().unwrap();
            assert_eq!(control.for_records(), [main, overtime]);
        }
    }

    #[test]
    fn an_engine_that_knows_no_clock_is_told_nothing() {
        let control: MatchTimeControl = "10".parse().unwrap();
        assert_eq!(control.command(|_| false, false), None);
    }

    #[test]
    fn nonsense_is_refused() {
        for text in [
            "", "0", "-1", "1+", "+1", "nan", "inf", "1e99", "5+0*3", "5+3*0", "5+3/0", "1x",
            "0+0", "5/0", "0/5+1", "5/3+2*1", "5/3/1",
        ] {
            assert!(text.parse::<MatchTimeControl>().is_err(), "{text}");
        }
    }
}
