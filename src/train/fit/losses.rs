//! The report of a step, and the log of losses: one JSON line per report in `losses.jsonl` of the run's folder.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::fit::held_out::HeldOutLosses;
use crate::{TrainError, durable};
use serde::Serialize;
use std::collections::BTreeMap;

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
    pub(crate) fn append(&self, report: &FitReport) -> Result<(), TrainError> {
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

/// Report of a step.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FitReport {
    /// Optimiser steps made so far.
    pub step: u64,
    /// Policy loss of the batch in nats.
    pub policy_loss: f32,
    /// Value loss of the batch: cross-entropy in nats, or the squared error of the expected result
    /// in [0, 1], with `LossWeights::squared_value`.
    pub value_loss: f32,
    /// Losses of the auxiliary heads on the batch, by name.
    #[serde(rename = "extra_losses")]
    pub aux_losses: BTreeMap<&'static str, f32>,
    /// Norm of the gradient before clipping.
    pub gradient_norm: f32,
    /// Learning rate of this step.
    pub learning_rate: f32,
    /// Losses of the averaged weights on held-out rows, if validated.
    pub held_out: Option<HeldOutLosses>,
    /// The same losses of random initial weights, also if the run starts from another network.
    pub untrained: HeldOutLosses,
}
