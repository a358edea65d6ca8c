//! The log of losses: one JSON line per report in `losses.jsonl` of the run's folder.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::TrainError;
use crate::durable;
use crate::fit::Report;

/// The open log.
#[derive(Debug)]
pub(crate) struct Log {
    path: PathBuf,
}

impl Log {
    /// Opens the log of a run at `step`; later entries of a killed session are removed, as they
    /// will be repeated.
    pub(crate) fn open(folder: &Path, step: u64) -> Result<Log, TrainError> {
        let path = folder.join("losses.jsonl");
        if path.exists() {
            let text = fs::read_to_string(&path).map_err(TrainError::io(&path))?;
            let kept = text.lines().filter(|line| {
                let line: Option<Value> = serde_json::from_str(line).ok();
                line.is_some_and(|line| line["step"].as_u64().is_some_and(|at| at <= step))
            });
            let kept: String = kept.flat_map(|line| [line, "\n"]).collect();
            durable::write(&path, kept.as_bytes())?;
        }
        Ok(Log { path })
    }

    /// Appends one line.
    pub(crate) fn append(&self, report: &Report) -> Result<(), TrainError> {
        let mut line = serde_json::to_string(report)
            .map_err(|error| TrainError::Setting(format!("cannot log losses: {error}")))?;
        line.push('\n');
        let file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.path);
        file.and_then(|mut file| file.write_all(line.as_bytes()))
            .map_err(TrainError::io(&self.path))
    }
}
