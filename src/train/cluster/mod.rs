//! One training run on several machines (docs/training.md#many-machines).
//!
//! The run lives in a [`store`](crate::store). A *learner* ([`run_learner`]) goes through the
//! plan as on one machine, but offers games and rating matches as *tickets*, which *workers*
//! ([`Worker`]) play, and keeps each finished generation in the store. A ticket is a pure function of
//! the plan, its number and its network, and its result is created once: it may be played twice, by
//! a worker that was thought dead or by a scheduler that restarts tasks, and the first result stays.
//! So nothing here leases, schedules or watches: claims only save work, and no clock is compared
//! with another machine's.
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
mod learner;
mod learner_steps;
mod machines;
mod manifest;
mod objects;
mod player;
mod term;
#[cfg(test)]
mod tests;
mod tickets;
mod worker;
mod working_copy;

pub use learner::{LearnerOptions, run_learner};
pub use manifest::{current_plan, refuse_store, wait_for_plan};
pub use objects::copy_run;
pub use tickets::open_tickets;
pub use worker::{RemoteRun, Worker, WorkerOptions};
