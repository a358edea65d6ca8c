//! The training cycle: self-play, fit, export, rating, and better games with the new network.
//!
//! [`run()`] executes a [`CyclePlan`]. Every step leaves a durable result in the run's folder
//! ([`RunFolder`]), and a step with an existing result is not repeated: `kill -9` at any moment
//! loses the games in progress, the steps of the fit since its last checkpoint, and the match in
//! progress. Games, order of rows and matches depend on the plan's seed only, so a killed run
//! continues as it would have.

pub mod cluster;
mod context;
pub mod fsck;
mod generation;
mod jobs;
mod plan;
mod ratings;
pub mod report;
mod run;
mod run_folder;
mod steps;
#[cfg(test)]
mod tests;

pub use cluster::Machine;
pub use context::Resources;
pub use generation::{Generation, Measures, measure};
pub(super) use jobs::{GameRange, GamesJob, MatchJob, NetworkRef, hash};
pub use plan::{BoardShare, CyclePlan, Gate, MachineSettings, Rating, Stage, WarmUp, Window};
pub use ratings::{MatchRecord, RatedPlayer, anchor_name, match_records, rate, score};
pub(super) use ratings::{rating_of, ratings};
pub use run::run;
pub use run_folder::{RunFolder, copy_network, int8, load, player, save};
pub(super) use run_folder::{from_json, to_json};

/// Steps of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StepName {
    /// Self-play games are played.
    Games,
    /// A new network is trained on the existing games.
    CatchUp,
    /// The network is trained.
    Fit,
    /// Matches for the rating.
    Rating,
    /// The match that a new network must pass.
    Gate,
}

impl StepName {
    /// Title for users, and unit of the step's progress.
    pub fn title_and_unit(self) -> (&'static str, &'static str) {
        match self {
            StepName::Games => ("games", "games"),
            StepName::CatchUp => ("training a new network", "steps"),
            StepName::Fit => ("fit", "steps"),
            StepName::Rating => ("rating", "pairs"),
            StepName::Gate => ("gate", "pairs"),
        }
    }
}

/// Events of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum RunEvent {
    /// Progress of a step.
    Step {
        /// The generation.
        generation: u32,
        /// The step.
        step: StepName,
        /// Completed units.
        done: u64,
        /// Total units.
        total: u64,
        /// Figures as text.
        message: String,
    },
    /// A generation is finished.
    Finished(Box<Generation>, Option<RatedPlayer>),
}
