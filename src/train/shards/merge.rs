//! Merges small shards into large ones: small ones lose little in a crash, large ones are fast to
//! read.
//!
//! A merged shard is written before its parts are removed. After a crash in between, the parts
//! contain no game that is not in the merged shard, which identifies them.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::TrainError;
use crate::durable;
use crate::shards::row::Row;
use crate::shards::shard::{self, ShardInfo};
use tengen::game::{Move, Outcome};

/// Minimum games of a merged shard, except the last one of a folder.
const GAMES: usize = 500;

/// Merges the shards of a folder, all of which have this `info`, until none but the last has less
/// than 500 games.
///
/// # Errors
/// [`TrainError`] when a shard cannot be read or written.
pub(crate) fn merge(folder: &Path, info: &ShardInfo) -> Result<(), TrainError> {
    let mut parts: Vec<PathBuf> = Vec::new();
    let mut rows: Vec<Row> = Vec::new();
    for path in shard::list(folder)? {
        let shard = shard::read(&path)?;
        if games(&shard.rows).len() >= GAMES {
            continue;
        }
        rows.extend(shard.rows);
        parts.push(path);
        if games(&rows).len() >= GAMES {
            replace(folder, info, &mut parts, &mut rows)?;
        }
    }
    replace(folder, info, &mut parts, &mut rows)
}

fn replace(
    folder: &Path,
    info: &ShardInfo,
    parts: &mut Vec<PathBuf>,
    rows: &mut Vec<Row>,
) -> Result<(), TrainError> {
    if parts.len() > 1 {
        shard::sort(rows);
        let merged = shard::write(folder, info, rows)?;
        parts.retain(|part| *part != merged);
        durable::remove(parts)?;
    }
    parts.clear();
    rows.clear();
    Ok(())
}

/// A game in a folder of shards.
pub(crate) struct FinishedGame {
    pub(crate) number: u64,
    pub(crate) outcome: Outcome,
    pub(crate) positions: usize,
    moves: Arc<[Move]>,
}

/// Lists the games of a folder, each once, and removes shards all of whose games are in larger
/// ones: the parts of an interrupted merge. Removes nothing unless all shards have this `info`: a
/// game's number identifies it within one run only.
///
/// # Errors
/// [`TrainError`] when a shard is of another run, also of one with the same settings, or cannot be read
/// or removed.
pub(crate) fn finished_games(
    folder: &Path,
    info: &ShardInfo,
) -> Result<Vec<FinishedGame>, TrainError> {
    let mut shards = Vec::new();
    for path in shard::list(folder)? {
        let shard = shard::read(&path)?;
        if shard.info != *info {
            let reason = format!(
                "it was made by \"{}\" and not by \"{info}\"; choose another folder",
                shard.info
            );
            return Err(TrainError::mismatch(&path, reason));
        }
        let games = shard.rows.chunk_by(|a, b| a.game == b.game);
        let games = games.map(|rows| FinishedGame {
            number: rows[0].game,
            outcome: rows[0].outcome(),
            positions: rows.len(),
            moves: Arc::clone(&rows[0].moves),
        });
        shards.push((games.collect::<Vec<_>>(), path));
    }
    // The largest first; ties by name.
    shards.sort_by(|(a, one), (b, other)| b.len().cmp(&a.len()).then_with(|| one.cmp(other)));
    let mut known: HashMap<u64, Arc<[Move]>> = HashMap::new();
    let mut finished = Vec::new();
    let mut merged = Vec::new();
    for (games, path) in shards {
        let before = finished.len();
        for game in games {
            match known.get(&game.number) {
                None => {
                    known.insert(game.number, Arc::clone(&game.moves));
                    finished.push(game);
                }
                Some(moves) if *moves == game.moves => {}
                Some(_) => {
                    let number = game.number;
                    let reason = format!(
                        "another shard of the folder has another game {number}: move those of one run \
                         to another folder"
                    );
                    return Err(TrainError::mismatch(&path, reason));
                }
            }
        }
        if finished.len() == before {
            merged.push(path);
        }
    }
    durable::remove(&merged)?;
    Ok(finished)
}

fn games(rows: &[Row]) -> HashSet<u64> {
    rows.iter().map(|row| row.game).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::generate::tests::{plan, run};
    use tengen_nn::files::scratch::Scratch;

    #[test]
    fn an_interrupted_merger_is_finished() {
        let (once, again) = (Scratch::new("merge-once"), Scratch::new("merge-again"));
        run(&plan(8), once.path()).unwrap();
        let merged = shard::list(once.path()).unwrap();
        assert_eq!(merged.len(), 1);
        // All parts and the whole, as after a crash between writing and removing.
        let whole = shard::read(&merged[0]).unwrap();
        for game in 0..8 {
            let part: Vec<Row> = whole
                .rows
                .iter()
                .filter(|r| r.game == game)
                .cloned()
                .collect();
            shard::write(again.path(), &whole.info, &part).unwrap();
        }
        shard::write(again.path(), &whole.info, &whole.rows).unwrap();
        assert_eq!(shard::list(again.path()).unwrap().len(), 9);
        assert_eq!(run(&plan(8), again.path()).unwrap().resumed, 8);
        let names = |folder: &Path| -> Vec<_> {
            let shards = shard::list(folder).unwrap();
            shards
                .iter()
                .map(|p| p.file_name().unwrap().to_owned())
                .collect()
        };
        assert_eq!(names(once.path()), names(again.path()));
    }

    #[test]
    fn different_games_are_all_kept() {
        let scratch = Scratch::new("merge-different");
        run(&plan(2), scratch.path()).unwrap();
        let whole = shard::read(&shard::list(scratch.path()).unwrap()[0]).unwrap();
        let mut other = whole.rows.clone();
        other.retain(|row| row.game == 1);
        other.iter_mut().for_each(|row| row.game = 7);
        shard::write(scratch.path(), &whole.info, &other).unwrap();
        assert_eq!(
            finished_games(scratch.path(), &whole.info).unwrap().len(),
            3
        );
        assert_eq!(shard::list(scratch.path()).unwrap().len(), 2);
    }

    #[test]
    fn a_shard_of_another_run_is_left_alone() {
        let scratch = Scratch::new("merge-other");
        run(&plan(2), scratch.path()).unwrap();
        let whole = shard::read(&shard::list(scratch.path()).unwrap()[0]).unwrap();
        // The same numbers, other games.
        let other = ShardInfo {
            source: "another run".to_owned(),
            ..whole.info.clone()
        };
        let part = whole.rows.iter().filter(|row| row.game == 0).cloned();
        shard::write(scratch.path(), &other, &part.collect::<Vec<_>>()).unwrap();
        for plan in [plan(2), plan(3)] {
            let message = run(&plan, scratch.path()).unwrap_err().to_string();
            assert!(message.contains("choose another folder"), "{message}");
        }
        assert_eq!(shard::list(scratch.path()).unwrap().len(), 2);
    }

    #[test]
    fn another_run_with_the_same_settings_is_left_alone() {
        let scratch = Scratch::new("merge-alike");
        run(&plan(2), scratch.path()).unwrap();
        let whole = shard::read(&shard::list(scratch.path()).unwrap()[0]).unwrap();
        let second = whole.rows.iter().filter(|row| row.game == 1).cloned();
        let renamed: Vec<Row> = second.map(|row| Row { game: 0, ..row }).collect();
        shard::write(scratch.path(), &whole.info, &renamed).unwrap();
        let message = run(&plan(2), scratch.path()).unwrap_err().to_string();
        assert!(message.contains("another game 0"), "{message}");
        assert_eq!(shard::list(scratch.path()).unwrap().len(), 2);
    }
}
