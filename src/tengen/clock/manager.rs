//! What a time manager is told and asked: budgets of moves, from what earlier moves have taught.

use std::time::Duration;

use super::experience::{MIN_HARD, TimeManager, usual_proof_ply};
use super::params::Situation;
use super::stop::ANSWER;
use super::{Budget, Lag, TimeLeft, Told, allotment};

/// A larger difference after one move, as a share of the main time (and more than a second), is not
/// lag: the clock was corrected.
const LARGEST_LAG_SHARE: f64 = 0.1;

impl TimeManager {
    /// Sets another time control: the clock is full and charges restart; measurements of lag and
    /// speed are kept.
    pub(crate) fn new_control(&mut self) {
        self.full = Duration::ZERO;
        (self.moves_untold, self.moves_unsettled) = (0, 0);
    }

    /// Thinking time for the next move if the clock stands so, or `None` when it sets no limit.
    pub(crate) fn allot(&mut self, situation: &Situation) -> Option<Budget> {
        if let TimeLeft::Main(main) = situation.clock.left() {
            self.full = self.full.max(main);
            self.present = main;
        }
        match situation.usually_proven_from {
            Some(ply) => {
                let usual = usual_proof_ply(ply, situation.usual_move_time(ply, self.full));
                self.expected_proof_ply.expect(usual);
            }
            // Where games differ much, the position says more than earlier games.
            None => self
                .expected_proof_ply
                .assume(f64::from(situation.ply) + situation.plies_left),
        }
        let budget = allotment::budget(self, situation)?;
        let answer = ANSWER.min(budget.hard / 3);
        let maximum = budget.maximum.min(budget.hard.saturating_sub(answer));
        Some(Budget {
            target: budget.target.min(maximum),
            maximum,
            hard: budget.hard.max(MIN_HARD),
            ..budget
        })
    }

    /// Lag to charge for the next move, as the controller's clock does.
    pub(crate) fn next_lag(&self) -> Lag {
        self.lag.charge(self.moves_unsettled + 1)
    }

    /// The controller has reported this side's time.
    pub(crate) fn told(&mut self, told: &Told) {
        let moves = std::mem::take(&mut self.moves_untold);
        if told.settles {
            self.moves_unsettled = 0;
        }
        let maximum = (LARGEST_LAG_SHARE * self.full.as_secs_f64()).max(1.0) * f64::from(moves);
        let lost = told.lost_seconds.filter(|lost| lost.abs() <= maximum);
        if let (Some(lost), 1..) = (lost, moves) {
            self.lag.measure(lost, moves, told.coarse);
        }
    }

    /// A game has ended: learns from it, and starts the next one.
    pub(crate) fn new_game(&mut self) {
        self.expected_proof_ply.new_game();
        self.new_control();
    }
}

#[cfg(test)]
mod tests {
    use super::super::budget::from_seconds;
    use super::super::params::MoveTimeUsed;
    use super::super::{Overtime, SideClock, StopReason, TimeControl, TimeParams};
    use super::*;

    fn manager() -> TimeManager {
        TimeManager::new(TimeParams::default(), Some(Duration::from_millis(100)))
    }

    fn budget(manager: &mut TimeManager) -> Budget {
        let clock = SideClock::new(TimeControl::Limited {
            main: Duration::from_secs(60),
            overtime: Overtime::None,
        });
        let situation = Situation {
            clock,
            ply: 0,
            plies_left: 72.0,
            reserved_plies: 81,
            most_plies: 81,
            usually_proven_from: Some(54.0),
        };
        manager.allot(&situation).expect("a limited clock")
    }

    fn spent(elapsed_seconds: f64, stop: StopReason) -> MoveTimeUsed {
        MoveTimeUsed {
            elapsed: from_seconds(elapsed_seconds),
            visits: 1500,
            reused: 500,
            stop: Some(stop),
        }
    }

    #[test]
    fn the_rate_and_the_use_of_time_are_learned_from_searches() {
        let mut manager = manager();
        let given = budget(&mut manager);
        let elapsed = given.target.as_secs_f64() / 2.0;
        let before = manager.used;
        manager.moved(0, Some(&given), &spent(elapsed, StopReason::Settled));
        assert!((manager.rate - 1000.0 / elapsed).abs() < 1e-6);
        assert!(manager.used < before);
        assert!(
            budget(&mut manager).target > given.target,
            "what is saved is handed on"
        );
        let rate = manager.rate;
        manager.moved(2, Some(&given), &spent(0.0, StopReason::Proven));
        assert_eq!(manager.rate, rate, "an instant move says nothing");
    }

    #[test]
    fn the_expected_proof_ply_is_learned_from_why_searches_ended() {
        let mut manager = manager();
        let given = budget(&mut manager);
        let mut play = |plies: &[(u32, StopReason)]| {
            for (ply, stop) in plies {
                manager.moved(*ply, Some(&given), &spent(1.0, *stop));
            }
            manager.new_game();
            manager.expected_proof_ply.ply().expect("a move was made")
        };
        let proven = play(&[
            (42, StopReason::Time),
            (44, StopReason::Proven),
            (46, StopReason::OnlyMove),
            (48, StopReason::Proven),
        ]);
        let usual = usual_proof_ply(54.0, Duration::from_secs(60) / 27);
        let learned = 0.7 * usual + 0.3 * 44.0;
        assert!((proven - learned).abs() < 1e-6, "{proven}, not {learned}");
        // A proof that was undone does not count.
        let settled = play(&[(40, StopReason::Proven), (38, StopReason::Settled)]);
        assert_eq!(settled, proven);
    }

    #[test]
    fn lag_is_what_the_controller_charges_beyond_our_own_clock() {
        let mut manager = manager();
        let given = budget(&mut manager);
        let told = |manager: &mut TimeManager, seconds, moves| {
            for _ in 0..moves {
                manager.moved(0, Some(&given), &spent(1.0, StopReason::Time));
            }
            manager.told(&Told {
                lost_seconds: Some(seconds),
                coarse: false,
                settles: true,
            });
            manager.lag.usual().as_secs_f64()
        };
        for _ in 0..30 {
            told(&mut manager, 0.03, 1);
            // Reported again without a move: nothing to learn.
            told(&mut manager, 20.0, 0);
        }
        // A move of a book has its lag, too.
        manager.moved(0, None, &spent(0.0, StopReason::Proven));
        manager.told(&Told {
            lost_seconds: Some(0.5),
            coarse: false,
            settles: true,
        });
        let lag = manager.lag.usual().as_secs_f64();
        assert!(lag > 0.031, "{lag}");
        for _ in 0..30 {
            told(&mut manager, 0.03, 1);
        }
        // Half the clock gone at once is an operator's correction.
        let lag = told(&mut manager, 30.0, 1);
        assert!((lag - 0.03).abs() < 0.002, "{lag}");
    }

    #[test]
    fn lag_is_charged_until_the_time_is_known() {
        let mut manager = manager();
        let given = budget(&mut manager);
        for _ in 0..4 {
            manager.moved(0, Some(&given), &spent(1.0, StopReason::Time));
        }
        let millis = |lag: Duration| lag.as_millis();
        let Lag { usual, doubt } = manager.next_lag();
        assert_eq!((millis(usual), millis(doubt)), (100, 670));
        for (settles, doubt) in [(false, 670), (true, 300)] {
            manager.told(&Told {
                lost_seconds: None,
                coarse: true,
                settles,
            });
            assert_eq!(millis(manager.next_lag().doubt), doubt);
        }
    }
}
