//! `tengen-train selfplay`: games into shards.

use std::path::PathBuf;

use anyhow::bail;
use clap::{Parser, ValueEnum};
use serde_json::json;
use tengen::game::nogo::{LargeNoGo, SmallNoGo};
use tengen::game::{BoardSize, Game};
use tengen::rollout::{Playout, Rave, RaveParams};
use tengen::train::generate::{Plan, Progress, generate};
use tengen::train::rebuild::Rebuild;
use tengen::train::selfplay::{RolloutThinker, SelfPlayParams};

use crate::progress::Reporter;

/// Who chooses the moves.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Backend {
    /// RAVE search over random playouts; needs no network.
    Rollout,
}

#[derive(Debug, Parser)]
pub(crate) struct Args {
    /// Who chooses the moves
    #[arg(long, value_enum, default_value = "rollout")]
    backend: Backend,
    /// Side length of the NoGo board, in points
    #[arg(long, default_value_t = 9)]
    size: u8,
    /// Games in all; games that the folder already holds count
    #[arg(long, default_value_t = 3000)]
    games: u64,
    /// Playouts a move
    #[arg(long, default_value_t = 700, value_parser = clap::value_parser!(u64).range(1..))]
    playouts: u64,
    /// Games played at the same time [default: one a core]
    #[arg(long)]
    threads: Option<usize>,
    /// Folder of the shards; a folder with games of the same settings is continued
    #[arg(long)]
    out: PathBuf,
    /// Seed of the run; a game depends on it and on its own number only
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Games in a shard: what a crash can lose
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    games_per_shard: u32,
    /// A game opens with 0 to this many random plies
    #[arg(long, default_value_t = SelfPlayParams::default().opening_plies)]
    opening_plies: u16,
    /// Ply from which the most visited move is played; before it moves are drawn by visits
    #[arg(long, default_value_t = SelfPlayParams::default().temperature_plies)]
    temperature_plies: u16,
    /// Progress as JSON lines on stdout
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let size = BoardSize::square(args.size);
    if let Ok(start) = SmallNoGo::new(size) {
        return play(args, &start);
    }
    play(args, &LargeNoGo::new(size)?)
}

fn play<G: Playout + Rebuild>(args: &Args, start: &G) -> anyhow::Result<()> {
    let threads = match args.threads {
        Some(0) => bail!("--threads 0: at least one game must be played at a time"),
        Some(threads) => threads,
        None => std::thread::available_parallelism()?.get(),
    };
    let Backend::Rollout = args.backend;
    let playouts = args.playouts;
    let plan = Plan {
        games: args.games,
        seed: args.seed,
        threads,
        games_per_shard: args.games_per_shard as usize,
        selfplay: SelfPlayParams {
            opening_plies: args.opening_plies,
            temperature_plies: args.temperature_plies,
        },
        generator: format!("rollout playouts={playouts}"),
    };
    let thinker = |seed| RolloutThinker {
        rave: Rave::new(RaveParams::default(), seed),
        playouts,
    };
    let mut reporter: Option<Reporter> = None;
    let mut seconds = 0.0;
    let last = generate(start, &plan, &args.out, thinker, |progress| {
        let reporter = reporter
            .get_or_insert_with(|| Reporter::new(args.games, progress.games, "games", args.json));
        seconds = reporter.elapsed().as_secs_f64();
        reporter.update(
            progress.games,
            message(progress, seconds),
            &record(progress, seconds),
        );
    })?;
    if let Some(reporter) = reporter {
        let done = format!(
            "{}; shards in {}",
            message(last, seconds),
            args.out.display()
        );
        reporter.finish(&done, &record(last, seconds));
    }
    Ok(())
}

/// Games a second in this session.
fn rate(progress: Progress, seconds: f64) -> f64 {
    (progress.games - progress.resumed) as f64 / seconds.max(0.001)
}

fn message(progress: Progress, seconds: f64) -> String {
    format!(
        "{:.2} games/s  {} positions  black {:.1}%",
        rate(progress, seconds),
        progress.positions,
        100.0 * progress.black_share()
    )
}

fn record(progress: Progress, seconds: f64) -> serde_json::Value {
    json!({
        "games": progress.games,
        "resumed": progress.resumed,
        "positions": progress.positions,
        "black_share": progress.black_share(),
        "games_per_second": rate(progress, seconds),
        "seconds": seconds,
    })
}
