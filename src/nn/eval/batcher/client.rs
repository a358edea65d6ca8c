//! The worker's side of the batcher: sends a batch and waits for its answer.

use std::sync::Arc;

use crossbeam::channel::{Receiver, Sender, unbounded};

use super::super::{Batch, EvalError, Evaluator, ModelInfo, Outputs};
use super::request::{BACKEND, Buffers, Calls, Counted, Reply, Request};

/// A worker's connection to a batcher: [`Evaluator::evaluate`] sends one batch and waits.
#[derive(Debug)]
pub struct BatchClient {
    info: Arc<ModelInfo>,
    preferred_batch: usize,
    requests: Sender<Request>,
    reply: Sender<Reply>,
    replies: Receiver<Reply>,
    /// The buffers of the last batch, for reuse.
    spare: Option<Buffers>,
    calls: Arc<Counted>,
}

impl BatchClient {
    /// A client of the servers of `requests`, whose network is that of `evaluator`.
    pub(super) fn new(
        evaluator: &dyn Evaluator,
        requests: Sender<Request>,
        calls: Arc<Counted>,
    ) -> BatchClient {
        let info = Arc::new(evaluator.info().clone());
        BatchClient::connected(info, evaluator.preferred_batch(), requests, calls)
    }

    fn connected(
        info: Arc<ModelInfo>,
        preferred_batch: usize,
        requests: Sender<Request>,
        calls: Arc<Counted>,
    ) -> BatchClient {
        let (reply, replies) = unbounded();
        BatchClient {
            info,
            preferred_batch,
            requests,
            reply,
            replies,
            spare: None,
            calls,
        }
    }

    /// Statistics over all clients of this batcher.
    #[must_use]
    pub fn calls(&self) -> Calls {
        self.calls.so_far()
    }
}

impl Clone for BatchClient {
    /// Another client of the same batcher.
    fn clone(&self) -> BatchClient {
        let (info, calls) = (Arc::clone(&self.info), Arc::clone(&self.calls));
        BatchClient::connected(info, self.preferred_batch, self.requests.clone(), calls)
    }
}

impl Evaluator for BatchClient {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn evaluate(&mut self, batch: &Batch, out: &mut Outputs) -> Result<(), EvalError> {
        self.info.check_batch(BACKEND, batch)?;
        let mut buffers = self.spare.take().unwrap_or_else(|| Buffers {
            batch: Batch::new(self.info.row_len()),
            out: Outputs::new(),
        });
        buffers.batch.clear();
        buffers.batch.append(batch);
        let request = Request {
            buffers: Some(buffers),
            reply: self.reply.clone(),
        };
        // If the thread is gone, the request is dropped and thereby answered with an error.
        drop(self.requests.send(request));
        // Every request sends exactly one reply, so this neither hangs nor fails.
        let answer = self.replies.recv().map_err(|_| EvalError::Run {
            backend: BACKEND,
            reason: "the batch was not answered".to_owned(),
        })?;
        let mut buffers = answer.buffers;
        if answer.result.is_ok() {
            std::mem::swap(out, &mut buffers.out);
        }
        self.spare = Some(buffers);
        answer.result
    }

    fn preferred_batch(&self) -> usize {
        self.preferred_batch
    }
}
