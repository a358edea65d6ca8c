//! `tengen-lab critic`: the adaptive critic of 1997.

use std::path::PathBuf;

use anyhow::Context;
use clap::Parser;
use tengen::clock::SystemClock;
use tengen::rollout::Rollout;
use tengen_lab::critic::taught::Taught;
use tengen_lab::critic::{CriticEvent, CriticPlan, all_games, run};
use tengen_lab::with_taught_game;

use tengen_train::command::Interrupt;
use tengen_train::command::Reporter;
use tengen_train::command::Threads;

#[derive(Debug, Parser)]
pub(crate) struct Args {
    /// The plan, a TOML file; scripts/plans/critic-go.toml is the paper's
    plan: PathBuf,
    /// Folder of the runs: their critics, records, tables.md and report.html; runs of the same plan
    /// are continued
    #[arg(long)]
    out: PathBuf,
    #[command(flatten)]
    threads: Threads,
    /// Progress as JSON lines on stdout
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run_critic(args: &Args, interrupt: &Interrupt) -> anyhow::Result<()> {
    let name = || args.plan.display().to_string();
    let text = tengen::program::read_text(&args.plan).with_context(name)?;
    let plan = CriticPlan::parse(&text).with_context(name)?;
    with_taught_game!(&plan.game, plan.board(), rules: &plan.rules, |start| {
        teach(&start, &plan, args, interrupt)
    })?
}

fn teach<G: Taught + Rollout>(
    start: &G,
    plan: &CriticPlan,
    args: &Args,
    interrupt: &Interrupt,
) -> anyhow::Result<()> {
    // Each trains one critic at a time.
    let threads = args.threads.number()?;
    let clock = SystemClock::new();
    let mut done = Vec::<(String, u32)>::new();
    let mut reporter = Reporter::new(all_games(plan), 0, "games", args.json, interrupt);
    let report = args.out.join("report.html");
    log::info!("the report is {}", report.display());
    run(start, plan, &args.out, threads, &clock, &mut |event| {
        match done.iter_mut().find(|(run, _)| *run == event.run) {
            Some((_, games)) => *games = event.games,
            None => done.push((event.run.clone(), event.games)),
        }
        let games = done.iter().map(|(_, games)| u64::from(*games)).sum();
        let CriticEvent {
            run,
            games: of_run,
            of,
        } = event;
        reporter.update(games, format!("{run}: {of_run} of {of}"), event);
    })?;
    Ok(reporter.finish("finished", &serde_json::json!({ "finished": report }))?)
}
