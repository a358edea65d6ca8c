//! `INFO` of the manager: limits of time and memory, and the rules.

use std::time::Duration;

use crate::clock::{LONGEST, Overtime, TimeControl, USUAL_LAG};
use crate::engine::ThinkingLimits;
use crate::games::gomoku::GomokuRules;
use crate::gtp::short;

/// A match without limit, as `time_left` reports it.
const NO_LIMIT: i64 = 2_147_483_647;

/// The shortest time that is worth a search; with less a move is played as fast as possible.
const SHORTEST: Duration = Duration::from_millis(4);

/// Time to notice the time limit and to answer on a busy machine.
const MIN_LAG: Duration = Duration::from_millis(5);
const MIN_LATE: Duration = Duration::from_millis(4);

/// Resource limits of the whole program, as set by the manager.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Allowance {
    /// Total memory in bytes.
    pub memory: Option<u64>,
    /// Memory of searches in bytes.
    pub tree: Option<u64>,
    /// Search threads (`INFO thread_num`).
    pub threads: Option<usize>,
}

/// All values so far; `None` if never set.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Info {
    /// Time per move; zero asks for a move at once.
    turn: Option<Duration>,
    /// Time per match; `Some(None)` for no limit.
    match_time: Option<Option<Duration>>,
    /// Remaining time, if reported since it was last read.
    pub(super) left: Option<Duration>,
    /// Increment per move.
    increment: Duration,
    /// Visits of a search.
    visits: Option<u64>,
    pub(super) allowance: Allowance,
    pub(super) pondering: Option<bool>,
    /// The number of the rules, and whether it is one of Yixin's protocol.
    rule: Option<i64>,
    is_yixin: bool,
    /// The engine's name of the rules.
    pub(super) rules: Option<&'static str>,
    /// The last unsupported value; reported when the manager listens.
    pub(super) trouble: Option<String>,
}

/// `INFO rule` of a continuous game: the bit of the Gomocup protocol, and alone Yixin's Renju.
const CONTINUOUS: i64 = 2;

/// Keys with a numeric value.
#[rustfmt::skip]
const NUMBERS: [&str; 10] = [
    "timeout_turn", "timeout_match", "time_left", "max_memory", "rule", "time_increment",
    "max_node", "hash_size", "thread_num", "pondering",
];

/// Keys of Yixin's protocol only.
#[rustfmt::skip]
const YIXIN: [&str; 14] = [
    "time_increment", "max_node", "max_depth", "start_depth", "hash_size", "thread_num",
    "thread_split_depth", "pondering", "caution_factor", "usedatabase", "show_detail", "nbestsym",
    "vcthread", "checkmate",
];

impl Info {
    /// Takes a key in lower case and its value; irrelevant keys are ignored, as the protocol requires.
    pub(super) fn take(&mut self, key: &str, value: &str) {
        if YIXIN.contains(&key) {
            self.hear_yixin();
        }
        let Some(number) = whole(value) else {
            if NUMBERS.contains(&key) {
                // An error would be taken for the answer to the next command.
                log::warn!("INFO {key} takes a number, not {:?}", short(value));
            }
            return;
        };
        let time = Duration::from_millis(number.max(0).unsigned_abs()).min(LONGEST);
        // No limit is 0, or -1 in Yixin's protocol.
        let limit = u64::try_from(number).ok().filter(|&limit| limit > 0);
        match key {
            "timeout_turn" => self.turn = Some(time),
            "timeout_match" => {
                let limited = number > 0 && number < NO_LIMIT;
                self.match_time = Some(limited.then_some(time));
            }
            "time_left" => self.left = (number < NO_LIMIT).then_some(time),
            "time_increment" => self.increment = time,
            "max_node" => self.visits = limit,
            "max_memory" => self.allowance.memory = limit,
            "hash_size" => self.allowance.tree = limit.map(|kib| kib.saturating_mul(1 << 10)),
            "thread_num" => {
                self.allowance.threads = limit.and_then(|threads| usize::try_from(threads).ok());
            }
            "pondering" => self.pondering = Some(number != 0),
            "rule" => self.take_rule(number),
            _ => {}
        }
    }

    /// The manager speaks Yixin's protocol, in which rule 2 is Renju.
    pub(super) fn hear_yixin(&mut self) {
        if !std::mem::replace(&mut self.is_yixin, true) && self.rule == Some(CONTINUOUS) {
            self.take_rule(CONTINUOUS);
        }
    }

    fn take_rule(&mut self, sum: i64) {
        (self.rule, self.trouble) = (Some(sum), None);
        let known = match sum {
            CONTINUOUS if self.is_yixin => Some(GomokuRules::Renju),
            _ => GomokuRules::numbered(sum),
        };
        match known {
            Some(rules) => self.rules = Some(rules.name()),
            None => self.trouble = Some(no_rule(sum)),
        }
    }

    /// Limits per move: the time of a turn less a reserve for communication, and the engine's own
    /// limits.
    pub(super) fn thinking_limits(&self, usual: &ThinkingLimits) -> ThinkingLimits {
        let mut thinking_limits = usual.clone();
        if let Some(turn) = self.turn {
            let lag = usual.lag.unwrap_or(USUAL_LAG).min((turn / 3).max(MIN_LAG));
            // Without any lag it still takes time to notice the limit; the last moves of a search are
            // verified then.
            let time = turn.saturating_sub(lag.max(MIN_LAG));
            let (time, late) = match time < SHORTEST {
                true => (Duration::ZERO, Duration::ZERO),
                false => (time, turn.saturating_sub((lag / 2).max(MIN_LATE.min(lag)))),
            };
            thinking_limits.time_per_move =
                Some(usual.time_per_move.map_or(time, |own| own.min(time)));
            thinking_limits.late_after = Some(late);
        }
        thinking_limits.visits = match (usual.visits, self.visits) {
            (Some(own), Some(visits)) => Some(own.min(visits)),
            (own, visits) => own.or(visits),
        };
        thinking_limits
    }

    /// The match's clock if it must be set: the whole time, or the first reported remaining time.
    pub(super) fn control(&self, present: Option<TimeControl>) -> Option<TimeControl> {
        let overtime = match self.increment {
            Duration::ZERO => Overtime::None,
            increment => Overtime::Fischer {
                increment,
                most_main: None,
                most_move: None,
            },
        };
        let limited = |main| TimeControl::Limited { main, overtime };
        let wanted = match (self.match_time, self.left) {
            (Some(time), _) => Some(time.map_or(TimeControl::Unlimited, limited)),
            (None, left) => left.filter(|_| present.is_none()).map(limited),
        };
        wanted.filter(|wanted| present != Some(*wanted))
    }
}

/// The key of an `INFO`, in lower case, and its value.
pub(super) fn parts(text: &str) -> (String, &str) {
    let (key, value) = text.split_once(' ').unwrap_or((text, ""));
    (key.to_ascii_lowercase(), value)
}

/// Whether an `INFO` of this text leaves a turn no time.
pub(super) fn demands_move(text: &str) -> bool {
    let (key, value) = parts(text);
    key == "timeout_turn" && whole(value).is_some_and(|time| time <= 0)
}

/// The whole part of a number, at most the largest that there is: some managers write 5000.0.
fn whole(text: &str) -> Option<i64> {
    let text = text.trim();
    let real = || text.parse::<f64>().ok().filter(|real| real.is_finite());
    let whole = text.parse::<i64>().ok();
    whole.or_else(|| real().map(|real| real as i64))
}

/// Message for unsupported rules.
fn no_rule(sum: i64) -> String {
    let known = GomokuRules::ALL.iter();
    let known = known.map(|rules| format!("{} ({rules})", rules.number()));
    let known = known.collect::<Vec<String>>().join(", ");
    let reason = match sum {
        CONTINUOUS => {
            " (a continuous game; Renju only in Yixin's protocol, as after START 15 15 or YXSHOWINFO)"
        }
        1.. if sum & CONTINUOUS != 0 => " (a continuous game)",
        _ => "",
    };
    format!("INFO rule {sum} is not supported{reason} (expected one of: {known})")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(lines: &[(&str, &str)]) -> Info {
        let mut info = Info::default();
        lines.iter().for_each(|(key, value)| info.take(key, value));
        info
    }

    #[test]
    fn a_turn_leaves_time_for_the_way() {
        let turn = |value: &str, usual: &ThinkingLimits| {
            told(&[("timeout_turn", value)])
                .thinking_limits(usual)
                .time_per_move
        };
        let usual = ThinkingLimits::default();
        let late = told(&[("timeout_turn", "5000")])
            .thinking_limits(&usual)
            .late_after;
        assert_eq!(late, Some(Duration::from_millis(4970)));
        assert_eq!(turn("5000", &usual), Some(Duration::from_millis(4940)));
        assert_eq!(turn("30", &usual), Some(Duration::from_millis(20)));
        let without_lag = ThinkingLimits {
            lag: Some(Duration::ZERO),
            ..ThinkingLimits::default()
        };
        let limits = told(&[("timeout_turn", "1000")]).thinking_limits(&without_lag);
        let expected = [995, 1000].map(|millis| Some(Duration::from_millis(millis)));
        assert_eq!([limits.time_per_move, limits.late_after], expected);
        for at_once in ["0", "-7", "1", "8"] {
            let thinking_limits = told(&[("timeout_turn", at_once)]).thinking_limits(&usual);
            let nothing = Some(Duration::ZERO);
            let limits = (thinking_limits.time_per_move, thinking_limits.late_after);
            assert_eq!(limits, (nothing, nothing), "{at_once}");
        }
        let own = ThinkingLimits {
            time_per_move: Some(Duration::from_millis(500)),
            ..ThinkingLimits::default()
        };
        assert_eq!(turn("5000", &own), own.time_per_move);
        assert_eq!(told(&[]).thinking_limits(&usual), usual);
    }

    #[test]
    fn numbers_need_not_be_whole_or_small() {
        let info = told(&[("timeout_turn", "1000.0"), ("max_memory", "367001600.0")]);
        let turn = Some(Duration::from_secs(1));
        assert_eq!(
            (info.turn, info.allowance.memory),
            (turn, Some(367_001_600))
        );
        let left = told(&[("time_left", " 4999.7 ")]).left;
        assert_eq!(left, Some(Duration::from_millis(4999)));
        let large = told(&[("max_memory", "18446744073709551615")]);
        assert_eq!(large.allowance.memory, Some(i64::MAX.unsigned_abs()));
    }

    #[test]
    fn a_turn_without_time_demands_a_move() {
        for text in [
            "timeout_turn 0",
            "TIMEOUT_TURN  0",
            "timeout_turn -1",
            "timeout_turn 0.0",
        ] {
            assert!(demands_move(text), "{text}");
        }
        for text in [
            "timeout_turn 1",
            "timeout_turn",
            "timeout_match 0",
            "time_left 0",
            "",
        ] {
            assert!(!demands_move(text), "{text}");
        }
    }

    #[test]
    fn a_match_has_a_clock_when_somebody_says_so() {
        let limited = |millis| {
            let main = Duration::from_millis(millis);
            Some(TimeControl::Limited {
                main,
                overtime: Overtime::None,
            })
        };
        let control = |lines: &[(&str, &str)]| told(lines).control(None);
        assert_eq!(control(&[]), None);
        assert_eq!(control(&[("timeout_match", "180000")]), limited(180_000));
        assert_eq!(
            control(&[("timeout_match", "0")]),
            Some(TimeControl::Unlimited)
        );
        let left = told(&[("time_left", "9000")]);
        assert_eq!(left.control(None), limited(9000));
        assert_eq!(left.control(limited(10_000)), None, "the clock runs");
        let mut info = told(&[("timeout_match", "9000"), ("time_left", "-30")]);
        assert_eq!(info.control(limited(8000)), limited(9000));
        assert_eq!(info.control(limited(9000)), None);
        assert_eq!(info.left.take(), Some(Duration::ZERO));
        assert_eq!(info.left.take(), None);
        let endless = told(&[("timeout_match", "0"), ("time_left", "2147483647")]);
        assert_eq!(endless.control(None), Some(TimeControl::Unlimited));
    }

    #[test]
    fn what_cannot_be_had_is_told_and_forgotten_when_it_is_mended() {
        let mut info = told(&[("rule", "2")]);
        let trouble = info.trouble.clone().unwrap();
        assert!(
            trouble.contains("rule 2") && trouble.contains("4 (renju)"),
            "{trouble}"
        );
        info.take("rule", "4");
        assert_eq!((info.rules, info.trouble), (Some("renju"), None));
        for ignored in [
            ("timeout_turn", "soon"),
            ("time_left", "900 s"),
            ("time_left", "inf"),
            ("evaluate", "3,4"),
            ("folder", "/tmp"),
            ("game_type", "1"),
            ("", ""),
        ] {
            assert_eq!(told(&[ignored]), Info::default());
        }
    }
}
