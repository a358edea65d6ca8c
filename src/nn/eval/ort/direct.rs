//! CPU sessions: one single-threaded session per worker, which reads rows in place.

use ort::session::Session;
use ort::value::TensorRef;

use super::answer::{BACKEND, failed, logits};
use crate::eval::{Batch, EvalError, Evaluator, ModelInfo, Outputs, PLANES};

/// Rows per call at which a single-threaded CPU session nearly reaches its best speed (5b32c
/// 11838/s at 8, 12057/s at 16, 10687/s at 1; docs/methods.md#inference-and-training-libraries).
const BATCH: usize = 8;

/// Runs an [`OrtModel`](super::OrtModel) on the processor, for one worker.
#[derive(Debug)]
pub struct OrtEvaluator {
    info: ModelInfo,
    session: Session,
    /// Shape of the input tensor; the first number is the batch size of the current call.
    shape: [usize; 4],
}

impl OrtEvaluator {
    pub(super) fn new(info: &ModelInfo, session: Session) -> OrtEvaluator {
        let (height, width) = (info.size.height.into(), info.size.width.into());
        OrtEvaluator {
            shape: [0, info.planes, height, width],
            info: info.clone(),
            session,
        }
    }

    fn run(&mut self, batch: &Batch, out: &mut Outputs) -> ort::Result<()> {
        self.shape[0] = batch.len();
        // ONNX Runtime reads the caller's rows where they are.
        let planes = TensorRef::from_array_view((self.shape, batch.planes()))?;
        let answer = self.session.run(ort::inputs![PLANES => planes])?;
        out.reset_for(batch.len(), self.info.output_lens());
        let outputs = self.info.outputs().iter().zip(self.info.output_lens());
        for (output, (name, len)) in outputs.enumerate() {
            let rows = logits(&answer, name, batch.len() * len)?;
            for (index, row) in rows.chunks_exact(len).enumerate() {
                out.output_mut(output, index).copy_from_slice(row);
            }
        }
        Ok(())
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
        BATCH
    }
}
