//! The progress line of a match: rewritten on a terminal, occasionally repeated in a log.

use std::io::{IsTerminal, stderr};
use std::time::Duration;

use tengen::clock::{Clock, SystemClock};

use crate::output::tell;

/// Cells of the bar.
const BAR_LEN: usize = 24;

/// Interval between lines if stderr is not a terminal.
const LOG_INTERVAL: Duration = Duration::from_secs(30);

/// Progress of a known number of games.
pub(crate) struct Progress {
    clock: SystemClock,
    /// Games to play in this run.
    total: usize,
    done: usize,
    terminal: bool,
    last_line: Option<Duration>,
}

impl Progress {
    /// Starts counting games.
    pub(crate) fn new(total: usize) -> Progress {
        Progress {
            clock: SystemClock::new(),
            total,
            done: 0,
            terminal: stderr().is_terminal(),
            last_line: None,
        }
    }

    /// Counts a game; `state` describes the match.
    pub(crate) fn game(&mut self, state: &str) {
        self.done += 1;
        let now = self.clock.now();
        let due = self.last_line.is_none_or(|last| now - last >= LOG_INTERVAL);
        if self.terminal {
            // Back to the line's start, then clear the rest of the old line.
            tell(format_args!("\r{}\x1b[K", self.line(now, state)));
        } else if due || self.done == self.total {
            self.last_line = Some(now);
            tell(format_args!("{}\n", self.line(now, state)));
        }
    }

    /// Ends the line.
    pub(crate) fn finish(&self) {
        if self.terminal && self.done > 0 {
            tell('\n');
        }
    }

    fn line(&self, now: Duration, state: &str) -> String {
        let filled = BAR_LEN * self.done / self.total.max(1);
        let bar = format!("{}{}", "#".repeat(filled), ".".repeat(BAR_LEN - filled));
        let left = now.as_secs_f64() / self.done as f64 * (self.total - self.done) as f64;
        let left = Duration::from_secs_f64(left).as_secs();
        let (hours, minutes, seconds) = (left / 3600, left / 60 % 60, left % 60);
        let done = self.done;
        let total = self.total;
        format!("[{bar}] {done}/{total}  {state}  left {hours}:{minutes:02}:{seconds:02}")
    }
}
