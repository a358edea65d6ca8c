//! `run.json`: which run this is, and which programs may work on it.

use std::fmt::Display;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::reminder::Reminder;
use crate::TrainError;
use crate::cycle::{CyclePlan, RunFolder, from_json, save};
use crate::shards::shard;
use crate::store::{AGAIN, RUN, Store};

/// Version of the objects' names and contents.
const PROTOCOL: u32 = 2;

/// The program, as runs name it. Its games may change with it.
const PROGRAM: &str = concat!("tengen-train ", env!("CARGO_PKG_VERSION"));

/// How often a worker looks for a run that has not begun.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// What never changes in a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Manifest {
    pub(super) protocol: u32,
    pub(super) program: String,
    pub(super) shard_format: u32,
    /// Distinguishes runs: a random number.
    pub(super) id: String,
    /// The plan with which the learner began, as TOML: game and boards stay.
    pub(super) plan: String,
}

/// What all versions have.
#[derive(Deserialize)]
struct Version {
    protocol: u32,
}

impl Manifest {
    /// A new run of this plan.
    ///
    /// # Errors
    /// [`TrainError::Setting`] when the plan cannot be written.
    pub(super) fn new(plan: &CyclePlan) -> Result<Manifest, TrainError> {
        Ok(Manifest {
            protocol: PROTOCOL,
            program: PROGRAM.to_owned(),
            shard_format: shard::FORMAT,
            id: format!("{:016x}", getrandom::u64().unwrap_or_default()),
            plan: plan.to_toml()?,
        })
    }

    /// That of the run in a folder, if machines play for it.
    ///
    /// # Errors
    /// [`TrainError::Refused`] when it is of another program; [`TrainError`] of the file.
    pub(super) fn of(run_folder: &RunFolder) -> Result<Option<Manifest>, TrainError> {
        let path = run_folder.root().join(RUN);
        if !path.exists() {
            return Ok(None);
        }
        let bytes = fs::read(&path).map_err(TrainError::io(&path))?;
        let found = Manifest::parse(&path, &bytes);
        let found = found.map_err(|error| error.advising("restore it from a copy of the run"));
        found.map(Some)
    }

    /// That of the run in a store, if it has begun.
    ///
    /// # Errors
    /// [`TrainError::Refused`] when it is of another program; [`TrainError`] of the store.
    pub(super) fn read(store: &Store) -> Result<Option<Manifest>, TrainError> {
        let whole = |bytes: Vec<u8>| match serde_json::from_slice::<Version>(&bytes) {
            Ok(_) => Ok(bytes),
            Err(error) => Err(format!("{error}; {AGAIN}")),
        };
        let found = store.find_checked(RUN, whole)?;
        let path = Path::new(store.name()).join(RUN);
        found
            .map(|bytes| Manifest::parse(&path, &bytes))
            .transpose()
    }

    fn parse(path: &Path, bytes: &[u8]) -> Result<Manifest, TrainError> {
        let same = |what: &str, found: &dyn Display, own: &dyn Display| {
            if found.to_string() == own.to_string() {
                return Ok(());
            }
            Err(TrainError::Refused(format!(
                "{}: the run is of {what} {found}, this program has {own}: work on it with the program \
                 that began it",
                path.display()
            )))
        };
        let version = serde_json::from_slice::<Version>(bytes);
        let version = version.map_err(|error| TrainError::corrupt(path, error))?;
        same("protocol", &version.protocol, &PROTOCOL)?;
        let found: Manifest = from_json(bytes).map_err(|error| TrainError::corrupt(path, error))?;
        same("program", &found.program, &PROGRAM)?;
        same("shard format", &found.shard_format, &shard::FORMAT)?;
        Ok(found)
    }

    /// Makes the run in a folder, which is locked, that of a store; where there is none it begins.
    ///
    /// # Errors
    /// As [`Self::refuse_other`]; [`TrainError`] of the store and of the file.
    pub(super) fn join(
        run_folder: &RunFolder,
        plan: &CyclePlan,
        store: &Store,
    ) -> Result<(), TrainError> {
        let path = run_folder.root().join(RUN);
        if !path.exists() {
            save(&path, &Manifest::new(plan)?)?;
        }
        let bytes = fs::read(&path).map_err(TrainError::io(&path))?;
        store.create(RUN, &bytes)?;
        // Another learner may have been faster.
        Manifest::refuse_other(run_folder, store)
    }

    /// Refuses a store that holds another run than a folder does.
    ///
    /// # Errors
    /// [`TrainError::Refused`] says what to do; as [`Self::of`] and [`Self::read`].
    pub(super) fn refuse_other(run_folder: &RunFolder, store: &Store) -> Result<(), TrainError> {
        let own = Manifest::of(run_folder)?;
        let is_other = |found: Manifest| own.is_none_or(|own| own.id != found.id);
        if !Manifest::read(store)?.is_some_and(is_other) {
            return Ok(());
        }
        Err(TrainError::Refused(format!(
            "{}: it holds another run than {}: give the learner the folder of that run (--out), or another store",
            store.name(),
            run_folder.root().display()
        )))
    }
}

/// Refuses a run that no other machine has played for, in the middle of a generation: games of one machine alone are
/// not in tickets.
///
/// # Errors
/// [`TrainError::Refused`] says what to do; as [`RunFolder::generations`].
pub(super) fn refuse_begun_alone(run_folder: &RunFolder) -> Result<(), TrainError> {
    let games = run_folder.games(run_folder.generations()?.len() as u32);
    if !games.exists() {
        return Ok(());
    }
    Err(TrainError::Refused(format!(
        "{}: `loop --out` alone has begun this generation: finish it so, or delete this folder, and its games are played \
         again",
        games.display()
    )))
}

/// Refuses a run that other machines play for, for a learner that is to work alone.
///
/// # Errors
/// [`TrainError::Refused`] says how it goes on.
pub fn refuse_store(folder: &Path) -> Result<(), TrainError> {
    if !folder.join(RUN).is_file() {
        return Ok(());
    }
    let name = folder.display();
    Err(TrainError::Refused(format!(
        "{name}: it is a run on several machines: `tengen-train loop --run {name}` goes on with it"
    )))
}

/// Waits until the run has begun; returns the plan with which it did.
///
/// # Errors
/// [`TrainError::Refused`] when the run is of another program; [`TrainError`] of the store.
pub fn wait_for_plan(store: &Store) -> Result<CyclePlan, TrainError> {
    let mut reminder = Reminder::now();
    loop {
        if let Some(manifest) = Manifest::read(store)? {
            return CyclePlan::parse(&manifest.plan);
        }
        if reminder.is_due(store.now()) {
            let name = store.name();
            log::info!(
                "{name}: waiting for `tengen-train loop PLAN --run {name}` to begin the run"
            );
        }
        thread::sleep(LOOK_EVERY);
    }
}
