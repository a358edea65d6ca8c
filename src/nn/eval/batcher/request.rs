//! Requests to a batcher thread, and their answers.

use crossbeam::channel::Sender;

use super::super::{Batch, EvalError, Outputs};

pub(super) const BACKEND: &str = "batcher";

/// A batch in flight, with the buffer for its answer; both return to the client for reuse.
#[derive(Debug)]
pub(super) struct Buffers {
    pub(super) batch: Batch,
    pub(super) out: Outputs,
}

#[derive(Debug)]
pub(super) struct Reply {
    pub(super) buffers: Buffers,
    pub(super) result: Result<(), EvalError>,
}

#[derive(Debug)]
pub(super) struct Request {
    /// `None` once the request is answered.
    pub(super) buffers: Option<Buffers>,
    pub(super) reply: Sender<Reply>,
}

impl Request {
    pub(super) fn len(&self) -> usize {
        self.buffers.as_ref().map_or(0, |b| b.batch.len())
    }

    pub(super) fn answer(mut self, result: Result<(), EvalError>) {
        self.send(result);
    }

    pub(super) fn send(&mut self, result: Result<(), EvalError>) {
        if let Some(buffers) = self.buffers.take() {
            // A client that is gone no longer needs its answer.
            let _ = self.reply.send(Reply { buffers, result });
        }
    }
}

impl Drop for Request {
    fn drop(&mut self) {
        self.send(Err(EvalError::Run {
            backend: BACKEND,
            reason: "the evaluator's thread has ended, it may have panicked".to_owned(),
        }));
    }
}
