//! Context of all steps of a run.

use super::plan::CyclePlan;
use super::remote::Remote;
use super::run_folder::RunFolder;
use super::stopwatch::Stopwatch;
use super::{RunEvent, StepName};
use crate::TrainError;
use crate::cycle::report;
use crate::network::device::FitDevice;
use crate::play::runtime::Runtime;
use tengen::clock::Clock;

/// Resources of a session.
pub struct Resources<'a> {
    /// Backend and device of self-play's networks.
    pub runtime: &'a Runtime,
    /// Number of self-play threads.
    pub threads: usize,
    /// Where networks are fitted, recording gradients.
    pub fit_device: FitDevice,
    /// Clock of the run.
    pub clock: &'a dyn Clock,
    /// Other machines, which play the games, and the store that keeps the run.
    pub remote: Option<&'a dyn Remote>,
}

#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
impl<'a> Resources<'a> {
    /// Resources for tests of small runs: two threads and the CPU.
    #[must_use]
    pub fn small(runtime: &'a Runtime, clock: &'a dyn Clock) -> Resources<'a> {
        Resources {
            runtime,
            threads: 2,
            fit_device: FitDevice::Cpu,
            clock,
            remote: None,
        }
    }
}

/// Context of a step: the run, and a listener.
pub(super) struct RunContext<'a> {
    pub(super) run_folder: &'a RunFolder,
    pub(super) plan: &'a CyclePlan,
    pub(super) resources: &'a Resources<'a>,
    pub(super) watch: Stopwatch<'a>,
    pub(super) observe: &'a mut dyn FnMut(&RunEvent),
}

impl RunContext<'_> {
    /// Reports the progress of a step, and occasionally updates the report.
    pub(super) fn tell(
        &mut self,
        generation: u32,
        step: StepName,
        done: u64,
        total: u64,
        message: String,
    ) -> Result<(), TrainError> {
        if self.watch.tick()? {
            let (title, unit) = (step.title(), step.unit());
            let now =
                format!("Generation {generation}, {title}: {done} of {total} {unit}, {message}.");
            if let Some(remote) = self.resources.remote {
                remote.machines(self.run_folder)?;
            }
            report::write(self.run_folder, Some(&now))?;
            if let Some(remote) = self.resources.remote {
                remote.show(&self.run_folder.report());
            }
        }
        (self.observe)(&RunEvent::Step {
            generation,
            step,
            done,
            total,
            message,
        });
        Ok(())
    }
}
