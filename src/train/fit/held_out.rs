//! Validation losses of a network on held-out rows.

use burn::tensor::Device;
use serde::{Deserialize, Serialize};

use crate::fit::batch::{Batch, planes};
use crate::fit::objective::{aux_loss, outcome_worth};
use crate::network::architecture::{Architecture, GameShape, Outputs};
use crate::network::net::{AuxHead, Forward, Mode, Weights, numbers};
use tengen_nn::eval::log_softmax;

/// Losses in nats, and accuracies, averaged over rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct HeldOutLosses {
    /// Number of held-out rows.
    pub rows: u64,
    /// Cross-entropy of the policy over legal moves.
    pub policy_loss: f64,
    /// Entropy of the policy targets: the lower bound of the policy loss.
    pub policy_floor: f64,
    /// Cross-entropy of the value.
    pub value_loss: f64,
    /// Mean squared error of the expected result, in [0, 1] (Cazenave 2020, IV-D); 0 in older files.
    #[serde(default)]
    pub value_error: f64,
    /// Share of rows whose best move is the target's, in [0, 1].
    pub top_1: f64,
    /// Share of rows whose more likely result is the target's, in [0, 1].
    pub value_accuracy: f64,
    /// Losses of the auxiliary heads, 0 for those that the network lacks.
    #[serde(rename = "extras")]
    pub aux: AuxLosses,
}

/// Losses of the auxiliary heads as defined in [`crate::fit::objective`], without their weights.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct AuxLosses {
    /// Cross-entropy of the owners, mean over all points.
    pub ownership: f64,
    /// Cross-entropy of the fates, mean over all points; stones count 0.
    pub fate: f64,
    /// Error of the margin.
    #[serde(rename = "score")]
    pub margin: f64,
    /// Error of the lead.
    #[serde(default)]
    pub lead: f64,
    /// Cross-entropy of the reply; rows without a reply count 0.
    pub reply: f64,
}

impl AuxLosses {
    fn get_mut(&mut self, head: AuxHead) -> &mut f64 {
        match head {
            AuxHead::Ownership => &mut self.ownership,
            AuxHead::PointStatus => &mut self.fate,
            AuxHead::Margin => &mut self.margin,
            AuxHead::Lead => &mut self.lead,
            AuxHead::Reply => &mut self.reply,
        }
    }
}

impl HeldOutLosses {
    /// Mean of both, weighted by rows.
    #[must_use]
    pub fn join(self, other: HeldOutLosses) -> HeldOutLosses {
        let rows = self.rows + other.rows;
        let share = other.rows as f64 / rows.max(1) as f64;
        let mean = |a: f64, b: f64| a + share * (b - a);
        HeldOutLosses {
            rows,
            policy_loss: mean(self.policy_loss, other.policy_loss),
            policy_floor: mean(self.policy_floor, other.policy_floor),
            value_loss: mean(self.value_loss, other.value_loss),
            value_error: mean(self.value_error, other.value_error),
            top_1: mean(self.top_1, other.top_1),
            value_accuracy: mean(self.value_accuracy, other.value_accuracy),
            aux: AuxLosses {
                ownership: mean(self.aux.ownership, other.aux.ownership),
                fate: mean(self.aux.fate, other.aux.fate),
                margin: mean(self.aux.margin, other.aux.margin),
                lead: mean(self.aux.lead, other.aux.lead),
                reply: mean(self.aux.reply, other.aux.reply),
            },
        }
    }

    /// The losses of raw logits, policy `[len, policy_len]` and value `[len, outcomes]`, against a
    /// batch's targets; illegal moves are masked here.
    pub fn of(batch: &Batch, policy: &[f32], value: &[f32]) -> HeldOutLosses {
        let policy_len = batch.policy.len() / batch.len.max(1);
        let outcomes = batch.value.len() / batch.len.max(1);
        let rows = policy
            .chunks_exact(policy_len)
            .zip(value.chunks_exact(outcomes));
        let targets = batch
            .policy
            .chunks_exact(policy_len)
            .zip(batch.value.chunks_exact(outcomes));
        let masks = batch.mask.chunks_exact(policy_len);
        let rows = rows.zip(targets).zip(masks);
        rows.fold(
            HeldOutLosses::default(),
            |sum, (((policy, value), (pi, z)), mask)| {
                let policy = log_softmax(policy.iter().zip(mask).map(|(logit, mask)| logit + mask));
                let value = log_softmax(value.iter().copied());
                let agree = |a: &[f64], b: &[f32]| f64::from(u8::from(best(a) == best(b)));
                sum.join(HeldOutLosses {
                    rows: 1,
                    policy_loss: cross_entropy(pi, &policy),
                    policy_floor: pi.iter().map(|&p| entropy_term(f64::from(p))).sum(),
                    value_loss: cross_entropy(z, &value),
                    value_error: squared_error(z, &value),
                    top_1: agree(&policy, pi),
                    value_accuracy: agree(&value, z),
                    aux: AuxLosses::default(),
                })
            },
        )
    }
}

/// The losses of a network on batches; norms use their running statistics.
pub fn held_out_losses(
    architecture: Architecture,
    weights: &Weights,
    shape: GameShape,
    batches: &[Batch],
    device: &Device,
) -> HeldOutLosses {
    let device = device.clone().inner();
    let mut forward = Forward::new(weights, &device, Mode::Infer);
    batches.iter().fold(HeldOutLosses::default(), |sum, batch| {
        let planes = planes(std::slice::from_ref(batch), &device);
        let heads = architecture.describe(&mut forward, &planes, shape, Outputs::All);
        // All boards of a batch are of one size.
        let Some(heads) = heads.by_size().pop() else {
            return sum;
        };
        let (policy, value) = (numbers(heads.policy), numbers(heads.value));
        let mut losses = HeldOutLosses::of(batch, &policy, &value);
        for ((head, logits), target) in heads.aux.into_iter().zip(&batch.aux_targets) {
            let loss = numbers(aux_loss(head, logits, target));
            *losses.aux.get_mut(head) = loss.into_iter().map(f64::from).sum();
        }
        sum.join(losses)
    })
}

fn cross_entropy(target: &[f32], log_probability: &[f64]) -> f64 {
    let terms = target
        .iter()
        .zip(log_probability)
        .filter(|&(&p, _)| p > 0.0);
    terms.map(|(&p, log)| -f64::from(p) * log).sum()
}

fn squared_error(target: &[f32], log_probability: &[f64]) -> f64 {
    let pairs = target.iter().zip(log_probability);
    let errors = pairs.map(|(&p, log)| log.exp() - f64::from(p));
    let worth = outcome_worth(target.len()).map(f64::from);
    let error: f64 = errors.zip(worth).map(|(error, worth)| error * worth).sum();
    error * error
}

fn entropy_term(p: f64) -> f64 {
    if p > 0.0 { -p * p.ln() } else { 0.0 }
}

/// Index of the largest number, the first of equals.
fn best<T: PartialOrd>(numbers: &[T]) -> usize {
    let better = |best: usize, at: usize| {
        if numbers[at] > numbers[best] {
            at
        } else {
            best
        }
    };
    (0..numbers.len()).reduce(better).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::{Fit, FitParams};
    use crate::network::net::Role;
    use tengen::game::BoardSize;
    use tengen::games::nogo::SmallNoGo;

    #[test]
    fn files_keep_the_names_that_they_have_had() {
        let json = serde_json::to_value(HeldOutLosses::default()).unwrap();
        assert!(json["extras"]["score"].is_number(), "{json}");
        let params =
            FitParams::of::<SmallNoGo>("tengen-2b8c".parse().unwrap(), 10, &Fit::default());
        let json = serde_json::to_value(&params).unwrap();
        assert_eq!(json["recipe"], "tengen-2b8c");
        let roles = [Role::Weight, Role::Bias, Role::Buffer];
        let roles = roles.map(|role| serde_json::to_value(role).unwrap());
        assert_eq!(roles, ["Factor", "Offset", "Statistic"]);
    }

    #[test]
    fn known_logits_have_known_losses() {
        let batch = Batch {
            size: BoardSize::new(2, 1),
            len: 2,
            planes: vec![],
            mask: vec![0.0, 0.0, -1e9, 0.0, 0.0, 0.0],
            policy: vec![0.5, 0.5, 0.0, 1.0, 0.0, 0.0],
            value: vec![1.0, 0.0, 0.25, 0.75],
            aux_targets: vec![],
        };
        let losses = HeldOutLosses::of(&batch, &[1.0, 1.0, 9.0, 0.0, 2.0, 0.0], &[0.0; 4]);
        let second = (2.0 + 2.0_f64.exp()).ln();
        let ln_2 = 2.0_f64.ln();
        assert!(
            (losses.policy_loss - (ln_2 + second) / 2.0).abs() < 1e-9,
            "{losses:?}"
        );
        assert!((losses.policy_floor - ln_2 / 2.0).abs() < 1e-9);
        assert!((losses.value_loss - ln_2).abs() < 1e-9);
        assert!((losses.value_error - (0.25 + 0.0625) / 2.0).abs() < 1e-9);
        assert_eq!(
            (losses.rows, losses.top_1, losses.value_accuracy),
            (2, 0.5, 0.5)
        );
    }
}
