//! Which part of an architecture is worth what: several arms, several seeds, equal games and
//! samples, matches between the networks that come out, and a table beside the paper's numbers.
//!
//! An ablation takes many sessions, possibly on many machines. What must survive lies in one small
//! folder that may be committed: the networks and figures of finished runs, the matches, and of
//! the run in progress its newest checkpoint. Games stay in a working folder; a run that goes on
//! elsewhere goes on without its old ones.

mod arm_result;
mod contestant;
mod keep;
mod plan;
mod run;
mod table;

pub use arm_result::ArmResult;
pub use plan::{AblationPlan, Arm, MatchSettings};
pub use run::{AblationEvent, Folders, run};
pub use table::table;
