//! `tengen-train loop`: repeats self-play, fit, export and rating. `tengen-train report`: the HTML page of
//! a run.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Parser;

use crate::cluster::LearnerArgs;
use tengen::clock::SystemClock;
use tengen::games::with_game;
use tengen_train::cluster::{current_plan, refuse_store, run_learner};
use tengen_train::command::{EventPrinter, Interrupt, MachineArgs};
use tengen_train::cycle::{CyclePlan, RunEvent, RunFolder, report, run};
use tengen_train::store::Store;
use tengen_train::trainable::Trainable;

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

/// Runs the command.
pub(crate) fn run_loop(args: &Args, interrupt: &Interrupt) -> anyhow::Result<()> {
    let (store, folder) = (
        args.cluster.open(args.out.as_deref())?,
        args.out.clone().unwrap_or_default(),
    );
    if store.is_none() {
        refuse_store(&folder)?;
    }
    let plan = match (&args.plan, &store) {
        (Some(path), _) => Some(read_plan(path)?),
        (None, Some(store)) => current_plan(store)?,
        (None, None) => RunFolder::new(&folder).plan()?,
    };
    let plan = plan.with_context(|| {
        let folder = folder.display().to_string();
        let place = store.as_ref().map_or(&*folder, Store::name);
        format!("{place} contains no run yet: give a plan, such as scripts/plans/nogo-9x9.toml")
    })?;
    with_game!(&plan.game, plan.largest(), rules: &plan.rules, |start| {
        run_plan(args, &plan, store.as_ref(), &start, interrupt)
    })?
}

fn run_plan<G: Trainable>(
    args: &Args,
    plan: &CyclePlan,
    store: Option<&Store>,
    start: &G,
    interrupt: &Interrupt,
) -> anyhow::Result<()> {
    let (runtime, clock) = (args.machine.play.runtime()?, SystemClock::new());
    let resources = args.machine.resources(&runtime, &clock)?;
    let mut teller = EventPrinter::new(args.json, interrupt);
    let observe = &mut |event: &RunEvent| teller.tell(event);
    let done = match store {
        None => {
            // Required without a store.
            let folder = args.out.clone().unwrap_or_default();
            run(start, plan, &folder, &resources, observe)?
        }
        Some(store) => {
            let options = args.cluster.options(&args.machine.play, args.out.clone())?;
            run_learner(start, plan, store, &resources, &options, observe)?
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

#[derive(Debug, Parser)]
pub(crate) struct ReportArgs {
    /// The folder of a run of tengen-train loop
    run: PathBuf,
}

/// Runs the command `report`.
pub(crate) fn report(args: &ReportArgs) -> anyhow::Result<()> {
    let run_folder = RunFolder::new(&args.run);
    if run_folder.plan()?.is_none() {
        refuse_store(&args.run)?;
    }
    report::write(&run_folder, None)?;
    log::info!("the report is {}", run_folder.report().display());
    Ok(())
}
