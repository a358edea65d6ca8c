//! The whole way again and again: games, fit, network, rating, and better games by that network.
//!
//! [`run()`] does what a [`CyclePlan`] says. Every step leaves a durable product in the run's folder
//! ([`RunFolder`]), and a step whose product is there is not done again: `kill -9` at any moment
//! loses the games in progress, the steps of the fit since its last checkpoint, and the match in
//! progress. Games, order of rows and matches depend on the plan's seed only, so a run that was
//! killed goes on as it would have.

mod context;
mod generation;
mod measure;
mod plan;
mod ratings;
mod run;
mod run_folder;
mod steps;
mod stopwatch;
#[cfg(test)]
mod tests;

pub use context::Resources;
pub use generation::{Generation, next_stage};
pub use measure::{Measures, measure};
pub use plan::{
    BoardShare, CyclePlan, Fit, Gate, Plateau, Rating, RootName, SelfPlay, Stage, WarmUp, Window,
    exploring,
};
pub use ratings::{
    MatchRecord, RatedPlayer, anchor_name, match_records, network_name, rate, score,
};
pub(super) use ratings::{all_match_records, ratings};
pub use run::run;
pub use run_folder::{RunFolder, copy_network, int8, load, player, save};

use serde::Serialize;

/// What a run is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum StepName {
    /// Self-play.
    Games,
    /// A new network learns from the games that are there.
    CatchUp,
    /// The network learns.
    Fit,
    /// Matches for the rating.
    Rating,
    /// The match that decides whether the network plays.
    Gate,
}

impl StepName {
    /// What is done in this step, for people.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            StepName::Games => "games",
            StepName::CatchUp => "the new network learns",
            StepName::Fit => "fit",
            StepName::Rating => "rating",
            StepName::Gate => "gate",
        }
    }

    /// What is counted in this step.
    #[must_use]
    pub fn unit(self) -> &'static str {
        match self {
            StepName::Games => "games",
            StepName::CatchUp | StepName::Fit => "steps",
            StepName::Rating | StepName::Gate => "pairs",
        }
    }
}

/// What happens in a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunEvent {
    /// A step goes on.
    Step {
        /// The generation.
        generation: u32,
        /// The step.
        step: StepName,
        /// What is done of it.
        done: u64,
        /// What is to be done.
        total: u64,
        /// Figures, for people.
        message: String,
    },
    /// A generation is finished.
    Finished(Box<Generation>, Option<RatedPlayer>),
}
