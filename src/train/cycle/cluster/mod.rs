//! One training run on several machines (docs/training.md#many-machines).
//!
//! The run lives in a [`store`](crate::store). A *learner* ([`run_learner`]) goes through the
//! plan as on one machine, but offers games and rating matches as *tickets*, which *workers*
//! ([`Worker`]) play, and keeps each finished generation in the store. A ticket is a pure function of
//! the plan, its number and its network, and its result is created once: it may be played twice, by
//! a worker that was thought dead or by a scheduler that restarts tasks, and the first result stays.
//! So nothing here leases, schedules or watches: claims only save work, and no clock is compared
//! with another machine's. Objects whose names carry no checksum have it inside.
//!
//! ```text
//! run.json                          the plan of the start; versions
//! epoch/000001                      a learner takes over, with its plan; the highest number is the learner
//! g0007/tickets.json                the games of generation 7
//! g0007/matches.json                its rating matches
//! g0007/claims/games/0012.a001      who plays a ticket; a002 took over from a001
//! g0007/games/0012.parquet          result of a ticket
//! g0007/matches/rave-100.0003.json  result of a ticket of matches
//! g0007/step-<steps>.<checksum>.checkpoint
//! g0007/done.json                   the commit
//! g0009/finished.json               the plan is complete: there is no generation 9
//! networks/<checksum>.onnx
//! workers/<id>.json, report.html    progress, overwritten
//! ```

mod claims;
pub(super) mod learner;
mod learner_steps;
mod machines;
mod manifest;
mod objects;
mod player;
mod reminder;
mod stored;
mod term;
#[cfg(test)]
mod tests;
mod tickets;
mod worker;
mod working_copy;

pub use manifest::{current_plan, refuse_store, require_run, wait_for_plan};
pub use objects::copy_run;
pub(super) use stored::StoreFolder;
pub use tickets::open_tickets;
pub use worker::{Worker, WorkerOptions};

use std::cell::{Cell, RefCell};
use std::path::PathBuf;
use std::time::Duration;

use learner::Learner;
use machines::MachinesSeen;
use manifest::Manifest;

use crate::TrainError;
use crate::cycle::run::run_with;
use crate::cycle::{CyclePlan, Generation, Resources, RunEvent, RunFolder, check_warm_up};
use crate::store::{Store, probe};
use crate::trainable::Trainable;

/// Settings of a learner.
#[derive(Debug, Clone)]
pub struct LearnerOptions {
    /// The working copy of the run; by default one of its own among the system's temporary files.
    pub folder: Option<PathBuf>,
    /// As a worker; its name is also the learner's.
    pub worker: WorkerOptions,
    /// Whether it plays while it waits.
    pub plays: bool,
    /// Longest time between two looks for results.
    pub look_every: Duration,
}

/// Executes a plan with the workers of the run in a store, from where it is.
///
/// # Errors
/// [`TrainError`] of the store and of every step; [`TrainError::Refused`] when another learner takes
/// over.
pub fn run_learner<G: Trainable>(
    start: &G,
    plan: &CyclePlan,
    store: &Store,
    resources: &Resources<'_>,
    options: &LearnerOptions,
    observe: &mut dyn FnMut(&RunEvent),
) -> Result<Vec<Generation>, TrainError> {
    // Before anything is written: plan, files, working copy and store must be right.
    let manifest = match Manifest::read(store)? {
        Some(manifest) => {
            manifest.check_plan(store, plan)?;
            manifest
        }
        None => {
            check_warm_up(start, plan)?;
            if options.folder.is_none() {
                working_copy::refuse_known(store)?;
            }
            Manifest::new(plan)?
        }
    };
    let folder = |manifest: &Manifest| {
        let usual = || working_copy::usual(store, &manifest.id);
        options.folder.clone().unwrap_or_else(usual)
    };
    let own = folder(&manifest);
    refuse_store(&own)?;
    working_copy::check(store, &RunFolder::new(&own), &manifest.id)?;
    if let Some(broken) = probe(store)? {
        return Err(TrainError::Refused(broken));
    }
    let manifest = manifest.begin(store)?;
    // Another learner may have been faster.
    let folder = folder(&manifest);
    let worker = || Worker::new(start, resources.runtime, store, &options.worker);
    let worker = options.plays.then(worker).transpose()?;
    let learner = Learner {
        start: start.clone(),
        store: store.clone(),
        run_folder: RunFolder::new(&folder),
        plan: plan.clone(),
        manifest,
        name: options.worker.name.clone(),
        look_every: options.look_every,
        term: Cell::new(0),
        generation: Cell::new(0),
        worker: worker.map(RefCell::new),
        uploaded: RefCell::default(),
        complete: RefCell::default(),
        seen: RefCell::new(MachinesSeen::new(store)),
    };
    run_with(start, plan, &folder, resources, Some(&learner), observe)
}
