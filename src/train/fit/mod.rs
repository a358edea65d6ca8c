//! Fits a network to recorded positions, resumable at any checkpoint.

pub mod batch;
pub mod checkpoint;
pub(crate) mod gradient_workers;
pub mod held_out;
pub mod loader;
pub mod objective;
pub mod optimizer;
mod orthogonal;
mod params;
pub(crate) mod step;
pub mod teacher;

pub use params::{Fit, FitParams, LossWeights, RowsParams, Schedule};
pub use step::FitReport;

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::durable::lock_folder;
use crate::TrainError;
use crate::fit::batch::{Batch, BatchSpec, Sample, encode};
use crate::fit::checkpoint::{Checkpoint, Origin};
use crate::fit::gradient_workers::GradientWorkers;
use crate::fit::held_out::held_out_losses;
use crate::fit::loader::{Loader, Sampling, Targets};
use crate::fit::optimizer::Optimizer;
use crate::fit::step::{Log, step};
use crate::fit::teacher::{Teacher, TeacherNetwork};
use crate::network::architecture::{Architecture, GameShape};
use crate::network::device;
use crate::network::net::Weights;
use crate::shards::dataset::Dataset;
use crate::trainable::Trainable;
use tengen::clock::Clock;
use tengen::encode::Encoding;
use tengen::game::Symmetry;
use tengen::settings::differences;
use tengen_nn::eval::Device;

/// Rows per batch for validation.
const SCORE_BATCH: usize = 256;

/// Folder, device and clock of a fit.
pub struct FitContext<'a> {
    /// Folder of checkpoints and `losses.jsonl`.
    pub folder: &'a Path,
    /// Where the network is fitted.
    pub device: Device,
    /// Clock for the intervals between checkpoints.
    pub clock: &'a dyn Clock,
    /// Time between checkpoints.
    pub checkpoint_every: Duration,
    /// Start of a new run instead of random weights: a run of the same network, whose averages and
    /// optimiser state are continued, or of a smaller one of its family, which is grown.
    pub start_from: Option<&'a Checkpoint>,
    /// The networks that are learned from, for each board one, if the settings name a teacher.
    pub teachers: &'a [TeacherNetwork],
}

/// Fits until `params.steps` are done or `observe`, called after each step, breaks (then without a
/// last checkpoint, as after a crash). Continues from the newest checkpoint of the folder. `boards`
/// are the empty ones of all sizes in the rows; the first is the network's own.
///
/// # Errors
/// [`TrainError`] when the folder belongs to other settings or data cannot be read or written.
pub fn fit<G: Trainable>(
    boards: &[G],
    dataset: Dataset,
    params: &FitParams,
    context: &FitContext<'_>,
    mut observe: impl FnMut(&FitReport) -> ControlFlow<()>,
) -> Result<Checkpoint, TrainError> {
    let device = device::open(context.device)?;
    let _lock = lock_folder(context.folder)?;
    let shape = fitting_shape(boards, params.architecture)?;
    let spec = BatchSpec {
        encoding: find_encoding::<G>(&params.encoding)?,
        aux_heads: params.architecture.aux_heads(shape),
        root_value_share: params.root_value_share,
    };
    let validation = held_out_batches(boards, &dataset, params.score_rows, spec)?;
    let mut state = begin(boards, &dataset, params, spec.encoding, context)?;
    let architecture = params.architecture;
    let losses =
        |weights: &Weights| held_out_losses(architecture, weights, shape, &validation, &device);
    let (initial, _) = architecture.declare(spec.encoding.planes(), shape, params.seed);
    let untrained = losses(&initial);
    let mut log = Log::open(context.folder, state.step)?;
    let sampling = Sampling {
        batch: params.batch,
        seed: params.seed,
        surprise_share: params.surprise_share,
    };
    let targets = |_| {
        let teacher = params.teacher.as_ref();
        let teacher = teacher.map(|teacher| Teacher::new(context.teachers, boards, teacher.share));
        let teacher = teacher.transpose()?;
        Ok(Targets { spec, teacher })
    };
    let loaders = device::loader_threads(context.device, params.teacher.is_some());
    let targets = (0..loaders).map(targets);
    let targets = targets.collect::<Result<_, TrainError>>()?;
    let mut loader = Loader::start(boards, Arc::new(dataset.fit), targets, sampling, state.step)?;
    let workers = GradientWorkers::new(params.batch, device::micro_batch(context.device))?;
    let mut saved = context.clock.now();
    while state.step < params.steps {
        let batch = loader.next_batch()?;
        let mut report = step(&mut state, &batch, &workers, &device, untrained);
        if !report.gradient_norm.is_finite() {
            return Err(TrainError::Setting(format!(
                "the fit has diverged in step {}: a gradient is not finite; start again with a \
                 lower learning rate in another folder",
                state.step
            )));
        }
        if state.step % params.score_every == 0 || state.step == params.steps {
            // Without rows the losses would be zero.
            report.held_out = (!validation.is_empty()).then(|| losses(&state.average));
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

/// The encoding with this id.
///
/// # Errors
/// [`TrainError::Setting`] names the known encodings.
pub fn find_encoding<G: Trainable>(id: &str) -> Result<&'static Encoding<G>, TrainError> {
    let encodings = G::encodings();
    let found = encodings.iter().find(|encoding| encoding.id() == id);
    found.copied().ok_or_else(|| {
        let known: Vec<_> = encodings.iter().map(|encoding| encoding.id()).collect();
        TrainError::Setting(format!(
            "unknown encoding {id:?} of {} (expected one of: {})",
            G::NAME,
            known.join(", ")
        ))
    })
}

/// The newest checkpoint, or a new network.
fn begin<G: Trainable>(
    boards: &[G],
    dataset: &Dataset,
    params: &FitParams,
    encoding: &Encoding<G>,
    context: &FitContext<'_>,
) -> Result<Checkpoint, TrainError> {
    let folder = context.folder;
    let origin = Origin::of(boards, encoding.id(), encoding.planes(), dataset.games);
    let (weights, _) = params
        .architecture
        .declare(origin.planes, origin.game_shape(), params.seed);
    if let Some(mut checkpoint) = Checkpoint::newest(folder)? {
        checkpoint.params = checkpoint.params.completed(params);
        let same = checkpoint.params == *params
            && Origin {
                games: origin.games,
                ..checkpoint.origin.clone()
            } == origin
            && checkpoint.weights.same_shape(&weights);
        if !same {
            let reason = format!(
                "it belongs to a run with {}; choose another folder",
                difference(&checkpoint, params, &origin)
            );
            return Err(TrainError::mismatch(folder, reason));
        }
        return Ok(Checkpoint {
            origin,
            ..checkpoint
        });
    }
    let (weights, average, rate_factor) = match context.start_from {
        None => (weights.clone(), weights, 1.0),
        Some(start) => {
            let [weights, average] = start_weights(start, &origin, params)?;
            let [before, now] = [&start.params, params].map(|params| params.rows);
            if let (Some(before), Some(now)) = (before, now)
                && before.held_out < now.held_out
            {
                log::warn!(
                    "the weights at the start were fitted with held-out {}: if it was to games of this data, they \
                     have seen some that are held out now",
                    before.held_out
                );
            }
            (weights, average, start.rate_factor)
        }
    };
    let same_network = |start: &&Checkpoint| start.weights.same_shape(&weights);
    let before = context.start_from.filter(same_network);
    let new = || Optimizer::new(&weights);
    Ok(Checkpoint {
        origin,
        params: params.clone(),
        step: 0,
        steps_before: before.map_or(0, Checkpoint::steps_so_far),
        rate_factor,
        optimizer: before.map_or_else(new, |start| start.optimizer.clone()),
        average,
        weights,
    })
}

/// How a checkpoint's run differs from one with these settings, in words.
fn difference(checkpoint: &Checkpoint, params: &FitParams, origin: &Origin) -> String {
    let fields = |params: &FitParams| serde_json::to_value(params).unwrap_or_default();
    match &*differences(&fields(&checkpoint.params), &fields(params)) {
        [] => format!("other boards or inputs than {}", origin.name()),
        some => some.join(", "),
    }
}

/// Weights and averages of another run for a network that may be larger than that run's.
///
/// # Errors
/// [`TrainError::Setting`] when that network cannot start from them.
pub(crate) fn start_weights(
    start: &Checkpoint,
    origin: &Origin,
    params: &FitParams,
) -> Result<[Weights; 2], TrainError> {
    let both = start.origin.same_input(origin).then(|| {
        let [weights, average] = [&start.weights, &start.average].map(|weights| {
            let (small, shape) = (start.params.architecture, origin.game_shape());
            params
                .architecture
                .grown_from(small, weights, origin.planes, shape, params.seed)
        });
        Some([weights?, average?])
    });
    both.flatten().ok_or_else(|| {
        TrainError::Setting(format!(
            "cannot start {} ({}) from the weights of {} ({}): the network must be the same or a larger one of its \
             family, with the same game and encoding",
            params.architecture,
            origin.name(),
            start.params.architecture,
            start.origin.name()
        ))
    })
}

/// Shape of the game for a network for all of these boards.
fn fitting_shape<G: Trainable>(
    boards: &[G],
    architecture: Architecture,
) -> Result<GameShape, TrainError> {
    let first = boards.first();
    let first = first.ok_or_else(|| TrainError::Setting("there is no board to fit".to_owned()))?;
    let shape = GameShape::of(first);
    if boards.len() > 1 && !architecture.is_for_any_board(shape) {
        return Err(TrainError::Setting(format!(
            "{architecture} has layers as large as the board: for several boards take another network, \
             best a tengen+area"
        )));
    }
    Ok(shape)
}

/// Held-out rows with a policy, evenly distributed over the games, as batches with the bare result
/// as value target.
fn held_out_batches<G: Trainable>(
    boards: &[G],
    dataset: &Dataset,
    most: usize,
    spec: BatchSpec<G>,
) -> Result<Vec<Batch>, TrainError> {
    if most == 0 {
        return Ok(Vec::new());
    }
    let rows = &dataset.held_out;
    let full: Vec<usize> = (0..rows.len())
        .filter(|&index| rows[index].policy_weight > 0.0)
        .collect();
    let stride = full.len().div_ceil(most).max(1);
    let chosen: Vec<usize> = full.into_iter().step_by(stride).collect();
    let spec = BatchSpec {
        root_value_share: 0.0,
        ..spec
    };
    let mut batches = Vec::new();
    for empty in boards {
        let of_size = |index: &&usize| rows[**index].size == empty.size();
        let indices: Vec<usize> = chosen.iter().filter(of_size).copied().collect();
        for indices in indices.chunks(SCORE_BATCH) {
            let samples = indices
                .iter()
                .map(|&index| Sample::new(rows, index, Symmetry::IDENTITY));
            batches.push(encode(empty, samples, spec).map_err(TrainError::Setting)?);
        }
    }
    Ok(batches)
}

#[cfg(test)]
mod tests;
