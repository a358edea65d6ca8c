//! `tengen-lab mucgo`: what Mucgo's search learns from recorded games.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Parser, Subcommand};
use tengen::game::{BoardSize, Game as _};
use tengen::games::go::LargeGo;
use tengen::games::go::{Features, WeightFit};
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
    /// Fit the weights of the domain scores, the ranking of Go's moves.
    Weights(WeightsArgs),
}

/// Recorded games of Go on 19x19.
#[derive(Debug, clap::Args)]
struct GamesArgs {
    /// SGF files, ZIP archives of them, the compact text of the TYGEM collection, or folders of any
    #[arg(required = true, value_name = "FILE OR FOLDER")]
    inputs: Vec<PathBuf>,
    /// Read at most this many games without handicap [default: all]
    #[arg(long)]
    games: Option<u64>,
}

impl GamesArgs {
    /// Maximum number of games.
    fn most(&self) -> u64 {
        self.games.unwrap_or(u64::MAX)
    }
}

#[derive(Debug, clap::Args)]
struct StagesArgs {
    #[command(flatten)]
    games: GamesArgs,
    /// Test a second time with this many plies at the beginning of the middle game, as the paper has
    #[arg(long, default_value_t = 450)]
    begins: usize,
    /// The same at its end
    #[arg(long, default_value_t = 335)]
    ends: usize,
}

#[derive(Debug, clap::Args)]
struct WeightsArgs {
    #[command(flatten)]
    games: GamesArgs,
    /// Output file of the weights; the program's own is src/tengen/games/go/rollout/domain.txt
    #[arg(long)]
    out: PathBuf,
    /// Learn from one of this many moves of a game
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..))]
    every: u16,
    /// One of this many games tests the weights
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u16).range(2..))]
    held_out: u16,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let start = LargeGo::new(BoardSize::square(19))?;
    match &args.task {
        Task::Stages(args) => stages(args, &start),
        Task::Weights(args) => weights(args, &start),
    }
}

fn stages(args: &StagesArgs, start: &LargeGo) -> anyhow::Result<()> {
    let mut begins = StageSamples::of(BEGINS);
    let mut ends = StageSamples::of(ENDS);
    let left_out = each_game(start, &args.games.inputs, |moves| {
        begins.add(start, &moves);
        ends.add(start, &moves);
        begins.games() < args.games.most()
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

fn weights(args: &WeightsArgs, start: &LargeGo) -> anyhow::Result<()> {
    let [mut fit, mut held_out] = [(); 2].map(|()| WeightFit::of(Features::All));
    let mut games = 0;
    each_game(start, &args.games.inputs, |moves| {
        let is_test = games % u64::from(args.held_out) == 0;
        let part = if is_test { &mut held_out } else { &mut fit };
        part.add(start, &moves, usize::from(args.every));
        games += 1;
        games < args.games.most()
    })?;
    anyhow::ensure!(
        !fit.is_empty(),
        "there are no moves to learn from: give games of Go on 19x19"
    );
    let found = fit.fit();
    for (name, moves) in [("", &fit), ("held-out ", &held_out)] {
        let [ranked, likelihood] = [&found, ""].map(|weights| moves.likelihood(weights));
        print(&format!(
            "{} {name}moves: mean log-likelihood {ranked:.3}, uniform {likelihood:.3}, {:.1}% ranked first",
            moves.len(),
            100.0 * moves.share_first(&found)
        ))?;
    }
    std::fs::write(&args.out, found).with_context(|| args.out.display().to_string())
}
