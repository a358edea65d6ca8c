//! `tengen-train work`: plays for a run of several machines. `tengen-train tickets`: what is to be
//! played, for schedulers that hand out tickets themselves. `tengen-train copy`: all of it as files.

use std::collections::HashSet;
use std::io::BufRead;
use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use tengen::games::with_game;
use tengen_train::cluster::{
    RemoteRun, Worker, copy_run, current_plan, open_tickets, wait_for_plan,
};
use tengen_train::play::runtime::Runtime;
use tengen_train::trainable::Trainable;

use crate::cluster::{StoreArgs, WorkerArgs};
use tengen_train::command::Interrupt;
use tengen_train::command::PlayArgs;
use tengen_train::command::print;

/// How often `tickets --watch` looks.
const LOOK_EVERY: Duration = Duration::from_secs(2);

#[derive(Debug, Parser)]
pub(crate) struct Args {
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
pub(crate) fn run(args: &Args, interrupt: &Interrupt) -> anyhow::Result<()> {
    let runtime = args.play.runtime()?;
    let remote = args.store.open(&args.run)?;
    let plan = wait_for_plan(&remote.store)?;
    with_game!(&plan.game, plan.largest(), rules: &plan.rules, |start| {
        work(args, &runtime, &remote, &start, interrupt)
    })?
}

fn work<G: Trainable>(
    args: &Args,
    runtime: &Runtime,
    remote: &RemoteRun,
    start: &G,
    interrupt: &Interrupt,
) -> anyhow::Result<()> {
    let options = args.worker.options(&args.play)?;
    let mut worker = Worker::new(start, runtime, remote, &options)?;
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
    let remote = args.store.open(&args.run)?;
    if args.watch {
        wait_for_plan(&remote.store)?;
    } else {
        // What is no run of several machines is refused.
        current_plan(&remote.store)?;
    }
    let mut known = HashSet::new();
    while let Some(open) = open_tickets(&remote.store)? {
        for name in open {
            if known.insert(name.clone()) {
                print(&name)?;
            }
        }
        if !args.watch {
            break;
        }
        std::thread::sleep(LOOK_EVERY);
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
    let remote = args.store.open(&args.run)?;
    let mut count = 0_u64;
    copy_run(&remote.store, &args.out, |_| count += 1)?;
    anyhow::ensure!(count > 0, "{} contains no run", args.run);
    log::info!("{count} objects are in {}", args.out.display());
    Ok(())
}
