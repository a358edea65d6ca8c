//! One step of a fit: forward, backward, optimiser, averages.

use burn::tensor::Device;

use crate::fit::FitReport;
use crate::fit::batch::Batch;
use crate::fit::checkpoint::Checkpoint;
use crate::fit::gradient_workers::GradientWorkers;
use crate::fit::held_out::{HeldOutLosses, planes};
use crate::fit::optimizer::{Step, average};
use crate::fit::schedule::{KL_EVERY, Schedule, adapt, average_decay, learning_rate};
use crate::network::architecture::Outputs;
use crate::network::net::{Forward, Maps, Mode, Weights, numbers};
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
    let rate = learning_rate(
        params.schedule,
        params.learning_rate,
        params.warm_up,
        params.steps,
        state.step,
        state.rate_factor,
    );
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
    let aux = computed.aux.iter();
    FitReport {
        step: state.step,
        policy_loss: computed.losses[0],
        value_loss: computed.losses[1],
        aux_losses: aux.map(|(head, loss)| (head.name(), *loss)).collect(),
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
        let planes = micro_batch.iter().map(|part| planes(part, &device));
        let planes = Maps::of(planes.collect());
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
