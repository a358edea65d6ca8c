//! What a side's time is allotted by: its settings, and what earlier moves have taught of lag, of the
//! search and of the game.

use std::time::Duration;

use super::situation::MoveTimeUsed;
use super::takeover::Takeover;
use super::{Budget, LagMeter, StopReason, StopRules, TimeParams};

/// What share of its planned time a move takes, before there is experience.
const FIRST_USED: f64 = 0.85;
/// No plan counts on less use than this.
const LEAST_USED: f64 = 0.4;
/// What a move is taken to lose where nobody says and nothing is measured.
pub const USUAL_LAG: Duration = Duration::from_millis(60);
/// That takes at most this share of the main time, in so many own moves, and of what is left of it in all
/// moves to come, however many a game has.
pub(super) const ASSUMED_LAG_SHARE: f64 = 0.25;
const USUAL_MOVES: f64 = 36.0;
/// Where less than this share of the plans is used, the rules that end searches early are loosened.
const THRIFTY: f64 = 0.6;
/// Times shorter than this say nothing about how much of a plan is used.
const SHORTEST_INFORMATIVE: Duration = Duration::from_millis(100);
/// Weight of a new move in the running means.
const MOVE_WEIGHT: f64 = 0.15;

#[derive(Debug, Clone)]
pub(super) struct Experience {
    pub(super) params: TimeParams,
    pub(super) lag: LagMeter,
    /// Somebody has said what a move loses.
    pub(super) lag_is_told: bool,
    /// Running mean of used time over planned time.
    pub(super) used: f64,
    /// Running mean of visits per second; 0 before the first search.
    pub(super) rate: f64,
    pub(super) takeover: Takeover,
    /// Value of the last search of this game, for this side.
    pub(super) last_value: Option<f32>,
    /// The largest main time seen in this game, and the last.
    pub(super) full: Duration,
    pub(super) present: Duration,
}

impl Experience {
    /// None yet; `lag` as of [`TimeManager::new`](super::TimeManager::new).
    pub(super) fn new(params: TimeParams, lag: Option<Duration>) -> Experience {
        Experience {
            params,
            lag: LagMeter::new(lag.unwrap_or(USUAL_LAG)),
            lag_is_told: lag.is_some(),
            used: FIRST_USED,
            rate: 0.0,
            takeover: Takeover::default(),
            last_value: None,
            full: Duration::ZERO,
            present: Duration::ZERO,
        }
    }

    /// Forgets what was measured of lag, and assumes this from now on.
    pub(super) fn assume_lag(&mut self, lag: Option<Duration>) {
        self.lag = LagMeter::new(lag.unwrap_or(USUAL_LAG));
        self.lag_is_told = lag.is_some();
    }

    /// What to charge a move for lag: the controller's clock does, told or untold.
    pub(super) fn lag_of_a_move(&self) -> Duration {
        let lag = self.lag.mean();
        if self.lag.is_assumed() && !self.lag_is_told && !self.full.is_zero() {
            lag.min(self.full.mul_f64(ASSUMED_LAG_SHARE / USUAL_MOVES))
        } else {
            lag
        }
    }

    /// What became of a move, which was given this budget.
    pub(super) fn moved(&mut self, ply: u32, budget: &Budget, spent: &MoveTimeUsed) {
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
    fn learn(&mut self, budget: &Budget, spent: &MoveTimeUsed) {
        if budget.soft >= SHORTEST_INFORMATIVE {
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

    /// The rules that searches run under. Searches that end early, one after the other, are given
    /// more and more of their time back: what nobody uses is worth nothing after the game.
    pub(super) fn rules(&self) -> StopRules {
        let thrift = ((self.used - LEAST_USED) / (THRIFTY - LEAST_USED)).clamp(0.0, 1.0);
        let overtake = self.params.time_overtake;
        StopRules {
            overtake: if thrift > 0.0 { overtake / thrift } else { 0.0 },
            credit: self.params.time_credit * thrift,
            rate: self.rate,
            ..StopRules::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_hardly_uses_the_plans_ends_fewer_searches_early() {
        let mut known = Experience::new(TimeParams::default(), None);
        let mut at = |used| {
            known.used = used;
            let rules = known.rules();
            (rules.overtake, rules.credit)
        };
        assert_eq!(at(0.8), (0.5, 0.7));
        let (overtake, credit) = at(0.5);
        assert!((overtake - 1.0).abs() < 1e-9 && (credit - 0.35).abs() < 1e-9);
        assert_eq!(at(LEAST_USED), (0.0, 0.0));
    }
}
