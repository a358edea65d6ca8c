//! Self-play in bulk: threads play, one thread writes shards, a restart continues.
//!
//! A game depends on the run's seed and its own number only, not on thread and session. `kill -9`
//! loses the games in progress and the open shard. When all games are finished, small shards are
//! merged into large ones.

use std::collections::HashSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::Ordering;

use super::selfplay;
use crate::TrainError;
use crate::durable::lock_folder;
use crate::play::generator::{GameGenerator, GameQueue};
use crate::play::selfplay::PlayedGame;
use crate::play::settings::SelfPlay;
use crate::play::threads::on_threads;
use crate::shards::merge;
use crate::shards::row::Row;
use crate::shards::shard::{self, ShardInfo};
use crate::trainable::Trainable;
use tengen::game::{Color, Game, Outcome};

/// Games to generate.
#[derive(Debug, Clone, PartialEq)]
pub struct GamesPlan {
    /// Number of the first game.
    pub first: u64,
    /// Total number of games, those of earlier sessions included.
    pub games: u64,
    /// The run's seed.
    pub seed: u64,
    /// Threads that play, at least 1.
    pub threads: usize,
    /// Settings of self-play.
    pub settings: SelfPlay,
    /// Description that identifies the player: backend and its settings.
    pub generator: String,
}

impl GamesPlan {
    /// The numbers of the games.
    fn numbers(&self) -> impl Iterator<Item = u64> + use<> {
        self.first..self.first.saturating_add(self.games)
    }

    /// The shard metadata of this plan: sessions with equal metadata may share a folder.
    pub(crate) fn shard_info<G: Game>(&self, start: &G) -> ShardInfo {
        let SelfPlay {
            opening_plies,
            temperature_plies,
            komi,
            ..
        } = self.settings;
        let komi = komi.map_or(String::new(), |spread| format!(" komi={spread}"));
        let source = format!(
            "{} opening-plies={opening_plies} temperature-plies={temperature_plies}{komi} seed={}",
            self.generator, self.seed
        );
        ShardInfo::of(start, source)
    }
}

/// Progress of a run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Finished games, those of earlier sessions included.
    pub games: u64,
    /// Finished games in the folder when this session began.
    pub resumed: u64,
    /// Recorded positions of all finished games.
    pub positions: u64,
    /// Black's wins, by the first rows: where the solver proved one, as Black should have won.
    pub black_wins: u64,
    /// Drawn games.
    pub draws: u64,
    /// Evaluations of a network in this session.
    pub evaluations: u64,
}

impl Progress {
    /// Black's share of the points in [0, 1]; a draw is half a point for both.
    pub fn black_share(&self) -> f64 {
        let points = self.black_wins as f64 + self.draws as f64 / 2.0;
        points / self.games.max(1) as f64
    }

    /// Games and evaluations per second of this session, which has taken `seconds`.
    pub fn rates(&self, seconds: f64) -> (f64, f64) {
        let rate = |count: u64| count as f64 / seconds.max(1e-3);
        (rate(self.games - self.resumed), rate(self.evaluations))
    }

    /// These rates and the distribution of wins, as text.
    pub fn text(&self, seconds: f64) -> String {
        let (games, evaluations) = self.rates(seconds);
        let mut text = format!("{games:.2} games/s");
        if self.evaluations > 0 {
            text += &format!(", {evaluations:.0} evaluations/s");
        }
        if self.games > 0 {
            text += &format!(", White scores {:.1}%", 100.0 * (1.0 - self.black_share()));
        }
        text
    }

    /// The sums of both, number by number.
    #[must_use]
    pub fn join(self, other: Progress) -> Progress {
        Progress {
            games: self.games + other.games,
            resumed: self.resumed + other.resumed,
            positions: self.positions + other.positions,
            black_wins: self.black_wins + other.black_wins,
            draws: self.draws + other.draws,
            evaluations: self.evaluations + other.evaluations,
        }
    }

    fn add(&mut self, outcome: Outcome, positions: usize) {
        self.games += 1;
        self.positions += positions as u64;
        self.black_wins += u64::from(outcome.winner == Some(Color::Black));
        self.draws += u64::from(outcome.winner.is_none());
    }
}

/// Checks that the game has moves: a game that is over at once gives no samples.
///
/// # Errors
/// [`TrainError::Setting`] when it does not.
pub fn has_moves<G: Game>(start: &G) -> Result<(), TrainError> {
    match start.outcome() {
        None => Ok(()),
        Some(_) => Err(TrainError::Setting(format!(
            "{} on {} is over before it begins",
            G::NAME,
            start.size()
        ))),
    }
}

/// Plays the missing games of `plan` and writes them into `folder` as shards.
///
/// `observe` is called at the start, after each game, and twice a second while none ends; with an error it ends the
/// games, of which the finished ones are kept.
///
/// # Errors
/// [`TrainError`] when the folder contains other games or damaged files, is not writable, or the
/// generator or `observe` fails.
pub fn generate<G: Trainable>(
    start: &G,
    plan: &GamesPlan,
    folder: &Path,
    generator: &dyn GameGenerator<G>,
    mut observe: impl FnMut(Progress) -> Result<(), TrainError>,
) -> Result<Progress, TrainError> {
    has_moves(start)?;
    let _lock = lock_folder(folder)?;
    let info = plan.shard_info(start);
    let finished = merge::finished_games(folder, &info)?;
    let mut progress = Progress::default();
    for game in &finished {
        progress.add(game.outcome, game.positions);
    }
    progress.resumed = progress.games;
    observe(progress)?;
    let done: HashSet<u64> = finished.iter().map(|game| game.number).collect();
    let games = plan.numbers().filter(|game| !done.contains(game));
    let mut writer = shard::Writer::new(folder, &info, plan.settings.games_per_shard);
    let played = play_all(
        start,
        plan,
        games.collect(),
        generator,
        |played, evaluations| {
            if let Some(game) = played {
                // In the form for training, and for a later session.
                progress.add(game.rows[0].outcome(), game.rows.len());
                if plan.settings.is_kept(game.rows[0].game) {
                    selfplay::write(folder, start, &info.source, &game)?;
                }
                writer.add(game.rows)?;
            }
            progress.evaluations = evaluations;
            observe(progress)
        },
    );
    // Also when a worker has failed: finished games are kept.
    writer.close()?;
    played?;
    merge::merge(folder, &info)?;
    Ok(progress)
}

/// Plays all games of `plan` and returns them as the bytes of one shard, with statistics. On
/// processors the bytes depend on nothing but `plan` and the players.
///
/// `observe` is called like that of [`generate`], and may end the games.
///
/// # Errors
/// [`TrainError`] when the generator fails or `observe` does.
pub fn generate_shard<G: Trainable>(
    start: &G,
    plan: &GamesPlan,
    generator: &dyn GameGenerator<G>,
    mut observe: impl FnMut(Progress) -> Result<(), TrainError>,
) -> Result<(Vec<u8>, Progress), TrainError> {
    let info = plan.shard_info(start);
    let (mut progress, mut rows) = (Progress::default(), Vec::new());
    let games = plan.numbers().collect();
    play_all(start, plan, games, generator, |played, evaluations| {
        if let Some(mut game) = played {
            progress.add(game.rows[0].outcome(), game.rows.len());
            rows.append(&mut game.rows);
        }
        progress.evaluations = evaluations;
        observe(progress)
    })?;
    shard::sort(&mut rows);
    Ok((shard::encode(&info, &rows)?, progress))
}

/// Statistics of the games of a shard.
pub fn count_games(rows: &[Row]) -> Progress {
    let mut progress = Progress::default();
    for game in rows.chunk_by(|a, b| a.game == b.game) {
        progress.add(game[0].outcome(), game.len());
    }
    progress
}

/// Plays games on all threads; `receive` gets each, and `None` twice a second in between, with the
/// evaluations so far.
fn play_all<G: Trainable>(
    start: &G,
    plan: &GamesPlan,
    games: Vec<u64>,
    generator: &dyn GameGenerator<G>,
    mut receive: impl FnMut(Option<PlayedGame>, u64) -> Result<(), TrainError>,
) -> Result<(), TrainError> {
    let queue = GameQueue::new(games, plan.seed);
    on_threads(
        "selfplay",
        plan.threads,
        &queue.control,
        |done| generator.play(start, &plan.settings, &queue, done),
        |game| {
            let evaluations = queue.control.evaluations.load(Ordering::Relaxed);
            receive(game, evaluations).map(ControlFlow::Continue)
        },
    )
}

#[cfg(test)]
pub(crate) mod tests;
