//! `tengen-lab mucgo`: what Mucgo's search learns from recorded games.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Parser, Subcommand};
use tengen::game::{BoardSize, Game as _};
use tengen::games::go::LargeGo;
use tengen::games::go::{Features, WeightFit};
use tengen::record::file;
use tengen_lab::mucgo::{BEGINS, CELLS, ENDS, NormalFit, Proxy};
use tengen_train::shards::import::each_game;

use tengen_train::command::print;

/// Weights of domain scores are learned from one of this many moves of a game; tests take one of this many games.
const EVERY: usize = 4;
const HELD_OUT: u64 = 10;

#[derive(Debug, Parser)]
pub(crate) struct Args {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Fit when the middle game begins and ends, and test whether these plies are normally distributed.
    Stages(GamesArgs),
    /// Fit the weights of the domain scores, the ranking of Go's moves, or those of its rollouts.
    Weights(WeightsArgs),
}

/// Recorded games of Go.
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
struct WeightsArgs {
    #[command(flatten)]
    games: GamesArgs,
    /// Fit the weights of rollouts, to all moves
    #[arg(long)]
    rollouts: bool,
    /// The board of the games
    #[arg(long, default_value_t = BoardSize::square(19))]
    size: BoardSize,
    /// Output file of the weights; the program's own are domain.txt and weights.txt in src/tengen/games/go/rollout
    #[arg(long)]
    out: PathBuf,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    match &args.task {
        Task::Stages(args) => stages(args, &LargeGo::new(BoardSize::square(19))?),
        Task::Weights(args) => weights(args, &LargeGo::new(args.size)?),
    }
}

/// Tests all plies, and as many as the paper has.
fn stages(args: &GamesArgs, start: &LargeGo) -> anyhow::Result<()> {
    let mut samples = [BEGINS, ENDS].map(|proxy| (proxy, Vec::<u32>::new()));
    let mut games = 0;
    let left_out = each_game(start, &args.inputs, |moves| {
        for (proxy, plies) in &mut samples {
            plies.extend(proxy.find(start, &moves));
        }
        games += 1;
        games < args.most()
    })?;
    anyhow::ensure!(
        games > 0,
        "there is no game of Go on 19x19 without handicap"
    );
    print(&format!("{games} games, {left_out} left out\n"))?;
    print("| stage | proxy | plies found | mean | deviation | T | chi-squared (df) | p |")?;
    print("|---|---|---|---|---|---|---|---|")?;
    for (proxy, plies) in &samples {
        let Proxy { stage, name, .. } = proxy;
        for most in [usize::MAX, proxy.in_paper] {
            let some = plies.get(..most).unwrap_or(plies);
            match NormalFit::of(some, CELLS) {
                Some(fit) => print(&row(stage, name, &fit))?,
                None => print(&format!("| {stage} | {name} | too few | | | | | |"))?,
            }
        }
    }
    print("")?;
    for proxy in [BEGINS, ENDS] {
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
    let name = || args.out.display().to_string();
    let is_weights =
        |old: &Path| file::read_text(old).is_ok_and(|old| old.starts_with("takes-one "));
    file::check_kind(&args.out, "weights", is_weights).with_context(name)?;
    let (features, every) = match args.rollouts {
        true => (Features::Rollouts, 1),
        false => (Features::All, EVERY),
    };
    let [mut fit, mut held_out] = [(); 2].map(|()| WeightFit::of(features));
    let mut games = 0;
    each_game(start, &args.games.inputs, |moves| {
        let is_test = games % HELD_OUT == 0;
        let part = if is_test { &mut held_out } else { &mut fit };
        part.add(start, &moves, every);
        games += 1;
        games < args.games.most()
    })?;
    anyhow::ensure!(
        !fit.is_empty(),
        "there are no moves to learn from: give games of Go on {}",
        args.size
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
    file::write(&args.out, found.as_bytes()).with_context(name)
}
