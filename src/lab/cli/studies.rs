//! `tengen-lab ablate` and `tengen-lab critic`: studies from plans.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::ablate::{self, AblationEvent, AblationPlan, Folders};
use crate::critic::taught::Taught;
use crate::critic::{self, CriticPlan, all_games};
use crate::with_taught_game;
use anyhow::Context;
use clap::Parser;
use tengen::clock::SystemClock;
use tengen::games::with_game;
use tengen_train::TrainError;
use tengen_train::command::{EventPrinter, Interrupt, MachineArgs, Reporter, Threads};
use tengen_train::cycle::CyclePlan;
use tengen_train::trainable::Trainable;

/// The plan in a file.
fn read<P>(path: &Path, parse: impl Fn(&str) -> Result<P, TrainError>) -> anyhow::Result<P> {
    let name = || path.display().to_string();
    let text = tengen::record::file::read_text(path).with_context(name)?;
    parse(&text).with_context(name)
}

#[derive(Debug, Parser)]
pub(crate) struct AblateArgs {
    /// The plan, a TOML file; scripts/plans has those of the paper's tables
    plan: PathBuf,
    /// Folder of results: networks, figures, matches, the table in README.md; small enough to be
    /// committed
    #[arg(long)]
    out: PathBuf,
    /// Folder of the runs with their games
    #[arg(long)]
    work: PathBuf,
    #[command(flatten)]
    machine: MachineArgs,
}

/// Runs the command `ablate`.
pub(crate) fn run_ablation(args: &AblateArgs, interrupt: &Interrupt) -> anyhow::Result<()> {
    let plan = read(&args.plan, AblationPlan::parse)?;
    let CyclePlan { game, rules, .. } = &plan.run;
    with_game!(game, plan.run.largest(), rules: rules, |start| {
        run_arms(args, &plan, &start, interrupt)
    })?
}

fn run_arms<G: Trainable>(
    args: &AblateArgs,
    plan: &AblationPlan,
    start: &G,
    interrupt: &Interrupt,
) -> anyhow::Result<()> {
    let (runtime, clock) = (args.machine.play.inference.runtime()?, SystemClock::new());
    let resources = args.machine.resources(&runtime, &clock)?;
    let folders = Folders {
        results: args.out.clone(),
        work: args.work.clone(),
    };
    let mut teller = EventPrinter::new(interrupt);
    let mut running = String::new();
    let mut meeting: Option<(String, Reporter)> = None;
    ablate::run(
        start,
        plan,
        &folders,
        &resources,
        &mut |event| match event {
            AblationEvent::Run(name, event) => {
                if running != *name {
                    running = (*name).to_owned();
                    log::info!("run {name}");
                }
                teller.tell(event);
            }
            AblationEvent::Match([first, second], done, total, score) => {
                let name = format!("{first} - {second}");
                if meeting.as_ref().is_none_or(|(shown, _)| *shown != name) {
                    let reporter = Reporter::new(*total, 0, "pairs", false, interrupt);
                    meeting = Some((name.clone(), reporter));
                }
                if let Some((_, reporter)) = &mut meeting {
                    let message = format!("{name}  {}", score.summary());
                    reporter.update(*done, message, &serde_json::json!({ name: score }));
                }
            }
        },
    )?;
    log::info!("the table is {}", args.out.join("README.md").display());
    Ok(())
}

#[derive(Debug, Parser)]
pub(crate) struct CriticArgs {
    /// The plan, a TOML file; scripts/plans/critic-go.toml is the paper's
    plan: PathBuf,
    /// Folder of the runs: their critics, records, and at the end tables.md; runs of the same plan
    /// are continued
    #[arg(long)]
    out: PathBuf,
    #[command(flatten)]
    threads: Threads,
}

/// Runs the command `critic`.
pub(crate) fn run_critic(args: &CriticArgs, interrupt: &Interrupt) -> anyhow::Result<()> {
    let plan = read(&args.plan, CriticPlan::parse)?;
    with_taught_game!(&plan.game, plan.board(), rules: &plan.rules, |start| {
        teach(&start, &plan, args, interrupt)
    })?
}

fn teach<G: Taught>(
    start: &G,
    plan: &CriticPlan,
    args: &CriticArgs,
    interrupt: &Interrupt,
) -> anyhow::Result<()> {
    // Each trains one critic at a time.
    let threads = args.threads.number();
    let mut done = BTreeMap::<String, u32>::new();
    let mut reporter = Reporter::new(all_games(plan), 0, "games", false, interrupt);
    critic::run(start, plan, &args.out, threads, &mut |event| {
        done.insert(event.run.clone(), event.games);
        let games = done.values().map(|&games| u64::from(games)).sum();
        let message = format!("{}: {} of {}", event.run, event.games, event.of);
        reporter.update(games, message, event);
    })?;
    let tables = args.out.join("tables.md");
    log::info!("the tables are {}", tables.display());
    Ok(reporter.finish("finished", &serde_json::json!({ "finished": tables }))?)
}
