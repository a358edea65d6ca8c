//! Context of all steps of a run, and its time over all sessions.

use super::cluster::learner::Learner;
use super::plan::CyclePlan;
use super::run_folder::{RunFolder, save};
use super::{RunEvent, StepName};
use crate::TrainError;
use crate::cycle::report;
use crate::play::runtime::Runtime;
use crate::trainable::Trainable;
use std::path::PathBuf;
use std::time::Duration;
use tengen::clock::Clock;
use tengen_nn::eval::Device;

/// Resources of a session.
pub struct Resources<'a> {
    /// Backend and device of self-play's networks.
    pub runtime: &'a Runtime,
    /// Number of self-play threads.
    pub threads: usize,
    /// Where networks are fitted, recording gradients.
    pub fit_device: Device,
    /// Clock of the run.
    pub clock: &'a dyn Clock,
}

#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
impl<'a> Resources<'a> {
    /// Resources for tests of small runs: two threads and the CPU.
    pub fn small(runtime: &'a Runtime, clock: &'a dyn Clock) -> Resources<'a> {
        Resources {
            runtime,
            threads: 2,
            fit_device: Device::Cpu,
            clock,
        }
    }
}

/// Context of a step: the run, and a listener.
pub(super) struct RunContext<'a, G> {
    pub(super) run_folder: &'a RunFolder,
    pub(super) plan: &'a CyclePlan,
    pub(super) resources: &'a Resources<'a>,
    /// Other machines, which play the games.
    pub(super) learner: Option<&'a Learner<G>>,
    pub(super) watch: Stopwatch<'a>,
    pub(super) observe: &'a mut dyn FnMut(&RunEvent),
}

impl<G: Trainable> RunContext<'_, G> {
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
            let (title, unit) = step.title_and_unit();
            let now =
                format!("Generation {generation}, {title}: {done} of {total} {unit}, {message}.");
            self.report(&now)?;
            self.watch.has_reported();
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

    /// Writes the report; `now` is the step in progress.
    pub(super) fn report(&self, now: &str) -> Result<(), TrainError> {
        match self.learner {
            Some(learner) => learner.report(now),
            None => report::write(self.run_folder, now, &[]),
        }
    }
}

/// Time that a killed session may lose.
const SAVE_EVERY: Duration = Duration::from_secs(10);

/// Reports of long runs take long, since they rate all networks: they are written so rarely that they take at most this
/// part of the time.
const REPORT_PART: u32 = 20;

/// Counts the time of a session on top of that of earlier ones.
pub(super) struct Stopwatch<'a> {
    clock: &'a dyn Clock,
    path: PathBuf,
    before: f64,
    begun: Duration,
    saved: Duration,
    /// When the next report is due.
    next_report: Duration,
}

impl<'a> Stopwatch<'a> {
    pub(super) fn start(
        run_folder: &RunFolder,
        clock: &'a dyn Clock,
    ) -> Result<Stopwatch<'a>, TrainError> {
        let now = clock.now();
        Ok(Stopwatch {
            clock,
            path: run_folder.hours(),
            before: run_folder.seconds()?,
            begun: now,
            saved: now,
            next_report: now,
        })
    }

    /// Seconds of the run so far.
    pub(super) fn seconds(&self) -> f64 {
        self.before + self.session()
    }

    /// Seconds of this session.
    pub(super) fn session(&self) -> f64 {
        self.clock.now().saturating_sub(self.begun).as_secs_f64()
    }

    /// Saves the time if it has not been saved for a while; returns whether it did and a report is due.
    pub(super) fn tick(&mut self) -> Result<bool, TrainError> {
        let now = self.clock.now();
        let due = now.saturating_sub(self.saved) >= SAVE_EVERY;
        if due {
            self.save()?;
            self.saved = now;
        }
        Ok(due && now >= self.next_report)
    }

    /// A report was written since the last tick.
    fn has_reported(&mut self) {
        let now = self.clock.now();
        self.next_report = now + REPORT_PART * now.saturating_sub(self.saved);
    }

    pub(super) fn save(&self) -> Result<(), TrainError> {
        save(&self.path, &self.seconds())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::clock::FakeClock;
    use tengen_nn::files::scratch::Scratch;

    #[test]
    fn sessions_add_up() {
        let scratch = Scratch::new("stopwatch");
        let run_folder = RunFolder::new(scratch.path());
        let clock = FakeClock::new();
        for session in 1..=3 {
            let mut watch = Stopwatch::start(&run_folder, &clock).unwrap();
            clock.advance(Duration::from_secs(12));
            assert!(watch.tick().unwrap() && !watch.tick().unwrap());
            // Not saved: the session is killed.
            clock.advance(Duration::from_secs(3));
            assert_eq!(watch.session(), 15.0);

            assert_eq!(run_folder.seconds().unwrap(), 12.0 * f64::from(session));
        }
    }

    #[test]
    fn a_slow_report_is_rarely_written() {
        let scratch = Scratch::new("slow-report");
        let run_folder = RunFolder::new(scratch.path());
        let clock = FakeClock::new();
        let mut watch = Stopwatch::start(&run_folder, &clock).unwrap();
        clock.advance(Duration::from_secs(10));
        assert!(watch.tick().unwrap());
        clock.advance(Duration::from_secs(3));
        watch.has_reported();
        clock.advance(Duration::from_secs(59));
        assert!(!watch.tick().unwrap());
        assert_eq!(run_folder.seconds().unwrap(), 72.0);
        clock.advance(Duration::from_secs(10));
        assert!(watch.tick().unwrap());
    }
}
