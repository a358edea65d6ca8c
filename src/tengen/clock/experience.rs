//! Inputs of time allocation: a side's settings, and measurements of lag, search and game.

use std::time::Duration;

use super::situation::MoveTimeUsed;
use super::takeover::Takeover;
use super::{Budget, LagMeter, StopReason, StopRules, TimeParams};

/// Used share of the planned time, before there are measurements.
const FIRST_USED: f64 = 0.85;
/// Minimum used share in plans.
const LEAST_USED: f64 = 0.4;
/// Assumed lag per move, if it is neither set nor measured.
pub const USUAL_LAG: Duration = Duration::from_millis(60);
/// Below this used share of the plans, the rules that end searches early are relaxed.
const THRIFTY: f64 = 0.6;
/// Shorter times say nothing about the used share.
const SHORTEST_INFORMATIVE: Duration = Duration::from_millis(100);
/// Weight of a new move in the running means.
const MOVE_WEIGHT: f64 = 0.15;

#[derive(Debug, Clone)]
pub(super) struct Experience {
    pub(super) params: TimeParams,
    pub(super) lag: LagMeter,
    /// Whether the lag was set by the user.
    pub(super) lag_is_told: bool,
    /// Running mean of used time over planned time.
    pub(super) used: f64,
    /// Running mean of visits per second; 0 before the first search.
    pub(super) rate: f64,
    pub(super) takeover: Takeover,
    /// The largest main time seen in this game, and the last.
    pub(super) full: Duration,
    pub(super) present: Duration,
}

impl Experience {
    /// No measurements yet; `lag` as in [`TimeManager::new`](super::TimeManager::new).
    pub(super) fn new(params: TimeParams, lag: Option<Duration>) -> Experience {
        Experience {
            params,
            lag: LagMeter::new(lag.unwrap_or(USUAL_LAG)),
            lag_is_told: lag.is_some(),
            used: FIRST_USED,
            rate: 0.0,
            takeover: Takeover::default(),
            full: Duration::ZERO,
            present: Duration::ZERO,
        }
    }

    /// Drops lag measurements, and assumes this lag from now on.
    pub(super) fn assume_lag(&mut self, lag: Option<Duration>) {
        self.lag = LagMeter::new(lag.unwrap_or(USUAL_LAG));
        self.lag_is_told = lag.is_some();
    }

    /// Records a move and its budget.
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
    }

    /// Learns from a completed search: the used share of its time, and its speed.
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

    /// The stop rules of searches. Consecutive searches that end early get increasingly more of
    /// their time back: unused time is worth nothing after the game.
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
