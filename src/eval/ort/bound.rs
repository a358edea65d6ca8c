//! On a GPU: one session whose calls have a few fixed sizes, each with buffers of its own that the
//! GPU reads and writes without a copy in between (pinned memory, bound to the session's input and
//! outputs). Every size is computed once before anybody waits for an answer.

use ort::memory::{AllocationDevice, Allocator, AllocatorType, MemoryInfo, MemoryType};
use ort::session::IoBinding;
use ort::session::Session;
use ort::value::Tensor;

use super::answer::{BACKEND, failed, logits};
use super::buckets::{SIZES, calls};
use crate::eval::{Batch, EvalError, Evaluator, ModelInfo, Outputs, PLANES};

/// Rows that a worker should gather for a call. Not measured yet.
const BATCH: usize = 64;

/// Where the buffers lie.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Buffers {
    /// In memory that this GPU reads and writes by itself.
    Pinned(u8),
    /// In plain memory, for a session on the processor: so this can be tested without a GPU.
    #[cfg_attr(not(test), expect(dead_code, reason = "for tests"))]
    Plain,
}

/// Runs an [`OrtModel`](super::OrtModel) on a GPU, for everybody.
#[derive(Debug)]
pub struct BoundEvaluator {
    info: ModelInfo,
    /// One for each of [`SIZES`].
    buckets: Vec<Bucket>,
    session: Session,
}

/// The buffers of calls of one size.
#[derive(Debug)]
struct Bucket {
    /// `[size, planes, height, width]`.
    input: Tensor<f32>,
    /// Knows the buffers of the outputs.
    binding: IoBinding,
}

impl BoundEvaluator {
    /// Takes the buffers and computes each size once, with zeros.
    pub(super) fn new(
        info: &ModelInfo,
        mut session: Session,
        buffers: Buffers,
    ) -> ort::Result<BoundEvaluator> {
        let input = buffers.allocator(&session, MemoryType::CPUInput)?;
        let output = buffers.allocator(&session, MemoryType::CPUOutput)?;
        let mut buckets = Vec::new();
        for size in SIZES {
            let mut bucket = Bucket::new(info, &session, [&input, &output], size)?;
            bucket.compute(&mut session)?;
            buckets.push(bucket);
        }
        Ok(BoundEvaluator {
            info: info.clone(),
            buckets,
            session,
        })
    }

    fn run(&mut self, batch: &Batch, out: &mut Outputs) -> ort::Result<()> {
        out.reset_for(batch.len(), self.info.output_lens());
        let row_len = batch.row_len();
        for call in calls(batch.len(), &SIZES) {
            let (size, bucket) = (SIZES[call.size], &mut self.buckets[call.size]);
            // The rows behind stay what they were: nobody reads their answers.
            let planes = &batch.planes()[call.rows.start * row_len..call.rows.end * row_len];
            let (_, rows) = bucket.input.try_extract_tensor_mut::<f32>()?;
            rows[..planes.len()].copy_from_slice(planes);
            let answer = bucket.compute(&mut self.session)?;
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

impl Bucket {
    fn new(
        info: &ModelInfo,
        session: &Session,
        [input, output]: [&Allocator; 2],
        size: usize,
    ) -> ort::Result<Bucket> {
        let (height, width) = (info.size.height.into(), info.size.width.into());
        let mut input = Tensor::<f32>::new(input, [size, info.planes, height, width])?;
        input.try_extract_tensor_mut::<f32>()?.1.fill(0.0);
        let mut binding = session.create_binding()?;
        for (name, len) in info.outputs().iter().zip(info.output_lens()) {
            binding.bind_output(*name, Tensor::<f32>::new(output, [size, len])?)?;
        }
        Ok(Bucket { input, binding })
    }

    fn compute<'a>(
        &'a mut self,
        session: &'a mut Session,
    ) -> ort::Result<ort::session::SessionOutputs<'a>> {
        // Sends the rows on their way: what is bound on a GPU is a copy.
        self.binding.bind_input(PLANES, &self.input)?;
        self.binding.synchronize_inputs()?;
        session.run_binding(&self.binding)
    }
}

impl Buffers {
    fn allocator(self, session: &Session, memory: MemoryType) -> ort::Result<Allocator> {
        let Buffers::Pinned(card) = self else {
            return Ok(Allocator::default());
        };
        let pinned = AllocationDevice::CUDA_PINNED;
        let memory = MemoryInfo::new(pinned, card.into(), AllocatorType::Device, memory)?;
        Allocator::new(session, memory)
    }
}

impl Evaluator for BoundEvaluator {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn evaluate(&mut self, batch: &Batch, out: &mut Outputs) -> Result<(), EvalError> {
        self.info.check_batch(BACKEND, batch)?;
        self.run(batch, out).map_err(|error| failed(&error))
    }

    fn preferred_batch(&self) -> usize {
        BATCH
    }
}
