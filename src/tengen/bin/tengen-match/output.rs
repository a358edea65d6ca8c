//! Output of the program: reports, the line of progress, the result so far after Ctrl-C, the exit code. A reader that
//! closes its pipe, such as a closed terminal or `| head`, does not end a match.

use std::fmt::Display;
use std::io::{IsTerminal, stderr};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result};
use serde::Serialize;
use tengen::clock::{Clock, SystemClock};
use tengen::program;
pub(crate) use tengen::program::tell;
use tengen::referee::EngineProcesses;

/// Writes text to the standard output: reports.
pub(crate) fn print(text: impl Display) -> Result<()> {
    Ok(program::print(text)?)
}

/// Writes a JSON report.
pub(crate) fn print_json(report: &impl Serialize) -> Result<()> {
    print(serde_json::to_string_pretty(report).context("the report")? + "\n")
}

// Ctrl-C during a match, or the end of its terminal: kills the engines and prints the result so far,
// which is kept. A second Ctrl-C ends the program at once.

/// Whether the program was interrupted.
#[derive(Clone)]
pub(crate) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Catches Ctrl-C and the end of the terminal from now on; call it once.
    pub(crate) fn caught() -> Result<Interrupt> {
        let raised = program::stop_on_ctrl_c().context("Ctrl-C cannot be caught")?;
        Ok(Interrupt(raised))
    }

    /// If interrupted, kills the engines, prints the result so far and ends the program, as an uncaught
    /// Ctrl-C would.
    pub(crate) fn end_if_asked(&self, engines: &EngineProcesses, so_far: impl FnOnce() -> String) {
        if !self.0.load(Ordering::Relaxed) {
            return;
        }
        // A busy one might never see that its input is closed.
        engines.kill();
        tell(format_args!("\n{}\n", so_far()));
        if let Err(error) = program::end_as_interrupted() {
            tell(format_args!("tengen-match: {error}\n"));
        }
        // In any case: games without their engines must not be kept.
        program::end(1)
    }
}

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
    /// Columns of the line on the terminal.
    columns: usize,
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
            columns: 0,
        }
    }

    /// Counts a game; `state` describes the match.
    pub(crate) fn game(&mut self, state: &str) {
        self.done += 1;
        let now = self.clock.now();
        let due = self.last_line.is_none_or(|last| now - last >= LOG_INTERVAL);
        if self.terminal {
            let (text, columns) = program::rewritten(self.columns, &self.line(now, state));
            self.columns = columns;
            tell(text);
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
        let (done, total) = (self.done, self.total);
        format!("[{bar}] {done}/{total}  {state}  left {hours}:{minutes:02}:{seconds:02}")
    }
}

/// The exit code after a completed match; it differs from that of one that could not be played (1) and that of wrong
/// arguments (2).
pub(crate) fn exit_code(troubled: bool) -> ExitCode {
    match troubled {
        true => ExitCode::from(3),
        false => ExitCode::SUCCESS,
    }
}
