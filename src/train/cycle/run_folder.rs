//! The folder of a run, which contains the result of every finished step: a restart does the steps
//! without results, and there is no other state.
//!
//! ```text
//! plan.toml                         what the run shall do
//! hours.json                        time spent on it
//! run.json, workers/, g0007/        what passes between them and the run, if they meet here (see `cluster`)
//! report.html                       how it goes
//! generation-0007.json              a finished generation
//! generation-0007/games/            its shards
//! generation-0007/catch-up/         checkpoints of a network that is new in it
//! generation-0007/fit/              checkpoints, losses.jsonl
//! generation-0007/matches/          matches that rate its network
//! networks/network-0007.onnx        its network
//! networks/network-0007.int8.onnx   the same in integers, for the next generation's games
//! networks/start-0007.onnx          the new network that played its games
//! networks/<checksum>.onnx          copies for machines that meet here
//! networks/warm-up.onnx             another run's network that played the first games
//! weights/                          its checkpoint, with which the first fit begins
//! probe/                            left by a learner that has tried whether the folder can be a store
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::generation::Generation;
use super::plan::{CyclePlan, MAY_GROW};
use crate::durable::{FolderLock, checksum, lock_folder};
use crate::{TrainError, durable};

/// What to do about a lost summary of an earlier generation.
const RESTORE: &str = "restore it from a copy, for a run does not go on without it; a new run can begin with the last \
                       network of this one (weights of [warm-up])";

/// The folder of a run.
#[derive(Debug, Clone)]
pub struct RunFolder {
    root: PathBuf,
}

impl RunFolder {
    /// The run in this folder, which may not exist yet.
    pub fn new(root: &Path) -> RunFolder {
        RunFolder {
            root: root.to_path_buf(),
        }
    }

    /// Prepares the folder for exclusive use by this process, and checks that it belongs to this
    /// plan.
    ///
    /// # Errors
    /// [`TrainError`] when it belongs to another plan, another process uses it, or it is not
    /// writable.
    pub(super) fn prepare(&self, plan: &CyclePlan) -> Result<FolderLock, TrainError> {
        let lock = lock_folder(&self.root)?;
        durable::prepare_folder(&self.networks())?;
        let path = self.root.join("plan.toml");
        if let Some(before) = self.plan()?
            && let Some(conflict) = plan.conflict(&before)
        {
            return Err(TrainError::Refused(format!(
                "{}: it belongs to a run with another plan ({conflict}); give that plan, {MAY_GROW}, or choose another \
                 folder",
                path.display()
            )));
        }
        durable::write(&path, plan.to_toml()?.as_bytes())?;
        Ok(lock)
    }

    /// Copies the network that plays the first games, if the plan names one and it is still needed.
    ///
    /// # Errors
    /// [`TrainError::Io`] when it cannot be read or written.
    pub(super) fn keep_warm_up(&self, plan: &CyclePlan) -> Result<(), TrainError> {
        let network = plan.warm_up.as_ref().and_then(|w| w.network.as_ref());
        let is_needed = !self.summary(plan.machines.ahead).exists();
        match network {
            Some(network) if is_needed && !self.warm_up().exists() => {
                durable::copy(network, &self.warm_up())
            }
            _ => Ok(()),
        }
    }

    /// The plan of the run, if it has begun.
    ///
    /// # Errors
    /// [`TrainError`] when the file cannot be read, or has settings of an earlier version.
    pub fn plan(&self) -> Result<Option<CyclePlan>, TrainError> {
        let path = self.root.join("plan.toml");
        if !path.exists() {
            return Ok(None);
        }
        let text = fs::read_to_string(&path).map_err(TrainError::io(&path))?;
        // What was written there was a plan.
        let earlier = |error: TrainError| {
            TrainError::Setting(format!(
                "{}: the run was begun by an earlier version; delete there what this one does not know: {error}",
                path.display()
            ))
        };
        CyclePlan::parse(&text).map(Some).map_err(earlier)
    }

    /// The finished generations, in order.
    ///
    /// # Errors
    /// [`TrainError`] when a file cannot be read, [`TrainError::Refused`] when one is missing before others.
    pub fn generations(&self) -> Result<Vec<Generation>, TrainError> {
        let last = self.last_summary()?;
        let mut generations = Vec::new();
        for number in 0..last.map_or(0, |last| last.saturating_add(1)) {
            let path = self.summary(number);
            let found = load(&path).map_err(|error| match last == Some(number) {
                // It is made again from what the generation has left.
                true => error,
                false => error.advising(RESTORE),
            })?;
            generations.push(found.ok_or_else(|| {
                TrainError::Refused(format!(
                    "{} is missing, and generation {} is finished; nothing was changed: {RESTORE}",
                    path.display(),
                    last.unwrap_or(number)
                ))
            })?);
        }
        Ok(generations)
    }

    /// Number of the last generation with a summary, if there is any.
    fn last_summary(&self) -> Result<Option<u32>, TrainError> {
        let number = |path: &PathBuf| {
            let stem = path.file_stem()?.to_str()?;
            stem.strip_prefix("generation-")?.parse::<u32>().ok()
        };
        let files = durable::list(&self.root, "generation-", "json")?;
        Ok(files.iter().filter_map(number).max())
    }

    /// Root of the folder.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The folder of its networks.
    pub fn networks(&self) -> PathBuf {
        self.root.join("networks")
    }

    pub(crate) fn summary(&self, generation: u32) -> PathBuf {
        self.root.join(format!("generation-{generation:04}.json"))
    }

    fn folder(&self, generation: u32, part: &str) -> PathBuf {
        self.root
            .join(format!("generation-{generation:04}"))
            .join(part)
    }

    /// The shards of a generation.
    pub fn games(&self, generation: u32) -> PathBuf {
        self.folder(generation, "games")
    }

    /// The checkpoints of a generation.
    pub fn fit(&self, generation: u32) -> PathBuf {
        self.folder(generation, "fit")
    }

    /// The checkpoints of a network that is new in a generation.
    pub fn catch_up(&self, generation: u32) -> PathBuf {
        self.folder(generation, "catch-up")
    }

    /// The matches that rate a generation's network.
    pub fn matches(&self, generation: u32) -> PathBuf {
        self.folder(generation, "matches")
    }

    /// The network of this name.
    pub(super) fn named(&self, network: &str) -> PathBuf {
        self.networks().join(format!("{network}.onnx"))
    }

    /// A generation's network.
    pub fn network(&self, generation: u32) -> PathBuf {
        self.named(&network_name(generation))
    }

    /// A network that is new in a generation, before training on the games of that generation.
    pub fn start(&self, generation: u32) -> PathBuf {
        self.named(&format!("start-{generation:04}"))
    }

    /// The network of the warm-up, if the plan names one.
    pub fn warm_up(&self) -> PathBuf {
        self.named("warm-up")
    }

    /// Copy of the other run's checkpoint with which the first generation begins, if the plan names
    /// one.
    pub fn given_weights(&self) -> PathBuf {
        self.root.join("weights")
    }

    /// Path of the report.
    pub fn report(&self) -> PathBuf {
        self.root.join("report.html")
    }

    pub(crate) fn hours(&self) -> PathBuf {
        self.root.join("hours.json")
    }

    /// Seconds spent on the run so far.
    ///
    /// # Errors
    /// [`TrainError`] when the file cannot be read.
    pub fn seconds(&self) -> Result<f64, TrainError> {
        Ok(load(&self.hours())?.unwrap_or(0.0))
    }
}

/// The name of a generation's network.
pub(super) fn network_name(generation: u32) -> String {
    format!("network-{generation:04}")
}

/// Copies a network with its int8 form, if there is one.
///
/// # Errors
/// [`TrainError::Io`] when a file cannot be read or written.
pub fn copy_network(from: &Path, to: &Path) -> Result<(), TrainError> {
    if int8(from).exists() {
        durable::copy(&int8(from), &int8(to))?;
    }
    durable::copy(from, to)
}

/// Path of the int8 form of a network, whether it exists or not.
pub fn int8(network: &Path) -> PathBuf {
    network.with_extension("int8.onnx")
}

/// The form of a network for self-play: int8 if it exists.
pub fn player(network: &Path) -> PathBuf {
    let int8 = int8(network);
    if int8.exists() {
        int8
    } else {
        network.to_path_buf()
    }
}

/// Writes a value as JSON, durably.
///
/// # Errors
/// [`TrainError::Io`] names the file.
pub fn save(path: &Path, value: &impl Serialize) -> Result<(), TrainError> {
    durable::write(path, &to_json(value)?)
}

/// A value as JSON; an object with its checksum.
///
/// # Errors
/// [`TrainError::Setting`] on a program error.
pub(crate) fn to_json(value: &impl Serialize) -> Result<Vec<u8>, TrainError> {
    let mut bytes = serde_json::to_vec_pretty(value)
        .map_err(|error| TrainError::Setting(format!("cannot write JSON: {error}")))?;
    bytes.push(b'\n');
    Ok(checksum::seal_json(bytes))
}

/// The value that [`to_json`] was given.
///
/// # Errors
/// Says what is wrong with these bytes.
pub(crate) fn from_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    let bytes = checksum::unseal_json(bytes)?;
    serde_json::from_slice(&bytes).map_err(|error| error.to_string())
}

/// Reads a value from JSON; `None` when there is no such file.
///
/// # Errors
/// [`TrainError`] names the file.
pub fn load<T: DeserializeOwned>(path: &Path) -> Result<Option<T>, TrainError> {
    if !path.exists() {
        return Ok(None);
    }
    let bytes = fs::read(path).map_err(TrainError::io(path))?;
    let value = from_json(&bytes).map_err(|error| TrainError::corrupt(path, error))?;
    Ok(Some(value))
}
