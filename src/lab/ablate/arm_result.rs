//! Result of a run of an ablation study.

use serde::{Deserialize, Serialize};

use super::plan::Arm;
use tengen_train::fit::held_out::HeldOutLosses;

/// Result of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArmResult {
    /// Name of the arm in the plan.
    pub arm: String,
    /// Seed of this run of the arm.
    pub seed: u64,
    /// File name of the exported network.
    pub network: String,
    /// Games that it was trained on.
    pub games: u64,
    /// Recorded positions of these games.
    pub rows: u64,
    /// Steps of the optimiser.
    pub steps: u64,
    /// Hours of games and fits.
    pub hours: f64,
    /// White's share of the wins in the last generation's games.
    pub white_share: f64,
    /// Losses on its own held-out games.
    pub held_out: Option<HeldOutLosses>,
}

/// The name of a run.
pub(super) fn run_name(arm: &Arm, seed: u64) -> String {
    format!("{}-s{seed}", arm.name)
}
