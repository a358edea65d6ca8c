//! Conformance tests for evaluators, passed by each backend and wrapper; and evaluators that fail:
//!
//! - [`FailingEvaluator`] works for some calls, then fails or panics. For tests of error handling.
//! - [`StallingEvaluator`] does not answer until it is released. For tests of timely stopping.

#![allow(clippy::unwrap_used, reason = "for tests, which fail by panicking")]

#[cfg(feature = "ort")]
use super::LibraryPlaces;
use super::testnet::random_batch;
use super::{Batch, EvalError, Evaluator, HashEvaluator, ModelInfo, Outputs};
use crossbeam::channel::Receiver;

/// Maximum difference between two ways of evaluating the same row, as in the contract of
/// [`Evaluator`].
pub const TOLERANCE: f32 = 1e-4;
/// Beyond this size, which logits of real positions never reach, the tolerance grows with the
/// number: at 300 the resolution of f32 is 3e-5, and a network sums thousands of numbers.
const LARGE: f32 = 100.0;

/// Runs the whole suite on one evaluator.
pub fn check(evaluator: &mut impl Evaluator) {
    a_batch_equals_its_rows(evaluator);
    an_empty_batch_is_answered(evaluator);
    answers_do_not_depend_on_what_came_before(evaluator);
    rows_of_another_length_are_refused(evaluator);
    assert!(evaluator.preferred_batch() >= 1);
}

/// Checks that two evaluators agree to within `tolerance`.
pub fn agree(first: &mut impl Evaluator, second: &mut impl Evaluator, tolerance: f32) {
    assert_eq!(first.info(), second.info());
    let batch = random_batch(first.info().row_len(), 16, 5);
    let (a, b) = (run(first, &batch), run(second, &batch));
    for index in 0..batch.len() {
        assert_same_row(&a, index, &b, index, tolerance);
    }
}

/// Whether tests that need ONNX Runtime can run; prints a message if not.
#[cfg(feature = "ort")]
#[expect(clippy::print_stdout, reason = "a skipped test must say so")]
pub fn ort_is_installed() -> bool {
    let found = LibraryPlaces::usual(None).find();
    if let Err(error) = &found {
        println!("skipped: ONNX Runtime not installed ({error})");
    }
    found.is_ok()
}

/// Evaluates a batch into a fresh buffer and checks the shape of the answer.
pub fn run(evaluator: &mut impl Evaluator, batch: &Batch) -> Outputs {
    let mut out = Outputs::new();
    evaluator.evaluate(batch, &mut out).unwrap();
    assert_eq!(out.len(), batch.len());
    for index in 0..batch.len() {
        assert_eq!(out.policy(index).len(), evaluator.info().policy_len);
        assert_eq!(out.value_logits(index).len(), evaluator.info().outcomes);
        assert_eq!(out.points(index).len(), evaluator.info().points);
        assert!(out.policy(index).iter().all(|logit| logit.is_finite()));
        assert!((-1.0..=1.0).contains(&out.value(index)));
    }
    out
}

pub fn assert_same_row(a: &Outputs, a_index: usize, b: &Outputs, b_index: usize, tolerance: f32) {
    let policies = a.policy(a_index).iter().zip(b.policy(b_index));
    let values = a.value_logits(a_index).iter().zip(b.value_logits(b_index));
    let points = a.points(a_index).iter().zip(b.points(b_index));
    for (x, y) in policies.chain(values).chain(points) {
        let difference = (x - y).abs();
        assert!(
            difference <= tolerance * (x.abs() / LARGE).max(1.0),
            "{x} and {y}, row {a_index} and {b_index}"
        );
    }
}

/// The rows of `batch` at `indices`, in that order.
fn pick(batch: &Batch, indices: impl Iterator<Item = usize>) -> Batch {
    let mut picked = Batch::new(batch.row_len());
    picked.append_rows(batch, indices);
    picked
}

fn a_batch_equals_its_rows(evaluator: &mut impl Evaluator) {
    for len in [1, 2, 3, 8, 17] {
        let batch = random_batch(evaluator.info().row_len(), len, len as u64);
        let together = run(evaluator, &batch);
        for index in 0..len {
            let alone = run(evaluator, &pick(&batch, std::iter::once(index)));
            assert_same_row(&together, index, &alone, 0, TOLERANCE);
        }
        let reversed = run(evaluator, &pick(&batch, (0..len).rev()));
        for index in 0..len {
            assert_same_row(&together, index, &reversed, len - 1 - index, TOLERANCE);
        }
    }
}

fn an_empty_batch_is_answered(evaluator: &mut impl Evaluator) {
    let batch = Batch::new(evaluator.info().row_len());
    assert!(run(evaluator, &batch).is_empty());
}

fn answers_do_not_depend_on_what_came_before(evaluator: &mut impl Evaluator) {
    let row_len = evaluator.info().row_len();
    let batch = random_batch(row_len, 4, 1);
    let mut out = Outputs::new();
    evaluator.evaluate(&batch, &mut out).unwrap();
    let before = out.clone();
    // A longer, then a shorter batch through the same buffer.
    for len in [9, 2] {
        let other = random_batch(row_len, len, 2);
        evaluator.evaluate(&other, &mut out).unwrap();
    }
    evaluator.evaluate(&batch, &mut out).unwrap();
    for index in 0..batch.len() {
        assert_same_row(&before, index, &out, index, 0.0);
    }
}

fn rows_of_another_length_are_refused(evaluator: &mut impl Evaluator) {
    let batch = random_batch(evaluator.info().row_len() + 1, 2, 3);
    let error = evaluator.evaluate(&batch, &mut Outputs::new());
    assert!(matches!(error, Err(EvalError::Run { .. })));
    let right = random_batch(evaluator.info().row_len(), 2, 3);
    run(evaluator, &right);
}

/// How a [`FailingEvaluator`] fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// With an [`EvalError::Run`] at every further call.
    Error,
    /// With a panic at every further call.
    Panic,
}

/// Answers as [`HashEvaluator`] for some calls, then fails.
#[derive(Debug, Clone)]
pub struct FailingEvaluator {
    inner: HashEvaluator,
    calls_left: u32,
    failure: Failure,
}

impl FailingEvaluator {
    /// An evaluator that works for `calls` calls.
    pub fn new(info: ModelInfo, calls: u32, failure: Failure) -> FailingEvaluator {
        FailingEvaluator {
            inner: HashEvaluator::new(info),
            calls_left: calls,
            failure,
        }
    }
}

impl Evaluator for FailingEvaluator {
    fn info(&self) -> &ModelInfo {
        self.inner.info()
    }

    fn evaluate(&mut self, batch: &Batch, out: &mut Outputs) -> Result<(), EvalError> {
        if let Some(left) = self.calls_left.checked_sub(1) {
            self.calls_left = left;
            return self.inner.evaluate(batch, out);
        }
        assert!(
            self.failure == Failure::Error,
            "this fake panics on purpose"
        );
        Err(EvalError::run("fake", "this fake fails on purpose"))
    }
}

/// Answers as [`HashEvaluator`], but each call waits for a message, or for the sender to be
/// dropped, which releases all further calls.
#[derive(Debug, Clone)]
pub struct StallingEvaluator {
    inner: HashEvaluator,
    release: Receiver<()>,
}

impl StallingEvaluator {
    /// An evaluator that waits on the receiving end of a channel.
    pub fn new(info: ModelInfo, release: Receiver<()>) -> StallingEvaluator {
        let inner = HashEvaluator::new(info);
        StallingEvaluator { inner, release }
    }
}

impl Evaluator for StallingEvaluator {
    fn info(&self) -> &ModelInfo {
        self.inner.info()
    }

    fn evaluate(&mut self, batch: &Batch, out: &mut Outputs) -> Result<(), EvalError> {
        // An error means that the sender is gone: then the call need not wait.
        let _ = self.release.recv();
        self.inner.evaluate(batch, out)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testnet::SMALL;
    use super::*;

    #[test]
    fn what_does_not_fail_yet_passes_the_suite() {
        let (_, release) = crossbeam::channel::bounded(0);
        check(&mut StallingEvaluator::new(SMALL.info(), release));
        let failing = FailingEvaluator::new(SMALL.info(), u32::MAX, Failure::Error);
        check(&mut { failing });
    }

    #[test]
    fn a_failing_evaluator_works_as_often_as_told() {
        let batch = random_batch(SMALL.info().row_len(), 1, 1);
        let mut evaluator = FailingEvaluator::new(SMALL.info(), 2, Failure::Error);
        let mut out = Outputs::new();
        assert!(evaluator.evaluate(&batch, &mut out).is_ok());
        assert!(evaluator.evaluate(&batch, &mut out).is_ok());
        assert!(evaluator.evaluate(&batch, &mut out).is_err());
        assert!(evaluator.evaluate(&batch, &mut out).is_err());
    }
}
