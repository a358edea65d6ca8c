//! Special clock conditions: `time_left` rounded, late or withheld, lag, nodes instead of seconds.
//!
//! Lag is added to the measured time instead of being waited for: an engine measures its own
//! thinking and cannot tell the difference, and a rig of ten thousand games stays short.

use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use super::game_end::work;
use super::gtp_client::{Fault, malformed};
use super::player::{REPORT_COMMAND, Reply};
use super::referee_clock::AnnouncedTime;

/// Clock conditions of a match. The default is an ordinary clock.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ClockSimulation {
    /// How engines are told their time.
    pub time_reports: TimeReports,
    /// The clock of a side starts with its second move.
    pub starts_late: bool,
    /// Mean lag added to every move, in seconds; exponentially distributed.
    pub mean_lag_seconds: f64,
    /// Maximum of the lag that is added to all moves of a side in a game, in seconds: it is the
    /// same for each, and uniformly distributed over the games.
    pub game_lag_seconds: f64,
    /// Share of moves with an additional stall, in 0..=1.
    pub stall_share: f64,
    /// Length of a stall in seconds.
    pub stall_seconds: f64,
    /// New visits (playouts) that count as one second of thinking, instead of measured time.
    /// Engines must report them.
    pub visits_per_second: Option<f64>,
}

/// A side's clock under conditions, in one game.
pub(super) struct SimulatedClock {
    conditions: ClockSimulation,
    /// Random numbers for the lag.
    rng: Xoshiro256PlusPlus,
    /// The lag of this game, in seconds.
    game_lag: f64,
    /// The clock before the last move; `None` before the first one.
    before: Option<AnnouncedTime>,
    has_moved: bool,
}

impl SimulatedClock {
    /// The clock for one game; `seed` determines its lag.
    pub(super) fn new(conditions: ClockSimulation, seed: u64) -> SimulatedClock {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let game_lag = match conditions.game_lag_seconds {
            0.0 => 0.0,
            most => most * rng.random::<f64>(),
        };
        SimulatedClock {
            conditions,
            rng,
            game_lag,
            before: None,
            has_moved: false,
        }
    }

    /// What the player is told of its clock before a move, if it was busy so long since its last one.
    pub(super) fn told(
        &mut self,
        left: Option<AnnouncedTime>,
        busy: Duration,
    ) -> Option<AnnouncedTime> {
        let mut now = left?;
        if self.conditions.visits_per_second.is_none() {
            now.time = now.time.saturating_sub(busy);
        }
        let before = self.before.replace(now).unwrap_or(now);
        self.conditions.time_reports.report(now, before)
    }

    /// The lag of one move, in seconds.
    fn lag(&mut self) -> f64 {
        // 1 - u lies in (0, 1], so its logarithm is finite.
        let exponential = -(1.0 - self.rng.random::<f64>()).ln();
        let stall = match self.rng.random::<f64>() < self.conditions.stall_share {
            true => self.conditions.stall_seconds,
            false => 0.0,
        };
        self.game_lag + (exponential * self.conditions.mean_lag_seconds + stall)
    }

    /// The player's answer with the time that is charged for it, and for what it was busy with before.
    pub(super) fn charged(&mut self, mut reply: Reply, busy: Duration) -> Result<Reply, Fault> {
        reply.took += busy;
        if let Some(visits_per_second) = self.conditions.visits_per_second {
            let report = reply.report.as_deref().unwrap_or_default();
            let work = work(report)
                .ok_or_else(|| malformed(REPORT_COMMAND, report, "a report of visits"))?;
            let seconds = work as f64 / visits_per_second;
            reply.took = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        }
        let lag = Duration::try_from_secs_f64(self.lag()).unwrap_or_default();
        reply.took = reply.took.saturating_add(lag);
        if !std::mem::replace(&mut self.has_moved, true) && self.conditions.starts_late {
            reply.took = Duration::ZERO;
        }
        Ok(reply)
    }
}

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
    /// All of them.
    pub const ALL: [TimeReports; 7] = [
        TimeReports::Exact,
        TimeReports::Never,
        TimeReports::Down,
        TimeReports::Nearest,
        TimeReports::Up,
        TimeReports::Late,
        TimeReports::LateUp,
    ];

    /// What is told when there is this time now, and was that before the last move.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::player::PlayerMove;

    const BUSY: Duration = Duration::from_millis(300);

    /// The times charged for 2,000 moves of a second each, with this report.
    fn times(conditions: ClockSimulation, report: Option<&str>) -> Result<Vec<f64>, Fault> {
        let mut clock = SimulatedClock::new(conditions, 1);
        let left = Some(AnnouncedTime {
            time: Duration::from_secs(9),
            stones: 0,
        });
        let untold = conditions.time_reports == TimeReports::Never;
        let charged = (0..2000).map(|_| {
            assert_eq!(clock.told(left, BUSY).is_none(), untold);
            let reply = Reply {
                choice: PlayerMove::Resign,
                took: Duration::from_secs(1) - BUSY,
                report: report.map(str::to_owned),
            };
            Ok(clock.charged(reply, BUSY)?.took.as_secs_f64())
        });
        charged.collect()
    }

    #[test]
    fn ordinary_conditions_change_nothing() {
        assert!(
            times(ClockSimulation::default(), None)
                .unwrap()
                .iter()
                .all(|&time| time == 1.0)
        );
    }

    #[test]
    fn lag_and_stalls_come_as_often_as_asked() {
        let conditions = ClockSimulation {
            time_reports: TimeReports::Never,
            mean_lag_seconds: 0.05,
            stall_share: 0.1,
            stall_seconds: 2.0,
            ..ClockSimulation::default()
        };
        let times = times(conditions, None).unwrap();
        let stalls = times.iter().filter(|&&time| time >= 3.0).count();
        assert!((150..250).contains(&stalls), "{stalls}");
        let lag = times
            .iter()
            .filter(|&&time| time < 3.0)
            .map(|time| time - 1.0);
        let mean = lag.sum::<f64>() / (2000 - stalls) as f64;
        assert!((0.045..0.055).contains(&mean), "{mean}");
    }

    #[test]
    fn a_game_has_its_lag_and_a_late_clock_a_free_move() {
        let conditions = ClockSimulation {
            game_lag_seconds: 0.06,
            starts_late: true,
            ..ClockSimulation::default()
        };
        let times = times(conditions, None).unwrap();
        assert_eq!(times[0], 0.0);
        assert!(times[1] > 1.0 && times[1] < 1.06, "{}", times[1]);
        assert!(times[2..].iter().all(|time| *time == times[1]));
    }

    #[test]
    fn time_is_told_rounded_or_late() {
        let at = |seconds| AnnouncedTime {
            time: Duration::from_secs_f64(seconds),
            stones: 3,
        };
        let told = |reports: TimeReports| {
            let told = reports.report(at(7.5), at(9.2))?;
            assert_eq!(told.stones, 3);
            Some(told.time.as_secs_f64())
        };
        let expected = [7.5, 0.0, 7.0, 8.0, 8.0, 9.2, 10.0];
        let expected = expected.map(|time| (time > 0.0).then_some(time));
        assert_eq!(TimeReports::ALL.map(told), expected);
    }

    #[test]
    fn what_is_charged_for_commands_is_taken_off_before_it_is_told() {
        let told = |time_reports, visits_per_second| {
            let conditions = ClockSimulation {
                time_reports,
                visits_per_second,
                ..ClockSimulation::default()
            };
            let left = AnnouncedTime {
                time: Duration::from_secs(9),
                stones: 0,
            };
            let told = SimulatedClock::new(conditions, 1).told(Some(left), BUSY);
            told.unwrap().time.as_millis()
        };
        assert_eq!(told(TimeReports::Exact, None), 8700);
        assert_eq!(told(TimeReports::Down, None), 8000);
        assert_eq!(told(TimeReports::Up, None), 9000);
        // Visits alone are charged.
        assert_eq!(told(TimeReports::Exact, Some(100.0)), 9000);
    }

    #[test]
    fn visits_can_be_time() {
        let conditions = ClockSimulation {
            visits_per_second: Some(100.0),
            ..ClockSimulation::default()
        };
        assert_eq!(
            times(conditions, Some("visits 900 playouts 250")).unwrap()[0],
            2.5
        );
        assert!(matches!(
            times(conditions, Some("value 0")),
            Err(Fault::Malformed { .. })
        ));
    }
}
