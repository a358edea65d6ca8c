//! The formula of PUCT (docs/methods.md#search), for the engine's search and that of self-play.

use super::params::SearchParams;

impl SearchParams {
    /// The factor of `P / (1 + n)` in PUCT at a node with `total` visits, itself counted:
    /// `c sqrt(N)`, where c grows with the logarithm of the visits.
    #[must_use]
    pub fn exploration(&self, total: f32) -> f32 {
        let growth = ((total + self.cpuct_base) / self.cpuct_base).ln();
        (self.cpuct + self.cpuct_growth * growth) * total.sqrt()
    }
}

/// What is added to a move's value: `U = c P sqrt(N) / (1 + n)`, where `explore` is `c sqrt(N)`
/// from [`SearchParams::exploration`] and n the move's visits, those in flight counted.
#[must_use]
pub fn exploration_bonus(prior: f32, explore: f32, visits: f32) -> f32 {
    explore * prior / (1.0 + visits)
}

/// The value of a move without visits: the node's less a reduction that grows with the root of the
/// visited policy mass (first-play urgency).
#[must_use]
pub fn unvisited_value(node_value: f32, reduction: f32, visited_mass: f32) -> f32 {
    node_value - reduction * visited_mass.sqrt()
}
