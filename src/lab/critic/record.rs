//! Persistent state of a run: games and matches so far as JSON, the network as a critic's file.
//!
//! The network's file contains its number of games, so a process may be killed between writing the
//! two files. Entries beyond the network's are dropped and played again, with the same random
//! numbers.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::lesson::{Measured, Played};
use crate::critic::Critic;
use tengen_train::TrainError;
use tengen_train::durable;

/// The games of a run in order, and measurements of strength in between.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The games.
    pub games: Vec<Played>,
    /// The matches.
    pub measured: Vec<Measured>,
}

/// The files of a run.
#[derive(Debug, Clone)]
pub struct RunFiles {
    /// The critic's file.
    pub critic: PathBuf,
    /// The run's record as JSON.
    pub record: PathBuf,
}

impl RunFiles {
    /// The files of the run of this name.
    pub fn new(folder: &Path, name: &str) -> RunFiles {
        RunFiles {
            critic: folder.join(format!("{name}.critic")),
            record: folder.join(format!("{name}.json")),
        }
    }

    /// Writes both durably.
    ///
    /// # Errors
    /// [`TrainError::Io`] names the file.
    pub fn save(&self, record: &Record, critic: &Critic) -> Result<(), TrainError> {
        let path = &self.record;
        let json = serde_json::to_vec(record).map_err(|error| TrainError::corrupt(path, error))?;
        durable::write(path, &json)?;
        durable::write(&self.critic, &critic.bytes())
    }

    /// Reads both; `None` if the run has not begun. `before` is the network's number of games when
    /// the run began.
    ///
    /// # Errors
    /// [`TrainError`] names a file that is damaged.
    pub fn load(&self, before: u32) -> Result<Option<(Record, Critic)>, TrainError> {
        let (record_path, path) = (&self.record, &self.critic);
        if !path.exists() {
            return Ok(None);
        }
        let bytes = fs::read(path).map_err(TrainError::io(path))?;
        let critic = Critic::parse(&bytes).map_err(|error| TrainError::corrupt(path, error))?;
        let json = fs::read(record_path).map_err(TrainError::io(record_path))?;
        let record = serde_json::from_slice::<Record>(&json);
        let mut record = record.map_err(|error| TrainError::corrupt(record_path, error))?;
        let played = critic.info.games.checked_sub(before);
        let played = played.filter(|&played| played as usize <= record.games.len());
        let played = played.ok_or_else(|| {
            TrainError::corrupt(record_path, "it has fewer games than its critic")
        })?;
        record.games.truncate(played as usize);
        record.measured.retain(|measured| measured.games <= played);
        Ok(Some((record, critic)))
    }
}
