//! Self-play by the thousand: threads play, one thread writes shards, a restart goes on.
//!
//! A game depends on the run's seed and its own number only, so which thread plays it, and in
//! which session, does not matter. `kill -9` loses the games in progress and the open shard.

use std::collections::HashSet;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::rebuild::Rebuild;
use super::row::Row;
use super::selfplay::{PlayedGame, SelfPlayParams, Thinker, play};
use super::shard::{self, ShardInfo};
use super::{TrainError, durable};
use crate::game::{Color, Game, Outcome};

/// What a run shall make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Games in all, those of earlier sessions included.
    pub games: u64,
    /// The run's seed.
    pub seed: u64,
    /// Games played at the same time, at least 1.
    pub threads: usize,
    /// Games in a shard, at least 1: what a crash can lose.
    pub games_per_shard: usize,
    /// How games are made diverse.
    pub selfplay: SelfPlayParams,
    /// Who plays, in words that fix it: backend and its settings.
    pub generator: String,
}

impl Plan {
    /// The shard metadata of this plan: sessions that agree in it may share a folder.
    fn shard_info<G: Game>(&self, start: &G) -> ShardInfo {
        let SelfPlayParams {
            opening_plies,
            temperature_plies,
        } = self.selfplay;
        ShardInfo {
            game: G::NAME.to_owned(),
            size: start.size(),
            policy_len: start.policy_len(),
            source: format!(
                "{} opening-plies={opening_plies} temperature-plies={temperature_plies} seed={}",
                self.generator, self.seed
            ),
        }
    }
}

/// How far a run is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Progress {
    /// Finished games, those of earlier sessions included.
    pub games: u64,
    /// Finished games found in the folder when this session began.
    pub resumed: u64,
    /// Recorded positions of all finished games.
    pub positions: u64,
    /// Games that Black has won.
    pub black_wins: u64,
}

impl Progress {
    /// Black's share of the wins in [0, 1].
    #[must_use]
    pub fn black_share(&self) -> f64 {
        self.black_wins as f64 / self.games.max(1) as f64
    }

    fn add(&mut self, outcome: Outcome, positions: usize) {
        self.games += 1;
        self.positions += positions as u64;
        self.black_wins += u64::from(outcome == Outcome::Win(Color::Black));
    }
}

/// Plays the games of `plan` that `folder` does not hold yet, and writes them there as shards.
///
/// `thinker` makes the player of one game from a seed. `observe` is called at the start and after
/// each game.
///
/// # Errors
/// [`TrainError`] when the folder holds other games or damaged files, or cannot be written.
pub fn generate<G: Rebuild, T: Thinker<G>>(
    start: &G,
    plan: &Plan,
    folder: &Path,
    thinker: impl Fn(u64) -> T + Sync,
    mut observe: impl FnMut(Progress),
) -> Result<Progress, TrainError> {
    durable::prepare_folder(folder)?;
    let info = plan.shard_info(start);
    let (done, mut progress) = finished_games(folder, &info)?;
    observe(progress);
    let to_play: Vec<u64> = (0..plan.games)
        .filter(|game| !done.contains(game))
        .collect();
    let next = AtomicUsize::new(0);
    let (sender, receiver) = sync_channel(2 * plan.threads.max(1));
    thread::scope(|scope| {
        for index in 0..plan.threads.max(1) {
            let sender = sender.clone();
            let worker = || play_games(start, plan, &to_play, &next, &thinker, sender);
            thread::Builder::new()
                .name(format!("selfplay-{index}"))
                .spawn_scoped(scope, worker)
                .map_err(|error| TrainError::Setting(format!("cannot start a thread: {error}")))?;
        }
        drop(sender);
        write_shards(
            receiver,
            plan.games_per_shard.max(1),
            |rows| shard::write(folder, &info, rows).map(drop),
            |game| {
                progress.add(game.outcome, game.rows.len());
                observe(progress);
            },
        )
    })?;
    Ok(progress)
}

/// Which games a folder holds, and their tally.
fn finished_games(folder: &Path, info: &ShardInfo) -> Result<(HashSet<u64>, Progress), TrainError> {
    let mut done = HashSet::new();
    let mut progress = Progress::default();
    for path in shard::list(folder)? {
        let shard = shard::read(&path)?;
        if shard.info != *info {
            let reason = format!(
                "it was made by {:?} and not by {:?}; choose another folder",
                shard.info.source, info.source
            );
            return Err(TrainError::mismatch(&path, reason));
        }
        for game in shard.rows.chunk_by(|a, b| a.game == b.game) {
            if done.insert(game[0].game) {
                progress.add(game[0].outcome(), game.len());
            }
        }
    }
    progress.resumed = progress.games;
    Ok((done, progress))
}

/// A worker: plays games off the list until none is left or nobody wants them any more.
fn play_games<G: Rebuild, T: Thinker<G>>(
    start: &G,
    plan: &Plan,
    to_play: &[u64],
    next: &AtomicUsize,
    thinker: &impl Fn(u64) -> T,
    sender: SyncSender<PlayedGame>,
) {
    // Relaxed: only the counter itself is shared.
    while let Some(&game) = to_play.get(next.fetch_add(1, Ordering::Relaxed)) {
        // An odd multiplier spreads neighbouring games over the seeds; xoshiro's seeding by
        // SplitMix64 does the mixing.
        let seed = plan.seed ^ game.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let mut thinker = thinker(rng.next_u64());
        let played = play(start, game, plan.selfplay, &mut thinker, &mut rng);
        if sender.send(played).is_err() {
            break;
        }
    }
}

/// Gathers games into shards of `games_per_shard` until all workers have ended.
fn write_shards(
    games: Receiver<PlayedGame>,
    games_per_shard: usize,
    write: impl Fn(&[Row]) -> Result<(), TrainError>,
    mut observe: impl FnMut(&PlayedGame),
) -> Result<(), TrainError> {
    let mut rows = Vec::new();
    let mut open_games = 0;
    for mut game in games {
        observe(&game);
        rows.append(&mut game.rows);
        open_games += 1;
        if open_games == games_per_shard {
            write(&rows)?;
            rows.clear();
            open_games = 0;
        }
    }
    if rows.is_empty() {
        Ok(())
    } else {
        write(&rows)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::game::nogo::SmallNoGo;
    use crate::game::{BoardSize, Move};
    use crate::train::scratch::Scratch;
    use crate::train::selfplay::Thought;

    /// Likes the corners of a 4x4 board and knows nothing else.
    struct Corners;

    impl Thinker<SmallNoGo> for Corners {
        fn think(&mut self, position: &SmallNoGo) -> Thought {
            let visits = |mv: Move| if [0, 3, 12, 15].contains(&mv.0) { 9 } else { 1 };
            Thought {
                visits: position.legal_moves().map(|mv| (mv, visits(mv))).collect(),
                value: 0.0,
            }
        }
    }

    pub(crate) fn plan(games: u64) -> Plan {
        Plan {
            games,
            seed: 9,
            threads: 2,
            games_per_shard: 3,
            selfplay: SelfPlayParams::default(),
            generator: "corners".to_owned(),
        }
    }

    pub(crate) fn run(plan: &Plan, folder: &Path) -> Result<Progress, TrainError> {
        let start = SmallNoGo::new(BoardSize::square(4)).unwrap();
        generate(&start, plan, folder, |_| Corners, |_| ())
    }

    /// All rows of a folder in the order of games and plies.
    fn rows(folder: &Path) -> Vec<Row> {
        let mut rows: Vec<Row> = shard::list(folder)
            .unwrap()
            .iter()
            .flat_map(|path| shard::read(path).unwrap().rows)
            .collect();
        rows.sort_by_key(|row| (row.game, row.ply));
        rows
    }

    #[test]
    fn sessions_add_up_to_one_run() {
        let (whole, parts) = (Scratch::new("whole"), Scratch::new("parts"));
        let at_once = run(&plan(10), whole.path()).unwrap();
        assert_eq!(run(&plan(4), parts.path()).unwrap().games, 4);
        // A crash: the second shard is lost, and a file is left unfinished.
        let shards = shard::list(parts.path()).unwrap();
        assert_eq!(shards.len(), 2);
        std::fs::remove_file(&shards[1]).unwrap();
        std::fs::write(parts.path().join(".unfinished-x"), b"x").unwrap();
        let resumed = run(&plan(10), parts.path()).unwrap();
        assert!(resumed.resumed == 3 || resumed.resumed == 1, "{resumed:?}");
        assert_eq!(
            Progress {
                resumed: 0,
                ..resumed
            },
            at_once
        );
        assert_eq!(rows(parts.path()), rows(whole.path()));
        assert_eq!(at_once.positions as usize, rows(whole.path()).len());
    }

    #[test]
    fn another_plan_needs_another_folder() {
        let scratch = Scratch::new("other-plan");
        run(&plan(1), scratch.path()).unwrap();
        let message = run(&Plan { seed: 8, ..plan(2) }, scratch.path())
            .unwrap_err()
            .to_string();
        assert!(message.contains("choose another folder"), "{message}");
    }
}
