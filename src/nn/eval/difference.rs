//! Difference between two networks, or between two ways to compute one.

use serde::Serialize;

use super::{Batch, EvalError, Evaluator, Outputs, evaluate_finite, kl_divergence, log_softmax};

/// Difference between two networks on the same positions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize)]
pub struct Difference {
    /// Number of positions compared.
    pub positions: usize,
    /// Mean Kullback-Leibler divergence of the second's policy from the first's over legal moves,
    /// in nats.
    pub policy_kl: f64,
    /// Its maximum.
    pub policy_kl_max: f64,
    /// Mean absolute difference of the values in [-1, 1].
    pub value: f64,
    /// Its maximum.
    pub value_max: f64,
    /// Share of positions in which both prefer the same legal move.
    pub same_best: f64,
}

impl Difference {
    /// Compares two evaluators on the rows of `batch`; `legal` has the legal moves of each row.
    ///
    /// # Errors
    /// [`EvalError`] when one of them fails.
    ///
    /// # Panics
    /// Unless there are legal moves for each row.
    pub fn between(
        [first, second]: [&mut dyn Evaluator; 2],
        batch: &Batch,
        legal: &[Vec<bool>],
    ) -> Result<Difference, EvalError> {
        assert_eq!(legal.len(), batch.len(), "legal moves for each row");
        let (mut a, mut b) = (Outputs::new(), Outputs::new());
        evaluate_finite(first, batch, &mut a)?;
        evaluate_finite(second, batch, &mut b)?;
        let each = legal.iter().enumerate();
        let each = each.map(|(row, legal)| Difference::of_row([&a, &b], row, legal));
        Ok(each.fold(Difference::default(), Difference::and))
    }

    /// Compares two evaluators' answers to one row with these legal moves.
    pub fn of_row(outputs: [&Outputs; 2], row: usize, legal: &[bool]) -> Difference {
        let [p, q] = outputs.map(|out| {
            let logits = out.policy(row).iter().zip(legal);
            log_softmax(logits.filter(|(_, legal)| **legal).map(|(logit, _)| *logit))
        });
        let policy_kl = kl_divergence(p.iter().copied(), q.iter().copied());
        let value = f64::from(outputs[0].value(row) - outputs[1].value(row)).abs();
        Difference {
            positions: 1,
            policy_kl,
            policy_kl_max: policy_kl,
            value,
            value_max: value,
            same_best: f64::from(u8::from(best(&p) == best(&q))),
        }
    }

    /// Combines with the difference on other positions.
    #[must_use]
    pub fn and(self, other: Difference) -> Difference {
        let positions = self.positions + other.positions;
        let mean = |a: f64, b: f64| {
            let sum = a * self.positions as f64 + b * other.positions as f64;
            sum / positions.max(1) as f64
        };
        Difference {
            positions,
            policy_kl: mean(self.policy_kl, other.policy_kl),
            policy_kl_max: self.policy_kl_max.max(other.policy_kl_max),
            value: mean(self.value, other.value),
            value_max: self.value_max.max(other.value_max),
            same_best: mean(self.same_best, other.same_best),
        }
    }
}

fn best(numbers: &[f64]) -> Option<usize> {
    let numbered = numbers.iter().enumerate();
    let best = numbered.max_by(|a, b| a.1.total_cmp(b.1));
    best.map(|(at, _)| at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::HashEvaluator;
    use crate::eval::testnet::{SMALL, random_batch};

    /// An answer to one position: logits of three moves, and of win and loss.
    fn answer(policy: [f32; 3], value: [f32; 2]) -> Outputs {
        let mut out = Outputs::new();
        out.reset_for(1, [3, 2, 0, 0]);
        out.policy_mut(0).copy_from_slice(&policy);
        out.value_logits_mut(0).copy_from_slice(&value);
        out
    }

    #[test]
    fn it_is_that_of_legal_moves_by_hand() {
        let (even, ahead) = (0.0, 3.0_f32.ln());
        let first = answer([even, even, 9.0], [even, even]);
        let second = answer([even, ahead, -9.0], [ahead, even]);
        let found = Difference::of_row([&first, &second], 0, &[true, true, false]);
        let divergence = 0.5 * (0.5_f64 / 0.25).ln() + 0.5 * (0.5_f64 / 0.75).ln();
        assert!((found.policy_kl - divergence).abs() < 1e-6, "{found:?}");
        assert!((found.value - 0.5).abs() < 1e-6, "{found:?}");
        let legal = [true, false, true];
        assert_eq!(
            Difference::of_row([&first, &second], 0, &legal).same_best,
            0.0
        );
        assert_eq!(
            Difference::of_row([&first, &first], 0, &legal),
            Difference {
                positions: 1,
                same_best: 1.0,
                ..Difference::default()
            }
        );
    }

    #[test]
    #[should_panic(expected = "legal moves for each row")]
    fn no_row_is_left_out() {
        let batch = random_batch(SMALL.info().row_len(), 2, 3);
        let legal = [vec![true; SMALL.info().policy_len]];
        let mut both = [(); 2].map(|()| HashEvaluator::new(SMALL.info()));
        let [first, second] = &mut both;
        let _ = Difference::between([first, second], &batch, &legal);
    }

    #[test]
    fn means_are_over_all_positions_wherever_they_are_parted() {
        let batch = random_batch(SMALL.info().row_len(), 5, 3);
        let legal = vec![vec![true; SMALL.info().policy_len]; batch.len()];
        let on = |rows: std::ops::Range<usize>| {
            let mut part = Batch::new(batch.row_len());
            for row in rows.clone() {
                part.push(row as u128).copy_from_slice(batch.row(row));
            }
            let mut first = HashEvaluator::new(SMALL.info());
            let mut second = HashEvaluator::uniform(SMALL.info());
            Difference::between([&mut first, &mut second], &part, &legal[rows]).unwrap()
        };
        let (whole, parts) = (on(0..5), on(0..2).and(on(2..5)));
        assert_eq!((whole.positions, parts.positions), (5, 5));
        let pairs = [
            (whole.policy_kl, parts.policy_kl),
            (whole.policy_kl_max, parts.policy_kl_max),
            (whole.value, parts.value),
            (whole.value_max, parts.value_max),
            (whole.same_best, parts.same_best),
        ];
        for (whole, part) in pairs {
            assert!((whole - part).abs() < 1e-9, "{pairs:?}");
        }
        assert!(whole.policy_kl > 0.1 && whole.policy_kl_max > whole.policy_kl);
    }
}
