//! Options and progress of every kind of self-play.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use serde_json::json;
use tengen_train::play::generate::{Plan, Progress, generate};
use tengen_train::play::generator::GameGenerator;
use tengen_train::play::settings::SelfPlay;
use tengen_train::trainable::Trainable;

use tengen_train::command::Interrupt;
use tengen_train::command::Reporter;
use tengen_train::command::Threads;

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
    #[command(flatten)]
    pub(super) threads: Threads,
    /// Folder of the shards; a folder with games of the same settings is continued
    #[arg(long)]
    pub(super) out: PathBuf,
    /// Seed of the run; a game depends on it and on its own number only
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// Progress as JSON lines on stdout
    #[arg(long)]
    pub(super) json: bool,
}

impl Common {
    pub(super) fn plan(&self, settings: &SelfPlay, generator: String) -> anyhow::Result<Plan> {
        Ok(Plan {
            first: self.first,
            games: self.games,
            seed: self.seed,
            threads: self.threads.number()?,
            settings: settings.clone(),
            generator,
        })
    }
}

/// Plays games and shows progress; returns the final figures and the seconds.
pub(super) fn play<G: Trainable>(
    start: &G,
    plan: &Plan,
    common: &Common,
    generator: &dyn GameGenerator<G>,
    interrupt: &Interrupt,
) -> anyhow::Result<(Progress, f64)> {
    let mut reporter: Option<Reporter> = None;
    let mut seconds = 0.0;
    let last = generate(start, plan, &common.out, generator, |progress| {
        let reporter = reporter.get_or_insert_with(|| {
            Reporter::new(plan.games, progress.games, "games", common.json, interrupt)
        });
        seconds = reporter.elapsed().as_secs_f64();
        let (message, record) = (message(progress, seconds), record(progress, seconds));
        reporter.update(progress.games, message, &record);
        Ok(())
    })?;
    if let Some(reporter) = reporter {
        let message = message(last, seconds);
        let done = format!("{message}; shards in {}", common.out.display());
        reporter.finish(&done, &record(last, seconds))?;
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
