//! The events of a run, as a bar for each step and a line for each generation.

use std::io;

use super::interrupt::Interrupt;
use super::progress::{Reporter, print};
use crate::cycle::{Generation, RatedPlayer, RunEvent, StepName};

/// Shows the events of a run: a bar for each step, a line for each generation.
pub struct EventPrinter {
    json: bool,
    /// Subject of the bar.
    showing: Option<(u32, StepName, Reporter)>,
    interrupt: Interrupt,
    /// Why a line was lost, the first time.
    lost: Option<io::Error>,
}

impl EventPrinter {
    /// Prints bars and log lines, or JSON lines.
    pub fn new(json: bool, interrupt: &Interrupt) -> EventPrinter {
        EventPrinter {
            json,
            showing: None,
            interrupt: interrupt.clone(),
            lost: None,
        }
    }

    /// An error if a line was lost during the run.
    pub fn finish(self) -> io::Result<()> {
        self.lost.map_or(Ok(()), Err)
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
                let same = |(number, name, _): &(u32, StepName, Reporter)| {
                    (number, name) == (generation, step)
                };
                if !self.showing.as_ref().is_some_and(same) {
                    let reporter =
                        Reporter::new(*total, *done, step.unit(), self.json, &self.interrupt);
                    self.showing = Some((*generation, *step, reporter));
                }
                if let Some((_, _, reporter)) = &mut self.showing {
                    let message = format!("generation {generation}, {}: {message}", step.title());
                    reporter.update(*done, message, event);
                    self.lost = self.lost.take().or(reporter.lost());
                }
            }
            RunEvent::Finished(generation, rated) => {
                self.showing = None;
                let number = generation.number;
                self.interrupt
                    .tell(format!("with generation {number} finished"));
                if self.json {
                    let written = print(&serde_json::to_string(event).unwrap_or_default());
                    self.lost = self.lost.take().or(written.err());
                } else {
                    log::info!("{}", summary(generation, rated.as_ref()));
                }
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
    let elo = rated.map_or(String::new(), |rated| {
        format!(
            "  Elo {:+.0} [{:+.0}, {:+.0}]",
            rated.elo, rated.low, rated.high
        )
    });
    format!(
        "generation {} of {}: {} games by {}, {} in all  {losses}  White wins {:.1}%{elo}  {:.2} h",
        generation.number,
        generation.network,
        generation.games,
        generation.players,
        generation.games_so_far,
        100.0 * generation.white_share,
        generation.seconds / 3600.0
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cycle::Measures;

    #[test]
    fn a_generation_is_told_with_its_own_games() {
        let generation = Generation {
            number: 2,
            stage: Some(0),
            players: "network-0001".to_owned(),
            visits: 8,
            network: "az-1b8c".to_owned(),
            plays_next: 2,
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
             White wins 50.0%  0.50 h"
        );
    }
}
