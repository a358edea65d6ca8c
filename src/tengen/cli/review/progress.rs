//! The progress line on the standard error: rewritten on a terminal, occasionally repeated in a
//! log.

use std::io::{IsTerminal as _, Write as _, stderr};
use std::time::Duration;

use tengen::clock::{Clock as _, SystemClock};

/// Interval between lines without a terminal, and on one.
const LOG_INTERVAL: Duration = Duration::from_secs(30);
const INTERVAL: Duration = Duration::from_millis(200);

/// Progress over a known number of positions.
pub(super) struct Progress {
    clock: SystemClock,
    total: usize,
    /// Positions that need no work, and those that were searched.
    skipped: usize,
    done: usize,
    terminal: bool,
    /// Time of the last line.
    shown: Duration,
}

impl Progress {
    /// Starts progress over this many positions.
    pub(super) fn new(total: usize) -> Progress {
        Progress {
            clock: SystemClock::new(),
            total,
            skipped: 0,
            done: 0,
            terminal: stderr().is_terminal(),
            shown: Duration::ZERO,
        }
    }

    /// Skips a game with this many positions.
    pub(super) fn skip(&mut self, positions: usize) {
        self.skipped += positions;
    }

    /// Counts one more position of `file`.
    pub(super) fn step(&mut self, file: &str) {
        self.done += 1;
        let now = self.clock.now();
        let interval = if self.terminal {
            INTERVAL
        } else {
            LOG_INTERVAL
        };
        if now.saturating_sub(self.shown) < interval {
            return;
        }
        self.shown = now;
        let line = format!("{}  {file}", self.line(now));
        tell(&if self.terminal {
            // Back to the line's start, then clear the rest of the old line.
            format!("\r{line}\x1b[K")
        } else {
            format!("{line}\n")
        });
    }

    /// Clears the line for other output.
    pub(super) fn clear(&self) {
        if self.terminal && !self.shown.is_zero() {
            tell("\r\x1b[K");
        }
    }

    fn line(&self, now: Duration) -> String {
        let left = self.total.saturating_sub(self.skipped + self.done) as f64;
        let seconds = (now.as_secs_f64() / self.done.max(1) as f64 * left).round() as u64;
        let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
        let reached = self.skipped + self.done;
        format!(
            "position {reached}/{}, left {hours}:{minutes:02}:{seconds:02}",
            self.total
        )
    }
}

fn tell(text: &str) {
    // If it cannot be shown, the work goes on.
    let mut out = stderr().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_reckoned_from_what_was_worked_on() {
        let mut progress = Progress::new(100);
        progress.skip(40);
        progress.done = 20;
        let line = progress.line(Duration::from_secs(200));
        assert_eq!(line, "position 60/100, left 0:06:40");
    }
}
