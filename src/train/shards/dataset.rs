//! All rows for training, with whole games held out for validation.

use std::collections::HashSet;
use std::iter::repeat_n;
use std::path::{Path, PathBuf};

use crate::shards::row::Row;
use crate::shards::shard::{self, Shard, ShardInfo};
use crate::{TrainError, durable};
use tengen::fnv;
use tengen::game::BoardSize;
use tengen::program::counted;

/// Rows of the window, in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Dataset {
    /// The game's name.
    pub game: String,
    /// The boards, the smallest first.
    pub boards: Vec<BoardSize>,
    /// Games in the window, held-out ones included.
    pub games: u64,
    /// Rows of games that are not held out.
    pub fit: Vec<Row>,
    /// Rows of held-out games.
    pub held_out: Vec<Row>,
}

impl Dataset {
    /// Reads folders of shards ([`shard::list_all`]), the oldest first: at most the newest `window` rows, of which a share of the games,
    /// in [0, 1), is held out. Games that are in several folders count once.
    ///
    /// # Errors
    /// [`TrainError`] when there is nothing to read, a shard is damaged, or shards are of
    /// different games.
    pub fn load(folders: &[PathBuf], window: usize, held_out: f64) -> Result<Dataset, TrainError> {
        let (mut common, mut seen) = (None, HashSet::new());
        let mut rows: Vec<Row> = Vec::new();
        for folder in folders {
            rows.extend(read_folder(folder, &mut common, &mut seen)?);
        }
        let game = common
            .ok_or_else(|| TrainError::Setting("no folder of shards was named".to_owned()))?;
        rows.drain(..rows.len().saturating_sub(window));
        let games = rows.chunk_by(Row::is_of_game).count() as u64;
        let (held_out, fit): (Vec<Row>, Vec<Row>) = rows
            .into_iter()
            .partition(|row| is_held_out(row.game, held_out));
        if fit.is_empty() {
            let why = match held_out.is_empty() {
                true => "play more games",
                false => "all games are held out; play more, or hold out a smaller share",
            };
            return Err(TrainError::Setting(format!(
                "there are no rows to fit: {why}"
            )));
        }
        Ok(Dataset {
            game,
            boards: boards(&fit),
            games,
            fit,
            held_out,
        })
    }
}

/// The boards of rows, the smallest first.
fn boards(rows: &[Row]) -> Vec<BoardSize> {
    let of_one_size = rows.chunk_by(|a, b| a.size == b.size);
    let mut boards: Vec<BoardSize> = of_one_size.map(|rows| rows[0].size).collect();
    boards.sort_by_key(|size| (size.area(), size.width));
    boards.dedup();
    boards
}

/// The rows of a folder, game by game, each game once: independent of the order of threads and of
/// interrupted merges. All shards must be of one `common` game; games that were `seen` before are left out.
fn read_folder(
    folder: &Path,
    common: &mut Option<String>,
    seen: &mut HashSet<u64>,
) -> Result<Vec<Row>, TrainError> {
    // A game's number identifies it within one run on one board only, and two runs may be named alike:
    // those with equal settings, and all imports.
    let mut runs: Vec<(ShardInfo, Vec<Row>)> = Vec::new();
    for path in shard::list_all(folder)? {
        let Shard { info, rows, .. } = shard::read(&path)?;
        let game = common.get_or_insert_with(|| info.game.clone());
        if *game != info.game {
            let reason = format!("it is {}, other shards are {game}", info.game);
            return Err(TrainError::mismatch(&path, reason));
        }
        match runs.iter_mut().find(|(known, _)| *known == info) {
            Some((_, known)) => known.extend(rows),
            None => runs.push((info, rows)),
        }
    }
    if runs.is_empty() {
        let reason = match folder.exists() {
            true => format!("it holds no shards{}", durable::instead(folder, "parquet")),
            false => "it does not exist".to_owned(),
        };
        return Err(TrainError::mismatch(folder, reason));
    }
    for (info, rows) in &mut runs {
        rows.sort_by(Row::place);
        rows.dedup_by(|a, b| a.ply == b.ply && a.is_of_game(b));
        let games = rows.chunk_by(Row::is_of_game);
        let games = games.map(|game| (seen.insert(info.key_of(&game[0])), game.len()));
        let games: Vec<(bool, usize)> = games.collect();
        let repeated = games.iter().filter(|(is_new, _)| !is_new).count();
        if repeated > 0 {
            log::warn!(
                "{}: {} also in an earlier folder: counted once",
                folder.display(),
                counted(repeated, "game")
            );
        }
        let mut is_new = games
            .iter()
            .flat_map(|&(is_new, rows)| repeat_n(is_new, rows));
        rows.retain(|_| is_new.next() == Some(true));
    }
    Ok(runs.into_iter().flat_map(|(_, rows)| rows).collect())
}

/// Whether a game is held out: by a hash of its number, so that this is stable as data grows.
fn is_held_out(game: u64, share: f64) -> bool {
    let hash = fnv::hash(&game.to_le_bytes());
    // The upper bits of FNV are the mixed ones.
    ((hash >> 40) as f64) < share * (1u64 << 24) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::generate::tests::{plan, run};
    use crate::shards::row::Target;
    use tengen::game::Game as _;
    use tengen::games::nogo::SmallNoGo;
    use tengen_nn::files::scratch::Scratch;

    #[test]
    fn games_are_split_whole_and_the_window_keeps_the_newest() {
        let scratch = Scratch::new("dataset");
        let progress = run(&plan(20), scratch.path()).unwrap();
        let folders = vec![scratch.path().to_path_buf()];
        let load = |window, held_out| Dataset::load(&folders, window, held_out).unwrap();
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
        let none = Dataset::load(&folders, usize::MAX, 0.999_999_9);
        let message = none.err().map(|error| error.to_string());
        assert!(message.is_some_and(|message| message.contains("a smaller share")));
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
        // In the order of threads, and after an interrupted merge.
        write(&[5, 1, 0]);
        write(&[3, 2]);
        write(&[4, 3, 2]);
        let rows = |scratch: &Scratch| {
            let folders = [scratch.path().to_path_buf()];
            Dataset::load(&folders, usize::MAX, 0.0).unwrap().fit
        };
        assert_eq!(rows(&parts), rows(&merged));
        // Also where folders have copies of each other's games.
        let folders = [&merged, &parts, &merged].map(|scratch| scratch.path().to_path_buf());
        let copies = Dataset::load(&folders, usize::MAX, 0.0).unwrap();
        assert_eq!((copies.fit, copies.games), (rows(&merged), 6));
        // Another run's games with the same numbers are distinct.
        let other = shard::ShardInfo {
            source: "another run".to_owned(),
            ..shard.info.clone()
        };
        shard::write(parts.path(), &other, &shard.rows).unwrap();
        assert_eq!(rows(&parts).len(), 2 * shard.rows.len());
        // And so are those of a run with the same name: game 0 gets the moves of game 1.
        let renamed = shard.rows.iter().filter(|row| row.game == 1).cloned();
        let renamed = renamed.map(|row| Row { game: 0, ..row });
        let renamed: Vec<Row> = renamed.collect();
        shard::write(parts.path(), &other, &renamed).unwrap();
        assert_eq!(rows(&parts).len(), 2 * shard.rows.len() + renamed.len());
        assert!(rows(&parts).is_sorted_by(|a, b| !a.is_of_game(b) || a.ply < b.ply));
    }

    #[test]
    fn boards_are_those_of_the_rows_the_smallest_first() {
        let row = |size| {
            let empty = SmallNoGo::new(size).unwrap();
            Row::record(0, &empty, &Target::new(vec![], 0.0))
        };
        let [small, large] = [4, 5].map(BoardSize::square);
        let (tall, wide) = (BoardSize::new(4, 5), BoardSize::new(5, 4));
        let rows = [large, wide, tall, small, small, large].map(row);
        assert_eq!(boards(&rows), [small, tall, wide, large]);
    }

    #[test]
    fn about_the_wanted_share_is_held_out() {
        let held_out = (0..10_000).filter(|&game| is_held_out(game, 0.05)).count();
        assert!((400..600).contains(&held_out), "{held_out}");
    }

    #[test]
    fn a_folder_without_shards_is_named() {
        let refused = |folder: &Path| {
            let loaded = Dataset::load(&[folder.to_owned()], 1, 0.1);
            loaded.unwrap_err().to_string()
        };
        let missing = refused(Path::new("/nowhere"));
        let named = missing.contains("/nowhere") && missing.contains("does not exist");
        assert!(named, "{missing}");
        let scratch = Scratch::new("dataset-empty");
        let empty = refused(scratch.path());
        assert!(
            empty.contains("no shards") && !empty.contains("give"),
            "{empty}"
        );
        // The folder of a run on two boards, of a generation, and of its games.
        for (number, board) in [(0, "4x4"), (1, "4x4"), (1, "5x5")] {
            let games = format!("generation-000{number}/games/{board}");
            run(&plan(2), &scratch.path().join(games)).unwrap();
        }
        let told = refused(scratch.path()).replace(std::path::MAIN_SEPARATOR, "/");
        assert!(
            told.contains("give ") && told.contains("generation-0001/games/5x5, "),
            "{told}"
        );
        let games = scratch.path().join("generation-0001/games");
        let loaded = Dataset::load(&[games], 1000, 0.0).unwrap();
        assert_eq!(loaded.games, 2, "both are the same");
    }
}
