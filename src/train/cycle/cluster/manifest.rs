//! `run.json`: which run this is, and which programs may work on it.

use std::fmt::Display;
use std::path::Path;
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::reminder::Reminder;
use super::{objects, term};
use crate::TrainError;
use crate::cycle::{CyclePlan, MAY_GROW, to_json};
use crate::shards::shard;
use crate::store::{Creation, PlainName, RESTORE, RUN, Store};
use tengen::fnv;

/// Version of the objects' names and contents.
const PROTOCOL: u32 = 1;

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
    pub(super) id: PlainName,
    /// Checksum of the first plan.
    pub(super) plan_hash: String,
    /// The first plan, as TOML.
    pub(super) plan: String,
}

/// What all versions have.
#[derive(Deserialize)]
struct Version {
    protocol: u32,
}

impl Manifest {
    /// A new run of this plan, in no store yet.
    ///
    /// # Errors
    /// [`TrainError::Setting`] when the plan cannot be written.
    pub(super) fn new(plan: &CyclePlan) -> Result<Manifest, TrainError> {
        let text = plan.to_toml()?;
        Ok(Manifest {
            protocol: PROTOCOL,
            program: PROGRAM.to_owned(),
            shard_format: shard::FORMAT,
            id: format!("{:016x}", getrandom::u64().unwrap_or_default()).try_into()?,
            plan_hash: format!("{:016x}", fnv::hash(text.as_bytes())),
            plan: text,
        })
    }

    /// The run in the store, which is this one if there is none.
    ///
    /// # Errors
    /// [`TrainError::Refused`] when it is of another program; [`TrainError`] of the store.
    pub(super) fn begin(self, store: &Store) -> Result<Manifest, TrainError> {
        if let Some(found) = Manifest::read(store)? {
            return Ok(found);
        }
        match store.create(RUN, &to_json(&self)?)? {
            Creation::Created => {
                log::info!("{}: a new run begins", store.name());
                Ok(self)
            }
            // Another learner was faster.
            Creation::Existed => Manifest::read(store)?
                .ok_or_else(|| store.error(RUN, "it exists and cannot be read").into()),
        }
    }

    /// The run in the store, if it has begun.
    ///
    /// # Errors
    /// [`TrainError::Refused`] when it is of another program, has lost this object, or a run on one machine is there;
    /// [`TrainError`] of the store.
    pub(super) fn read(store: &Store) -> Result<Option<Manifest>, TrainError> {
        let same = |what: &str, found: &dyn Display, own: &dyn Display| {
            if found.to_string() == own.to_string() {
                return Ok(());
            }
            Err(TrainError::Refused(format!(
                "{}: the run is of {what} {found}, this program has {own}: work on it with the program \
                 that began it",
                store.name()
            )))
        };
        let found = store.find_checked(RUN, |bytes| {
            let version = serde_json::from_slice::<Version>(&bytes);
            let version = version.map_err(|error| format!("{error}; {RESTORE}"))?;
            Ok::<_, String>((version.protocol, bytes))
        })?;
        let Some((protocol, bytes)) = found else {
            refuse_own_folder(store)?;
            // Unless the run has just begun.
            if term::newest(store)?.is_some() && store.get(RUN)?.is_none() {
                let reason = format!("{}: it has lost its {RUN}; {RESTORE}", store.name());
                return Err(TrainError::Refused(reason));
            }
            return Ok(None);
        };
        same("protocol", &protocol, &PROTOCOL)?;
        let found: Manifest = objects::parse(RUN, &bytes)?;
        same("program", &found.program, &PROGRAM)?;
        same("shard format", &found.shard_format, &shard::FORMAT)?;
        Ok(Some(found))
    }

    /// The plan of the newest learner.
    fn newest_plan(&self, store: &Store) -> Result<CyclePlan, TrainError> {
        let newest = term::newest(store)?;
        CyclePlan::parse(newest.as_ref().map_or(&self.plan, |newest| &newest.plan))
    }

    /// Whether the run may go on with this plan: that of its newest learner, or a longer one.
    ///
    /// # Errors
    /// [`TrainError::Refused`] when it may not; [`TrainError`] of the store.
    pub(super) fn check_plan(&self, store: &Store, plan: &CyclePlan) -> Result<(), TrainError> {
        match plan.conflict(&self.newest_plan(store)?) {
            None => Ok(()),
            Some(conflict) => Err(TrainError::Refused(format!(
                "{}: the run has another plan ({conflict}); give that plan, {MAY_GROW}, or begin another run",
                store.name()
            ))),
        }
    }
}

/// Refuses the folder of a run on one machine, whose learner will never offer a ticket there.
fn refuse_own_folder(store: &Store) -> Result<(), TrainError> {
    match store.get("plan.toml")? {
        None => Ok(()),
        Some(_) => Err(TrainError::Refused(format!(
            "{}: it is a run of `loop --out`, not of `loop --run`: one machine works on it, with --out",
            store.name()
        ))),
    }
}

/// Refuses the store of a run on several machines, for a program that needs the run's own folder.
///
/// # Errors
/// [`TrainError::Refused`] says what to do with it.
pub fn refuse_store(folder: &Path) -> Result<(), TrainError> {
    if !folder.join(RUN).is_file() {
        return Ok(());
    }
    let (name, report) = (folder.display(), folder.join("report.html"));
    Err(TrainError::Refused(format!(
        "{name}: it is the store of a run on several machines: `tengen-train loop --run {name}` goes on with it, \
         and keeps its report, {}, up to date",
        report.display()
    )))
}

/// Refuses a store that holds no run of several machines; one of another program is a run, too.
///
/// # Errors
/// [`TrainError::Refused`] says what is there; [`TrainError`] of the store.
pub fn require_run(store: &Store) -> Result<(), TrainError> {
    if store.get(RUN)?.is_some() {
        return Ok(());
    }
    refuse_own_folder(store)?;
    let name = store.name();
    Err(TrainError::Refused(format!(
        "{name} contains no run: it has no {RUN}"
    )))
}

/// The plan of the newest learner, if the run has begun.
///
/// # Errors
/// [`TrainError::Refused`] when the run is of another program; [`TrainError`] of the store.
pub fn current_plan(store: &Store) -> Result<Option<CyclePlan>, TrainError> {
    let Some(manifest) = Manifest::read(store)? else {
        return Ok(None);
    };
    manifest.newest_plan(store).map(Some)
}

/// Waits until the run has begun; returns its plan.
///
/// # Errors
/// As [`current_plan`].
pub fn wait_for_plan(store: &Store) -> Result<CyclePlan, TrainError> {
    let mut reminder = Reminder::now();
    loop {
        if let Some(plan) = current_plan(store)? {
            return Ok(plan);
        }
        if reminder.is_due(store.now()) {
            log::info!("{}: waiting for a learner to begin the run", store.name());
        }
        thread::sleep(LOOK_EVERY);
    }
}
