//! Conformance tests for evaluators, passed by each backend and wrapper.

#![allow(clippy::unwrap_used, reason = "for tests, which fail by panicking")]

#[cfg(feature = "ort")]
use super::LibraryPlaces;
use super::testnet::random_batch;
use super::{Batch, EvalError, Evaluator, Outputs};

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
