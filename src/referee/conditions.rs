//! Special clock conditions: withheld `time_left`, network lag, nodes instead of seconds.
//!
//! Lag is added to the measured time instead of being waited for: an engine measures its own
//! thinking and cannot tell the difference, and a rig of ten thousand games stays short.

use std::time::Duration;

use rand::RngExt;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use super::game;
use super::gtp_client::Fault;
use super::player::{Contestant, GameSetup, REPORT_COMMAND, Reply};
use super::referee_clock::AnnouncedTime;
use crate::game::{Color, Move};

/// Clock conditions of a match. The default is an ordinary clock.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Conditions {
    /// Never send `time_left`, like gogui-twogtp.
    pub withhold_time_left: bool,
    /// Mean lag added to every move, in seconds; exponentially distributed.
    pub mean_lag_seconds: f64,
    /// Share of moves with an additional stall, in 0..=1.
    pub stall_share: f64,
    /// Length of a stall in seconds.
    pub stall_seconds: f64,
    /// New visits (playouts) that count as one second of thinking, instead of measured time.
    /// Engines must report them.
    pub visits_per_second: Option<f64>,
}

impl Conditions {
    /// The lag of one move.
    fn lag(&self, rng: &mut Xoshiro256PlusPlus) -> Duration {
        // 1 - u lies in (0, 1], so its logarithm is finite.
        let exponential = -(1.0 - rng.random::<f64>()).ln();
        let stall = if rng.random::<f64>() < self.stall_share {
            self.stall_seconds
        } else {
            0.0
        };
        let seconds = exponential * self.mean_lag_seconds + stall;
        Duration::try_from_secs_f64(seconds).unwrap_or_default()
    }
}

/// A player under conditions.
pub(super) struct Conditioned<'a> {
    /// The player itself.
    pub(super) player: &'a mut dyn Contestant,
    pub(super) conditions: Conditions,
    /// Random numbers for the lag.
    pub(super) rng: Xoshiro256PlusPlus,
}

impl Contestant for Conditioned<'_> {
    fn start(&mut self, setup: &GameSetup<'_>) -> Result<(), Fault> {
        self.player.start(setup)
    }

    fn play(&mut self, color: Color, mv: Move) -> Result<(), Fault> {
        self.player.play(color, mv)
    }

    fn clean_up(&mut self, color: Color, limit: Duration) -> Result<Reply, Fault> {
        self.player.clean_up(color, limit)
    }

    fn pass_instead(&mut self, color: Color) -> Result<bool, Fault> {
        self.player.pass_instead(color)
    }

    fn dead(&mut self) -> Result<Option<Vec<Move>>, Fault> {
        self.player.dead()
    }

    fn final_score(&mut self) -> Result<Option<String>, Fault> {
        self.player.final_score()
    }

    fn choose(
        &mut self,
        color: Color,
        left: Option<AnnouncedTime>,
        limit: Duration,
    ) -> Result<Reply, Fault> {
        let told = left.filter(|_| !self.conditions.withhold_time_left);
        let mut reply = self.player.choose(color, told, limit)?;
        if let Some(visits_per_second) = self.conditions.visits_per_second {
            let work = reply
                .report
                .as_deref()
                .and_then(game::work)
                .ok_or_else(|| {
                    let answer = reply.report.clone().unwrap_or_default();
                    Fault::Malformed {
                        command: REPORT_COMMAND.to_owned(),
                        answer,
                        expected: "a report of visits",
                    }
                })?;
            let seconds = work as f64 / visits_per_second;
            reply.took = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        }
        reply.took = reply
            .took
            .saturating_add(self.conditions.lag(&mut self.rng));
        Ok(reply)
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;

    use super::*;
    use crate::referee::player::PlayerMove;

    /// Thinks for a second and reports the time it was given and its visits.
    struct Honest {
        told: Option<AnnouncedTime>,
        report: Option<String>,
    }

    impl Contestant for Honest {
        fn start(&mut self, _setup: &GameSetup<'_>) -> Result<(), Fault> {
            Ok(())
        }

        fn play(&mut self, _color: Color, _mv: Move) -> Result<(), Fault> {
            Ok(())
        }

        fn choose(
            &mut self,
            _color: Color,
            left: Option<AnnouncedTime>,
            _limit: Duration,
        ) -> Result<Reply, Fault> {
            self.told = left;
            let took = Duration::from_secs(1);
            Ok(Reply {
                choice: PlayerMove::Resign,
                took,
                report: self.report.clone(),
            })
        }
    }

    /// The times charged for 2,000 moves.
    fn times(conditions: Conditions, report: Option<&str>) -> Result<Vec<f64>, Fault> {
        let mut player = Honest {
            told: None,
            report: report.map(str::to_owned),
        };
        let rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut conditioned = Conditioned {
            player: &mut player,
            conditions,
            rng,
        };
        let left = Some(AnnouncedTime {
            time: Duration::from_secs(9),
            stones: 0,
        });
        let replies = (0..2000).map(|_| conditioned.choose(Color::Black, left, Duration::MAX));
        let times: Result<Vec<f64>, Fault> =
            replies.map(|reply| Ok(reply?.took.as_secs_f64())).collect();
        assert_eq!(player.told.is_none(), conditions.withhold_time_left);
        times
    }

    #[test]
    fn ordinary_conditions_change_nothing() {
        assert!(
            times(Conditions::default(), None)
                .unwrap()
                .iter()
                .all(|&time| time == 1.0)
        );
    }

    #[test]
    fn lag_and_stalls_come_as_often_as_asked() {
        let conditions = Conditions {
            withhold_time_left: true,
            mean_lag_seconds: 0.05,
            stall_share: 0.1,
            stall_seconds: 2.0,
            visits_per_second: None,
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
    fn visits_can_be_time() {
        let conditions = Conditions {
            visits_per_second: Some(100.0),
            ..Conditions::default()
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
