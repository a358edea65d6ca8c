//! `tengen-train loop`: repeats self-play, fit, export and rating.

use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Parser;
use tengen::clock::SystemClock;
use tengen::games::with_game;
use tengen::train::cluster::{RemoteRun, current_plan, refuse_store, run_learner};
use tengen::train::cycle::{
    CyclePlan, Generation, RatedPlayer, Resources, RunEvent, RunFolder, StepName, run,
};
use tengen::train::network::device::FitDevice;
use tengen::train::play::runtime::Runtime;
use tengen::train::trainable::Trainable;

use crate::cluster::LearnerArgs;
use crate::interrupt::Interrupt;
use crate::play_args::PlayArgs;
use crate::progress::{Reporter, print};

#[derive(Debug, Parser)]
pub(crate) struct Args {
    /// The plan, a TOML file; scripts/plans has examples [default: the plan of the run]
    plan: Option<PathBuf>,
    /// Folder of the run; a run of the same plan is continued. With --run a working copy of it
    /// [default with --run: a folder in the system's temporary one]
    #[arg(long, required_unless_present = "run")]
    out: Option<PathBuf>,
    #[command(flatten)]
    machine: MachineArgs,
    #[command(flatten)]
    cluster: LearnerArgs,
    /// Progress as JSON lines on stdout
    #[arg(long)]
    json: bool,
}

/// Devices and threads for networks.
#[derive(Debug, clap::Args)]
pub(crate) struct MachineArgs {
    #[command(flatten)]
    pub(crate) play: PlayArgs,
    /// Device of fitting: cpu, or in a build with the feature libtorch: libtorch, cuda or cuda:N
    #[arg(long, default_value_t)]
    fit_device: FitDevice,
}

impl MachineArgs {
    pub(crate) fn runtime(&self) -> Runtime {
        self.play.runtime()
    }

    pub(crate) fn resources<'a>(
        &self,
        runtime: &'a Runtime,
        clock: &'a SystemClock,
    ) -> anyhow::Result<Resources<'a>> {
        Ok(Resources {
            runtime,
            threads: self.play.threads()?,
            fit_device: self.fit_device,
            clock,
            remote: None,
        })
    }
}

/// Runs the command.
pub(crate) fn run_loop(args: &Args, interrupt: &Interrupt) -> anyhow::Result<()> {
    let remote = args.cluster.open()?;
    if remote.is_none() {
        refuse_store(&args.folder())?;
    }
    let place = match &remote {
        Some(remote) => remote.store.name().to_owned(),
        None => args.folder().display().to_string(),
    };
    let known = || match &remote {
        Some(remote) => current_plan(&remote.store),
        None => RunFolder::new(&args.folder()).plan(),
    };
    let plan = match &args.plan {
        Some(path) => read_plan(path)?,
        None => known()?.with_context(|| {
            format!("{place} contains no run yet: give a plan, such as scripts/plans/nogo-9x9.toml")
        })?,
    };
    with_game!(&plan.game, plan.largest(), rules: &plan.rules, |start| {
        run_plan(args, &plan, remote.as_ref(), &start, interrupt)
    })?
}

impl Args {
    /// The folder of the run, or its working copy.
    fn folder(&self) -> PathBuf {
        let of_url = || self.cluster.working_copy();
        self.out.clone().or_else(of_url).unwrap_or_default()
    }
}

fn run_plan<G: Trainable>(
    args: &Args,
    plan: &CyclePlan,
    remote: Option<&RemoteRun>,
    start: &G,
    interrupt: &Interrupt,
) -> anyhow::Result<()> {
    let folder = args.folder();
    let (runtime, clock) = (args.machine.runtime(), SystemClock::new());
    let resources = args.machine.resources(&runtime, &clock)?;
    let report = RunFolder::new(&folder).report();
    log::info!("the report is {}", report.display());
    let mut teller = EventPrinter::new(args.json, interrupt);
    let observe = &mut |event: &RunEvent| teller.tell(event);
    let done = match remote {
        None => run(start, plan, &folder, &resources, observe)?,
        Some(remote) => {
            let options = args.cluster.options(&args.machine.play, folder)?;
            run_learner(start, plan, remote, &resources, &options, observe)?
        }
    };
    if let Some(last) = done.last() {
        let number = last.number;
        log::info!("the plan is complete: generation {number} was the last");
    }
    Ok(teller.finish()?)
}

/// Reads a plan; errors name the file.
pub(crate) fn read_plan(path: &Path) -> anyhow::Result<CyclePlan> {
    let name = || path.display().to_string();
    let text = tengen::program::read_text(path).with_context(name)?;
    CyclePlan::parse(&text).with_context(name)
}

/// Shows the events of a run: a bar for each step, a line for each generation.
pub(crate) struct EventPrinter {
    json: bool,
    /// Subject of the bar.
    showing: Option<(u32, StepName, Reporter)>,
    interrupt: Interrupt,
    /// Why a line was lost, the first time.
    lost: Option<io::Error>,
}

impl EventPrinter {
    pub(crate) fn new(json: bool, interrupt: &Interrupt) -> EventPrinter {
        EventPrinter {
            json,
            showing: None,
            interrupt: interrupt.clone(),
            lost: None,
        }
    }

    /// An error if a line was lost during the run.
    pub(crate) fn finish(self) -> io::Result<()> {
        self.lost.map_or(Ok(()), Err)
    }

    pub(crate) fn tell(&mut self, event: &RunEvent) {
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
    use tengen::train::cycle::Measures;

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
