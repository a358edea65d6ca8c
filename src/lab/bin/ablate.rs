//! `tengen-lab ablate`: ablation studies.

use std::path::PathBuf;

use anyhow::Context;
use clap::Parser;
use tengen::clock::SystemClock;
use tengen::games::with_game;
use tengen_lab::ablate::{AblationEvent, AblationPlan, Folders, run};
use tengen_train::cycle::CyclePlan;
use tengen_train::trainable::Trainable;

use tengen_train::command::Interrupt;
use tengen_train::command::Reporter;
use tengen_train::command::{EventPrinter, MachineArgs};

#[derive(Debug, Parser)]
pub(crate) struct Args {
    /// The plan, a TOML file; scripts/plans has those of the paper's tables
    plan: PathBuf,
    /// Folder of permanent results: networks, figures, matches, the table in README.md, the newest
    /// checkpoint of the unfinished run; small enough to be committed
    #[arg(long)]
    out: PathBuf,
    /// Folder of the runs with their games; a run that is missing there continues from --out
    #[arg(long)]
    work: PathBuf,
    #[command(flatten)]
    machine: MachineArgs,
    /// Progress as JSON lines on stdout
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run_ablation(args: &Args, interrupt: &Interrupt) -> anyhow::Result<()> {
    let name = || args.plan.display().to_string();
    let text = tengen::program::read_text(&args.plan).with_context(name)?;
    let plan = AblationPlan::parse(&text).with_context(name)?;
    let CyclePlan { game, rules, .. } = &plan.run;
    with_game!(game, plan.run.largest(), rules: rules, |start| {
        ablate(args, &plan, &start, interrupt)
    })?
}

fn ablate<G: Trainable>(
    args: &Args,
    plan: &AblationPlan,
    start: &G,
    interrupt: &Interrupt,
) -> anyhow::Result<()> {
    let (runtime, clock) = (args.machine.play.runtime()?, SystemClock::new());
    let resources = args.machine.resources(&runtime, &clock)?;
    let folders = Folders {
        results: args.out.clone(),
        work: args.work.clone(),
    };
    let mut teller = EventPrinter::new(args.json, interrupt);
    let mut running = String::new();
    let mut meeting: Option<(String, Reporter)> = None;
    let mut lost = None;
    run(
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
                    let reporter = Reporter::new(*total, 0, "pairs", args.json, interrupt);
                    meeting = Some((name.clone(), reporter));
                }
                if let Some((_, reporter)) = &mut meeting {
                    let message = format!("{name}  {}", score.summary());
                    reporter.update(*done, message, &serde_json::json!({ name: score }));
                    lost = lost.take().or(reporter.lost());
                }
            }
        },
    )?;
    log::info!("the table is {}", args.out.join("README.md").display());
    lost.map_or(Ok(()), Err)?;
    Ok(teller.finish()?)
}
