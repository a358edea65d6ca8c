//! Runs in a store, for several machines: flags of learners and workers.
//!
//! `tengen-train work` plays for such a run. `tengen-train tickets` says what is to be played, for schedulers that
//! hand out tickets themselves. `tengen-train copy` copies all of it as files.

use std::collections::HashSet;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use clap::Parser;

use tengen::clock::SystemClock;
use tengen::games::with_game;
use tengen::system;
use tengen_train::cluster::{
    LearnerOptions, Worker, WorkerOptions, copy_run, current_plan, open_tickets, require_run,
    wait_for_plan,
};
use tengen_train::command::{Interrupt, PlayArgs, print};
use tengen_train::play::runtime::Runtime;
use tengen_train::store::{RetryLimits, Store, folder_of, open};
use tengen_train::trainable::Trainable;

/// Longest time between two looks of a learner.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// Flags of all programs that work on a run in a store.
#[derive(Debug, clap::Args)]
pub(crate) struct StoreArgs {
    /// Seconds for which a store may be silent before the program gives up; a learner that has not begun, and tickets,
    /// are waited for without end
    #[arg(long, default_value_t = 3600, value_name = "SECONDS")]
    patience: u64,
}

impl StoreArgs {
    /// Opens the store at a URL.
    pub(crate) fn open(&self, url: &str) -> anyhow::Result<Store> {
        let clock = Arc::new(SystemClock::new());
        let patience = RetryLimits {
            total: Duration::from_secs(self.patience),
            ..RetryLimits::default()
        };
        Ok(open(url, clock, patience)?)
    }
}

/// Flags of workers, and of learners that play.
#[derive(Debug, clap::Args)]
pub(crate) struct WorkerArgs {
    /// Seconds without a sign of life after which another worker's ticket is taken over
    #[arg(long, default_value_t = 60.0, value_name = "SECONDS")]
    lease: f64,
    /// Name of this machine in the report [default: that of the host]
    #[arg(long)]
    name: Option<String>,
    /// GPUs that this program has, possibly a share of one, for the report [default: 1 with
    /// --device cuda]
    #[arg(long)]
    gpus: Option<f64>,
}

impl WorkerArgs {
    /// The settings of a worker that plays like this.
    pub(crate) fn options(&self, play: &PlayArgs) -> anyhow::Result<WorkerOptions> {
        anyhow::ensure!(
            self.lease >= 1.0 && self.lease <= 86400.0,
            "--lease takes 1 to 86400 seconds, not {}",
            self.lease
        );
        let name = self.name.clone().unwrap_or_else(host_name);
        anyhow::ensure!(
            !name.is_empty() && name.chars().all(is_plain),
            "--name takes letters, digits, - _ and ., not {name:?}"
        );
        Ok(WorkerOptions {
            name,
            threads: play.threads.number(),
            gpus: self.gpus.unwrap_or_else(|| play.gpus()),
            lease: Duration::from_secs_f64(self.lease),
        })
    }
}

/// Whether a letter may be in the name of a machine.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "-_.".contains(c)
}

/// Name of the host, in plain letters.
fn host_name() -> String {
    let name = system::host_name().unwrap_or_default();
    let name: String = name.chars().filter(|&c| is_plain(c)).collect();
    match name.is_empty() {
        true => "machine".to_owned(),
        false => name,
    }
}

/// Flags of a learner.
#[derive(Debug, clap::Args)]
pub(crate) struct LearnerArgs {
    /// Run that several machines work on: a folder, file://, s3://, gs:// or az:// with bucket and
    /// folder; other machines play with tengen-train work (docs/training.md#many-machines)
    #[arg(long, value_name = "URL")]
    run: Option<String>,
    /// With --run: only go on with a run that is there, and begin none: its folder may not be mounted
    #[arg(long = "continue", requires = "run")]
    continues: bool,
    /// With --run: leave all games to workers
    #[arg(long, requires = "run")]
    no_play: bool,
    #[command(flatten)]
    store: StoreArgs,
    #[command(flatten)]
    worker: WorkerArgs,
}

impl LearnerArgs {
    /// The run's store, if the run is in one, which has nothing in common with this working copy.
    pub(crate) fn open(&self, working_copy: Option<&Path>) -> anyhow::Result<Option<Store>> {
        let Some(url) = &self.run else {
            return Ok(None);
        };
        let opened = self.store.open(url)?;
        if let Some(folder) = working_copy {
            check_apart(url, folder)?;
        }
        if self.continues {
            require_run(&opened)?;
        }
        Ok(Some(opened))
    }

    /// The settings of a learner with this working copy, or the usual one.
    pub(crate) fn options(
        &self,
        play: &PlayArgs,
        folder: Option<PathBuf>,
    ) -> anyhow::Result<LearnerOptions> {
        let mut worker = self.worker.options(play)?;
        worker.name += "-learner";
        Ok(LearnerOptions {
            folder,
            look_every: LOOK_EVERY.min(worker.lease / 8),
            worker,
            plays: !self.no_play,
        })
    }
}

/// Refuses a folder for --out that is the run's store, in it or around it.
fn check_apart(url: &str, out: &Path) -> anyhow::Result<()> {
    let Some(store) = folder_of(url) else {
        return Ok(());
    };
    let (store, folder) = (resolved(&store)?, resolved(out)?);
    anyhow::ensure!(
        !store.starts_with(&folder) && !folder.starts_with(&store),
        "--out {}: it needs a folder of its own, not in or around the run's store (--run)",
        out.display()
    );
    Ok(())
}

/// A folder without links, if it exists.
fn resolved(folder: &Path) -> std::io::Result<PathBuf> {
    folder
        .canonicalize()
        .or_else(|_| std::path::absolute(folder))
}

/// How often `tickets --watch` looks.
const WATCH_EVERY: Duration = Duration::from_secs(2);

#[derive(Debug, Parser)]
pub(crate) struct WorkArgs {
    /// The run: a folder, file://, s3://, gs:// or az:// with bucket and folder
    #[arg(long, value_name = "URL")]
    run: String,
    /// Play the tickets named on stdin, one a line, and print "done NAME" after each, instead of
    /// finding tickets: for schedulers that hand them out themselves
    #[arg(long, value_name = "-", value_parser = ["-"])]
    tickets: Option<String>,
    #[command(flatten)]
    play: PlayArgs,
    #[command(flatten)]
    worker: WorkerArgs,
    #[command(flatten)]
    store: StoreArgs,
}

/// Runs the command.
pub(crate) fn work(args: &WorkArgs, interrupt: &Interrupt) -> anyhow::Result<()> {
    let runtime = args.play.runtime()?;
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
    let options = args.worker.options(&args.play)?;
    let mut worker = Worker::new(start, runtime, store, &options)?;
    let (mut count, mut lost) = (0_u64, None);
    let mut done = |name: &str| {
        count += 1;
        let tickets = if count == 1 { "ticket" } else { "tickets" };
        interrupt.tell(format!("after {count} {tickets}"));
        match args.tickets {
            Some(_) => lost = lost.take().or(print(&format!("done {name}")).err()),
            None => log::info!("done {name}"),
        }
    };
    if args.tickets.is_none() {
        worker.run(done)?;
        log::info!("the plan is complete");
        return Ok(());
    }
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let name = line.trim();
        if !name.is_empty() {
            worker.play_named(name)?;
            done(name);
        }
    }
    Ok(lost.map_or(Ok(()), Err)?)
}

#[derive(Debug, Parser)]
pub(crate) struct TicketsArgs {
    /// The run, as for work
    #[arg(long, value_name = "URL")]
    run: String,
    /// Go on with new tickets until the plan is complete
    #[arg(long)]
    watch: bool,
    #[command(flatten)]
    store: StoreArgs,
}

/// Prints the names of open tickets, one a line.
pub(crate) fn tickets(args: &TicketsArgs) -> anyhow::Result<()> {
    let store = args.store.open(&args.run)?;
    if args.watch {
        wait_for_plan(&store)?;
    } else {
        // What is no run of several machines is refused, too.
        let plan = current_plan(&store)?;
        anyhow::ensure!(plan.is_some(), "{} contains no run yet", args.run);
    }
    let mut known = HashSet::new();
    while let Some(open) = open_tickets(&store)? {
        for name in open {
            if known.insert(name.clone()) {
                print(&name)?;
            }
        }
        if !args.watch {
            break;
        }
        std::thread::sleep(WATCH_EVERY);
    }
    Ok(())
}

#[derive(Debug, Parser)]
pub(crate) struct CopyArgs {
    /// The run, as for work
    #[arg(long, value_name = "URL")]
    run: String,
    /// Folder for the copy, which can itself be a --run; what is there already is left alone
    #[arg(long)]
    out: PathBuf,
    #[command(flatten)]
    store: StoreArgs,
}

/// Copies a run out of its store.
pub(crate) fn copy(args: &CopyArgs) -> anyhow::Result<()> {
    let store = args.store.open(&args.run)?;
    check_apart(&args.run, &args.out)?;
    require_run(&store)?;
    let count = copy_run(&store, &args.out)?;
    log::info!("{count} objects are in {}", args.out.display());
    Ok(())
}
