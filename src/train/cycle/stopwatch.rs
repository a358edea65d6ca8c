//! Total time of a run over all its sessions.

use std::path::PathBuf;
use std::time::Duration;

use super::run_folder::{RunFolder, save};
use crate::TrainError;
use tengen::clock::Clock;

/// Time that a killed session may lose.
const SAVE_EVERY: Duration = Duration::from_secs(10);

/// Counts the time of a session on top of that of earlier ones.
pub(super) struct Stopwatch<'a> {
    clock: &'a dyn Clock,
    path: PathBuf,
    before: f64,
    begun: Duration,
    saved: Duration,
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

    /// Saves the time if it has not been saved for a while; returns whether it did.
    pub(super) fn tick(&mut self) -> Result<bool, TrainError> {
        let now = self.clock.now();
        let due = now.saturating_sub(self.saved) >= SAVE_EVERY;
        if due {
            self.save()?;
            self.saved = now;
        }
        Ok(due)
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
}
