//! Progress: a bar on a terminal, log lines elsewhere, JSON lines on request.

use std::io::{self, IsTerminal as _};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use tengen::clock::{Clock, SystemClock};
use tengen::program;

use super::interrupt::Interrupt;

/// Interval between lines without a terminal.
const LINE_EVERY: Duration = Duration::from_secs(10);

/// Interval between JSON lines.
const RECORD_EVERY: Duration = Duration::from_secs(1);

/// Writes a line to the standard output. A closed pipe is no error, so that it does not end a long run.
pub fn print(line: &str) -> io::Result<()> {
    program::print(format_args!("{line}\n"))
}

/// Shows the progress of a long command.
pub struct Reporter {
    bar: ProgressBar,
    clock: SystemClock,
    unit: String,
    json: bool,
    last_line: Option<Duration>,
    interrupt: Interrupt,
    /// Why a line was lost, the first time.
    lost: Option<io::Error>,
}

impl Reporter {
    /// A reporter of `total` steps of `unit`, `done` of which were finished by earlier sessions;
    /// its text is also printed when the program is interrupted.
    pub fn new(total: u64, done: u64, unit: &str, json: bool, interrupt: &Interrupt) -> Reporter {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr());
        let template = format!(
            "{{elapsed_precise}} [{{bar:30}}] {{pos}}/{{len}} {unit}  {{msg}}  ETA {{eta_precise}}"
        );
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style.progress_chars("=> "));
        }
        bar.set_position(done);
        bar.reset_eta();
        bar.enable_steady_tick(Duration::from_millis(200));
        Reporter {
            bar,
            clock: SystemClock::new(),
            unit: unit.to_owned(),
            json,
            last_line: None,
            interrupt: interrupt.clone(),
            lost: None,
        }
    }

    /// Why a line could not be written, once: the work goes on meanwhile.
    pub fn lost(&mut self) -> Option<io::Error> {
        self.lost.take()
    }

    /// Time since this session began.
    pub fn elapsed(&self) -> Duration {
        self.clock.now()
    }

    /// Shows position and message; `record` is the JSON form.
    pub fn update(&mut self, position: u64, message: String, record: &impl Serialize) {
        self.bar.set_position(position);
        let total = self.bar.length().unwrap_or(0);
        let unit = &self.unit;
        let so_far = format!("at {position} of {total} {unit}; {message}");
        self.interrupt.tell(so_far);
        let now = self.clock.now();
        let every = if self.json { RECORD_EVERY } else { LINE_EVERY };
        let due = self
            .last_line
            .is_none_or(|last| now.saturating_sub(last) >= every);
        if due && (self.json || !std::io::stderr().is_terminal()) {
            self.last_line = Some(now);
            self.line(&message, record);
        }
        self.bar.set_message(message);
    }

    /// Writes a permanent line.
    pub fn note(&mut self, message: &str, record: &impl Serialize) {
        self.line(message, record);
    }

    /// Ends the bar and leaves the last message on the screen; an error if a line of this reporter was lost.
    pub fn finish(mut self, message: &str, record: &impl Serialize) -> io::Result<()> {
        self.bar.finish_and_clear();
        self.line(message, record);
        self.lost().map_or(Ok(()), Err)
    }

    fn line(&mut self, message: &str, record: &impl Serialize) {
        if self.json {
            let written = print(&serde_json::to_string(record).unwrap_or_default());
            self.lost = self.lost.take().or(written.err());
        } else {
            let total = self.bar.length().unwrap_or(0);
            let position = self.bar.position();
            self.bar
                .suspend(|| log::info!("{position}/{total}  {message}"));
        }
    }
}
