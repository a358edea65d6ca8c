//! What has been imported into a folder.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::TrainError;
use crate::durable;
use crate::shards::shard::ShardInfo;

/// Its file in the folder of the shards.
const FILE: &str = "imported.json";

/// Games and what became of them.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Games in the shards.
    pub games: u64,
    /// Positions in these games.
    pub positions: u64,
    /// Games that ended by resignation.
    pub resigned: u64,
    /// Games that were counted.
    pub counted: u64,
    /// Games that ended on the board, draws among them.
    pub played: u64,
    /// Games that were left out, by reason.
    pub left_out: BTreeMap<String, u64>,
}

impl Counts {
    pub(super) fn add(&mut self, more: &Counts) {
        self.games += more.games;
        self.positions += more.positions;
        self.resigned += more.resigned;
        self.counted += more.counted;
        self.played += more.played;
        for (reason, games) in &more.left_out {
            self.leave_out(reason, *games);
        }
    }

    /// Counts games that are left out.
    pub(super) fn leave_out(&mut self, reason: &str, games: u64) {
        *self.left_out.entry(reason.to_owned()).or_default() += games;
    }
}

/// A unit that is done.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct UnitRecord {
    /// The files that were read, by their [`name`]s.
    pub(super) files: Vec<String>,
    pub(super) counts: Counts,
    /// What the twins of its games would have in common with them.
    pub(super) keys: Vec<u64>,
}

/// All units that are done; the place of a unit decides the numbers of its games.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Journal {
    source: String,
    /// Whether there may be shards of a unit that is not noted yet.
    pub(super) is_writing: bool,
    pub(super) units: Vec<UnitRecord>,
}

impl Journal {
    /// The journal of a folder, a new one where there is none.
    ///
    /// # Errors
    /// [`TrainError::Setting`] when the folder's shards were made otherwise, [`TrainError::Corrupt`] for a damaged
    /// journal.
    pub(super) fn open(folder: &Path, info: &ShardInfo) -> Result<Journal, TrainError> {
        let path = folder.join(FILE);
        let source = info.to_string();
        if !path.exists() {
            return Ok(Journal {
                source,
                is_writing: false,
                units: Vec::new(),
            });
        }
        let text = fs::read(&path).map_err(TrainError::io(&path))?;
        let journal: Journal = serde_json::from_slice(&text).map_err(|error| {
            // Without it the shards there would be taken for another import's.
            TrainError::corrupt(&path, error)
                .advising("delete its folder and run the command again")
        })?;
        if journal.source != source {
            let reason = format!(
                "its games were imported by {:?} and not by {source:?}; choose another folder",
                journal.source
            );
            return Err(TrainError::mismatch(&path, reason));
        }
        Ok(journal)
    }

    /// The files that are done, by their [`name`]s.
    pub(super) fn files(&self) -> HashSet<&str> {
        let files = self.units.iter().flat_map(|unit| &unit.files);
        files.map(String::as_str).collect()
    }

    /// The sum over all units.
    pub(super) fn counts(&self) -> Counts {
        let mut all = Counts::default();
        self.units.iter().for_each(|unit| all.add(&unit.counts));
        all
    }

    /// Writes it so that a crash leaves the old or the new one.
    ///
    /// # Errors
    /// [`TrainError::Io`] when it cannot be written.
    pub(super) fn save(&self, folder: &Path) -> Result<(), TrainError> {
        let path = folder.join(FILE);
        let text = serde_json::to_vec(self).map_err(|error| TrainError::mismatch(&path, error))?;
        durable::write(&path, &text)
    }
}

/// A file's name. What is not Unicode in it is escaped, so that no two files share one.
pub(super) fn name(path: &Path) -> String {
    path.to_str()
        .map_or_else(|| format!("{path:?}"), str::to_owned)
}
