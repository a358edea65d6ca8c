//! Progress: bars on a terminal, log lines elsewhere, JSON lines on request; of a run a bar for each step and a line
//! for each generation.

use std::io;

use super::start::Interrupt;
use crate::cycle::{Generation, RatedPlayer, RunEvent, StepName};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde::Serialize;
use std::io::IsTerminal as _;
use std::time::Duration;
use tengen::clock::{Clock, SystemClock};
use tengen::program;

/// Shows the events of a run: a bar for each step, a line for each generation.
pub struct EventPrinter {
    /// Subject of the bar.
    showing: Option<(u32, StepName, Reporter)>,
    interrupt: Interrupt,
}

impl EventPrinter {
    /// Prints bars and log lines.
    pub fn new(interrupt: &Interrupt) -> EventPrinter {
        EventPrinter {
            showing: None,
            interrupt: interrupt.clone(),
        }
    }

    /// Shows one event.
    pub fn tell(&mut self, event: &RunEvent) {
        match event {
            RunEvent::Step {
                generation,
                step,
                done,
                total,
                message,
            } => {
                let (title, unit) = step.title_and_unit();
                let same = |(number, name, _): &(u32, StepName, Reporter)| {
                    (number, name) == (generation, step)
                };
                if !self.showing.as_ref().is_some_and(same) {
                    let reporter = Reporter::new(*total, *done, unit, false, &self.interrupt);
                    self.showing = Some((*generation, *step, reporter));
                }
                if let Some((_, _, reporter)) = &mut self.showing {
                    let message = format!("generation {generation}, {title}: {message}");
                    reporter.update(*done, message, &());
                }
            }
            RunEvent::Finished(generation, rated) => {
                self.showing = None;
                let number = generation.number;
                self.interrupt
                    .tell(format!("with generation {number} finished"));
                log::info!("{}", summary(generation, rated.as_ref()));
            }
        }
    }
}

/// A generation as one line.
fn summary(generation: &Generation, rated: Option<&RatedPlayer>) -> String {
    let losses = generation.held_out.map_or_else(
        || "no held-out games".to_owned(),
        |score| {
            format!(
                "policy {:.3} (floor {:.3}) value {:.3}",
                score.policy_loss, score.policy_floor, score.value_loss
            )
        },
    );
    let gate = generation.verdict();
    let gate = gate.map_or(String::new(), |verdict| format!("  gate {verdict}"));
    let elo = rated.map_or(String::new(), |rated| {
        format!(
            "  Elo {:+.0} [{:+.0}, {:+.0}]",
            rated.elo, rated.low, rated.high
        )
    });
    format!(
        "generation {} of {}: {} games by {}, {} in all  {losses}  White scores {:.1}%{elo}{gate}  {:.2} h",
        generation.number,
        generation.network,
        generation.games,
        generation.players,
        generation.games_so_far,
        100.0 * generation.white_share,
        generation.seconds / 3600.0
    )
}

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
    /// Why a line was lost, the first time: the work goes on meanwhile.
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

    /// Ends the bar and leaves the last message on the screen; an error if a line of this reporter was lost.
    pub fn finish(mut self, message: &str, record: &impl Serialize) -> io::Result<()> {
        self.bar.finish_and_clear();
        self.line(message, record);
        self.lost.map_or(Ok(()), Err)
    }

    /// Writes a permanent line.
    pub fn line(&mut self, message: &str, record: &impl Serialize) {
        if self.json {
            let written = print(&serde_json::to_string(record).unwrap_or_default());
            self.lost = self.lost.take().or(written.err());
        } else {
            let total = self.bar.length().unwrap_or(0);
            let (position, unit) = (self.bar.position(), &self.unit);
            self.bar
                .suspend(|| log::info!("{position}/{total} {unit}  {message}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cycle::Measures;

    #[test]
    fn a_generation_is_told_with_its_own_games() {
        let generation = Generation {
            number: 2,
            players: "network-0001".to_owned(),
            visits: 8,
            network: "az-1b8c".to_owned(),
            plays_next: 1,
            gate: Some(0.375),
            games: 16,
            games_so_far: 56,
            rows: 200,
            rows_so_far: 700,
            white_share: 0.5,
            games_per_second: 1.0,
            evaluations_per_second: 1.0,
            samples_per_second: 1.0,
            steps: 9,
            held_out: None,
            measures: Measures::default(),
            seconds: 1800.0,
        };
        assert_eq!(
            summary(&generation, None),
            "generation 2 of az-1b8c: 16 games by network-0001, 56 in all  no held-out games  \
             White scores 50.0%  gate refused, 38%  0.50 h"
        );
    }
}
