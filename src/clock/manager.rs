//! The time manager of one side: what a move may cost, and what earlier moves have taught.

use std::time::Duration;

use super::takeover::Takeover;
use super::{Budget, LagMeter, Rules, SideClock, StopReason, TimeLeft, TimeParams};
use super::{ours, rivals};

/// What share of its planned time a move takes, before there is experience.
const FIRST_USED: f64 = 0.85;
/// No plan counts on less use than this.
const LEAST_USED: f64 = 0.4;
/// What a move is taken to lose where nobody says and nothing is measured.
pub const USUAL_LAG: Duration = Duration::from_millis(60);
/// That takes at most this share of the main time, in so many own moves.
const ASSUMED_LAG_SHARE: f64 = 0.25;
const USUAL_MOVES: f64 = 36.0;
/// A larger loss on one move, as a share of the main time (and more than a second), is no lag:
/// somebody has corrected the clock.
const LARGEST_LAG_SHARE: f64 = 0.1;
/// A search that has used its time up needs so long to finish a batch and answer.
const ANSWER: Duration = Duration::from_millis(45);
/// Where less than this share of the plans is used, the rules that end searches early are loosened.
const THRIFTY: f64 = 0.6;
/// Times shorter than this say nothing about how much of a plan is used.
const SHORTEST_LESSON: Duration = Duration::from_millis(100);
/// Weight of a new move in the running means.
const MOVE_WEIGHT: f64 = 0.15;

/// A position that waits for a move, as the manager sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Situation {
    /// The mover's clock.
    pub clock: SideClock,
    /// Plies played.
    pub ply: u32,
    /// Plies still to come, as expected.
    pub plies_left: f64,
    /// The most plies that can still come.
    pub plies_bound: u32,
    /// The ply from which positions of this game are usually proven, while nothing was learned.
    pub usual_takeover: f64,
    /// Points of the board.
    pub area: f64,
}

/// What became of a move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spent {
    /// Time it took, by this engine's own clock.
    pub elapsed: Duration,
    /// Visits of its search, reused ones counted.
    pub visits: u64,
    /// Visits that were there before.
    pub reused: u64,
    /// Value for the mover in [-1, 1].
    pub value: f32,
    /// Why the search ended; `None` where there was none.
    pub stop: Option<StopReason>,
}

/// Time manager of one side.
#[derive(Debug, Clone)]
pub struct TimeManager {
    pub(super) params: TimeParams,
    pub(super) lag: LagMeter,
    /// Somebody has said what a move loses.
    lag_is_told: bool,
    /// Running mean of used time over planned time.
    pub(super) used: f64,
    /// Running mean of visits per second; 0 before the first search.
    rate: f64,
    takeover: Takeover,
    /// Value of the last search of this game, for this side.
    pub(super) last_value: Option<f32>,
    /// The largest main time seen in this game, and the last.
    pub(super) full: Duration,
    pub(super) present: Duration,
    /// Moves charged since the controller last told the time, and the lag charged for them.
    moves_untold: u32,
    lag_charged: Duration,
}

impl TimeManager {
    /// A manager without experience. `lag` is what a move is taken to lose between this clock and
    /// the controller's until that can be measured; with `None` [`USUAL_LAG`], less on a short
    /// clock.
    #[must_use]
    pub fn new(params: TimeParams, lag: Option<Duration>) -> TimeManager {
        TimeManager {
            params,
            lag: LagMeter::new(lag.unwrap_or(USUAL_LAG)),
            lag_is_told: lag.is_some(),
            used: FIRST_USED,
            rate: 0.0,
            takeover: Takeover::default(),
            last_value: None,
            full: Duration::ZERO,
            present: Duration::ZERO,
            moves_untold: 0,
            lag_charged: Duration::ZERO,
        }
    }

    /// Another time control: what is full and what was charged begins anew; what was learned of lag
    /// and speed stays.
    pub fn new_control(&mut self) {
        (self.full, self.moves_untold) = (Duration::ZERO, 0);
        self.lag_charged = Duration::ZERO;
    }

    /// Other settings from now on.
    pub fn set_params(&mut self, params: TimeParams) {
        self.params = params;
    }

    /// Forgets what was measured of lag, and assumes this from now on.
    pub fn assume_lag(&mut self, lag: Option<Duration>) {
        self.lag = LagMeter::new(lag.unwrap_or(USUAL_LAG));
        self.lag_is_told = lag.is_some();
    }

    /// Takes over what was measured for the other side: the controller is the same.
    pub fn share_lag(&mut self, other: &TimeManager) {
        self.lag = other.lag;
    }

    /// Thinking time for the next move, or `None` when the clock sets no limit.
    pub fn allot(&mut self, situation: &Situation) -> Option<Budget> {
        if let TimeLeft::Main(main) = situation.clock.left() {
            self.full = self.full.max(main);
            self.present = main;
        }
        self.takeover.expect(situation.usual_takeover);
        let budget = rivals::budget(self, situation).or_else(|| ours::budget(self, situation))?;
        let answer = ANSWER.min(budget.hard / 3);
        let most = budget.most.min(budget.hard.saturating_sub(answer));
        Some(Budget {
            soft: budget.soft.min(most),
            most,
            hard: budget.hard.max(ours::LEAST_HARD),
            ..budget
        })
    }

    /// What to charge a move for lag: the controller's clock does, told or untold.
    #[must_use]
    pub fn lag_of_a_move(&self) -> Duration {
        let lag = self.lag.mean();
        if self.lag.is_assumed() && !self.lag_is_told && !self.full.is_zero() {
            lag.min(self.full.mul_f64(ASSUMED_LAG_SHARE / USUAL_MOVES))
        } else {
            lag
        }
    }

    /// A move was made and charged, with this lag; `budget` is what it was given.
    pub fn moved(&mut self, ply: u32, budget: &Budget, spent: &Spent, lag: Duration) {
        self.moves_untold += 1;
        self.lag_charged += lag;
        let Some(stop) = spent.stop else { return };
        match stop {
            StopReason::Proven => self.takeover.proven(ply),
            StopReason::Time | StopReason::Settled => {
                self.takeover.thought(ply);
                self.learn(budget, spent);
            }
            _ => self.takeover.passed_by(ply),
        }
        if stop != StopReason::Proven {
            self.last_value = Some(spent.value);
        }
    }

    /// What a move that was thought about to the end says of later ones: how much of its time a
    /// search uses, and how fast it is.
    fn learn(&mut self, budget: &Budget, spent: &Spent) {
        if budget.soft >= SHORTEST_LESSON {
            let used = spent.elapsed.min(budget.most).as_secs_f64() / budget.soft.as_secs_f64();
            self.used += MOVE_WEIGHT * (used - self.used);
            self.used = self.used.clamp(LEAST_USED, 1.5);
        }
        let new = spent.visits.saturating_sub(spent.reused);
        if new >= 32 && !spent.elapsed.is_zero() {
            let rate = new as f64 / spent.elapsed.as_secs_f64();
            let weight = if self.rate == 0.0 { 1.0 } else { MOVE_WEIGHT };
            self.rate += weight * (rate - self.rate);
        }
    }

    /// The controller has told the time of this side; `own` is what this engine's clock said.
    pub fn told(&mut self, own: TimeLeft, told: TimeLeft) {
        let moves = std::mem::take(&mut self.moves_untold);
        let charged = std::mem::take(&mut self.lag_charged);
        let (own, told) = match (own, told) {
            (TimeLeft::Main(own), TimeLeft::Main(told)) => (own, told),
            (
                TimeLeft::Canadian { period, stones },
                TimeLeft::Canadian {
                    period: told,
                    stones: same,
                },
            ) if stones == same => (period, told),
            _ => return,
        };
        let lost = own.as_secs_f64() - told.as_secs_f64() + charged.as_secs_f64();
        let most = (LARGEST_LAG_SHARE * self.full.as_secs_f64()).max(1.0);
        if moves > 0 && lost.abs() <= most * f64::from(moves) {
            let coarse = told.subsec_nanos() == 0;
            self.lag.measure(lost, moves, coarse);
        }
    }

    /// A game is over or given up: what it has taught is taken over, and the next one begins.
    pub fn new_game(&mut self) {
        self.takeover.new_game();
        self.last_value = None;
        self.new_control();
    }

    /// Own moves still to come as expected, at least 1.
    pub(super) fn own_moves(situation: &Situation) -> f64 {
        (situation.plies_left / 2.0).ceil().max(1.0)
    }

    /// The most own moves that can still come, at least 1: what reserves are for.
    pub(super) fn most_moves(situation: &Situation) -> u32 {
        situation.plies_bound.div_ceil(2).max(1)
    }

    /// The ply from which results are expected to be proven, so that moves need no thought; `None`
    /// before the first move.
    #[must_use]
    pub fn takeover(&self) -> Option<f64> {
        self.takeover.ply()
    }

    /// The rules that searches run under. Searches that end early, one after the other, are given
    /// more and more of their time back: what nobody uses is worth nothing after the game.
    pub(super) fn rules(&self) -> Rules {
        let thrift = ((self.used - LEAST_USED) / (THRIFTY - LEAST_USED)).clamp(0.0, 1.0);
        let overtake = self.params.time_overtake;
        Rules {
            overtake: if thrift > 0.0 { overtake / thrift } else { 0.0 },
            credit: self.params.time_credit * thrift,
            rate: self.rate,
            ..Rules::default()
        }
    }

    /// What is measured, for people: lag and visits per second.
    #[must_use]
    pub fn measured(&self) -> (Duration, f64) {
        (self.lag.usual(), self.rate)
    }
}

#[cfg(test)]
mod tests {
    use super::super::budget::from_seconds;
    use super::super::{Overtime, TimeControl};
    use super::*;

    /// Charged with every move.
    const LAG: Duration = Duration::from_millis(20);

    fn manager() -> TimeManager {
        TimeManager::new(TimeParams::default(), Some(Duration::from_millis(100)))
    }

    fn main(seconds: f64) -> TimeLeft {
        TimeLeft::Main(Duration::from_secs_f64(seconds))
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
            plies_bound: 81,
            usual_takeover: 54.0,
            area: 81.0,
        };
        manager.allot(&situation).expect("a limited clock")
    }

    fn spent(elapsed_seconds: f64, stop: StopReason) -> Spent {
        Spent {
            elapsed: from_seconds(elapsed_seconds),
            visits: 1500,
            reused: 500,
            value: 0.1,
            stop: Some(stop),
        }
    }

    #[test]
    fn who_hardly_uses_the_plans_ends_fewer_searches_early() {
        let mut manager = manager();
        let mut at = |used| {
            manager.used = used;
            let rules = manager.rules();
            (rules.overtake, rules.credit)
        };
        assert_eq!(at(0.8), (0.5, 0.7));
        let (overtake, credit) = at(0.5);
        assert!((overtake - 1.0).abs() < 1e-9 && (credit - 0.35).abs() < 1e-9);
        assert_eq!(at(LEAST_USED), (0.0, 0.0));
    }

    #[test]
    fn the_rate_and_the_use_of_time_are_learned_from_searches() {
        let mut manager = manager();
        let given = budget(&mut manager);
        let elapsed = given.soft.as_secs_f64() / 2.0;
        manager.moved(0, &given, &spent(elapsed, StopReason::Settled), LAG);
        assert!((manager.measured().1 - 1000.0 / elapsed).abs() < 1e-6);
        assert!(manager.used < FIRST_USED);
        assert!(
            budget(&mut manager).soft > given.soft,
            "what is saved is handed on"
        );
        let rate = manager.measured().1;
        manager.moved(2, &given, &spent(0.0, StopReason::Proven), LAG);
        assert_eq!(manager.measured().1, rate, "an instant move says nothing");
    }

    #[test]
    fn the_takeover_is_learned_from_why_searches_ended() {
        let mut manager = manager();
        let given = budget(&mut manager);
        let mut play = |plies: &[(u32, StopReason)]| {
            for (ply, stop) in plies {
                manager.moved(*ply, &given, &spent(1.0, *stop), LAG);
            }
            manager.new_game();
            manager.takeover().expect("a move was made")
        };
        let proven = play(&[
            (42, StopReason::Time),
            (44, StopReason::Proven),
            (46, StopReason::OnlyMove),
            (48, StopReason::Proven),
        ]);
        assert!((proven - 51.0).abs() < 1e-9, "{proven}");
        // A proof that was taken back does not count.
        let settled = play(&[(40, StopReason::Proven), (38, StopReason::Settled)]);
        assert_eq!(settled, proven);
    }

    #[test]
    fn lag_is_what_the_controller_has_beyond_our_own_clock() {
        let mut manager = manager();
        let given = budget(&mut manager);
        for move_number in 0..30 {
            manager.moved(2 * move_number, &given, &spent(1.0, StopReason::Time), LAG);
            manager.told(main(50.0), main(49.99));
            // Told again without a move: nothing to learn.
            manager.told(main(50.0), main(20.0));
        }
        // Half the clock gone at once is an operator's correction.
        manager.moved(60, &given, &spent(1.0, StopReason::Time), LAG);
        manager.told(main(50.0), main(20.0));
        let lag = manager.measured().0.as_secs_f64();
        assert!((lag - 0.03).abs() < 0.002, "{lag}");
        manager.moved(60, &given, &spent(1.0, StopReason::Time), LAG);
        manager.told(
            main(50.0),
            TimeLeft::Canadian {
                period: Duration::ZERO,
                stones: 3,
            },
        );
        assert!((manager.measured().0.as_secs_f64() - lag).abs() < 1e-9);
    }
}
