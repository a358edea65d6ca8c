//! One training run on several machines (docs/training.md#many-machines).
//!
//! The run is a folder, as on one machine. Its *learner* ([`run_learner`]) goes through the plan there, but offers games and
//! rating matches as *tickets*, which *workers* ([`Worker`]) play. They meet in a [`store`](crate::store): the run's
//! folder itself, if all machines see it, or a bucket. A ticket is a pure function of the plan, its number and its
//! network, and its result is created once: it may be played twice, and the first result stays. So nothing here leases,
//! schedules or watches: claims only save work, a worker without a free ticket repeats one that another machine has
//! claimed, and no clock is compared with another machine's. All in the store follows from the run's folder, and is
//! made again if it is lost. Objects whose names carry no checksum have it inside.
//!
//! ```text
//! run.json                          which run this is, its plan and versions; also in the run's folder
//! g0007/tickets.json                the games of generation 7
//! g0007/matches.json                its rating matches
//! g0007/claims/games/0012           who plays a ticket
//! g0007/games/0012.parquet          result of a ticket
//! g0007/matches/rave-100.0003.json  result of a ticket of matches
//! g0007/done.json                   it is finished: none of its tickets is wanted any more
//! g0009/finished.json               the plan is complete: there is no generation 9
//! g0009/prolonged.json              there is one now
//! networks/<checksum>.onnx
//! workers/<id>.json, report.html    progress, overwritten
//! ```

pub(super) mod learner;
mod learner_steps;
mod machines;
mod manifest;
mod objects;
mod player;
mod reminder;
#[cfg(test)]
mod tests;
mod tickets;
mod worker;

pub use learner::LearnerOptions;
pub use machines::Machine;
pub use manifest::{refuse_store, wait_for_plan};
pub(super) use objects::is_made_again;
pub use worker::{Worker, WorkerOptions};

use std::path::Path;

use learner::Learner;
use manifest::{Manifest, refuse_begun_alone};
use tickets::check_plan;

use crate::TrainError;
use crate::cycle::run::run_with;
use crate::cycle::{CyclePlan, Generation, Resources, RunEvent, RunFolder};
use crate::trainable::Trainable;

/// Executes a plan in a folder, from where it is, with workers.
///
/// # Errors
/// [`TrainError`] of the store, the folder and every step; [`TrainError::Refused`] when they are of other runs or programs.
pub fn run_learner<G: Trainable>(
    start: &G,
    plan: &CyclePlan,
    folder: &Path,
    resources: &Resources<'_>,
    options: &LearnerOptions,
    observe: &mut dyn FnMut(&RunEvent),
) -> Result<Vec<Generation>, TrainError> {
    let run_folder = RunFolder::new(folder);
    // Before anything is written.
    check_plan(plan)?;
    Manifest::refuse_other(&run_folder, &options.store)?;
    if Manifest::of(&run_folder)?.is_none() {
        refuse_begun_alone(&run_folder)?;
    }
    let learner = Learner::new(start, plan, run_folder, options);
    run_with(start, plan, folder, resources, Some(&learner), observe)
}
