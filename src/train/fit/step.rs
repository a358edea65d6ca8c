//! One step of a fit: forward, backward, optimiser, averages; its report, and the log of losses: one JSON line per
//! report in `losses.jsonl` of the run's folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use burn::tensor::Device;
use serde::Serialize;
use serde_json::Value;

use crate::fit::batch::{Batch, planes};
use crate::fit::checkpoint::Checkpoint;
use crate::fit::gradient_workers::GradientWorkers;
use crate::fit::held_out::HeldOutLosses;
use crate::fit::optimizer::{Step, average};
use crate::fit::params::{KL_EVERY, Schedule, adapt, average_decay};
use crate::network::architecture::Outputs;
use crate::network::net::{Forward, Mode, Weights, numbers};
use crate::{TrainError, durable};
use tengen_nn::eval::{kl_divergence, log_softmax};

/// Weight of the newest batch in the running statistics of batch norms; the usual value.
const STATISTIC_SHARE: f32 = 0.1;

/// Makes one step with `batch`; `device` records gradients.
pub(crate) fn step(
    state: &mut Checkpoint,
    batch: &[Batch],
    workers: &GradientWorkers,
    device: &Device,
    untrained: HeldOutLosses,
) -> FitReport {
    let params = &state.params;
    let rate = params.rate_at(state.step, state.rate_factor);
    let computed = workers.compute(state, batch, device);
    let step = Step {
        rate,
        weight_decay: params.weight_decay,
        clip_norm: params.clip_norm,
    };
    let gradient_norm = state
        .optimizer
        .step(&mut state.weights, &computed.gradients, step);
    update_running_statistics(&mut state.weights, &computed.statistics);
    let decay = average_decay(params.average_decay, state.steps_so_far());
    average(&mut state.average, &state.weights, decay);
    if let Schedule::Kl { target } = params.schedule
        && state.step >= params.warm_up
        && state.step.is_multiple_of(KL_EVERY)
    {
        let moved = divergence(state, batch, &computed.policy, workers, device);
        state.rate_factor = adapt(state.rate_factor, moved, target);
    }
    state.step += 1;
    let shape = state.origin.game_shape();
    let heads = state.params.architecture.aux_heads(shape);
    let mut losses = computed.losses.into_iter();
    let mut loss = || losses.next().unwrap_or(f32::NAN);
    FitReport {
        step: state.step,
        policy_loss: loss(),
        value_loss: loss(),
        aux_losses: heads.iter().map(|head| (head.name(), loss())).collect(),
        gradient_norm,
        learning_rate: rate,
        held_out: None,
        untrained,
    }
}

/// Moves running statistics towards those of a batch.
fn update_running_statistics(weights: &mut Weights, statistics: &[(usize, Vec<f32>)]) {
    for (place, seen) in statistics {
        let running = &mut weights.tensors_mut()[*place].values;
        for (running, seen) in running.iter_mut().zip(seen) {
            *running += STATISTIC_SHARE * (seen - *running);
        }
    }
}

/// Kullback-Leibler divergence in nats of the policy before a step (`before`, logits) from the
/// policy with the current weights, averaged over the batch; batch norms see the same micro-batches
/// as in the step.
pub(crate) fn divergence(
    state: &Checkpoint,
    batch: &[Batch],
    before: &[f32],
    workers: &GradientWorkers,
    device: &Device,
) -> f32 {
    let (shape, architecture) = (state.origin.game_shape(), state.params.architecture);
    let device = device.clone().inner();
    let (mut before, mut total, mut rows) = (before, 0.0, 0);
    for micro_batch in workers.micro_batches(batch) {
        let mut forward = Forward::new(&state.weights, &device, Mode::Probe);
        let planes = planes(&micro_batch, &device);
        let heads = architecture.describe(&mut forward, &planes, shape, Outputs::Play);
        for (part, after) in micro_batch.iter().zip(heads.policy) {
            let after = numbers(after);
            let (own, rest) = before.split_at(after.len());
            before = rest;
            total += part_divergence(part, own, &after);
            rows += part.len;
        }
    }
    (total / rows.max(1) as f64) as f32
}

/// The sum over the rows of a batch.
fn part_divergence(batch: &Batch, before: &[f32], after: &[f32]) -> f64 {
    let len = batch.mask.len() / batch.len.max(1);
    let rows = before.chunks_exact(len).zip(after.chunks_exact(len));
    rows.zip(batch.mask.chunks_exact(len))
        .map(|((before, after), mask)| {
            let masked = |logits: &[f32]| log_softmax(logits.iter().zip(mask).map(|(l, m)| l + m));
            kl_divergence(masked(before), masked(after))
        })
        .sum()
}

/// The log of a run.
#[derive(Debug)]
pub(crate) struct Log {
    path: PathBuf,
    text: String,
}

impl Log {
    /// Opens the log of a run at `step`; later entries of a killed session are removed, as they
    /// will be repeated.
    pub(crate) fn open(folder: &Path, step: u64) -> Result<Log, TrainError> {
        let mut log = Log {
            path: folder.join("losses.jsonl"),
            text: String::new(),
        };
        let path = &log.path;
        if path.exists() {
            let text = fs::read_to_string(path).map_err(TrainError::io(path))?;
            let kept = text.lines().filter(|line| {
                let line: Option<Value> = serde_json::from_str(line).ok();
                line.is_some_and(|line| line["step"].as_u64().is_some_and(|at| at <= step))
            });
            log.text = kept.flat_map(|line| [line, "\n"]).collect();
            durable::write(path, log.text.as_bytes())?;
        }
        Ok(log)
    }

    /// Adds a line. The file is written as a whole, so that a full disk leaves no part of a line.
    pub(crate) fn append(&mut self, report: &FitReport) -> Result<(), TrainError> {
        let line = serde_json::to_string(report)
            .map_err(|error| TrainError::Setting(format!("cannot log losses: {error}")))?;
        self.text += &line;
        self.text.push('\n');
        durable::write(&self.path, self.text.as_bytes())
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
