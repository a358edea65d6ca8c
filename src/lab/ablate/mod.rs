//! Ablation studies of architectures: several arms, several seeds, equal games and samples, matches
//! between the resulting networks, and a table beside the paper's numbers.
//!
//! A study takes many sessions, possibly on several machines. Permanent results are in one small
//! folder that may be committed: networks and figures of finished runs, matches, and the newest
//! checkpoint of the current run. Games stay in a working folder; a run that moves to another
//! machine continues without its old games.

mod keep;
mod plan;
mod run;
mod table;

pub use plan::{AblationPlan, Arm, ArmResult, MatchSettings};
pub use run::{AblationEvent, Folders, run};
pub use table::table;
