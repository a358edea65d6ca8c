//! `tengen-train correct`: corrects games' results by best play as far as the solver reaches.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Parser;
use tengen::clock::{Clock as _, SystemClock};
use tengen_train::play::correction::{BAND, Corrected, CorrectionPlan, correct_folder};

use tengen_train::command::Interrupt;
use tengen_train::command::Threads;
use tengen_train::command::print;

#[derive(Debug, Parser)]
pub(crate) struct Args {
    /// Folder of shards
    #[arg(long)]
    data: PathBuf,
    /// Folder of the corrected shards; an interrupted correction is continued there
    #[arg(long)]
    out: PathBuf,
    /// Solver nodes per position, from the end of a game back
    #[arg(long, default_value_t = 100_000, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    #[command(flatten)]
    threads: Threads,
}

/// Runs the command.
pub(crate) fn run(args: &Args, interrupt: &Interrupt) -> anyhow::Result<()> {
    let same = |folder: &PathBuf| folder.canonicalize().ok();
    anyhow::ensure!(
        same(&args.data).is_none_or(|data| same(&args.out) != Some(data)),
        "--out must be another folder than --data"
    );
    anyhow::ensure!(
        args.data.is_dir(),
        "{} is not a folder",
        args.data.display()
    );
    let plan = CorrectionPlan {
        data: &args.data,
        out: &args.out,
        nodes: args.nodes,
        threads: args.threads.number()?,
    };
    let clock = SystemClock::new();
    let done = correct_folder(&plan, |done| {
        interrupt.tell(format!("with {} games done", done.games));
        log::info!("{} games, {} results changed", done.games, done.turned);
    })
    .with_context(|| args.data.display().to_string())?;
    let seconds = clock.now().as_secs_f64() * plan.threads as f64;
    print(&format!(
        "{} games, {} done before; {} results changed; {:.0} nodes and {:.2} s of a thread a game",
        done.games,
        done.resumed,
        done.turned,
        done.nodes as f64 / done.games.max(1) as f64,
        seconds / done.games.max(1) as f64
    ))?;
    Ok(print(&table(&done))?)
}

fn table(done: &Corrected) -> String {
    let head = " plies    rows  proven  changed  Brier of the search: before, after";
    let rows = done.bands.iter().map(|(band, count)| {
        let (first, rows) = (band * BAND, count.rows as f64);
        let [before, after] = count.brier.map(|sum| sum / rows);
        format!(
            "{first:>2}-{:<3}{:>7} {:>6.1}% {:>7.1}%  {before:>27.3}  {after:.3}",
            first + BAND - 1,
            count.rows,
            100.0 * count.exact as f64 / rows,
            100.0 * count.changed as f64 / rows
        )
    });
    let lines: Vec<String> = std::iter::once(head.to_owned()).chain(rows).collect();
    lines.join("\n")
}
