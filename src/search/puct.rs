//! The PUCT formula (docs/methods.md#search), shared by the engine's search and self-play.

use super::params::SearchParams;

impl SearchParams {
    /// The factor of `P / (1 + n)` in PUCT at a node with `total` visits, itself counted:
    /// `c sqrt(N)`, where c grows with the logarithm of the visits.
    #[must_use]
    pub fn exploration(&self, total: f32) -> f32 {
        let growth = ((total + self.cpuct_base) / self.cpuct_base).ln();
        (self.cpuct + self.cpuct_growth * growth) * total.sqrt()
    }

    /// The factor of [`SearchParams::exploration`] at a node with `total` visits whose values have
    /// this mean and mean square: above 1 where they differ more than usual, below 1 where less
    /// (KataGo's dynamic cPUCT). The usual deviation counts as two visits.
    #[must_use]
    pub fn spread_factor(&self, (mean, square): (f32, f32), total: f32) -> f32 {
        if self.cpuct_spread == 0.0 || total <= 1.0 {
            return 1.0;
        }
        let known = (square - mean * mean).max(0.0);
        let usual = USUAL_DEVIATION * USUAL_DEVIATION;
        let variance = (USUAL_WEIGHT * usual + total * known) / (USUAL_WEIGHT + total - 1.0);
        1.0 + self.cpuct_spread * (variance.sqrt() / USUAL_DEVIATION - 1.0)
    }
}

/// Standard deviation of a node's values, in [-1, 1], at which cpuct is not changed (KataGo).
const USUAL_DEVIATION: f32 = 0.4;
/// Visits that the usual deviation counts as (KataGo).
const USUAL_WEIGHT: f32 = 2.0;

/// Exploration term added to a move's value: `U = c P sqrt(N) / (1 + n)`, where `explore` is `c
/// sqrt(N)` from [`SearchParams::exploration`] and n the move's visits, those in flight counted.
#[must_use]
pub fn exploration_bonus(prior: f32, explore: f32, visits: f32) -> f32 {
    explore * prior / (1.0 + visits)
}

/// First-play urgency (FPU), the value of an unvisited move: the node's value less a reduction that
/// grows with the square root of the visited policy mass.
#[must_use]
pub fn unvisited_value(node_value: f32, reduction: f32, visited_mass: f32) -> f32 {
    node_value - reduction * visited_mass.sqrt()
}
