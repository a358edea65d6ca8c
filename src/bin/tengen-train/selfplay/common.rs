//! Options and progress of every kind of self-play.

use std::path::PathBuf;

use anyhow::bail;
use clap::Args as ClapArgs;
use serde_json::json;
use tengen::train::play::generate::{Plan, Progress, generate};
use tengen::train::play::generator::GameGenerator;
use tengen::train::play::komi::KomiSpread;
use tengen::train::play::selfplay::SelfPlayParams;
use tengen::train::trainable::Trainable;

use crate::interrupt::Interrupt;
use crate::progress::Reporter;

/// Options of every kind of self-play.
#[derive(Debug, ClapArgs)]
pub(super) struct Common {
    /// The game's rules, where it has several variants [default: the game's usual ones]
    #[arg(long, default_value = "", hide_default_value = true)]
    pub(super) rules: String,
    /// Total number of games; games already in the folder count
    #[arg(long, default_value_t = 3000)]
    pub(super) games: u64,
    /// Number of the first game, to distinguish the games of several folders
    #[arg(long, default_value_t = 0)]
    pub(super) first: u64,
    /// Threads of self-play [default: number of CPUs]
    #[arg(long)]
    pub(super) threads: Option<usize>,
    /// Folder of the shards; a folder with games of the same settings is continued
    #[arg(long)]
    pub(super) out: PathBuf,
    /// Seed of the run; a game depends on it and on its own number only
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// Games per shard during play: what a crash can lose
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) games_per_shard: u32,
    /// Every Nth game is also written as SGF, into the folder's subfolder sgf; 0 writes none
    #[arg(long, default_value_t = 100)]
    pub(super) sgf_every: u64,
    /// Maximum number of random opening plies; each game has 0 to this many
    #[arg(long, default_value_t = SelfPlayParams::default().opening_plies)]
    pub(super) opening_plies: u16,
    /// Ply from which the best move is played; before it moves are drawn
    #[arg(long, default_value_t = SelfPlayParams::default().temperature_plies)]
    pub(super) temperature_plies: u16,
    /// Komi distribution, in games with komi: mean and standard deviation in points, share of games
    /// with a wider distribution, its deviation [default: always the komi of the rules]
    #[arg(long, value_name = "MEAN,NEAR,FAR-SHARE,FAR")]
    pub(super) komi: Option<KomiSpread>,
    /// Progress as JSON lines on stdout
    #[arg(long)]
    pub(super) json: bool,
}

impl Common {
    pub(super) fn threads(&self) -> anyhow::Result<usize> {
        match self.threads {
            Some(0) => bail!("--threads 0: at least one thread must play"),
            Some(threads) => Ok(threads),
            None => Ok(std::thread::available_parallelism()?.get()),
        }
    }

    pub(super) fn selfplay(&self) -> SelfPlayParams {
        SelfPlayParams {
            opening_plies: self.opening_plies,
            temperature_plies: self.temperature_plies,
            komi: self.komi,
        }
    }

    pub(super) fn plan(&self, generator: String) -> anyhow::Result<Plan> {
        Ok(Plan {
            first: self.first,
            games: self.games,
            seed: self.seed,
            threads: self.threads()?,
            games_per_shard: self.games_per_shard as usize,
            sgf_every: self.sgf_every,
            selfplay: self.selfplay(),
            generator,
        })
    }
}

/// Plays games and shows progress; returns the final figures and the seconds.
pub(super) fn play<G: Trainable>(
    start: &G,
    plan: &Plan,
    common: &Common,
    generator: &impl GameGenerator<G>,
    interrupt: &Interrupt,
) -> anyhow::Result<(Progress, f64)> {
    let mut reporter: Option<Reporter> = None;
    let mut seconds = 0.0;
    let last = generate(start, plan, &common.out, generator, |progress| {
        let reporter = reporter.get_or_insert_with(|| {
            Reporter::new(
                (plan.games, progress.games),
                "games",
                common.json,
                interrupt,
            )
        });
        seconds = reporter.elapsed().as_secs_f64();
        let (message, record) = (message(progress, seconds), record(progress, seconds));
        reporter.update(progress.games, message, &record);
    })?;
    if let Some(reporter) = reporter {
        let message = message(last, seconds);
        let done = format!("{message}; shards in {}", common.out.display());
        reporter.finish(&done, &record(last, seconds));
    }
    Ok((last, seconds))
}

/// A number of this session per second.
pub(super) fn rate(count: u64, seconds: f64) -> f64 {
    count as f64 / seconds.max(0.001)
}

fn message(progress: Progress, seconds: f64) -> String {
    let evaluations = match progress.evaluations {
        0 => String::new(),
        count => format!("{:.0} evaluations/s  ", rate(count, seconds)),
    };
    format!(
        "{:.2} games/s  {evaluations}{} positions  black {:.1}%",
        rate(progress.games - progress.resumed, seconds),
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
        "games_per_second": rate(progress.games - progress.resumed, seconds),
        "evaluations": progress.evaluations,
        "evaluations_per_second": rate(progress.evaluations, seconds),
        "seconds": seconds,
    })
}
