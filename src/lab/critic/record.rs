//! Persistent state of a run: games and matches so far as JSON, the network as a critic's file; and statistics from the
//! records of all runs, over seeds.
//!
//! The network's file contains its number of games, so a process may be killed between writing the
//! two files. Entries beyond the network's are dropped and played again, with the same random
//! numbers.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::anchor::{Anchor, Measured};
use super::lesson::Played;
use super::plan::{Arm, CriticPlan, run_name};
use crate::critic::Critic;
use crate::seeds::Estimate;
use tengen_train::TrainError;
use tengen_train::durable;

/// The games of a run in order, and measurements of strength in between.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// The games: whether it was a test (1 or 0), the critic's points, its opponent's, plies.
    pub games: Vec<Played>,
    /// The matches.
    pub measured: Vec<Measured>,
}

/// The files of a run.
#[derive(Debug, Clone)]
pub struct RunFiles {
    folder: PathBuf,
    name: String,
}

impl RunFiles {
    /// The files of the run of this name.
    pub fn new(folder: &Path, name: &str) -> RunFiles {
        RunFiles {
            folder: folder.to_path_buf(),
            name: name.to_owned(),
        }
    }

    /// Path of the critic's file.
    pub fn critic(&self) -> PathBuf {
        self.folder.join(format!("{}.critic", self.name))
    }

    /// Path of the run's record as JSON.
    pub fn record(&self) -> PathBuf {
        self.folder.join(format!("{}.json", self.name))
    }

    /// Writes both durably.
    ///
    /// # Errors
    /// [`TrainError::Io`] names the file.
    pub fn save(&self, record: &Record, critic: &Critic) -> Result<(), TrainError> {
        let path = self.record();
        let json = serde_json::to_vec(record).map_err(|error| TrainError::corrupt(&path, error))?;
        durable::write(&path, &json)?;
        durable::write(&self.critic(), &critic.bytes())
    }

    /// Reads both; `None` if the run has not begun. `before` is the network's number of games when
    /// the run began.
    ///
    /// # Errors
    /// [`TrainError`] names a file that is damaged.
    pub fn load(&self, before: u32) -> Result<Option<(Record, Critic)>, TrainError> {
        let (record_path, path) = (self.record(), self.critic());
        if !path.exists() {
            return Ok(None);
        }
        let bytes = fs::read(&path).map_err(TrainError::io(&path))?;
        let critic = Critic::parse(&bytes).map_err(|error| TrainError::corrupt(&path, error))?;
        let json = fs::read(&record_path).map_err(TrainError::io(&record_path))?;
        let record = serde_json::from_slice::<Record>(&json);
        let mut record = record.map_err(|error| TrainError::corrupt(&record_path, error))?;
        let played = critic.info.games.checked_sub(before);
        let played = played.filter(|&played| played as usize <= record.games.len());
        let played = played.ok_or_else(|| {
            TrainError::corrupt(&record_path, "it has fewer games than its critic")
        })?;
        record.games.truncate(played as usize);
        record.measured.retain(|measured| measured.games <= played);
        Ok(Some((record, critic)))
    }
}

/// The runs of an arm.
pub(super) struct ArmResults<'a> {
    pub(super) arm: &'a Arm,
    /// Games of a finished run.
    pub(super) of: u32,
    /// Existing records, in the order of seeds.
    pub(super) records: Vec<Record>,
}

/// Reads the existing records: the base first, if there is one.
pub(super) fn read_results<'a>(
    plan: &'a CriticPlan,
    folder: &Path,
) -> Result<Vec<ArmResults<'a>>, TrainError> {
    let base = plan.base.as_ref();
    let base_games = base.map_or(0, |arm| plan.lessons_of(arm).games);
    let of_base = base.map(|arm| (arm, 0));
    let of_arms = plan.arm.iter().map(|arm| (arm, base_games));
    let results = of_base.into_iter().chain(of_arms).map(|(arm, before)| {
        let runs = plan.seeds.iter().filter_map(|&seed| {
            let files = RunFiles::new(folder, &run_name(arm, seed));
            files.load(before).transpose()
        });
        Ok(ArmResults {
            arm,
            of: plan.lessons_of(arm).games,
            records: runs
                .map(|run| Ok(run?.0))
                .collect::<Result<_, TrainError>>()?,
        })
    });
    results.collect()
}

impl ArmResults<'_> {
    /// The finished runs.
    pub(super) fn finished(&self) -> impl Iterator<Item = &Record> {
        let of = self.of as usize;
        self.records
            .iter()
            .filter(move |record| record.games.len() == of)
    }

    /// A value for each finished run.
    pub(super) fn figures(&self, figure: impl Fn(&Record) -> f64) -> Vec<f64> {
        self.finished().map(figure).collect()
    }

    /// The score against an anchor after the last game, over seeds.
    pub(super) fn strength_at_end(&self, against: Anchor) -> Option<Estimate> {
        let all = self.records.iter().flat_map(|record| &record.measured);
        let last = all.filter(|m| m.against == against && m.games == self.of);
        let scores: Vec<f64> = last.map(|m| m.points / f64::from(m.of)).collect();
        Estimate::over_seeds(&scores)
    }
}

/// Number of games that satisfy a condition.
pub(super) fn count(record: &Record, holds: impl Fn(&Played) -> bool) -> f64 {
    record.games.iter().filter(|played| holds(played)).count() as f64
}
