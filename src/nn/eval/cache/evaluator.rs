//! A cache in front of an evaluator.

use std::sync::Arc;

use super::super::{Batch, EvalError, Evaluator, ModelInfo, Outputs};
use super::EvalCache;

/// An evaluator that looks up a cache first and evaluates only the missing rows.
#[derive(Debug)]
pub struct CachedEvaluator<E> {
    inner: E,
    cache: Arc<EvalCache>,
    /// Rows of the current batch that are not in the cache.
    missing: Vec<usize>,
    batch: Batch,
    answers: Outputs,
}

impl<E: Evaluator> CachedEvaluator<E> {
    /// Puts `cache`, which may be shared with other evaluators of the same network, in front of
    /// `inner`.
    ///
    /// # Errors
    /// [`EvalError::Run`] if the cache was made for a network with other outputs.
    pub fn new(inner: E, cache: Arc<EvalCache>) -> Result<CachedEvaluator<E>, EvalError> {
        if !cache.fits(inner.info()) {
            return Err(EvalError::Run {
                backend: "cache",
                reason: format!(
                    "the cache was not made for the network {}",
                    inner.info().network
                ),
            });
        }
        let batch = Batch::new(inner.info().row_len());
        Ok(CachedEvaluator {
            inner,
            cache,
            missing: Vec::new(),
            batch,
            answers: Outputs::new(),
        })
    }
}

impl<E: Evaluator> Evaluator for CachedEvaluator<E> {
    fn info(&self) -> &ModelInfo {
        self.inner.info()
    }

    fn evaluate(&mut self, batch: &Batch, out: &mut Outputs) -> Result<(), EvalError> {
        let info = self.inner.info();
        info.check_batch("cache", batch)?;
        out.reset_for(batch.len(), info.output_lens());
        self.missing.clear();
        for index in 0..batch.len() {
            if !self.cache.get(batch.key(index), out, index) {
                self.missing.push(index);
            }
        }
        if self.missing.is_empty() {
            return Ok(());
        }
        self.batch.clear();
        self.batch.append_rows(batch, self.missing.iter().copied());
        self.inner.evaluate(&self.batch, &mut self.answers)?;
        for (answer, &index) in self.missing.iter().enumerate() {
            // A transient device failure must not be cached: the search refuses such numbers.
            let answers = &self.answers;
            let (policy, value) = (answers.policy(answer), answers.value_logits(answer));
            let mut numbers = policy.iter().chain(value).chain(answers.points(answer));
            if numbers.all(|number| number.is_finite()) {
                self.cache.insert(batch.key(index), &self.answers, answer);
            }
            out.policy_mut(index)
                .copy_from_slice(self.answers.policy(answer));
            out.value_logits_mut(index)
                .copy_from_slice(self.answers.value_logits(answer));
            out.points_mut(index)
                .copy_from_slice(self.answers.points(answer));
        }
        Ok(())
    }

    fn preferred_batch(&self) -> usize {
        self.inner.preferred_batch()
    }
}
