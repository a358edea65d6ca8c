//! Recorded games of people and programs into shards, to learn from like self-play games.
//!
//! Games are read in units (`source`): an archive, a text, some of a folder's files. When all shards of a unit
//! are written, the journal notes its files; a session that was ended goes on with the others, and a file that was
//! added later is read then. Twins, also turned and mirrored ones, are left out, and so is what cannot be learned
//! from (`game`), by reason and number. Which games test a network is decided by their number, as
//! for self-play ([`crate::shards::dataset`]).

mod game;
mod journal;
mod rapfi;
mod recorded;
mod source;

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use game::{Imported, read_moves};
use journal::{Journal, UnitRecord};
use rayon::prelude::*;
use recorded::{End, LeftOut};

pub use game::Choice;
pub use journal::Counts;

use crate::TrainError;
use crate::durable::{self, lock_folder};
use crate::shards::shard::{self, ShardInfo};
use crate::trainable::Trainable;
use tengen::game::{Game, Move};

/// Games in a shard.
const GAMES_PER_SHARD: usize = 500;

/// Numbers of games that belong to one unit: more than any has.
const GAMES_IN_UNIT: u64 = 1 << 24;

/// What to import.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportPlan {
    /// Files and folders: SGF, ZIP archives of them, texts of many games.
    pub inputs: Vec<PathBuf>,
    /// Folder of the shards.
    pub out: PathBuf,
    /// Which games are taken, and how.
    pub choice: Choice,
}

/// How far an import is.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ImportProgress {
    /// Bytes of all inputs.
    pub bytes: u64,
    /// Bytes of the units that are done, those of earlier sessions included.
    pub done_bytes: u64,
    /// Games and what became of them, those of earlier sessions included.
    pub counts: Counts,
    /// Games that were read in this session.
    pub read_now: u64,
    /// Files without games in a form that is read.
    pub passed_over: u64,
}

/// Imports what the journal of the folder does not name yet. `observe` is called after each unit.
///
/// # Errors
/// [`TrainError`] when an input is missing, the folder holds other games or cannot be written. A damaged archive is
/// counted and logged, and the rest is imported.
pub fn import<G: Trainable>(
    start: &G,
    plan: &ImportPlan,
    mut observe: impl FnMut(&ImportProgress),
) -> Result<ImportProgress, TrainError> {
    let _lock = lock_folder(&plan.out)?;
    let info = info(start, plan);
    let mut journal = Journal::open(&plan.out, &info)?;
    remove_unfinished(&plan.out, &journal)?;
    let mut seen = HashSet::new();
    journal
        .units
        .iter()
        .for_each(|unit| seen.extend(unit.keys.iter().copied()));
    let done = journal.files();
    let sources = source::list(&plan.inputs, |path| done.contains(&*journal::name(path)))?;
    let unread: u64 = sources.units.iter().map(|unit| unit.bytes).sum();
    let mut progress = ImportProgress {
        bytes: sources.done_bytes + unread,
        done_bytes: sources.done_bytes,
        counts: journal.counts(),
        read_now: 0,
        passed_over: sources.passed_over,
    };
    let has_units = !sources.units.is_empty();
    if has_units {
        journal.is_writing = true;
        journal.save(&plan.out)?;
    }
    for unit in &sources.units {
        let (mut files, mut texts) = (Vec::new(), Vec::new());
        for path in &unit.files {
            match source::texts(path, &sources.index) {
                Ok(more) => {
                    // An archive of other files.
                    progress.passed_over += u64::from(more.is_empty());
                    texts.extend(more);
                    files.push(journal::name(path));
                }
                // Another one of the same name is read by the next session.
                Err(error) => {
                    log::error!("left out: {error}");
                    progress.counts.leave_out("in a damaged file", 1);
                }
            }
        }
        if !files.is_empty() {
            // Some at a time: the rows of a large archive would fill the memory.
            let games = texts.chunks(GAMES_PER_SHARD).flat_map(|part| {
                let games = part.par_iter();
                let games =
                    games.map(|text| (&*text.name, game::read(start, &text.form, plan.choice)));
                games.collect::<Vec<_>>()
            });
            progress.read_now += texts.len() as u64;
            let number = journal.units.len() as u64 * GAMES_IN_UNIT;
            let mut record = write(&plan.out, &info, number, games, &mut seen)?;
            record.files = files;
            progress.counts.add(&record.counts);
            journal.units.push(record);
            journal.save(&plan.out)?;
        }
        progress.done_bytes += unit.bytes;
        observe(&progress);
    }
    if has_units {
        journal.is_writing = false;
        journal.save(&plan.out)?;
    }
    Ok(progress)
}

fn info<G: Trainable>(start: &G, plan: &ImportPlan) -> ShardInfo {
    let Choice {
        least_plies,
        komi_share,
        seed,
    } = plan.choice;
    let source = format!("imported least-plies={least_plies} komi-share={komi_share} seed={seed}");
    ShardInfo::of(start, source)
}

/// Writes the games of a unit as shards.
fn write<'t>(
    folder: &Path,
    info: &ShardInfo,
    first: u64,
    games: impl Iterator<Item = (&'t str, Result<Imported, LeftOut>)>,
    seen: &mut HashSet<u64>,
) -> Result<UnitRecord, TrainError> {
    let mut record = UnitRecord::default();
    let mut writer = shard::Writer::new(folder, info, GAMES_PER_SHARD);
    for (name, game) in games {
        let new = game.and_then(|game| match seen.insert(game.key) {
            true => Ok(game),
            false => recorded::left_out("twin", ""),
        });
        let mut game = match new {
            Ok(game) => game,
            Err(LeftOut { reason, details }) => {
                log::debug!("{name}: {reason}: {details}");
                record.counts.leave_out(reason, 1);
                continue;
            }
        };
        let number = first + record.keys.len() as u64;
        game.rows.iter_mut().for_each(|row| row.game = number);
        record.keys.push(game.key);
        record.counts.games += 1;
        record.counts.positions += game.rows.len() as u64;
        match game.end {
            End::Resigned(_) => record.counts.resigned += 1,
            End::Counted(_) => record.counts.counted += 1,
            End::Played(_) => record.counts.played += 1,
        }
        writer.add(game.rows)?;
    }
    writer.close()?;
    Ok(record)
}

/// Removes the shards of a unit that was not finished: they are named by their first game.
///
/// # Errors
/// [`TrainError::Setting`] when there are such shards and no unit is unfinished: they are another
/// import's, or a run's, whose games were copied here.
fn remove_unfinished(folder: &Path, journal: &Journal) -> Result<(), TrainError> {
    let end = journal.units.len() as u64 * GAMES_IN_UNIT;
    let unfinished = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str());
        let number = name.and_then(|name| name.strip_prefix("games-")?.split('.').next());
        let number = number.and_then(|number| number.parse::<u64>().ok());
        number.is_none_or(|number| number >= end)
    };
    let mut shards = shard::list(folder)?;
    shards.retain(unfinished);
    match shards.first() {
        Some(foreign) if !journal.is_writing => Err(TrainError::mismatch(
            foreign,
            "it was not imported into this folder; choose another folder",
        )),
        _ => durable::remove(&shards),
    }
}

/// Passes the moves of each game on the board of `start` to `take`, until it returns false. Twins,
/// games with handicap and those with an illegal move are left out. Returns their number.
///
/// # Errors
/// [`TrainError`] names an input that is missing or damaged.
pub fn each_game<G: Game>(
    start: &G,
    inputs: &[PathBuf],
    mut take: impl FnMut(Vec<Move>) -> bool,
) -> Result<u64, TrainError> {
    let sources = source::list(inputs, |_| false)?;
    let (mut seen, mut left_out) = (HashSet::new(), 0);
    for path in sources.units.iter().flat_map(|unit| &unit.files) {
        for text in source::texts(path, &sources.index)? {
            match read_moves(start, &text.form) {
                Ok(moves) if seen.insert(game::key(start.size(), &moves)) => {
                    if !take(moves) {
                        return Ok(left_out);
                    }
                }
                _ => left_out += 1,
            }
        }
    }
    Ok(left_out)
}

#[cfg(test)]
mod tests;
