//! `tengen-lab mucgo`: what Mucgo's search and Go's rollouts learn from games.

use std::path::{Path, PathBuf};

use crate::mucgo::{BEGINS, CELLS, ENDS, NormalFit, Proxy};
use anyhow::Context as _;
use clap::{Parser, Subcommand};
use tengen::game::{BoardSize, Game as _, Move};
use tengen::games::go::LargeGo;
use tengen::games::go::{Features, WeightFit};
use tengen::record::file;
use tengen_train::shards::dataset::Dataset;
use tengen_train::shards::import::each_game;
use tengen_train::shards::shard;

use tengen_train::command::print;

/// Weights of domain scores are learned from one of this many moves of a game.
const EVERY: usize = 4;

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
    /// SGF files, ZIP archives of them, the compact text of the TYGEM collection, or folders of any; for weights also
    /// folders of shards
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
    /// Share of the games that test the weights, which are fitted to the others
    #[arg(long, default_value_t = 0.1)]
    held_out: f64,
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
    anyhow::ensure!(
        (0.0..1.0).contains(&args.held_out),
        "--held-out must be at least 0 and less than 1"
    );
    let name = || args.out.display().to_string();
    let is_weights =
        |old: &Path| file::read_text(old).is_ok_and(|old| old.starts_with("takes-one "));
    file::check_kind(&args.out, "weights", is_weights).with_context(name)?;
    let (features, every) = match args.rollouts {
        true => (Features::Rollouts, 1),
        false => (Features::All, EVERY),
    };
    let [mut fit, mut held_out] = [(); 2].map(|()| WeightFit::of(features));
    let mut games = 0_u64;
    each_of(args, start, |moves| {
        let is_test = (games as f64 * args.held_out).fract() < args.held_out;
        let part = if is_test { &mut held_out } else { &mut fit };
        part.add(start, moves, every);
        games += 1;
        games < args.games.most()
    })?;
    anyhow::ensure!(
        !fit.is_empty(),
        "there are no moves to learn from: give games of Go on {}",
        args.size
    );
    let found = fit.fit();
    let parts = [("", &fit), ("held-out ", &held_out)];
    for (name, moves) in parts.iter().filter(|(_, moves)| !moves.is_empty()) {
        let [ranked, likelihood] = [&found, ""].map(|weights| moves.likelihood(weights));
        print(&format!(
            "{} {name}moves: mean log-likelihood {ranked:.3}, uniform {likelihood:.3}, {:.1}% ranked first",
            moves.len(),
            100.0 * moves.share_first(&found)
        ))?;
    }
    file::write(&args.out, found.as_bytes()).with_context(name)
}

/// Passes the moves of each game to `take`, until it returns false: first of those in shards.
fn each_of(
    args: &WeightsArgs,
    start: &LargeGo,
    mut take: impl FnMut(&[Move]) -> bool,
) -> anyhow::Result<()> {
    let is_of_shards =
        |input: &PathBuf| shard::list_all(input).is_ok_and(|shards| !shards.is_empty());
    let inputs = args.games.inputs.iter().cloned();
    let (shards, files): (Vec<PathBuf>, Vec<PathBuf>) = inputs.partition(is_of_shards);
    if !shards.is_empty() {
        let Dataset { game, fit, .. } = Dataset::load(&shards, usize::MAX, 0.0)?;
        anyhow::ensure!(
            game == LargeGo::NAME,
            "these are games of {game}, not of Go"
        );
        let games = fit.chunk_by(|a, b| a.is_of_game(b));
        let mut games = games.filter(|game| game[0].size == args.size);
        if !games.all(|game| take(&game[0].moves)) {
            return Ok(());
        }
    }
    each_game(start, &files, |moves| take(&moves))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::games::go::SmallGo;
    use tengen_nn::files::scratch::Scratch;
    use tengen_train::shards::import::{Choice, ImportPlan, import};

    #[test]
    fn weights_are_fitted_to_shards_and_files() {
        let scratch = Scratch::new("mucgo-weights");
        let place = |name: &str| scratch.path().join(name);
        std::fs::create_dir(place("games")).expect("a folder");
        for (name, last) in [("1.sgf", "dd"), ("2.sgf", "db")] {
            let game = format!("(;GM[1]SZ[5]RE[B+R];B[cc];W[bb];B[{last}])");
            std::fs::write(place("games").join(name), game).expect("a file");
        }
        let size = BoardSize::square(5);
        let plan = ImportPlan {
            inputs: vec![place("games")],
            out: place("shards"),
            choice: Choice {
                least_plies: 1,
                komi_share: 0.0,
                seed: 1,
            },
        };
        import(&SmallGo::new(size).expect("a board"), &plan, |_| ()).expect("games");
        let args = |input: &str, held_out: f64| WeightsArgs {
            games: GamesArgs {
                inputs: vec![place(input)],
                games: None,
            },
            held_out,
            rollouts: true,
            size,
            out: place("weights.txt"),
        };
        let start = LargeGo::new(size).expect("a board");
        for (input, held_out) in [("games", 0.0), ("shards", 0.0), ("shards", 0.5)] {
            let mut games = 0;
            let args = args(input, held_out);
            each_of(&args, &start, |moves| {
                games += 1;
                moves.len() == 3
            })
            .expect("they are readable");
            assert_eq!(games, 2, "{input}");
            weights(&args, &start).expect("there are moves");
            let text = std::fs::read_to_string(&args.out).expect("weights");
            assert!(text.starts_with("takes-one "), "{text}");
        }
    }
}
