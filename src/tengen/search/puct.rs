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
}

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
