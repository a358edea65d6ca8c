//! Fitting a network to recorded positions, step by step, resumable at any checkpoint.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use burn::tensor::{Device, Tensor, TensorData, activation};
use serde::{Deserialize, Serialize};

use super::checkpoint::{Checkpoint, Origin};
use super::dataset::Dataset;
use super::loader::{Batch, Draw, Loader, encode};
use super::losses::Log;
use super::net::{Forward, Mode, Weights, numbers};
use super::optimizer::{Optimizer, Rule, Step, average};
use super::rebuild::Rebuild;
use super::recipe::Recipe;
use super::schedule::{average_decay, learning_rate};
use super::score::{Score, planes, score};
use super::{TrainError, durable};
use crate::clock::Clock;
use crate::game::Symmetry;

/// Weight of the newest batch in the running statistics of batch norms; the usual value.
const STATISTIC_SHARE: f32 = 0.1;

/// Rows in a batch of the held-out score.
const SCORE_BATCH: usize = 256;

/// Settings of a run. A resumed run must have the same.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FitParams {
    /// The network.
    pub recipe: Recipe,
    /// Steps in all.
    pub steps: u64,
    /// Rows in a step.
    pub batch: usize,
    /// The optimiser.
    pub rule: Rule,
    /// Highest learning rate.
    pub learning_rate: f32,
    /// Steps until it is reached.
    pub warm_up: u64,
    /// Weight decay of factors.
    pub weight_decay: f32,
    /// Largest norm of the gradient.
    pub clip_norm: f32,
    /// Weight of the value loss beside the policy loss (S1: 1.5).
    pub value_weight: f32,
    /// Share of the generator's root value in the value target, in [0, 1].
    pub root_value_share: f32,
    /// Decay of the weights' moving average a step.
    pub average_decay: f32,
    /// Seed of the initial weights, the order of rows and their symmetries.
    pub seed: u64,
    /// Steps between scores on held-out rows.
    pub score_every: u64,
    /// Held-out rows in a score, at most.
    pub score_rows: usize,
}

impl FitParams {
    /// What to use where nothing is said, for `steps` steps of a network.
    #[must_use]
    pub fn new(recipe: Recipe, steps: u64) -> FitParams {
        FitParams {
            recipe,
            steps,
            batch: 256,
            rule: Rule::AdamW,
            learning_rate: 2e-3,
            warm_up: 100.min(steps / 10),
            weight_decay: 0.05,
            clip_norm: 5.0,
            value_weight: 1.5,
            root_value_share: 0.25,
            average_decay: 0.999,
            seed: 1,
            score_every: 250,
            score_rows: 4096,
        }
    }
}

/// Where and with what a run computes.
pub struct Workplace<'a> {
    /// Folder of checkpoints and `losses.jsonl`.
    pub folder: &'a Path,
    /// The device, recording gradients.
    pub device: Device,
    /// Time.
    pub clock: &'a dyn Clock,
    /// Time between checkpoints.
    pub checkpoint_every: Duration,
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
    /// Norm of the gradient before clipping.
    pub gradient_norm: f32,
    /// Learning rate.
    pub learning_rate: f32,
    /// Score of the averaged weights on held-out rows, when it was taken.
    pub held_out: Option<Score>,
    /// The same score of the initial weights.
    pub untrained: Score,
}

/// Fits until `params.steps` are made or `observe`, called after each step, breaks off (then
/// without a last checkpoint, as a crash would). Goes on from the newest checkpoint of the folder.
///
/// # Errors
/// [`TrainError`] when the folder belongs to other settings or data cannot be read or written.
pub fn fit<G: Rebuild>(
    empty: &G,
    dataset: Dataset,
    params: &FitParams,
    place: &Workplace<'_>,
    mut observe: impl FnMut(&Report) -> ControlFlow<()>,
) -> Result<Checkpoint, TrainError> {
    durable::prepare_folder(place.folder)?;
    let exam = held_out_batches(empty, &dataset, params.score_rows)?;
    let mut state = begin(empty, &dataset, params, place.folder)?;
    let (initial, _) = params
        .recipe
        .declare(state.origin.planes, dataset.size, params.seed);
    let untrained = score(params.recipe, &initial, dataset.size, &exam, &place.device);
    let log = Log::open(place.folder, state.step)?;
    let draw = Draw {
        batch: params.batch,
        seed: params.seed,
        root_value_share: params.root_value_share,
    };
    let size = dataset.size;
    let loader = Loader::start(empty, Arc::new(dataset.fit), draw, state.step)?;
    let mut saved = place.clock.now();
    while state.step < params.steps {
        let batch = loader.next_batch()?;
        let mut report = step(&mut state, &batch, &place.device, untrained);
        if state.step % params.score_every == 0 || state.step == params.steps {
            let score = score(params.recipe, &state.average, size, &exam, &place.device);
            report.held_out = Some(score);
            log.append(&report)?;
        }
        let flow = observe(&report);
        if state.step < params.steps && flow.is_break() {
            return Ok(state);
        }
        let now = place.clock.now();
        if now.saturating_sub(saved) >= place.checkpoint_every || state.step == params.steps {
            state.save(place.folder)?;
            saved = now;
        }
    }
    Ok(state)
}

/// The newest checkpoint, or a new network.
fn begin<G: Rebuild>(
    empty: &G,
    dataset: &Dataset,
    params: &FitParams,
    folder: &Path,
) -> Result<Checkpoint, TrainError> {
    let encoding = G::encodings()
        .last()
        .ok_or_else(|| TrainError::Setting(format!("{} has no encoding", G::NAME)))?;
    let origin = Origin {
        game: dataset.game.clone(),
        width: dataset.size.width,
        height: dataset.size.height,
        encoding: encoding.id().to_owned(),
        planes: encoding.planes(),
        policy_len: empty.policy_len(),
        games: dataset.games,
    };
    let (weights, _) = params
        .recipe
        .declare(origin.planes, dataset.size, params.seed);
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
    Ok(Checkpoint {
        origin,
        params: params.clone(),
        step: 0,
        average: weights.clone(),
        optimizer: Optimizer::new(params.rule, &weights),
        weights,
    })
}

/// Held-out rows, evenly spread over the games, as batches with the bare result as value target.
fn held_out_batches<G: Rebuild>(
    empty: &G,
    dataset: &Dataset,
    most: usize,
) -> Result<Vec<Batch>, TrainError> {
    let stride = dataset.held_out.len().div_ceil(most.max(1)).max(1);
    let rows: Vec<_> = dataset.held_out.iter().step_by(stride).collect();
    rows.chunks(SCORE_BATCH)
        .map(|rows| {
            encode(
                empty,
                rows.iter().map(|&row| (row, Symmetry::IDENTITY)),
                0.0,
            )
        })
        .collect::<Result<_, _>>()
        .map_err(TrainError::Setting)
}

/// One step: forward, backward, optimiser, averages.
fn step(state: &mut Checkpoint, batch: &Batch, device: &Device, untrained: Score) -> Report {
    let size = state.origin.size();
    let params = &state.params;
    let mut forward = Forward::new(&state.weights, device, Mode::Fit);
    let heads = params
        .recipe
        .describe(&mut forward, &planes(batch, size, device));
    let policy_loss = cross_entropy(heads.policy, &batch.policy, Some(&batch.mask));
    let value_loss = cross_entropy(heads.value, &batch.value, None);
    let loss = policy_loss.clone() + value_loss.clone() * params.value_weight;
    let gradients = forward.gradients(&loss.backward());
    let statistics = forward.into_statistics();
    let rate = learning_rate(
        params.learning_rate,
        params.warm_up,
        params.steps,
        state.step,
    );
    let step = Step {
        rate,
        weight_decay: params.weight_decay,
        clip_norm: params.clip_norm,
    };
    let gradient_norm = state.optimizer.step(&mut state.weights, &gradients, step);
    follow(&mut state.weights, &statistics);
    let decay = average_decay(params.average_decay, state.step);
    average(&mut state.average, &state.weights, decay);
    state.step += 1;
    let scalar = |loss: Tensor<1>| numbers(loss).first().copied().unwrap_or(f32::NAN);
    Report {
        step: state.step,
        policy_loss: scalar(policy_loss),
        value_loss: scalar(value_loss),
        gradient_norm,
        learning_rate: rate,
        held_out: None,
        untrained,
    }
}

/// Moves running statistics towards those of a batch.
fn follow(weights: &mut Weights, statistics: &[(usize, Vec<f32>)]) {
    for (place, seen) in statistics {
        let running = &mut weights.tensors_mut()[*place].values;
        for (running, seen) in running.iter_mut().zip(seen) {
            *running += STATISTIC_SHARE * (seen - *running);
        }
    }
}

/// Mean cross-entropy of `[batch, len]` logits against target probabilities.
fn cross_entropy(logits: Tensor<2>, target: &[f32], mask: Option<&[f32]>) -> Tensor<1> {
    let (dims, device) = (logits.dims(), logits.device());
    let constant =
        |numbers: &[f32]| Tensor::<2>::from_data(TensorData::new(numbers.to_vec(), dims), &device);
    let logits = match mask {
        Some(mask) => logits + constant(mask),
        None => logits,
    };
    let log_probability = activation::log_softmax(logits, 1);
    -(log_probability * constant(target)).sum() / dims[0] as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::FakeClock;
    use crate::game::nogo::SmallNoGo;
    use crate::game::{BoardSize, Game};
    use crate::train::dataset::Selection;
    use crate::train::generate::tests::{plan, run};
    use crate::train::scratch::Scratch;

    fn data(folder: &Path) -> (SmallNoGo, Dataset) {
        run(&plan(12), folder).unwrap();
        let folders = vec![folder.to_path_buf()];
        let selection = Selection {
            folders,
            window: 10_000,
            held_out: 0.3,
        };
        let empty = SmallNoGo::new(BoardSize::square(4)).unwrap();
        (empty, Dataset::load(&selection).unwrap())
    }

    fn params() -> FitParams {
        FitParams {
            batch: 16,
            score_every: 5,
            ..FitParams::new("az-1b8c".parse().unwrap(), 40)
        }
    }

    /// Fits in `folder` and breaks off after `steps` steps.
    fn session(data: &(SmallNoGo, Dataset), folder: &Path, steps: u64) -> Checkpoint {
        let (empty, dataset) = data;
        let place = Workplace {
            folder,
            device: Device::flex().autodiff(),
            clock: &FakeClock::new(),
            checkpoint_every: Duration::ZERO,
        };
        fit(empty, dataset.clone(), &params(), &place, |report| {
            if report.step == steps {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        })
        .unwrap()
    }

    #[test]
    fn fitting_helps_and_a_killed_run_goes_on_to_the_bit() {
        let (whole, killed) = (Scratch::new("fit-whole"), Scratch::new("fit-killed"));
        let scratch = Scratch::new("fit-data");
        let data = data(scratch.path());
        let at_once = session(&data, whole.path(), 40);
        assert_eq!(session(&data, killed.path(), 23).step, 23);
        // The newest checkpoint is damaged too: the one before it serves.
        let checkpoints = durable::list(killed.path(), "step-", "checkpoint").unwrap();
        assert_eq!(checkpoints.len(), 2);
        std::fs::write(&checkpoints[1], b"damaged").unwrap();
        let resumed = session(&data, killed.path(), 41);
        assert!(resumed == at_once, "a resumed run differs");
        let log = |folder: &Path| std::fs::read_to_string(folder.join("losses.jsonl")).unwrap();
        assert_eq!(log(whole.path()), log(killed.path()));
        let lines: Vec<serde_json::Value> = log(whole.path())
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(lines.len(), 8);
        let last = &lines[7];
        let loss = |score: &str| last[score]["policy_loss"].as_f64().unwrap();
        assert!(loss("held_out") < loss("untrained"), "{last}");
    }
}
