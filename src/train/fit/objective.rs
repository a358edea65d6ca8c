//! The loss function: its parts (Gao & Wu 2021, 4.3, with the corrections of
//! docs/methods.md#networks) and their weights.

use burn::tensor::{Tensor, TensorData, activation};

use crate::fit::batch::{AuxTarget, Batch};
use crate::fit::params::LossWeights;
use crate::network::net::{AuxHead, Heads, LEAD_SCALE};
use crate::shards::ending::MAX_MARGIN;

/// Score errors beyond this many points count linearly (Huber): a squared error of 5 points would
/// dominate the policy.
const MARGIN_HUBER_DELTA: f32 = 2.0;

/// Errors of the lead count in units of this many points, and linearly beyond one.
const LEAD_UNIT: f32 = 10.0;

/// A loss and its parts, each the mean over the rows of a batch and unweighted.
pub(crate) struct Loss {
    /// The weighted sum.
    pub(crate) total: Tensor<1>,
    /// Cross-entropy of the policy; that of the value, or its squared error; the losses of the auxiliary heads.
    pub(crate) parts: Vec<Tensor<1>>,
}

/// The loss of a network's outputs on a batch, which has a target for each auxiliary head, in their order.
pub(crate) fn loss(heads: Heads<Tensor<2>>, batch: &Batch, weights: &LossWeights) -> Loss {
    let policy = cross_entropy(heads.policy, &batch.policy, Some(&batch.mask));
    let value = match weights.squared_value {
        true => squared_error(heads.value, &batch.value),
        false => cross_entropy(heads.value, &batch.value, None),
    };
    let mut total = policy.clone() + value.clone() * weights.value;
    let mut parts = vec![policy, value];
    for ((head, logits), target) in heads.aux.into_iter().zip(&batch.aux_targets) {
        let loss = aux_loss(head, logits, target);
        total = total + loss.clone() * weights.of(head);
        parts.push(loss);
    }
    Loss { total, parts }
}

/// The loss of an auxiliary head, the mean over the rows of a batch.
pub(crate) fn aux_loss(head: AuxHead, logits: Tensor<2>, target: &AuxTarget) -> Tensor<1> {
    match head {
        AuxHead::Ownership | AuxHead::PointStatus => binary(logits, target),
        AuxHead::Margin => margin(logits, target),
        AuxHead::Lead => lead(logits, target),
        AuxHead::Reply => cross_entropy(logits, &target.values, None),
    }
}

/// The mean over parts of a batch with these numbers of rows; `None` if there are none.
pub(crate) fn mean_loss(parts: Vec<(usize, Loss)>) -> Option<Loss> {
    let rows: usize = parts.iter().map(|(rows, _)| rows).sum();
    let scaled = |(len, loss): (usize, Loss)| {
        let share = len as f32 / rows as f32;
        Loss {
            total: loss.total * share,
            parts: loss.parts.into_iter().map(|part| part * share).collect(),
        }
    };
    let sum = |sum: Loss, more: Loss| Loss {
        total: sum.total + more.total,
        parts: (sum.parts.into_iter().zip(more.parts))
            .map(|(sum, part)| sum + part)
            .collect(),
    };
    parts.into_iter().map(scaled).reduce(sum)
}

/// Host numbers as a constant on the device of `like`.
fn constant(numbers: &[f32], like: &Tensor<2>) -> Tensor<2> {
    Tensor::from_data(
        TensorData::new(numbers.to_vec(), like.dims()),
        &like.device(),
    )
}

/// Mean cross-entropy of `[batch, len]` logits against target probabilities.
fn cross_entropy(logits: Tensor<2>, target: &[f32], mask: Option<&[f32]>) -> Tensor<1> {
    let rows = logits.dims()[0] as f32;
    let target = constant(target, &logits);
    let logits = match mask {
        Some(mask) => logits.clone() + constant(mask, &logits),
        None => logits,
    };
    -(activation::log_softmax(logits, 1) * target).sum() / rows
}

/// Mean squared error of the expected result.
fn squared_error(logits: Tensor<2>, target: &[f32]) -> Tensor<1> {
    let [rows, outcomes] = logits.dims();
    let error = activation::softmax(logits.clone(), 1) - constant(target, &logits);
    let worth: Vec<f32> = (0..rows).flat_map(|_| outcome_worth(outcomes)).collect();
    let error = (error * constant(&worth, &logits)).sum_dim(1);
    (error.clone() * error).sum() / rows as f32
}

/// What each result is worth: a win 1, a draw one half, a loss nothing.
pub(crate) fn outcome_worth(outcomes: usize) -> impl Iterator<Item = f32> {
    let steps = (outcomes.max(2) - 1) as f32;
    (0..outcomes).map(move |place| 1.0 - place as f32 / steps)
}

/// Mean over rows and numbers of the weighted binary cross-entropy: with x the logit and t the
/// target, max(x, 0) - x t + ln(1 + e^-|x|), which never overflows.
fn binary(logits: Tensor<2>, aux: &AuxTarget) -> Tensor<1> {
    let [rows, len] = logits.dims();
    let target = constant(&aux.values, &logits);
    let weight = constant(&aux.weights, &logits);
    let tail = (-logits.clone().abs()).exp().log1p();
    let loss = activation::relu(logits.clone()) - logits * target + tail;
    (loss * weight).sum() / (rows * len) as f32
}

/// Mean squared error of the margin in points, linear beyond [`MARGIN_HUBER_DELTA`].
fn margin(raw: Tensor<2>, aux: &AuxTarget) -> Tensor<1> {
    let target = constant(&aux.values, &raw);
    bent(
        raw.tanh() * f32::from(MAX_MARGIN) - target,
        aux,
        MARGIN_HUBER_DELTA,
    )
}

/// Mean error of the lead in units of [`LEAD_UNIT`], linear beyond one.
fn lead(raw: Tensor<2>, aux: &AuxTarget) -> Tensor<1> {
    let target = constant(&aux.values, &raw);
    bent((raw * LEAD_SCALE - target) / LEAD_UNIT, aux, 1.0)
}

/// Mean squared error, linear beyond `delta`.
fn bent(error: Tensor<2>, aux: &AuxTarget, delta: f32) -> Tensor<1> {
    let rows = error.dims()[0] as f32;
    let weight = constant(&aux.weights, &error);
    let error = error.abs();
    let bent = error.clone().clamp_max(delta);
    let loss = bent.clone() * bent.clone() + (error - bent) * (2.0 * delta);
    (loss * weight).sum() / rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::network::net::numbers;
    use burn::tensor::Device;
    use tengen::game::BoardSize;

    fn tensor(numbers: &[f32], rows: usize) -> Tensor<2> {
        let shape = [rows, numbers.len() / rows];
        Tensor::from_data(TensorData::new(numbers.to_vec(), shape), &Device::flex())
    }

    /// The loss of an auxiliary head on plain numbers, for one row.
    fn row_loss(head: AuxHead, out: &[f32], target: &[f32], weight: &[f32]) -> f64 {
        let out: Vec<f64> = out.iter().copied().map(f64::from).collect();
        let terms = out
            .iter()
            .zip(target.iter().zip(weight))
            .map(|(&x, (&t, &w))| (x, f64::from(t), f64::from(w)));
        match head {
            AuxHead::Ownership | AuxHead::PointStatus => {
                let loss = |(x, t, w): (f64, f64, f64)| {
                    w * (x.max(0.0) - x * t + (-x.abs()).exp().ln_1p())
                };
                terms.map(loss).sum::<f64>() / out.len() as f64
            }
            AuxHead::Margin => {
                let error = |x: f64, t| x.tanh() * f64::from(MAX_MARGIN) - t;
                let delta = f64::from(MARGIN_HUBER_DELTA);
                terms
                    .map(|(x, t, w)| w * row_bent(error(x, t), delta))
                    .sum()
            }
            AuxHead::Lead => {
                let error = |x: f64, t| (x * f64::from(LEAD_SCALE) - t) / f64::from(LEAD_UNIT);
                terms.map(|(x, t, w)| w * row_bent(error(x, t), 1.0)).sum()
            }
            AuxHead::Reply => {
                let max = out.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let total = out.iter().map(|x| (x - max).exp()).sum::<f64>().ln() + max;
                terms.map(|(x, t, _)| t * (total - x)).sum()
            }
        }
    }

    /// [`bent`] of one error.
    fn row_bent(error: f64, delta: f64) -> f64 {
        let error = error.abs();
        let bent = error.min(delta);
        bent * bent + (error - bent) * 2.0 * delta
    }

    /// Burn's loss of one auxiliary head and the plain one, both as the mean over two rows.
    #[track_caller]
    fn agree(head: AuxHead, out: &[f32], target: &[f32], weight: &[f32]) -> f64 {
        let aux = AuxTarget {
            head,
            values: target.to_vec(),
            weights: weight.to_vec(),
        };
        let batch = Batch {
            size: BoardSize::new(2, 1),
            len: 2,
            planes: vec![],
            mask: vec![0.0; 4],
            policy: vec![1.0, 0.0, 0.0, 1.0],
            value: vec![1.0, 0.0, 0.5, 0.5],
            aux_targets: vec![aux],
        };
        let heads = Heads {
            policy: tensor(&[0.0; 4], 2),
            value: tensor(&[0.0; 4], 2),
            aux: vec![(head, tensor(out, 2))],
        };
        let weights = LossWeights::default();
        let loss = loss(heads, &batch, &weights);
        let number = |tensor: Tensor<1>| f64::from(numbers(tensor)[0]);
        let len = out.len() / 2;
        let plain = |row: usize| {
            let at = row * len..(row + 1) * len;
            row_loss(head, &out[at.clone()], &target[at.clone()], &weight[at])
        };
        let (burn, plain) = (number(loss.parts[2].clone()), (plain(0) + plain(1)) / 2.0);
        assert!((burn - plain).abs() < 1e-5, "{burn} {plain}");
        // Policy and value are two even guesses.
        let rest = 2.0_f64.ln() * (1.0 + f64::from(weights.value));
        let total = rest + plain * f64::from(weights.of(head));
        assert!((number(loss.total) - total).abs() < 1e-5);
        plain
    }

    #[test]
    fn a_squared_error_is_that_of_the_expected_result() {
        // A win or a draw, each one half; a loss.
        let logits = tensor(&[0.0, 0.0, -50.0, -50.0, -50.0, 0.0], 2);
        let error = squared_error(logits, &[1.0, 0.0, 0.0, 0.5, 0.0, 0.5]);
        let wanted = (0.25 * 0.25 + 0.5 * 0.5) / 2.0;
        assert!((numbers(error)[0] - wanted).abs() < 1e-5);
        assert_eq!(outcome_worth(2).collect::<Vec<_>>(), [1.0, 0.0]);
    }

    #[test]
    fn both_ways_of_computing_agree() {
        let out = [0.5, -30.0, 2.0, 90.0];
        let fate = agree(
            AuxHead::PointStatus,
            &out,
            &[1.0, 0.0, 0.5, 1.0],
            &[1.0, 1.0, 1.0, 0.0],
        );
        let by_hand = (1.0 + (-0.5_f64).exp()).ln() + (2.0 - 1.0 + (-2.0_f64).exp().ln_1p());
        assert!((fate - by_hand / 4.0).abs() < 1e-6, "{fate}");
        agree(AuxHead::Ownership, &out, &[0.0, 0.5, 1.0, 1.0], &[1.0; 4]);
        // Both leads are 20 points: an error of 5 counts 0.25, one of 30 counts 1 + 2 x 2.
        let lead = agree(AuxHead::Lead, &[1.0, 1.0], &[25.0, -10.0], &[1.0, 1.0]);
        assert!((lead - (0.25 + 5.0) / 2.0).abs() < 1e-5, "{lead}");
        agree(AuxHead::Reply, &out, &[0.25, 0.75, 0.0, 0.0], &[1.0; 4]);
        // Both scores are 5: an error of 1 counts 1, one of 7 counts 4 + 4 x 5.
        let score = agree(AuxHead::Margin, &[20.0, 20.0], &[4.0, -2.0], &[1.0, 1.0]);
        assert!((score - (1.0 + 24.0) / 2.0).abs() < 1e-5, "{score}");
    }
}
