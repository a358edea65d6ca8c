//! Ablation studies of architectures: several arms, several seeds, equal games and samples, matches
//! between the resulting networks, and a table beside the paper's numbers.
//!
//! A study takes many sessions. Permanent results are in one small folder that may be committed:
//! networks and figures of finished runs, and matches. Games, checkpoints and unfinished runs stay in a
//! working folder.

mod plan;
mod run;
mod table;

pub use plan::{AblationPlan, Arm, ArmResult, MatchSettings};
pub use run::{AblationEvent, Folders, run};
pub use table::table;
