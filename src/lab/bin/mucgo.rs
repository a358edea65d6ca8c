//! `tengen-lab mucgo`: what Mucgo's search learns from recorded games.

use std::path::PathBuf;

use clap::{Parser, Subcommand};
use tengen::game::{BoardSize, Game as _};
use tengen::games::go::LargeGo;
use tengen_lab::mucgo::{BEGINS, ENDS, NormalFit, StageSamples};
use tengen_train::shards::import::each_game;

use tengen_train::command::print;

#[derive(Debug, Parser)]
pub(crate) struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Fit when the middle game begins and ends, by several proxies, and test whether these plies are normally
    /// distributed.
    Stages(StagesArgs),
}

#[derive(Debug, clap::Args)]
struct StagesArgs {
    /// Games of Go on 19x19: SGF files, ZIP archives of them, the compact text of the TYGEM collection, or folders of any
    #[arg(required = true, value_name = "FILE OR FOLDER")]
    inputs: Vec<PathBuf>,
    /// Read at most this many games without handicap [default: all]
    #[arg(long)]
    games: Option<u64>,
    /// Test a second time with this many plies at the beginning of the middle game, as the paper has
    #[arg(long, default_value_t = 450)]
    begins: usize,
    /// The same at its end
    #[arg(long, default_value_t = 335)]
    ends: usize,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let start = LargeGo::new(BoardSize::square(19))?;
    let Task::Stages(args) = &args.task;
    stages(args, &start)
}

fn stages(args: &StagesArgs, start: &LargeGo) -> anyhow::Result<()> {
    let mut begins = StageSamples::of(BEGINS);
    let mut ends = StageSamples::of(ENDS);
    let left_out = each_game(start, &args.inputs, |moves| {
        begins.add(start, &moves);
        ends.add(start, &moves);
        begins.games() < args.games.unwrap_or(u64::MAX)
    })?;
    let games = begins.games();
    anyhow::ensure!(
        games > 0,
        "there is no game of Go on 19x19 without handicap"
    );
    print(&format!("{games} games, {left_out} left out\n"))?;
    print("| stage | proxy | plies found | mean | deviation | T | chi-squared (df) | p |")?;
    print("|---|---|---|---|---|---|---|---|")?;
    for (stage, samples, few) in [("begins", &begins, args.begins), ("ends", &ends, args.ends)] {
        for most in [usize::MAX, few] {
            for (proxy, fit) in samples.fits(most) {
                match fit {
                    Some(fit) => print(&row(stage, proxy.name, &fit))?,
                    None => print(&format!("| {stage} | {} | too few | | | | | |", proxy.name))?,
                }
            }
        }
    }
    print("")?;
    for proxy in BEGINS.iter().chain(ENDS) {
        print(&format!("- {}: {}", proxy.name, proxy.help))?;
    }
    Ok(())
}

fn row(stage: &str, name: &str, fit: &NormalFit) -> String {
    let NormalFit {
        number,
        mean,
        deviation,
        chi_squared,
        freedom,
        p,
    } = fit;
    let (low, high) = (mean - deviation, mean + deviation);
    format!(
        "| {stage} | {name} | {number} | {mean:.1} | {deviation:.1} | [{low:.0}, {high:.0}] | {chi_squared:.1} \
         ({freedom}) | {p:.2e} |"
    )
}
