//! The worker's side of the batcher: sends batches and receives answers.

use std::sync::Arc;

use crossbeam::channel::{Receiver, Sender, unbounded};

use super::super::{Batch, EvalError, Evaluator, ModelInfo, Outputs};
use super::calls::{Calls, Counted};
use super::request::{BACKEND, Buffers, Reply, Request};

/// A worker's connection to a batcher.
///
/// [`Evaluator::evaluate`] sends one batch and waits. To keep a GPU busy, [`BatchClient::submit`]
/// several batches and then [`BatchClient::wait`] for each.
#[derive(Debug)]
pub struct BatchClient {
    info: Arc<ModelInfo>,
    preferred_batch: usize,
    requests: Sender<Request>,
    reply: Sender<Reply>,
    replies: Receiver<Reply>,
    in_flight: usize,
    spare: Vec<Buffers>,
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
            in_flight: 0,
            spare: Vec::new(),
            calls,
        }
    }

    /// Statistics over all clients of this batcher.
    #[must_use]
    pub fn calls(&self) -> Calls {
        self.calls.so_far()
    }

    /// Sends a batch. A later failure is reported by the [`BatchClient::wait`] for its answer.
    ///
    /// # Errors
    /// [`EvalError::Run`] if its rows were not encoded for this network: nothing is sent.
    pub fn submit(&mut self, batch: Batch) -> Result<(), EvalError> {
        self.info.check_batch(BACKEND, &batch)?;
        let out = self.spare.pop().map_or_else(Outputs::new, |b| b.out);
        self.send(Buffers { batch, out });
        Ok(())
    }

    /// Waits for the answer to the oldest batch in flight, and returns the batch.
    ///
    /// # Errors
    /// [`EvalError::Run`] when the evaluator failed, its thread has ended, or nothing is in
    /// flight.
    pub fn wait(&mut self) -> Result<(Batch, Outputs), EvalError> {
        let Buffers { batch, out } = self.receive()?;
        Ok((batch, out))
    }

    /// Number of batches submitted and not yet waited for.
    #[must_use]
    pub fn in_flight(&self) -> usize {
        self.in_flight
    }

    fn send(&mut self, buffers: Buffers) {
        let request = Request {
            buffers: Some(buffers),
            reply: self.reply.clone(),
        };
        self.in_flight += 1;
        // If the thread is gone, the request is dropped and thereby answered with an error.
        drop(self.requests.send(request));
    }

    fn receive(&mut self) -> Result<Buffers, EvalError> {
        let idle = || EvalError::Run {
            backend: BACKEND,
            reason: "no batch is in flight".to_owned(),
        };
        self.in_flight = self.in_flight.checked_sub(1).ok_or_else(idle)?;
        // Every request sends exactly one reply, so this neither hangs nor fails.
        let reply = self.replies.recv().map_err(|_| idle())?;
        match reply.result {
            Ok(()) => Ok(reply.buffers),
            Err(error) => {
                self.spare.push(reply.buffers);
                Err(error)
            }
        }
    }
}

impl Clone for BatchClient {
    /// Another client of the same batcher, with nothing in flight.
    fn clone(&self) -> BatchClient {
        let (info, calls) = (Arc::clone(&self.info), Arc::clone(&self.calls));
        BatchClient::connected(info, self.preferred_batch, self.requests.clone(), calls)
    }
}

impl Evaluator for BatchClient {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    /// # Errors
    /// [`EvalError::Run`] also when submitted batches are still in flight.
    fn evaluate(&mut self, batch: &Batch, out: &mut Outputs) -> Result<(), EvalError> {
        if self.in_flight > 0 {
            return Err(EvalError::Run {
                backend: BACKEND,
                reason: format!("{} batches are still in flight", self.in_flight),
            });
        }
        self.info.check_batch(BACKEND, batch)?;
        let mut buffers = self.spare.pop().unwrap_or_else(|| Buffers {
            batch: Batch::new(self.info.row_len()),
            out: Outputs::new(),
        });
        buffers.batch.clear();
        buffers.batch.append(batch);
        self.send(buffers);
        let mut answered = self.receive()?;
        std::mem::swap(out, &mut answered.out);
        self.spare.push(answered);
        Ok(())
    }

    fn preferred_batch(&self) -> usize {
        self.preferred_batch
    }
}
