//! Forward and backward pass of a step, with micro-batches computed in parallel.
//!
//! Much of a pass consists of sequential operations. Whole micro-batches avoid them, and their
//! activations stay in the cache. Batch norms see their own micro-batch (ghost batch norm, Hoffer
//! et al. 2017). Micro-batches depend on the batch only and are summed in order, so that the
//! results are independent of the number of threads. A batch with boards of several sizes has a
//! part for each, and so has each micro-batch.

use burn::tensor::{Device, Tensor};
use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::TrainError;
use crate::fit::batch::{Batch, planes};
use crate::fit::checkpoint::Checkpoint;
use crate::fit::objective::{loss, mean_loss};
use crate::network::architecture::Outputs;
use crate::network::net::{Forward, Mode, all_numbers, numbers};

/// Gradients of a batch.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct BatchGradients {
    /// The gradient of each tensor, in the weights' order; empty if there is none.
    pub(crate) gradients: Vec<Vec<f32>>,
    /// Statistics of the batch norms: index in the weights, and values.
    pub(crate) statistics: Vec<(usize, Vec<f32>)>,
    /// Policy logits, `[len, policy_len]` of each size, micro-batch after micro-batch.
    pub(crate) policy: Vec<f32>,
    /// Losses: policy, value, auxiliary heads.
    pub(crate) losses: Vec<f32>,
}

/// The threads of a fit.
pub(crate) struct GradientWorkers {
    /// One pool for each micro-batch computed in parallel: Burn's own threads within a micro-batch
    /// must not take up another one.
    pools: Vec<ThreadPool>,
    /// Maximum rows per micro-batch.
    micro_batch: usize,
}

impl GradientWorkers {
    /// Threads for batches of `batch` rows, in micro-batches of at most `micro_batch` rows.
    ///
    /// # Errors
    /// [`TrainError::Setting`] when threads cannot be started.
    pub(crate) fn new(batch: usize, micro_batch: usize) -> Result<GradientWorkers, TrainError> {
        let threads = rayon::current_num_threads();
        let count = threads.min(batch.div_ceil(micro_batch)).max(1);
        let pool = |index: usize| {
            ThreadPoolBuilder::new()
                .num_threads(threads / count + usize::from(index < threads % count))
                .thread_name(move |thread| format!("fit-{index}-{thread}"))
                .build()
                .map_err(|error| TrainError::Setting(format!("cannot start threads: {error}")))
        };
        Ok(GradientWorkers {
            pools: (0..count).map(pool).collect::<Result<_, _>>()?,
            micro_batch,
        })
    }

    /// A batch in micro-batches; with boards of several sizes, each has about the same share of
    /// each size.
    pub(crate) fn micro_batches<'a>(
        &'a self,
        batch: &'a [Batch],
    ) -> impl Iterator<Item = Vec<Batch>> + 'a {
        let len = rows(batch);
        let count = len.div_ceil(self.micro_batch);
        (0..count).map(move |index| {
            let part = |batch: &Batch| match batch.len == len {
                true => {
                    let start = index * self.micro_batch;
                    batch.rows(start..start.saturating_add(self.micro_batch).min(len))
                }
                false => batch.rows(index * batch.len / count..(index + 1) * batch.len / count),
            };
            batch.iter().map(part).filter(|part| part.len > 0).collect()
        })
    }

    /// Computes losses and gradients of a batch; `device` records gradients.
    pub(crate) fn compute(
        &self,
        state: &Checkpoint,
        batch: &[Batch],
        device: &Device,
    ) -> BatchGradients {
        let len = rows(batch) as f32;
        let micro_batches: Vec<Vec<Batch>> = self.micro_batches(batch).collect();
        let mut computed: Vec<Option<BatchGradients>> = vec![None; micro_batches.len()];
        let each = micro_batches.len().div_ceil(self.pools.len()).max(1);
        std::thread::scope(|scope| {
            let parts = computed.chunks_mut(each).zip(micro_batches.chunks(each));
            for ((computed, micro_batches), pool) in parts.zip(&self.pools) {
                scope.spawn(move || {
                    pool.install(|| {
                        for (computed, micro_batch) in computed.iter_mut().zip(micro_batches) {
                            *computed = Some(compute_micro_batch(state, micro_batch, device));
                        }
                    });
                });
            }
        });
        // Their weighted means. The variance of a batch norm is that within the micro-batches; the means of micro-batches
        // of random rows hardly differ.
        let parts = micro_batches.iter().zip(computed);
        let scaled =
            parts.filter_map(|(part, computed)| Some(computed?.scaled(rows(part) as f32 / len)));
        scaled.reduce(BatchGradients::and).unwrap_or_default()
    }
}

/// Rows of all sizes.
fn rows(batch: &[Batch]) -> usize {
    batch.iter().map(|part| part.len).sum()
}

/// One micro-batch.
fn compute_micro_batch(state: &Checkpoint, batch: &[Batch], device: &Device) -> BatchGradients {
    let (shape, params) = (state.origin.game_shape(), &state.params);
    let mut forward = Forward::new(&state.weights, device, Mode::Fit);
    let planes = planes(batch, device);
    let architecture = params.architecture;
    let heads = architecture.describe(&mut forward, &planes, shape, Outputs::All);
    let policy = heads.policy.clone();
    let parts = heads.by_size().into_iter().zip(batch);
    let parts = parts.map(|(heads, part)| (part.len, loss(heads, part, &params.loss)));
    let Some(loss) = mean_loss(parts.collect()) else {
        return BatchGradients::default();
    };
    let gradients = forward.gradients(&loss.total.backward());
    let scalar = |loss: Tensor<1>| numbers(loss).first().copied().unwrap_or(f32::NAN);
    BatchGradients {
        gradients,
        statistics: forward.into_statistics(),
        policy: all_numbers(policy),
        losses: loss.parts.into_iter().map(scalar).collect(),
    }
}

impl BatchGradients {
    fn scaled(mut self, factor: f32) -> BatchGradients {
        let statistics = self.statistics.iter_mut().map(|(_, values)| values);
        let all = self.gradients.iter_mut().chain(statistics);
        for numbers in all.chain([&mut self.losses]) {
            numbers.iter_mut().for_each(|number| *number *= factor);
        }
        self
    }

    /// With a later micro-batch's.
    fn and(mut self, later: BatchGradients) -> BatchGradients {
        let own = self.statistics.iter_mut().map(|(_, values)| values);
        let own = self.gradients.iter_mut().chain(own);
        let new = later.statistics.iter().map(|(_, values)| values);
        let new = later.gradients.iter().chain(new).chain([&later.losses]);
        for (own, new) in own.chain([&mut self.losses]).zip(new) {
            own.iter_mut().zip(new).for_each(|(own, new)| *own += new);
        }
        self.policy.extend(later.policy);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::batch::{BatchSpec, Sample, encode};
    use crate::fit::checkpoint::Origin;
    use crate::fit::optimizer::Optimizer;
    use crate::fit::step::divergence;
    use crate::fit::{Fit, FitParams};
    use crate::shards::row::finish;
    use crate::shards::row::{Row, Target};
    use tengen::game::{BoardSize, Game, Outcome, Symmetry};
    use tengen::games::nogo::SmallNoGo;

    const ROWS: usize = 8;
    const SIZE: BoardSize = BoardSize::square(4);

    fn state() -> Checkpoint {
        let params =
            FitParams::of::<SmallNoGo>("tengen-2b8c".parse().unwrap(), 10, &Fit::default());
        let (weights, _) = params.architecture.declare(12, SIZE, 1);
        Checkpoint {
            origin: Origin::of(&[SmallNoGo::new(SIZE).unwrap()], "nogo-1", 12, 0),
            optimizer: Optimizer::new(&weights),
            params,
            step: 0,
            steps_before: 0,
            rate_factor: 1.0,
            average: weights.clone(),
            weights,
        }
    }

    /// Repeated positions of one game.
    fn batch(len: usize) -> Batch {
        let empty = SmallNoGo::new(SIZE).unwrap();
        let mut position = empty.clone();
        let (mut rows, mut moves) = (Vec::new(), Vec::new());
        while let Some(mv) = position.legal_moves().last() {
            let target = Target::new(vec![(mv, 1.0)], 0.5);
            rows.push(Row::record(0, &position, &target));
            moves.push(mv);
            position.play(mv);
        }
        finish(&mut rows, &empty, &moves, Outcome::DRAW);
        let samples = (0..len).map(|i| Sample::new(&rows, i % rows.len(), Symmetry::IDENTITY));
        let spec = BatchSpec {
            encoding: &SmallNoGo::V1,
            aux_heads: state().params.architecture.aux_heads(SIZE),
            root_value_share: 0.0,
        };
        encode(&empty, samples, spec).unwrap()
    }

    fn computed(pools: usize, batch: &Batch) -> BatchGradients {
        let one = || ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let workers = GradientWorkers {
            pools: (0..pools).map(|_| one()).collect(),
            micro_batch: ROWS,
        };
        workers.compute(
            &state(),
            std::slice::from_ref(batch),
            &Device::flex().autodiff(),
        )
    }

    #[test]
    fn sums_do_not_depend_on_threads() {
        // Two full micro-batches and a partial one.
        let batch = batch(2 * ROWS + 3);
        let alone = computed(1, &batch);
        assert_eq!(alone.policy.len(), batch.len * SIZE.area());
        assert_eq!(computed(2, &batch), alone);
        assert_eq!(computed(5, &batch), alone);
    }

    #[test]
    fn weights_that_do_not_move_do_not_diverge() {
        // Batch norms see micro-batches, so that the whole batch at once would have another result.
        let batch = [batch(2 * ROWS + 3)];
        let device = Device::flex().autodiff();
        let workers = GradientWorkers::new(batch[0].len, ROWS).unwrap();
        let mut state = state();
        let before = workers.compute(&state, &batch, &device).policy;
        assert!(divergence(&state, &batch, &before, &workers, &device) < 1e-6);
        let factors = state.weights.tensors_mut().iter_mut();
        factors.for_each(|tensor| tensor.values.iter_mut().for_each(|w| *w *= 1.1));
        assert!(divergence(&state, &batch, &before, &workers, &device) > 1e-4);
    }

    /// Rows computed as if they were of two sizes: norms see all of them.
    #[test]
    fn parts_of_a_batch_are_one_batch() {
        let whole = batch(ROWS);
        let parts = [whole.rows(0..3), whole.rows(3..ROWS)];
        let workers = GradientWorkers::new(ROWS, ROWS).unwrap();
        let device = Device::flex().autodiff();
        let compute = |batch: &[Batch]| workers.compute(&state(), batch, &device);
        let (one, two) = (compute(&[whole]), compute(&parts));
        let close = |a: &[f32], b: &[f32]| {
            assert_eq!(a.len(), b.len());
            for (a, b) in a.iter().zip(b) {
                assert!((a - b).abs() < 1e-4 * a.abs().max(1.0), "{a} {b}");
            }
        };
        close(&one.policy, &two.policy);
        close(&one.losses, &two.losses);
        for (one, two) in one.gradients.iter().zip(&two.gradients) {
            close(one, two);
        }
        for (one, two) in one.statistics.iter().zip(&two.statistics) {
            close(&one.1, &two.1);
        }
    }

    #[test]
    fn every_micro_batch_has_all_sizes() {
        let (small, large) = (
            batch(2 * ROWS),
            Batch {
                size: BoardSize::new(8, 2),
                ..batch(ROWS)
            },
        );
        let workers = GradientWorkers::new(3 * ROWS, ROWS).unwrap();
        let parts: Vec<Vec<usize>> = workers
            .micro_batches(&[small, large])
            .map(|parts| parts.iter().map(|part| part.len).collect())
            .collect();
        assert_eq!(parts, [[5, 2], [5, 3], [6, 3]]);
    }

    #[test]
    fn equal_shares_say_what_each_says() {
        let rows = batch(ROWS);
        let mut twice = rows.clone();
        twice.len *= 2;
        let aux_targets = twice.aux_targets.iter_mut();
        let targets = aux_targets.flat_map(|aux| [&mut aux.values, &mut aux.weights]);
        let inputs = [&mut twice.planes, &mut twice.mask, &mut twice.policy];
        for numbers in inputs.into_iter().chain([&mut twice.value]).chain(targets) {
            numbers.extend_from_within(..);
        }
        let (once, twice) = (computed(1, &rows), computed(2, &twice));
        assert_eq!(once.policy, twice.policy[..once.policy.len()]);
        assert_eq!(once.losses, twice.losses);
        assert_eq!(once.statistics, twice.statistics);
        assert_eq!(once.gradients, twice.gradients);
        assert!(once.gradients.iter().flatten().any(|g| g.abs() > 1e-3));
    }
}
