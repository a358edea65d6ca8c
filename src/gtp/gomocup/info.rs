//! What the manager says by `INFO`: limits of time and memory, and the rules.

use std::time::Duration;

use super::text::short;
use crate::clock::{LONGEST, Overtime, TimeControl, USUAL_LAG};
use crate::engine::Spending;

/// A match without limit, as `time_left` says it.
const NO_LIMIT: i64 = 2_147_483_647;

/// A move that is to come as fast as possible gets this long.
const AT_ONCE: Duration = Duration::from_millis(1);

/// All that was said so far. What was never said is `None`.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Info {
    /// Time of a move; no time at all asks for a move at once.
    turn: Option<Duration>,
    /// Time of the whole match; `Some(None)` where it has no limit.
    match_time: Option<Option<Duration>>,
    /// What is left of it, since it was last asked for.
    left: Option<Duration>,
    /// Bytes.
    pub(super) memory: Option<u64>,
    /// The rules by the engine's names for them.
    pub(super) rules: Option<&'static str>,
    /// What was said last and cannot be had; to be told when the manager listens.
    pub(super) trouble: Option<String>,
}

/// The sums of bits that `INFO rule` may say, by the names of rules: 1 for exactly five, 4 for Renju, 8
/// for Caro.
pub const RULES: [(i64, &str); 5] = [
    (0, "freestyle"),
    (1, "standard"),
    (4, "renju"),
    (8, "caro"),
    (9, "standard-caro"),
];

impl Info {
    /// Takes a key and its value; keys that say nothing of interest are left aside, as the protocol
    /// wants it.
    pub(super) fn take(&mut self, key: &str, value: &str) {
        let number: Option<i64> = value.trim().parse().ok();
        let Some(number) = number else {
            let wanted = [
                "timeout_turn",
                "timeout_match",
                "time_left",
                "max_memory",
                "rule",
            ];
            if wanted.contains(&key) {
                self.trouble = Some(format!("INFO {key} takes a number, not {:?}", short(value)));
            }
            return;
        };
        let time = Duration::from_millis(number.max(0).unsigned_abs()).min(LONGEST);
        match key {
            "timeout_turn" => self.turn = Some(time),
            "timeout_match" => {
                let limited = number > 0 && number < NO_LIMIT;
                self.match_time = Some(limited.then_some(time));
            }
            "time_left" => self.left = (number < NO_LIMIT).then_some(time),
            "max_memory" => self.memory = u64::try_from(number).ok().filter(|&bytes| bytes > 0),
            "rule" => self.take_rule(number),
            _ => {}
        }
    }

    fn take_rule(&mut self, sum: i64) {
        self.trouble = None;
        match RULES.iter().find(|(known, _)| *known == sum) {
            Some((_, name)) => self.rules = Some(name),
            None => {
                let known: Vec<String> = RULES
                    .iter()
                    .map(|(sum, name)| format!("{sum} ({name})"))
                    .collect();
                self.trouble = Some(format!(
                    "INFO rule {sum} is not played here; there is {}",
                    known.join(", ")
                ));
            }
        }
    }

    /// What a move may cost: the time of a turn, with some kept back for the way to the manager, and
    /// whatever the engine was told besides.
    pub(super) fn spending(&self, usual: &Spending) -> Spending {
        let mut spending = usual.clone();
        if let Some(turn) = self.turn {
            let lag = usual.lag.unwrap_or(USUAL_LAG).min(turn / 3);
            let time = turn.saturating_sub(lag).max(AT_ONCE);
            spending.time_per_move = Some(usual.time_per_move.map_or(time, |own| own.min(time)));
            spending.late_after = Some(turn.saturating_sub(lag / 2));
        }
        spending
    }

    /// The match's clock where it has to be set anew: the whole time, or what is first said to be left.
    pub(super) fn control(&self, present: Option<TimeControl>) -> Option<TimeControl> {
        let limited = |main| TimeControl::Limited {
            main,
            overtime: Overtime::None,
        };
        let wanted = match (self.match_time, self.left) {
            (Some(time), _) => Some(time.map_or(TimeControl::Unlimited, limited)),
            (None, left) => left.filter(|_| present.is_none()).map(limited),
        };
        wanted.filter(|wanted| present != Some(*wanted))
    }

    /// What is left of the match, if it was said since it was last asked for.
    pub(super) fn news_of_time(&mut self) -> Option<Duration> {
        self.left.take()
    }
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
        let turn = |value: &str, usual: &Spending| {
            told(&[("timeout_turn", value)])
                .spending(usual)
                .time_per_move
        };
        let usual = Spending::default();
        let late = told(&[("timeout_turn", "5000")])
            .spending(&usual)
            .late_after;
        assert_eq!(late, Some(Duration::from_millis(4970)));
        assert_eq!(turn("5000", &usual), Some(Duration::from_millis(4940)));
        assert_eq!(turn("30", &usual), Some(Duration::from_millis(20)));
        assert_eq!(turn("0", &usual), Some(AT_ONCE));
        assert_eq!(turn("-7", &usual), Some(AT_ONCE));
        let own = Spending {
            time_per_move: Some(Duration::from_millis(500)),
            ..Spending::default()
        };
        assert_eq!(turn("5000", &own), own.time_per_move);
        assert_eq!(told(&[]).spending(&usual), usual);
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
        assert_eq!(info.news_of_time(), Some(Duration::ZERO));
        assert_eq!(info.news_of_time(), None);
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
        assert!(told(&[("timeout_turn", "soon")]).trouble.is_some());
        for ignored in [
            ("evaluate", "3,4"),
            ("folder", "/tmp"),
            ("game_type", "1"),
            ("", ""),
        ] {
            assert_eq!(told(&[ignored]), Info::default());
        }
    }
}
