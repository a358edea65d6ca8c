//! `tengen-train loop`: repeats self-play, fit, export and rating. `tengen-train work`: plays for such a run on another
//! machine.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use clap::Parser;

use crate::TrainError;
use crate::cluster::{
    LearnerOptions, Worker, WorkerOptions, refuse_store, run_learner, wait_for_plan,
};
use crate::command::{EventPrinter, Interrupt, MachineArgs, PlayArgs};
use crate::cycle::{CyclePlan, RunEvent, RunFolder, run};
use crate::play::runtime::Runtime;
use crate::store::{RetryLimits, Store, folder_of, open};
use crate::trainable::Trainable;
use tengen::clock::SystemClock;
use tengen::games::with_game;
use tengen::record::file;
use tengen::system;

/// Longest time between two looks, for tickets or results.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Flags of all programs that work on a run in a store.
#[derive(Debug, clap::Args)]
struct StoreArgs {
    /// Seconds for which a store may be silent before the program gives up; a learner that has not begun, and tickets,
    /// are waited for without end
    #[arg(long, default_value_t = 3600, value_name = "SECONDS", requires = "run")]
    patience: u64,
}

impl StoreArgs {
    /// Opens the store at a URL.
    fn open(&self, url: &str) -> anyhow::Result<Store> {
        let clock = Arc::new(SystemClock::new());
        let patience = RetryLimits {
            total: Duration::from_secs(self.patience),
            ..RetryLimits::default()
        };
        Ok(open(url, clock, patience)?)
    }
}

/// The settings of a worker that plays like this; `role` is part of its name.
fn worker_options(play: &PlayArgs, role: &str) -> WorkerOptions {
    let is_plain = |c: &char| c.is_ascii_alphanumeric() || "-_.".contains(*c);
    let host = system::host_name().unwrap_or_default();
    let host: String = host.chars().filter(is_plain).collect();
    let host = if host.is_empty() { "machine" } else { &host };
    WorkerOptions {
        name: format!("{host}{role}"),
        threads: play.threads.number(),
        look_every: LOOK_EVERY,
    }
}

#[derive(Debug, Parser)]
pub(crate) struct Args {
    /// The plan, a TOML file or a pipe of one; examples are in scripts/plans, of packages in plans or
    /// /usr/share/tengen/plans [default: the plan of the run]
    plan: Option<PathBuf>,
    /// Folder of the run; a run of the same plan is continued [default: that of --run]
    #[arg(long, required_unless_present = "run")]
    out: Option<PathBuf>,
    #[command(flatten)]
    machine: MachineArgs,
    /// Let other machines play, with tengen-train work, which meet the run here (docs/training.md#many-machines): the
    /// run's folder itself, or a bucket: s3://, gs:// or az:// with bucket and folder, and --out
    #[arg(long, value_name = "URL")]
    run: Option<String>,
    /// With --run: leave all games to workers
    #[arg(long, requires = "run")]
    no_play: bool,
    #[command(flatten)]
    store: StoreArgs,
}

/// Runs the command.
pub(crate) fn run_loop(args: &Args, interrupt: &Interrupt) -> anyhow::Result<()> {
    let meeting_place = args.run.as_deref().map(folder_of).transpose()?;
    let folder = args.out.clone().or(meeting_place.flatten());
    let folder = folder.context(
        "with a bucket (--run) the learner needs a folder that lasts for the run: --out FOLDER",
    )?;
    let run_folder = RunFolder::new(&folder);
    let plan = match &args.plan {
        Some(path) => Some(read_plan(path)?),
        None => {
            // The folder may not be mounted at the moment.
            if args.out.is_none()
                && let Some(url) = &args.run
                && run_folder.plan()?.is_none()
            {
                wait_for_plan(&args.store.open(url)?)?;
            }
            run_folder.plan()?
        }
    };
    let plan = plan.ok_or_else(|| {
        TrainError::Refused(format!(
            "{} contains no run yet: give a plan, such as nogo-9x9.toml (loop --help tells where)",
            folder.display()
        ))
    })?;
    with_game!(&plan.game, plan.largest(), rules: &plan.rules, |start| {
        run_plan(args, &plan, &folder, &start, interrupt)
    })?
}

fn run_plan<G: Trainable>(
    args: &Args,
    plan: &CyclePlan,
    folder: &Path,
    start: &G,
    interrupt: &Interrupt,
) -> anyhow::Result<()> {
    let (runtime, clock) = (args.machine.play.inference.runtime()?, SystemClock::new());
    let resources = args.machine.resources(&runtime, &clock)?;
    let mut teller = EventPrinter::new(interrupt);
    let observe = &mut |event: &RunEvent| teller.tell(event);
    let done = match &args.run {
        None => {
            refuse_store(folder)?;
            run(start, plan, folder, &resources, observe)?
        }
        Some(url) => {
            let options = LearnerOptions {
                store: args.store.open(url)?,
                worker: worker_options(&args.machine.play, "-learner"),
                plays: !args.no_play,
            };
            run_learner(start, plan, folder, &resources, &options, observe)?
        }
    };
    if let Some(last) = done.last() {
        let number = last.number;
        log::info!("the plan is complete: generation {number} was the last");
    }
    Ok(())
}

/// Reads a plan from a file or a pipe; errors name it.
fn read_plan(path: &Path) -> anyhow::Result<CyclePlan> {
    let name = || path.display().to_string();
    let text = file::read_text_or_pipe(path).with_context(name)?;
    CyclePlan::parse(&text).with_context(name)
}

#[derive(Debug, Parser)]
pub(crate) struct WorkArgs {
    /// The run: its folder, s3://, gs:// or az:// with bucket and folder
    #[arg(long, value_name = "URL")]
    run: String,
    #[command(flatten)]
    play: PlayArgs,
    #[command(flatten)]
    store: StoreArgs,
}

/// Runs the command.
pub(crate) fn work(args: &WorkArgs, interrupt: &Interrupt) -> anyhow::Result<()> {
    let runtime = args.play.inference.runtime()?;
    let store = args.store.open(&args.run)?;
    let plan = wait_for_plan(&store)?;
    with_game!(&plan.game, plan.largest(), rules: &plan.rules, |start| {
        play_tickets(args, &runtime, &store, &start, interrupt)
    })?
}

fn play_tickets<G: Trainable>(
    args: &WorkArgs,
    runtime: &Runtime,
    store: &Store,
    start: &G,
    interrupt: &Interrupt,
) -> anyhow::Result<()> {
    let options = worker_options(&args.play, "");
    let mut count = 0_u64;
    Worker::new(start, runtime, store, &options)?.run(|name| {
        count += 1;
        let tickets = if count == 1 { "ticket" } else { "tickets" };
        interrupt.tell(format!("after {count} {tickets}"));
        log::info!("done {name}");
    })?;
    log::info!("the plan is complete");
    Ok(())
}
