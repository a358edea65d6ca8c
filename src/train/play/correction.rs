//! Corrects the results of existing games.

use crate::trainable::{Trainable, with_game};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

use crate::TrainError;
use crate::durable::lock_folder;
use crate::play::adjudicator::Corrector;
use crate::play::eval_batch::TaskControl;
use crate::play::threads::on_threads;
use crate::shards::row::Row;
use crate::shards::shard;
use crate::shards::shard::ShardInfo;
use tengen::game::{BoardSize, Move};

/// Plies that are counted together.
pub const BAND: u16 = 4;

/// Statistics on the rows of some plies.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Count {
    /// Rows (positions) read.
    pub rows: u64,
    /// Rows with a proven result.
    pub exact: u64,
    /// Rows whose result has changed.
    pub changed: u64,
    /// Sums of (p - r)^2 over the rows, where p is the search's expected result, in [0, 1], and r
    /// the result before and after.
    pub brier: [f64; 2],
}

/// Statistics of a correction.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Corrected {
    /// Corrected games, including those of earlier runs.
    pub games: u64,
    /// Games whose first row has another result now.
    pub turned: u64,
    /// Games that an earlier run corrected.
    pub resumed: u64,
    /// Positions that the solver visited in all.
    pub nodes: u64,
    /// By ply, in bands of [`BAND`].
    pub bands: BTreeMap<u16, Count>,
}

/// Input and parameters of a correction.
#[derive(Debug, Clone, Copy)]
pub struct CorrectionPlan<'a> {
    /// The folder of the shards.
    pub data: &'a Path,
    /// The folder of the corrected shards; existing ones are not computed again.
    pub out: &'a Path,
    /// Most nodes that the solver may visit per position.
    pub nodes: u64,
    /// Threads, at least 1.
    pub threads: usize,
}

/// Rewrites the games of a folder of shards with corrected results, shard by shard. `observe` is
/// called after each shard.
///
/// # Errors
/// [`TrainError`] when shards cannot be read or written.
pub fn correct_folder(
    plan: &CorrectionPlan<'_>,
    mut observe: impl FnMut(&Corrected),
) -> Result<Corrected, TrainError> {
    std::fs::create_dir_all(plan.out).map_err(TrainError::io(plan.out))?;
    let _lock = lock_folder(plan.out)?;
    let by_nodes = format!(" correct-nodes={}", plan.nodes);
    let mut done: HashMap<Games, HashSet<OneGame>> = HashMap::new();
    for path in shard::list(plan.out)? {
        let shard = shard::read(&path)?;
        let Some(source) = shard.info.source.strip_suffix(&by_nodes) else {
            let reason = format!(
                "it was not corrected with {} nodes: give another folder",
                plan.nodes
            );
            return Err(TrainError::mismatch(&path, reason));
        };
        let games = done.entry(games_of(source, &shard.info)).or_default();
        games.extend(shard.rows.chunk_by(Row::is_of_game).map(game));
    }
    let mut corrected = Corrected::default();
    for path in shard::list_all(plan.data)? {
        let mut shard = shard::read(&path)?;
        let games = done.get(&games_of(&shard.info.source, &shard.info));
        let is_done = |rows: &[Row]| games.is_some_and(|games| games.contains(&game(rows)));
        let mut here = shard.rows.chunk_by(Row::is_of_game);
        if here.all(is_done) {
            corrected.resumed += shard.rows.chunk_by(Row::is_of_game).count() as u64;
            continue;
        }
        let info = shard.info.clone();
        let rows = &mut shard.rows;
        let damaged = |error| TrainError::corrupt(&path, error);
        with_game!(&info.game, info.size, rules: &info.rules, |empty| {
            correct_games(&empty, rows, plan, &mut corrected, damaged)
        })
        .map_err(|unknown| TrainError::mismatch(&path, unknown))??;
        let info = shard::ShardInfo {
            source: format!("{}{by_nodes}", info.source),
            ..info
        };
        shard::write(plan.out, &info, &shard.rows)?;
        observe(&corrected);
    }
    Ok(corrected)
}

/// Folders whose game numbers distinguish games: numbers restart with each run and on each board.
type Games = (String, String, BoardSize);

fn games_of(source: &str, info: &ShardInfo) -> Games {
    (source.to_owned(), info.rules.clone(), info.size)
}

/// Number and moves of a game: runs of the same settings, and all imports, number alike.
type OneGame = (u64, Arc<[Move]>);

/// The game of these rows.
fn game(rows: &[Row]) -> OneGame {
    (rows[0].game, Arc::clone(&rows[0].moves))
}

/// Corrects all games of these rows, on several threads.
fn correct_games<G: Trainable>(
    empty: &G,
    rows: &mut [Row],
    plan: &CorrectionPlan<'_>,
    corrected: &mut Corrected,
    damaged: impl Fn(String) -> TrainError + Sync,
) -> Result<(), TrainError> {
    let before: Vec<i8> = rows.iter().map(|row| row.result).collect();
    let games = rows.chunk_by_mut(|a, b| a.game == b.game);
    let games: Vec<Mutex<&mut [Row]>> = games.map(Mutex::new).collect();
    let next = AtomicUsize::new(0);
    on_threads(
        "correct",
        plan.threads,
        &TaskControl::default(),
        |done| {
            let mut corrector = Corrector::new(plan.nodes);
            while let Some(game) = games.get(next.fetch_add(1, Ordering::Relaxed)) {
                // No other thread has this one.
                let nodes = corrector.correct(&mut game.lock(), empty);
                if done(nodes.map_err(&damaged)?).is_break() {
                    break;
                }
            }
            Ok(())
        },
        |nodes| {
            corrected.nodes += nodes.unwrap_or(0);
            Ok(ControlFlow::Continue(()))
        },
    )?;
    drop(games);
    let mut first = 0;
    for game in rows.chunk_by(|a, b| a.game == b.game) {
        corrected.count(game, &before[first..first + game.len()]);
        first += game.len();
    }
    Ok(())
}

impl Corrected {
    /// Counts a game with these earlier results.
    fn count(&mut self, game: &[Row], before: &[i8]) {
        self.games += 1;
        self.turned += u64::from(game[0].result != before[0]);
        for (row, &before) in game.iter().zip(before) {
            let count = self.bands.entry(row.ply / BAND).or_default();
            count.rows += 1;
            count.exact += u64::from(row.exact);
            count.changed += u64::from(row.result != before);
            for (sum, result) in count.brier.iter_mut().zip([before, row.result]) {
                *sum += ((f64::from(row.root_value) - f64::from(result)) / 2.0).powi(2);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::generate::Plan;
    use crate::play::generate::tests::{self as generate, run};
    use tengen_nn::files::scratch::Scratch;

    #[test]
    fn a_folder_is_corrected_once() {
        let (data, out) = (Scratch::new("correct-data"), Scratch::new("correct-out"));
        run(&generate::plan(10), data.path()).unwrap();
        let plan = CorrectionPlan {
            data: data.path(),
            out: out.path(),
            nodes: 1_000_000,
            threads: 2,
        };
        let done = correct_folder(&plan, |_| ()).unwrap();
        assert_eq!((done.games, done.resumed), (10, 0));
        let sum = |number: fn(&Count) -> u64| done.bands.values().map(number).sum::<u64>();
        let (exact, rows) = (sum(|count| count.exact), sum(|count| count.rows));
        assert!(
            10 * exact > 9 * rows,
            "most of 4x4 is easy: {exact} of {rows}"
        );
        assert!(
            sum(|count| count.changed) > 0,
            "a preference for corners blunders"
        );
        let read = |folder: &Path| {
            let paths = shard::list(folder).unwrap();
            let shards = paths.iter().map(|path| shard::read(path).unwrap());
            shards.flat_map(|shard| shard.rows).collect::<Vec<_>>()
        };
        let (old, new) = (read(data.path()), read(out.path()));
        assert_eq!(old.len(), new.len());
        let changed = old
            .iter()
            .zip(&new)
            .filter(|(old, new)| old.result != new.result);
        for (old, new) in changed.clone() {
            assert_eq!((old.game, old.ply), (new.game, new.ply));
            assert!(old.ending.is_some() && new.ending.is_none());
        }
        assert_eq!(changed.count() as u64, sum(|count| count.changed));
        let again = correct_folder(&plan, |_| ()).unwrap();
        assert_eq!((again.games, again.resumed), (0, 10));
        // Other games with the same numbers are distinct.
        let other = Scratch::new("correct-other");
        let seed = Plan {
            seed: 10,
            ..generate::plan(4)
        };
        run(&seed, other.path()).unwrap();
        let both = CorrectionPlan {
            data: other.path(),
            ..plan
        };
        let more = correct_folder(&both, |_| ()).unwrap();
        assert_eq!((more.games, more.resumed), (4, 0));
        assert_eq!(read(out.path()).len(), old.len() + read(other.path()).len());
        // The same games again would be counted twice.
        let deeper = CorrectionPlan { nodes: 2, ..plan };
        let message = correct_folder(&deeper, |_| ()).unwrap_err().to_string();
        assert!(
            message.contains("was not corrected with 2 nodes"),
            "{message}"
        );
    }
}
