//! Fitting a network to recorded positions, step by step, resumable at any checkpoint.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::TrainError;
use super::architecture::Architecture;
use super::batch::{Batch, BatchSpec, Sample, encode};
use super::checkpoint::{Checkpoint, Origin};
use super::dataset::Dataset;
use super::device::FitDevice;
use super::folder_lock::lock_folder;
use super::gradient_workers::GradientWorkers;
use super::held_out::{HeldOutLosses, held_out_losses};
use super::loader::{Loader, Sampling};
use super::losses::Log;
use super::objective::LossWeights;
use super::optimizer::{Optimizer, OptimizerKind};
use super::schedule::Schedule;
use super::step::step;
use super::trainable::Trainable;
use crate::clock::Clock;
use crate::encode::{Encode, Encoding};
use crate::game::Symmetry;

/// Rows in a batch when held-out losses are taken.
const SCORE_BATCH: usize = 256;

/// Settings of a run. A resumed run must have the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FitParams {
    /// The network.
    #[serde(rename = "recipe")]
    pub architecture: Architecture,
    /// Id of the encoding that fills its input.
    pub encoding: String,
    /// Steps in all.
    pub steps: u64,
    /// Rows in a step.
    pub batch: usize,
    /// The optimiser.
    pub rule: OptimizerKind,
    /// Highest learning rate.
    pub learning_rate: f32,
    /// Steps until it is reached.
    pub warm_up: u64,
    /// How it goes on from there.
    pub schedule: Schedule,
    /// Weight decay of factors.
    pub weight_decay: f32,
    /// Largest norm of the gradient.
    pub clip_norm: f32,
    /// Weights of the parts of the loss.
    pub loss: LossWeights,
    /// Share of the generator's root value in the value target, in [0, 1].
    pub root_value_share: f32,
    /// Share of the draws that goes to rows in proportion to their surprise, in [0, 1].
    pub surprise_share: f32,
    /// Decay of the weights' moving average a step.
    pub average_decay: f32,
    /// Seed of the initial weights, the order of rows and their symmetries.
    pub seed: u64,
    /// Steps between scores on held-out rows.
    pub score_every: u64,
    /// Held-out rows whose losses are taken, at most.
    pub score_rows: usize,
}

impl FitParams {
    /// What to use for `steps` steps of a network of a game, where nothing else is said.
    #[must_use]
    pub fn of<G: Encode>(architecture: Architecture, steps: u64) -> FitParams {
        let encoding = usual_encoding::<G>(architecture).map(|encoding| encoding.id().to_owned());
        let params = FitParams::new(architecture, steps);
        FitParams {
            encoding: encoding.unwrap_or(params.encoding),
            ..params
        }
    }

    /// What to use where nothing is said, for `steps` steps of a network.
    #[must_use]
    pub fn new(architecture: Architecture, steps: u64) -> FitParams {
        FitParams {
            architecture,
            encoding: architecture.encoding().to_owned(),
            steps,
            batch: 256,
            rule: OptimizerKind::AdamW,
            learning_rate: 2e-3,
            warm_up: 100.min(steps / 10),
            schedule: Schedule::Cosine,
            weight_decay: 0.05,
            clip_norm: 5.0,
            loss: architecture.loss_weights(),
            root_value_share: 0.25,
            surprise_share: 0.5,
            average_decay: 0.999,
            seed: 1,
            score_every: 250,
            score_rows: 4096,
        }
    }
}

/// Where and with what a run computes.
pub struct FitContext<'a> {
    /// Folder of checkpoints and `losses.jsonl`.
    pub folder: &'a Path,
    /// The device.
    pub device: FitDevice,
    /// Time.
    pub clock: &'a dyn Clock,
    /// Time between checkpoints.
    pub checkpoint_every: Duration,
    /// Where a new run starts instead of at random weights: weights and averages of a run of the
    /// same network.
    pub start_from: Option<&'a Checkpoint>,
}

/// What a step did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// Steps made.
    pub step: u64,
    /// Policy loss of the batch in nats.
    pub policy_loss: f32,
    /// Value loss of the batch in nats.
    pub value_loss: f32,
    /// Losses of the auxiliary heads on the batch, by name.
    #[serde(rename = "extra_losses")]
    pub aux_losses: BTreeMap<&'static str, f32>,
    /// Norm of the gradient before clipping.
    pub gradient_norm: f32,
    /// Learning rate.
    pub learning_rate: f32,
    /// Losses of the averaged weights on held-out rows, when they were taken.
    pub held_out: Option<HeldOutLosses>,
    /// The same losses of random weights, those of the run's seed.
    pub untrained: HeldOutLosses,
}

/// Fits until `params.steps` are made or `observe`, called after each step, breaks off (then
/// without a last checkpoint, as a crash would). Goes on from the newest checkpoint of the folder.
///
/// # Errors
/// [`TrainError`] when the folder belongs to other settings or data cannot be read or written.
pub fn fit<G: Trainable>(
    empty: &G,
    dataset: Dataset,
    params: &FitParams,
    context: &FitContext<'_>,
    mut observe: impl FnMut(&Report) -> ControlFlow<()>,
) -> Result<Checkpoint, TrainError> {
    let device = context.device.open()?;
    let _lock = lock_folder(context.folder)?;
    let spec = BatchSpec {
        encoding: find_encoding::<G>(&params.encoding)?,
        aux_heads: params.architecture.aux_heads(),
        root_value_share: params.root_value_share,
    };
    let validation = held_out_batches(empty, &dataset, params.score_rows, spec)?;
    let mut state = begin(empty, &dataset, params, spec.encoding, context)?;
    let (initial, _) =
        params
            .architecture
            .declare(state.origin.planes, state.origin.game_shape(), params.seed);
    let untrained = held_out_losses(
        params.architecture,
        &initial,
        state.origin.game_shape(),
        &validation,
        &device,
    );
    let log = Log::open(context.folder, state.step)?;
    let sampling = Sampling {
        batch: params.batch,
        seed: params.seed,
        surprise_share: params.surprise_share,
    };
    let loader = Loader::start(empty, Arc::new(dataset.fit), spec, sampling, state.step)?;
    let workers = GradientWorkers::new(params.batch, context.device.micro_batch())?;
    let mut saved = context.clock.now();
    while state.step < params.steps {
        let batch = loader.next_batch()?;
        let mut report = step(&mut state, &batch, &workers, &device, untrained);
        if !report.gradient_norm.is_finite() {
            return Err(TrainError::Setting(format!(
                "the fit has diverged in step {}: a gradient is not a finite number; begin again \
                 with a lower learning rate in another folder",
                state.step
            )));
        }
        if state.step % params.score_every == 0 || state.step == params.steps {
            let shape = state.origin.game_shape();
            let held_out_losses = held_out_losses(
                params.architecture,
                &state.average,
                shape,
                &validation,
                &device,
            );
            report.held_out = Some(held_out_losses);
            log.append(&report)?;
        }
        let flow = observe(&report);
        if state.step < params.steps && flow.is_break() {
            return Ok(state);
        }
        let now = context.clock.now();
        if now.saturating_sub(saved) >= context.checkpoint_every || state.step == params.steps {
            state.save(context.folder)?;
            saved = now;
        }
    }
    Ok(state)
}

/// What a network of `architecture` reads of a game where nothing is said: the encoding of its
/// family, or the game's last one, if it does not have that.
#[must_use]
pub fn usual_encoding<G: Encode>(architecture: Architecture) -> Option<&'static dyn Encoding<G>> {
    let encodings = G::encodings();
    let own = encodings
        .iter()
        .find(|own| own.id() == architecture.encoding());
    own.or(encodings.last()).copied()
}

/// The encoding with this id.
///
/// # Errors
/// [`TrainError::Setting`] names the encodings that there are.
pub fn find_encoding<G: Trainable>(id: &str) -> Result<&'static dyn Encoding<G>, TrainError> {
    let encodings = G::encodings();
    let found = encodings.iter().find(|encoding| encoding.id() == id);
    found.copied().ok_or_else(|| {
        let known: Vec<_> = encodings.iter().map(|encoding| encoding.id()).collect();
        TrainError::Setting(format!(
            "no encoding of {} is called {id:?}: there are {}",
            G::NAME,
            known.join(", ")
        ))
    })
}

/// The newest checkpoint, or a new network.
fn begin<G: Trainable>(
    empty: &G,
    dataset: &Dataset,
    params: &FitParams,
    encoding: &dyn Encoding<G>,
    context: &FitContext<'_>,
) -> Result<Checkpoint, TrainError> {
    let folder = context.folder;
    let origin = Origin {
        game: dataset.game.clone(),
        width: dataset.size.width,
        height: dataset.size.height,
        encoding: encoding.id().to_owned(),
        planes: encoding.planes(),
        policy_len: empty.policy_len(),
        outcomes: G::INFO.outcomes(),
        games: dataset.games,
    };
    let (weights, _) = params
        .architecture
        .declare(origin.planes, origin.game_shape(), params.seed);
    if let Some(checkpoint) = Checkpoint::newest(folder)? {
        let same = checkpoint.params == *params
            && Origin {
                games: origin.games,
                ..checkpoint.origin.clone()
            } == origin
            && checkpoint.weights.same_shape(&weights);
        if !same {
            let reason = format!(
                "it holds a run with other settings ({:?}); choose another folder",
                checkpoint.params
            );
            return Err(TrainError::mismatch(folder, reason));
        }
        return Ok(Checkpoint {
            origin,
            ..checkpoint
        });
    }
    let (weights, average) = match context.start_from {
        None => (weights.clone(), weights),
        Some(start) if start.origin.same_input(&origin) && start.weights.same_shape(&weights) => {
            (start.weights.clone(), start.average.clone())
        }
        Some(start) => {
            return Err(TrainError::Setting(format!(
                "cannot start {} from the weights of {}: it is another network, board or encoding",
                params.architecture, start.params.architecture
            )));
        }
    };
    Ok(Checkpoint {
        origin,
        params: params.clone(),
        step: 0,
        rate_factor: 1.0,
        optimizer: Optimizer::new(params.rule, &weights),
        average,
        weights,
    })
}

/// Held-out rows that have a policy, evenly spread over the games, as batches with the bare result
/// as value target.
fn held_out_batches<G: Trainable>(
    empty: &G,
    dataset: &Dataset,
    most: usize,
    spec: BatchSpec<G>,
) -> Result<Vec<Batch>, TrainError> {
    let rows = &dataset.held_out;
    let full: Vec<usize> = (0..rows.len())
        .filter(|&index| rows[index].policy_weight > 0.0)
        .collect();
    let stride = full.len().div_ceil(most.max(1)).max(1);
    let chosen: Vec<usize> = full.into_iter().step_by(stride).collect();
    let spec = BatchSpec {
        root_value_share: 0.0,
        ..spec
    };
    let batch = |indices: &[usize]| {
        let samples = indices
            .iter()
            .map(|&index| Sample::new(rows, index, Symmetry::IDENTITY));
        encode(empty, samples, spec)
    };
    chosen
        .chunks(SCORE_BATCH)
        .map(batch)
        .collect::<Result<_, _>>()
        .map_err(TrainError::Setting)
}

#[cfg(test)]
mod tests;
