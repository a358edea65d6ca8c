//! GPU sessions: one for each of a few fixed batch sizes, with buffers of its own. Every size is evaluated
//! once in advance.
//!
//! A session keeps its convolution plans for the last shape only, and creates them again, in about
//! a millisecond each, for another one (microsoft/onnxruntime#23006). The buffers are in plain memory:
//! ONNX Runtime 1.31 fails at outputs in pinned memory, and pinned input was hardly faster (docs/networks.md#nvidia-gpus).

use std::{mem, thread};

use ort::memory::Allocator;
use ort::session::{HasSelectedOutputs, OutputSelector, RunOptions, Session, SessionOutputs};
use ort::value::Tensor;

use super::answer::{BACKEND, failed, logits, unavailable};
use crate::eval::{Batch, EvalError, Evaluator, ModelInfo, Outputs, PLANES};
use std::ops::Range;

/// Rows that a worker should collect for a call. On an H200 a call of 64 takes little longer than one of a
/// single row (docs/networks.md#nvidia-gpus).
const BATCH: usize = 64;

/// Runs an [`OrtModel`](super::OrtModel) on a GPU, for all workers.
pub struct BoundEvaluator {
    info: ModelInfo,
    /// One for each of [`SIZES`].
    buckets: Vec<Bucket>,
    /// A call has failed: the device may be lost.
    has_failed: bool,
}

/// Calls of one size. Values in the session's memory are dropped before the session.
struct Bucket {
    /// `[size, planes, height, width]`.
    input: Tensor<f32>,
    /// Writes the outputs to where they are read.
    outputs: RunOptions<HasSelectedOutputs>,
    session: Session,
}

impl BoundEvaluator {
    /// Creates session and buffers for each size and evaluates it once, with zeros; all sizes
    /// concurrently, as each takes a good part of a second.
    ///
    /// # Errors
    /// Errors of `session`; [`EvalError::Unavailable`] when the device does not compute.
    pub(super) fn new(
        info: &ModelInfo,
        session: impl Fn() -> Result<Session, EvalError> + Sync,
    ) -> Result<BoundEvaluator, EvalError> {
        let session = &session;
        let mut bound = BoundEvaluator {
            info: info.clone(),
            buckets: Vec::new(),
            has_failed: false,
        };
        let made = thread::scope(|scope| {
            let make = |size| scope.spawn(move || Bucket::warm(info, session()?, size));
            let threads = SIZES.map(make);
            threads.map(|thread| thread.join().unwrap_or_else(|_| Err(panicked())))
        });
        let mut failure = None;
        for bucket in made {
            match bucket {
                Ok(bucket) => bound.buckets.push(bucket),
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        bound.has_failed = failure.is_some();
        failure.map_or(Ok(bound), Err)
    }

    fn run(&mut self, batch: &Batch, out: &mut Outputs) -> ort::Result<()> {
        out.reset_for(batch.len(), self.info.output_lens());
        let row_len = batch.row_len();
        for call in calls(batch.len(), &SIZES) {
            let (size, bucket) = (SIZES[call.size], &mut self.buckets[call.size]);
            // The remaining rows keep their old content: their answers are not read.
            let planes = &batch.planes()[call.rows.start * row_len..call.rows.end * row_len];
            let (_, rows) = bucket.input.try_extract_tensor_mut::<f32>()?;
            rows[..planes.len()].copy_from_slice(planes);
            let answer = bucket.compute()?;
            let outputs = self.info.outputs().iter().zip(self.info.output_lens());
            for (output, (name, len)) in outputs.enumerate() {
                let rows = logits(&answer, name, size * len)?.chunks_exact(len);
                for (index, row) in call.rows.clone().zip(rows) {
                    out.output_mut(output, index).copy_from_slice(row);
                }
            }
        }
        Ok(())
    }
}

impl Drop for BoundEvaluator {
    fn drop(&mut self) {
        // Freeing memory of a lost device ends the process (ONNX Runtime throws where it frees
        // pinned memory), although the game may continue without it.
        if self.has_failed {
            mem::forget(mem::take(&mut self.buckets));
        }
    }
}

impl Bucket {
    fn new(info: &ModelInfo, session: Session, size: usize) -> ort::Result<Bucket> {
        let (height, width) = (info.size.height.into(), info.size.width.into());
        let memory = Allocator::default();
        let mut input = Tensor::<f32>::new(&memory, [size, info.planes, height, width])?;
        input.try_extract_tensor_mut::<f32>()?.1.fill(0.0);
        let mut outputs = OutputSelector::no_default();
        for (name, len) in info.outputs().iter().zip(info.output_lens()) {
            let output = Tensor::<f32>::new(&memory, [size, len])?;
            outputs = outputs.with(*name).preallocate(*name, output);
        }
        Ok(Bucket {
            input,
            outputs: RunOptions::new()?.with_outputs(outputs),
            session,
        })
    }

    /// A bucket that has been evaluated once. It is leaked if that fails, see the end of
    /// [`BoundEvaluator`].
    fn warm(info: &ModelInfo, session: Session, size: usize) -> Result<Bucket, EvalError> {
        let bucket = Bucket::new(info, session, size);
        let mut bucket = bucket.map_err(|e| unavailable(&e))?;
        let computed = bucket.compute().map(drop).map_err(|e| unavailable(&e));
        match computed {
            Ok(()) => Ok(bucket),
            Err(error) => {
                mem::forget(bucket);
                Err(error)
            }
        }
    }

    /// Transfers the rows, evaluates, and returns with the answers: all in the session's own
    /// stream, without waiting for others on the GPU.
    fn compute(&mut self) -> ort::Result<SessionOutputs<'_>> {
        let input = ort::inputs![PLANES => &self.input];
        self.session.run_with_options(input, &self.outputs)
    }
}

fn panicked() -> EvalError {
    unavailable(&"the thread that should make a session of it panicked")
}

impl Evaluator for BoundEvaluator {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn evaluate(&mut self, batch: &Batch, out: &mut Outputs) -> Result<(), EvalError> {
        self.info.check_batch(BACKEND, batch)?;
        let result = self.run(batch, out);
        self.has_failed |= result.is_err();
        result.map_err(|error| failed(&error))
    }

    fn preferred_batch(&self) -> usize {
        BATCH
    }
}

// Batches of a few fixed sizes: a GPU's libraries plan again for each size but the last one, which
// takes far longer than the evaluation.

/// Rows of the calls. A smaller batch is padded to the next size, and a larger one takes several
/// calls.
pub(super) const SIZES: [usize; 7] = [1, 8, 32, 64, 128, 256, 512];

/// One call: the rows of a batch that it evaluates, and its index in [`SIZES`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Call {
    pub(super) rows: Range<usize>,
    pub(super) size: usize,
}

/// The calls for a batch of this many rows, given the available sizes (ascending).
pub(super) fn calls(rows: usize, sizes: &[usize]) -> impl Iterator<Item = Call> + '_ {
    let most = sizes.last().copied().unwrap_or(1).max(1);
    (0..rows).step_by(most).map(move |start| {
        let rows = start..rows.min(start + most);
        let size = sizes.partition_point(|&size| size < rows.len());
        Call { rows, size }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_in_one_call_that_is_just_large_enough() {
        for rows in 0..3000 {
            let mut next = 0;
            for call in calls(rows, &SIZES) {
                assert_eq!(call.rows.start, next);
                next = call.rows.end;
                assert!(call.rows.len() <= SIZES[call.size], "{rows}: {call:?}");
                let smaller = call.size.checked_sub(1).map_or(0, |size| SIZES[size]);
                assert!(call.rows.len() > smaller, "{rows}: {call:?}");
            }
            assert_eq!(next, rows);
        }
        assert!(SIZES.is_sorted());
    }

    #[test]
    fn what_is_too_large_takes_several_calls() {
        let sizes: Vec<usize> = calls(20, &[1, 8]).map(|call| call.rows.len()).collect();
        assert_eq!(sizes, [8, 8, 4]);
    }
}
