//! Evaluators without a network, for tests and for `tengen bench`: of the search alone, and of what must notice swapped
//! rows or answers.

use super::{Batch, EvalError, Evaluator, ModelInfo, Outputs};

const BACKEND: &str = "fake";

/// Answers with logits in [-2, 2) that are a hash of the input row: a deterministic stand-in for a
/// network, bit-identical on every machine.
#[derive(Debug, Clone)]
pub struct HashEvaluator {
    info: ModelInfo,
    is_uniform: bool,
}

impl HashEvaluator {
    /// An evaluator with the metadata `info`.
    pub fn new(info: ModelInfo) -> HashEvaluator {
        let is_uniform = false;
        HashEvaluator { info, is_uniform }
    }

    /// One whose logits are all 0: all moves equally likely, the game even.
    pub fn uniform(info: ModelInfo) -> HashEvaluator {
        let is_uniform = true;
        HashEvaluator { info, is_uniform }
    }
}

impl Evaluator for HashEvaluator {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn evaluate(&mut self, batch: &Batch, out: &mut Outputs) -> Result<(), EvalError> {
        self.info.check_batch(BACKEND, batch)?;
        out.reset_for(batch.len(), self.info.output_lens());
        if self.is_uniform {
            return Ok(());
        }
        for index in 0..batch.len() {
            let mut state = hash(batch.row(index));
            out.row_mut(index).fill_with(|| next_logit(&mut state));
        }
        Ok(())
    }
}

/// A 64-bit multiply-rotate hash over the bits of the numbers.
fn hash(row: &[f32]) -> u64 {
    let step = |hash: u64, x: &f32| {
        let mixed = hash.rotate_left(5) ^ u64::from(x.to_bits());
        mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    };
    row.iter().fold(1, step)
}

/// The next number of a SplitMix64 stream, as one of 2^16 equally spaced logits in [-2, 2): exact
/// in an `f32`, so that no machine rounds it differently.
fn next_logit(state: &mut u64) -> f32 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    let top = (mixed >> 48) as u16;
    f32::from(top) / 16384.0 - 2.0
}

#[cfg(test)]
mod tests {
    use super::super::testnet::{SMALL, random_batch};
    use super::super::{evaluate_finite, suite};
    use super::*;

    #[test]
    fn fakes_pass_the_suite() {
        suite::check(&mut HashEvaluator::uniform(SMALL.info()));
        suite::check(&mut HashEvaluator::new(SMALL.info()));
    }

    #[test]
    fn hash_answers_are_pinned() {
        // A changed number here changes the signature of `tengen bench`.
        let mut batch = Batch::new(SMALL.info().row_len());
        batch.push(0)[1] = 1.0;
        let out = suite::run(&mut HashEvaluator::new(SMALL.info()), &batch);
        let scaled = |logit: f32| (logit * 16384.0) as i32;
        let numbers = [out.policy(0)[0], out.policy(0)[19], out.value_logits(0)[1]].map(scaled);
        assert_eq!(numbers, [-9146, 6994, -18599]);
    }

    #[test]
    fn rows_that_are_not_finite_are_refused() {
        for number in [f32::NAN, f32::INFINITY] {
            let mut batch = Batch::new(SMALL.info().row_len());
            batch.push(0)[7] = number;
            let mut evaluator = HashEvaluator::new(SMALL.info());
            let refused = evaluate_finite(&mut evaluator, &batch, &mut Outputs::new());
            assert!(matches!(refused, Err(EvalError::Run { .. })), "{number}");
        }
    }

    #[test]
    fn hash_answers_differ_from_row_to_row_and_spread() {
        let batch = random_batch(SMALL.info().row_len(), 200, 9);
        let out = suite::run(&mut HashEvaluator::new(SMALL.info()), &batch);
        let values: Vec<f32> = (0..batch.len()).map(|index| out.value(index)).collect();
        let mean = values.iter().sum::<f32>() / values.len() as f32;
        assert!(mean.abs() < 0.15, "{mean}");
        for (index, value) in values.iter().enumerate() {
            assert!(
                !values[..index].contains(value),
                "row {index} answers as another"
            );
        }
    }
}
