//! Sessions that run: one for each worker on the processor; on a GPU one for each of a few fixed batch sizes, with
//! buffers of its own. Every size is evaluated once in advance.
//!
//! A session keeps its convolution plans for the last shape only, and creates them again, in about
//! a millisecond each, for another one (microsoft/onnxruntime#23006). The buffers are in plain memory:
//! ONNX Runtime 1.31 fails at outputs in pinned memory, and pinned input was hardly faster (docs/networks.md#nvidia-gpus).

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::{io, mem, thread};

use ort::memory::Allocator;
use ort::session::{HasSelectedOutputs, OutputSelector, RunOptions, Session, SessionOutputs};
use ort::value::{Tensor, TensorRef};

use crate::eval::{Batch, EvalError, Evaluator, ModelInfo, Outputs, PLANES};

const BACKEND: &str = "ort";

/// Rows per call at which a single-threaded CPU session nearly reaches its best speed (5b32c
/// 11838/s at 8, 12057/s at 16, 10687/s at 1; docs/methods.md#inference-and-training-libraries).
const CPU_BATCH: usize = 8;

/// Runs an [`OrtModel`](super::OrtModel) on the processor, for one worker.
#[derive(Debug)]
pub struct OrtEvaluator {
    info: ModelInfo,
    session: Session,
}

impl OrtEvaluator {
    pub(super) fn new(info: &ModelInfo, session: Session) -> OrtEvaluator {
        OrtEvaluator {
            info: info.clone(),
            session,
        }
    }

    fn run(&mut self, batch: &Batch, out: &mut Outputs) -> ort::Result<()> {
        // ONNX Runtime reads the caller's rows where they are.
        let dims = self.info.input_dims(batch.len());
        let planes = TensorRef::from_array_view((dims, batch.planes()))?;
        let answer = self.session.run(ort::inputs![PLANES => planes])?;
        out.reset_for(batch.len(), self.info.output_lens());
        copy_rows(&self.info, &answer, batch.len(), 0..batch.len(), out)
    }
}

impl Evaluator for OrtEvaluator {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn evaluate(&mut self, batch: &Batch, out: &mut Outputs) -> Result<(), EvalError> {
        self.info.check_batch(BACKEND, batch)?;
        if batch.is_empty() {
            out.reset_for(0, self.info.output_lens());
            return Ok(());
        }
        self.run(batch, out).map_err(|error| failed(&error))
    }

    fn preferred_batch(&self) -> usize {
        CPU_BATCH
    }
}

/// Rows that a worker should collect for a call. On an H200 a call of 64 takes little longer than one of a
/// single row (docs/networks.md#nvidia-gpus).
const GPU_BATCH: usize = 64;

/// Runs an [`OrtModel`](super::OrtModel) on a GPU, for all workers.
pub struct BoundEvaluator {
    info: ModelInfo,
    /// One for each of [`SIZES`].
    buckets: Vec<Bucket>,
    /// A call on its GPU has failed, be it of another evaluator there: the device may be lost.
    has_failed: Arc<AtomicBool>,
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
    /// concurrently, as each takes a good part of a second. `has_failed` is that of its GPU.
    ///
    /// # Errors
    /// Errors of `session`; [`EvalError::Unavailable`] when the device does not compute.
    pub(super) fn new(
        info: &ModelInfo,
        has_failed: &Arc<AtomicBool>,
        session: impl Fn() -> Result<Session, EvalError> + Sync,
    ) -> Result<BoundEvaluator, EvalError> {
        let session = &session;
        let mut bound = BoundEvaluator {
            info: info.clone(),
            buckets: Vec::new(),
            has_failed: Arc::clone(has_failed),
        };
        let made = thread::scope(|scope| {
            let threads = SIZES.map(|size| {
                let make = move || Bucket::warm(info, session()?, size);
                thread::Builder::new().spawn_scoped(scope, make)
            });
            threads.map(|thread| {
                let panicked = "the thread that should make a session of it panicked";
                let thread = thread.map_err(|error| no_thread(&error))?;
                thread
                    .join()
                    .unwrap_or_else(|_| Err(unavailable(&panicked)))
            })
        });
        let mut failure = None;
        for bucket in made {
            match bucket {
                Ok(bucket) => bound.buckets.push(bucket),
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        has_failed.fetch_or(failure.is_some(), Ordering::Relaxed);
        failure.map_or(Ok(bound), Err)
    }

    fn run(&mut self, batch: &Batch, out: &mut Outputs) -> ort::Result<()> {
        out.reset_for(batch.len(), self.info.output_lens());
        let row_len = batch.row_len();
        for (to, size) in calls(batch.len(), &SIZES) {
            let (size, bucket) = (SIZES[size], &mut self.buckets[size]);
            // The remaining rows keep their old content: their answers are not read.
            let planes = &batch.planes()[to.start * row_len..to.end * row_len];
            let (_, rows) = bucket.input.try_extract_tensor_mut::<f32>()?;
            rows[..planes.len()].copy_from_slice(planes);
            let answer = bucket.compute()?;
            copy_rows(&self.info, &answer, size, to, out)?;
        }
        Ok(())
    }
}

impl Drop for BoundEvaluator {
    fn drop(&mut self) {
        // Freeing memory of a lost device ends the process, although the game may continue without it.
        if self.has_failed.load(Ordering::Relaxed) {
            mem::forget(mem::take(&mut self.buckets));
        }
    }
}

impl Bucket {
    fn new(info: &ModelInfo, session: Session, size: usize) -> ort::Result<Bucket> {
        let memory = Allocator::default();
        let mut input = Tensor::<f32>::new(&memory, info.input_dims(size))?;
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
        let computed = bucket.compute().map(drop);
        if let Err(error) = computed {
            mem::forget(bucket);
            return Err(unavailable(&error));
        }
        Ok(bucket)
    }

    /// Transfers the rows, evaluates, and returns with the answers: all in the session's own
    /// stream, without waiting for others on the GPU.
    fn compute(&mut self) -> ort::Result<SessionOutputs<'_>> {
        let input = ort::inputs![PLANES => &self.input];
        self.session.run_with_options(input, &self.outputs)
    }
}

impl Evaluator for BoundEvaluator {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn evaluate(&mut self, batch: &Batch, out: &mut Outputs) -> Result<(), EvalError> {
        self.info.check_batch(BACKEND, batch)?;
        let result = self.run(batch, out);
        self.has_failed.fetch_or(result.is_err(), Ordering::Relaxed);
        result.map_err(|error| failed(&error))
    }

    fn preferred_batch(&self) -> usize {
        GPU_BATCH
    }
}

/// Rows of the calls: a GPU's libraries plan again for each size but the last one, which takes far longer than
/// the evaluation. A smaller batch is padded to the next size, and a larger one takes several calls.
const SIZES: [usize; 7] = [1, 8, 32, 64, 128, 256, 512];

/// The calls for a batch of this many rows, given the available sizes (ascending): of each its rows of the batch, and
/// the index of its size.
fn calls(rows: usize, sizes: &[usize]) -> impl Iterator<Item = (Range<usize>, usize)> + '_ {
    let most = sizes.last().copied().unwrap_or(1).max(1);
    (0..rows).step_by(most).map(move |start| {
        let rows = start..rows.min(start + most);
        let size = sizes.partition_point(|&size| size < rows.len());
        (rows, size)
    })
}

/// Copies an answer of `size` rows into these rows of `out`; those behind are not read.
fn copy_rows(
    info: &ModelInfo,
    answer: &SessionOutputs<'_>,
    size: usize,
    to: Range<usize>,
    out: &mut Outputs,
) -> ort::Result<()> {
    let outputs = info.outputs().iter().zip(info.output_lens());
    for (output, (name, len)) in outputs.enumerate() {
        let tensor = answer.get(name);
        let tensor = tensor.ok_or_else(|| ort::Error::new(format!("no output {name}")))?;
        let (shape, numbers) = tensor.try_extract_tensor::<f32>()?;
        if numbers.len() != size * len {
            return Err(ort::Error::new(format!(
                "output {name} has shape {shape:?}, {} numbers are expected",
                size * len
            )));
        }
        for (index, row) in to.clone().zip(numbers.chunks_exact(len)) {
            out.output_mut(output, index).copy_from_slice(row);
        }
    }
    Ok(())
}

pub(super) fn unavailable(reason: &impl std::fmt::Display) -> EvalError {
    EvalError::unavailable(BACKEND, words(reason))
}

pub(in crate::eval) fn no_thread(error: &io::Error) -> EvalError {
    unavailable(&format!("cannot start a thread: {error}"))
}

fn failed(error: &ort::Error) -> EvalError {
    EvalError::run(BACKEND, words(error))
}

/// Maximum length of a message that is shown.
const LONGEST: usize = 600;
/// Bytes before a cause after which it is likely to be overlooked.
const FAR: usize = 300;

/// Messages of the loader and ONNX Runtime may run over several lines, and those of GPU libraries
/// may contain a whole graph; ours are one readable line.
pub(super) fn words(reason: &impl std::fmt::Display) -> String {
    let reason = reason.to_string();
    let words: Vec<&str> = reason.split_whitespace().collect();
    let text = cause_in_sight(words.join(" "));
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{} ...", &text[..end]),
        None => text,
    }
}

/// The cause comes after ONNX Runtime's C++ signatures, far down the message: "CUDNN_FE failure 8:
/// HEURISTIC_QUERY_FAILED" at the thousandth character (microsoft/onnxruntime#26274).
fn cause_in_sight(text: String) -> String {
    let Some(at) = text.find(" failure ").filter(|&at| at > FAR) else {
        return text;
    };
    let begin = text[..at].rfind(' ').map_or(at, |space| space + 1);
    let head: String = text.chars().take(FAR / 2).collect();
    format!("{head} ... {}", &text[begin..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_in_one_call_that_is_just_large_enough() {
        for rows in 0..3000 {
            let mut next = 0;
            for (to, size) in calls(rows, &SIZES) {
                assert_eq!(to.start, next);
                next = to.end;
                assert!(to.len() <= SIZES[size], "{rows}: {to:?}, {size}");
                let smaller = size.checked_sub(1).map_or(0, |size| SIZES[size]);
                assert!(to.len() > smaller, "{rows}: {to:?}, {size}");
            }
            assert_eq!(next, rows);
        }
        assert!(SIZES.is_sorted());
    }

    /// The other evaluator of a lost GPU frees no memory there either.
    #[test]
    fn all_evaluators_of_a_gpu_know_that_one_has_failed() {
        let has_failed = Arc::new(AtomicBool::new(false));
        let info = crate::eval::testnet::SMALL.info();
        let made = BoundEvaluator::new(&info, &has_failed, || Err(unavailable(&"lost")));
        assert!(made.is_err() && has_failed.load(Ordering::Relaxed));
    }

    #[test]
    fn what_is_too_large_takes_several_calls() {
        let sizes: Vec<usize> = calls(20, &[1, 8]).map(|(rows, _)| rows.len()).collect();
        assert_eq!(sizes, [8, 8, 4]);
    }

    #[test]
    fn a_message_is_one_line_of_some_length() {
        assert_eq!(words(&"no\n  kernel\tfor it"), "no kernel for it");
        let long = words(&"é".repeat(5_000));
        assert_eq!(long.chars().count(), LONGEST + 4);
        assert!(long.ends_with("é ..."));
    }

    #[test]
    fn the_cause_is_told_wherever_it_stands() {
        let signature = "std::conditional_t<THRW, void, Status> onnxruntime::CudaCall(ERRTYPE, é)";
        let far = format!(
            "Non-zero status. {} CUDNN_FE failure 8: NO",
            signature.repeat(14)
        );
        let text = words(&far);
        assert!(text.starts_with("Non-zero status. std"), "{text}");
        assert!(text.ends_with("... CUDNN_FE failure 8: NO"), "{text}");
        let near = "CUDA failure 2: out of memory";
        assert_eq!(words(&near), near);
    }
}
