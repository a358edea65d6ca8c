//! Ways to tell an engine its time.

use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::referee_clock::AnnouncedTime;

/// How an engine is told its time before a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimeReports {
    /// As it is.
    #[default]
    Exact,
    /// Never, like gogui-twogtp.
    Never,
    /// In whole seconds, rounded down.
    Down,
    /// In whole seconds, rounded to the nearest.
    Nearest,
    /// In whole seconds, rounded up.
    Up,
    /// As it was before the engine's last move.
    Late,
    /// The same in whole seconds, rounded up.
    LateUp,
}

impl TimeReports {
    /// All of them, with their names on command lines.
    pub const ALL: [(&str, TimeReports); 7] = [
        ("exact", TimeReports::Exact),
        ("never", TimeReports::Never),
        ("down", TimeReports::Down),
        ("nearest", TimeReports::Nearest),
        ("up", TimeReports::Up),
        ("late", TimeReports::Late),
        ("late-up", TimeReports::LateUp),
    ];

    /// What is told when there is this time now, and was that before the last move.
    #[must_use]
    pub fn report(self, now: AnnouncedTime, before: AnnouncedTime) -> Option<AnnouncedTime> {
        let rounded = |told: AnnouncedTime, round: fn(f64) -> f64| AnnouncedTime {
            time: Duration::try_from_secs_f64(round(told.time.as_secs_f64())).unwrap_or(told.time),
            ..told
        };
        Some(match self {
            TimeReports::Never => return None,
            TimeReports::Exact => now,
            TimeReports::Down => rounded(now, f64::floor),
            TimeReports::Nearest => rounded(now, f64::round),
            TimeReports::Up => rounded(now, f64::ceil),
            TimeReports::Late => before,
            TimeReports::LateUp => rounded(before, f64::ceil),
        })
    }
}

impl FromStr for TimeReports {
    type Err = String;

    fn from_str(text: &str) -> Result<TimeReports, String> {
        let mut all = TimeReports::ALL.iter();
        let found = all.find_map(|(name, reports)| (*name == text).then_some(*reports));
        found.ok_or_else(|| {
            let names = TimeReports::ALL.map(|(name, _)| name);
            format!("write one of {}", names.join(", "))
        })
    }
}
