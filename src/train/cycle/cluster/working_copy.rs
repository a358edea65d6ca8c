//! The learner's folder as a working copy of the run in the store.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::objects;
use super::player::{download, hash};
use crate::cycle::{CyclePlan, Generation, MatchRecord, RunFolder, load, match_records, save};
use crate::fit::checkpoint::Checkpoint;
use crate::store::{PlainName, RESTORE, Store, folder_of};
use crate::{TrainError, durable};
use tengen::system::own_temporary_folder;
use tengen_nn::eval::ModelInfo;

/// A finished generation: `done.json`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Done {
    /// The learner that finished it.
    #[serde(rename = "epoch")]
    pub(super) term: u32,
    pub(super) generation: Generation,
    /// File name of its checkpoint.
    pub(super) checkpoint: PlainName,
    /// Checksums of its networks, by file name.
    pub(super) networks: BTreeMap<PlainName, PlainName>,
    /// The matches that rate it, if there were any.
    pub(super) matches: Option<Vec<MatchRecord>>,
}

/// The object's name.
pub(super) fn object(generation: u32) -> String {
    objects::of(generation, "done.json")
}

impl Done {
    /// The commit of a generation; `None` if it is not finished.
    ///
    /// # Errors
    /// [`TrainError`] of the store, also when the object is damaged.
    pub(super) fn read(store: &Store, number: u32) -> Result<Option<Done>, TrainError> {
        let parse = |bytes| Done::parse(number, bytes);
        Ok(store.find_checked(&object(number), parse)?)
    }

    /// The commit of a generation, from its bytes.
    ///
    /// # Errors
    /// Says what is wrong with them, and what to do.
    pub(super) fn parse(number: u32, bytes: Vec<u8>) -> Result<Done, String> {
        let done: Done = objects::value(bytes)?;
        let found = done.generation.number;
        match found == number {
            true => Ok(done),
            false => Err(format!("it is of the generation {found}; {RESTORE}")),
        }
    }

    /// Uploads the files of a generation that the folder holds; returns its commit.
    ///
    /// # Errors
    /// [`TrainError`] of files and of the store.
    pub(super) fn upload(
        store: &Store,
        run_folder: &RunFolder,
        term: u32,
        generation: Generation,
    ) -> Result<Done, TrainError> {
        let number = generation.number;
        let fit = run_folder.fit(number);
        let newest = durable::list(&fit, "step-", "checkpoint")?.pop();
        let path = newest.ok_or_else(|| TrainError::mismatch(&fit, "it has no checkpoint"))?;
        let checkpoint = PlainName::try_from(file_name(&path))?;
        store.keep(&objects::of(number, &checkpoint), &durable::load(&path)?)?;
        let mut networks = BTreeMap::new();
        let folder = run_folder.networks();
        let own = format!("-{number:04}.");
        for path in durable::list(&folder, "", "onnx")? {
            let name = file_name(&path);
            // That of the warm-up may play the first generations.
            if name.contains(&own) || (number == 0 && name.starts_with("warm-up")) {
                networks.insert(name.try_into()?, upload(store, &path)?.try_into()?);
            }
        }
        let matches = run_folder.matches(number);
        Ok(Done {
            term,
            generation,
            checkpoint,
            networks,
            matches: match matches.exists() {
                true => Some(match_records(&matches)?),
                false => None,
            },
        })
    }
}

/// Uploads a network; returns its checksum.
///
/// # Errors
/// [`TrainError`] of the file and of the store.
pub(super) fn upload(store: &Store, path: &Path) -> Result<String, TrainError> {
    let bytes = fs::read(path).map_err(TrainError::io(path))?;
    let hash = hash(&bytes);
    store.keep(&objects::network(&hash), &bytes)?;
    Ok(hash)
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().display().to_string()
}

/// Where the working copy of a run is, unless the user names a folder. A run that begins again in a
/// store has another one; so has a copy of a run.
pub(super) fn usual(store: &Store, id: &PlainName) -> PathBuf {
    own_temporary_folder().join(usual_prefix(store) + &**id)
}

/// How the names of all usual working copies of runs in a store begin.
fn usual_prefix(store: &Store) -> String {
    let folder = folder_of(store.name()).and_then(|folder| std::path::absolute(folder).ok());
    let name = folder.map_or(store.name().to_owned(), |path| path.display().to_string());
    format!("run-{}-", hash(name.as_bytes()))
}

/// Refuses to begin a run in a store where this machine has worked on another one: its folder may not be mounted.
///
/// # Errors
/// [`TrainError::Refused`] names the working copy of that run.
pub(super) fn refuse_known(store: &Store) -> Result<(), TrainError> {
    let prefix = usual_prefix(store);
    let entries = fs::read_dir(own_temporary_folder()).into_iter().flatten();
    let is_known = |path: &PathBuf| file_name(path).starts_with(&prefix);
    let mut known = entries.flatten().map(|entry| entry.path()).filter(is_known);
    known.next().map_or(Ok(()), |copy| {
        Err(TrainError::Refused(format!(
            "{}: there is no run, and this machine worked on one there: is its folder mounted? To begin another run, \
             delete the old one's working copy, {}",
            store.name(),
            copy.display()
        )))
    })
}

/// Whether the folder is free for the run with this id, or holds it, and no more of it than the store.
///
/// # Errors
/// [`TrainError::Mismatch`] when it holds another run, [`TrainError::Refused`] when it holds more; others of files and
/// of the store.
pub(super) fn check(store: &Store, run_folder: &RunFolder, id: &str) -> Result<(), TrainError> {
    let known: Option<String> = load(&id_path(run_folder))?;
    let last = run_folder.last_summary()?;
    let is_used = known.is_some() || last.is_some();
    if is_used && known.as_deref() != Some(id) {
        let reason = format!(
            "it holds another run than {}: give the learner another folder (--out)",
            store.name()
        );
        return Err(TrainError::mismatch(run_folder.root(), reason));
    }
    match last {
        Some(last) if store.get(&object(last))?.is_none() => Err(TrainError::Refused(format!(
            "{}: it has no {}, and the working copy {} has that generation: was an older copy of the store put back? To \
             go on from it give the learner another folder (--out), or delete this one",
            store.name(),
            object(last),
            run_folder.root().display()
        ))),
        _ => Ok(()),
    }
}

/// The file that says which run it is a copy of.
fn id_path(run_folder: &RunFolder) -> PathBuf {
    run_folder.root().join("store.json")
}

/// Brings the folder to the state of the store: summaries and matches of all finished generations,
/// the last checkpoint, and the networks that play again. Games are fetched when they are needed.
///
/// # Errors
/// As [`check`].
pub(super) fn bring_up(
    store: &Store,
    run_folder: &RunFolder,
    id: &str,
    plan: &CyclePlan,
) -> Result<(), TrainError> {
    check(store, run_folder, id)?;
    save(&id_path(run_folder), &id)?;
    // What is lost or damaged here comes again from the store, with all that is after it.
    let own = run_folder.sound_generations();
    let mut all: Vec<Done> = Vec::new();
    while let Some(done) = Done::read(store, all.len() as u32)? {
        all.push(done);
    }
    let Some(last) = all.last() else {
        return Ok(());
    };
    for done in all.iter().skip(own) {
        clear(run_folder, done.generation.number)?;
        keep_matches(run_folder, done)?;
    }
    keep_checkpoint(store, run_folder, last)?;
    for (name, hash) in needed(&all, plan) {
        keep_network(store, run_folder, name, hash)?;
    }
    // Last: what has a summary is complete.
    for done in all.iter().skip(own) {
        save(
            &run_folder.summary(done.generation.number),
            &done.generation,
        )?;
    }
    let seconds = run_folder.seconds()?.max(last.generation.seconds);
    save(&run_folder.hours(), &seconds)
}

/// Removes unfinished work on a generation that another learner has finished.
fn clear(run_folder: &RunFolder, number: u32) -> Result<(), TrainError> {
    for folder in [
        run_folder.fit(number),
        run_folder.catch_up(number),
        run_folder.matches(number),
    ] {
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(TrainError::io(&folder))?;
        }
    }
    for network in [run_folder.network(number), run_folder.start(number)] {
        for path in [crate::cycle::int8(&network), network] {
            if path.exists() {
                fs::remove_file(&path).map_err(TrainError::io(&path))?;
            }
        }
    }
    Ok(())
}

fn keep_matches(run_folder: &RunFolder, done: &Done) -> Result<(), TrainError> {
    let Some(records) = &done.matches else {
        return Ok(());
    };
    let folder = run_folder.matches(done.generation.number);
    durable::prepare_folder(&folder)?;
    records.iter().try_for_each(|record| {
        let name = PlainName::try_from(format!("{}.json", record.second))?;
        save(&folder.join(&*name), record)
    })
}

fn keep_checkpoint(store: &Store, run_folder: &RunFolder, last: &Done) -> Result<(), TrainError> {
    let number = last.generation.number;
    let folder = run_folder.fit(number);
    let path = folder.join(&*last.checkpoint);
    if path.exists() && Checkpoint::load(&path).is_ok() {
        return Ok(());
    }
    durable::prepare_folder(&folder)?;
    let bytes = store.get_checked(&objects::of(number, &last.checkpoint), |bytes| {
        if !last
            .checkpoint
            .ends_with(&format!(".{}.checkpoint", hash(&bytes)))
        {
            return Err(format!("its checksum is not that of its name; {RESTORE}"));
        }
        let parsed = Checkpoint::from_bytes(&bytes);
        parsed.map_err(|reason| format!("{reason}; {RESTORE}"))?;
        Ok(bytes)
    })?;
    durable::write(&path, &bytes)
}

/// Names and checksums of the networks with which the next generation may have to do.
pub(super) fn needed<'a>(
    all: &'a [Done],
    plan: &CyclePlan,
) -> BTreeMap<&'a PlainName, &'a PlainName> {
    let generations = || all.iter().map(|done| &done.generation);
    let recent = generations().rev().take(plan.machines.ahead as usize + 1);
    let mut numbers: BTreeSet<u32> = recent.map(|g| g.plays_next).collect();
    let rated = all.iter().rev().find(|done| done.matches.is_some());
    numbers.extend(rated.map(|done| done.generation.number));
    numbers.extend(generations().next_back().map(|last| last.number));
    let stems: Vec<String> = numbers.iter().map(|n| format!("network-{n:04}.")).collect();
    let is_needed = |name: &str| {
        let plays_first = all.len() <= plan.machines.ahead as usize && name.starts_with("warm-up");
        plays_first || stems.iter().any(|stem| name.starts_with(stem))
    };
    // Of networks of one name the first counts.
    let networks = all.iter().rev().flat_map(|done| &done.networks);
    networks.filter(|(name, _)| is_needed(name)).collect()
}

fn keep_network(
    store: &Store,
    run_folder: &RunFolder,
    name: &PlainName,
    wanted: &str,
) -> Result<(), TrainError> {
    let path = run_folder.networks().join(&**name);
    if fs::read(&path).is_ok_and(|bytes| hash(&bytes) == wanted) {
        return Ok(());
    }
    let bytes = download(store, wanted)?;
    ModelInfo::read(name, &bytes).map_err(|error| {
        let reason = format!("{error}; {RESTORE}");
        store.error(&objects::network(wanted), reason)
    })?;
    durable::write(&path, &bytes)
}
