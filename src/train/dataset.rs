//! All rows to learn from, with whole games set aside for testing.

use std::path::{Path, PathBuf};

use super::TrainError;
use super::row::Row;
use super::shard::{self, Shard};
use crate::fnv;
use crate::game::BoardSize;

/// What to load.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// Folders of shards, oldest first.
    pub folders: Vec<PathBuf>,
    /// Newest rows to keep.
    pub window: usize,
    /// Share of the games to set aside, in [0, 1).
    pub held_out: f64,
}

/// Rows in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    /// The game's name.
    pub game: String,
    /// The board.
    pub size: BoardSize,
    /// Number of policy indices.
    pub policy_len: usize,
    /// Games in the window, held-out ones included.
    pub games: u64,
    /// Rows to fit.
    pub fit: Vec<Row>,
    /// Rows of games that are never fitted.
    pub held_out: Vec<Row>,
}

impl Dataset {
    /// Reads the shards of a selection.
    ///
    /// # Errors
    /// [`TrainError`] when there is nothing to read, a shard is damaged, or shards are of
    /// different games or boards.
    pub fn load(selection: &Selection) -> Result<Dataset, TrainError> {
        let mut common = None;
        let mut rows: Vec<Row> = Vec::new();
        for folder in &selection.folders {
            rows.extend(read_folder(folder, &mut common)?);
        }
        let (game, size, policy_len) = common
            .ok_or_else(|| TrainError::Setting("no folder of shards was named".to_owned()))?;
        rows.drain(..rows.len().saturating_sub(selection.window));
        let games = rows.chunk_by(|a, b| a.game == b.game).count() as u64;
        let (held_out, fit): (Vec<Row>, Vec<Row>) = rows
            .into_iter()
            .partition(|row| is_held_out(row.game, selection.held_out));
        if fit.is_empty() {
            return Err(TrainError::Setting(
                "there are no rows to fit: play more games".to_owned(),
            ));
        }
        Ok(Dataset {
            game,
            size,
            policy_len,
            games,
            fit,
            held_out,
        })
    }
}

/// Game, board and number of policy indices.
type Kind = (String, BoardSize, usize);

/// The rows of a folder, game by game, each game once: how threads finished, and where a merger of
/// shards was killed, is not to be seen. All shards must be of one `common` kind.
fn read_folder(folder: &Path, common: &mut Option<Kind>) -> Result<Vec<Row>, TrainError> {
    // A game's number says which game it is within one run only.
    let mut runs: Vec<(String, Vec<Row>)> = Vec::new();
    for path in shard::list(folder)? {
        let Shard { info, rows, .. } = shard::read(&path)?;
        let kind = (info.game, info.size, info.policy_len);
        if common.get_or_insert_with(|| kind.clone()) != &kind {
            let reason = format!("it is {} {}, other shards are not", kind.0, kind.1);
            return Err(TrainError::mismatch(&path, reason));
        }
        match runs.iter_mut().find(|(source, _)| *source == info.source) {
            Some((_, known)) => known.extend(rows),
            None => runs.push((info.source, rows)),
        }
    }
    if runs.is_empty() {
        return Err(TrainError::mismatch(folder, "it holds no shards"));
    }
    for (_, rows) in &mut runs {
        rows.sort_by_key(|row| (row.game, row.ply));
        rows.dedup_by_key(|row| (row.game, row.ply));
    }
    Ok(runs.into_iter().flat_map(|(_, rows)| rows).collect())
}

/// Whether a game is set aside: by a hash of its number, so that it stays so as data grows.
fn is_held_out(game: u64, share: f64) -> bool {
    let hash = fnv::hash(&game.to_le_bytes());
    // The upper bits of FNV are the mixed ones.
    ((hash >> 40) as f64) < share * (1u64 << 24) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::generate::tests::{plan, run};
    use crate::train::scratch::Scratch;

    #[test]
    fn games_are_split_whole_and_the_window_keeps_the_newest() {
        let scratch = Scratch::new("dataset");
        let progress = run(&plan(20), scratch.path()).unwrap();
        let folders = vec![scratch.path().to_path_buf()];
        let load = |window, held_out| {
            Dataset::load(&Selection {
                folders: folders.clone(),
                window,
                held_out,
            })
            .unwrap()
        };
        let all = load(usize::MAX, 0.3);
        assert_eq!(all.games, 20);
        assert_eq!(
            all.fit.len() + all.held_out.len(),
            progress.positions as usize
        );
        assert!(!all.held_out.is_empty());
        assert!(
            all.fit
                .iter()
                .all(|row| !all.held_out.iter().any(|out| out.game == row.game))
        );
        let newest = load(30, 0.0);
        assert_eq!((newest.fit.len(), newest.held_out.len()), (30, 0));
        assert!(newest.fit.iter().any(|row| row.game >= 18));
    }

    #[test]
    fn rows_come_game_by_game_and_once() {
        let (merged, parts) = (
            Scratch::new("dataset-merged"),
            Scratch::new("dataset-parts"),
        );
        run(&plan(6), merged.path()).unwrap();
        let shard = shard::read(&shard::list(merged.path()).unwrap()[0]).unwrap();
        let write = |games: &[u64]| {
            let rows = games.iter().flat_map(|game| {
                let rows = shard.rows.iter();
                rows.filter(move |row| row.game == *game).cloned()
            });
            let rows: Vec<Row> = rows.collect();
            shard::write(parts.path(), &shard.info, &rows).unwrap();
        };
        // As threads finished them, and as a killed merger leaves them.
        write(&[5, 1, 0]);
        write(&[3, 2]);
        write(&[4, 3, 2]);
        let rows = |scratch: &Scratch| {
            let selection = Selection {
                folders: vec![scratch.path().to_path_buf()],
                window: usize::MAX,
                held_out: 0.0,
            };
            Dataset::load(&selection).unwrap().fit
        };
        assert_eq!(rows(&parts), rows(&merged));
        // Another run's games have the same numbers and are other games.
        let other = shard::ShardInfo {
            source: "another run".to_owned(),
            ..shard.info.clone()
        };
        shard::write(parts.path(), &other, &shard.rows).unwrap();
        assert_eq!(rows(&parts).len(), 2 * shard.rows.len());
    }

    #[test]
    fn about_the_wanted_share_is_held_out() {
        let held_out = (0..10_000).filter(|&game| is_held_out(game, 0.05)).count();
        assert!((400..600).contains(&held_out), "{held_out}");
    }

    #[test]
    fn a_folder_without_shards_is_named() {
        let selection = Selection {
            folders: vec![PathBuf::from("/nowhere")],
            window: 1,
            held_out: 0.1,
        };
        let message = Dataset::load(&selection).unwrap_err().to_string();
        assert!(
            message.contains("/nowhere") && message.contains("no shards"),
            "{message}"
        );
    }
}
