//! A batcher: few evaluators, each in its own thread, serve many workers with combined batches.
//!
//! For GPUs, which need large batches and of which there are few. Each worker holds a
//! [`BatchClient`], which is an [`Evaluator`] itself. A thread takes the first request, adds
//! waiting requests until it has enough rows, evaluates them in one call and answers all. It never
//! waits for a batch to fill: the next one collects while it computes. Two evaluators on the same
//! GPU keep it busy during transfers; those of several GPUs share the work by taking requests when
//! idle. One that fails leaves its requests to the others: a lost GPU must not take the healthy ones along.
//!
//! Nothing hangs: a request that is dropped unanswered, because the evaluator panicked or the
//! thread ended, closes the channel on which its client waits.

#[cfg(test)]
mod tests;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::JoinHandle;

use crossbeam::channel::{Receiver, Sender, bounded, unbounded};

use super::{Batch, EvalError, Evaluator, ModelInfo, Outputs};

const BACKEND: &str = "batcher";

/// Starts a thread for each evaluator, all of the same network, and returns the first client; clone
/// it for more.
///
/// A call takes whole requests until it has `enough` rows. The threads end when the last client is
/// dropped; then the handles may be joined. A failure of an evaluator ends its thread, unless it is the last. A panic
/// does, and is returned by its handle; when no thread is left every client gets an error.
///
/// # Errors
/// [`EvalError::Run`] without evaluators, or if the system cannot create a thread.
pub fn spawn_batcher(
    evaluators: Vec<Box<dyn Evaluator>>,
    enough: usize,
) -> Result<(BatchClient, Vec<JoinHandle<()>>), EvalError> {
    let (sender, receiver) = unbounded();
    let first = evaluators.first();
    let first = first.ok_or_else(|| EvalError::run(BACKEND, "no evaluator was given"))?;
    let client = BatchClient {
        info: Arc::new(first.info().clone()),
        preferred_batch: first.preferred_batch(),
        requests: sender,
        spare: Buffers::new(first.info()),
    };
    let working = Arc::new(AtomicUsize::new(evaluators.len()));
    let mut handles = Vec::new();
    for (number, evaluator) in evaluators.into_iter().enumerate() {
        let server = Server {
            merged: Buffers::new(evaluator.info()),
            evaluator,
            requests: receiver.clone(),
            enough,
            working: Arc::clone(&working),
        };
        let thread = std::thread::Builder::new().name(format!("{BACKEND}-{number}"));
        let handle = thread.spawn(move || server.run());
        handles.push(handle.map_err(|error| {
            EvalError::run(BACKEND, format!("cannot create a thread: {error}"))
        })?);
    }
    Ok((client, handles))
}

/// A batch, with the buffer for its answer; both return to the client for reuse.
#[derive(Debug, Clone)]
struct Buffers {
    batch: Batch,
    out: Outputs,
}

impl Buffers {
    fn new(info: &ModelInfo) -> Buffers {
        Buffers {
            batch: Batch::new(info.row_len()),
            out: Outputs::new(),
        }
    }
}

#[derive(Debug)]
struct Reply {
    buffers: Buffers,
    result: Result<(), EvalError>,
}

#[derive(Debug)]
struct Request {
    buffers: Buffers,
    reply: Sender<Reply>,
    /// Where it waits.
    queue: Sender<Request>,
}

impl Request {
    fn answer(self, result: Result<(), EvalError>) {
        let buffers = self.buffers;
        // A client that is gone no longer needs its answer.
        let _ = self.reply.send(Reply { buffers, result });
    }

    /// Leaves it to another thread. If there is none, the request is dropped.
    fn put_back(self) {
        let queue = self.queue.clone();
        drop(queue.send(self));
    }
}

/// State of a batcher thread.
struct Server {
    evaluator: Box<dyn Evaluator>,
    requests: Receiver<Request>,
    /// Combined rows of several requests.
    merged: Buffers,
    /// Rows from which on no request is added.
    enough: usize,
    /// How many threads have not ended because their evaluator failed.
    working: Arc<AtomicUsize>,
}

impl Server {
    fn run(mut self) {
        let mut group = Vec::new();
        while self.gather(&mut group) {
            let result = self.serve(&mut group);
            if let Err(error) = &result
                && self.may_end()
            {
                log::error!("of several evaluators one fails, and is not used any more: {error}");
                group.into_iter().for_each(Request::put_back);
                return;
            }
            for request in group.drain(..) {
                request.answer(result.clone());
            }
        }
    }

    /// Whether other threads are left to do the work of this one, which does not count from then on.
    fn may_end(&self) -> bool {
        let less = |working: usize| working.checked_sub(1).filter(|&left| left > 0);
        let (set, fetch) = (Ordering::Relaxed, Ordering::Relaxed);
        self.working.fetch_update(set, fetch, less).is_ok()
    }

    /// Waits for a request and adds waiting requests until there are enough rows; the others are
    /// left to other threads. False when no client is left.
    fn gather(&mut self, group: &mut Vec<Request>) -> bool {
        let Ok(first) = self.requests.recv() else {
            return false;
        };
        let mut rows = first.buffers.batch.len();
        group.push(first);
        while rows < self.enough
            && let Ok(next) = self.requests.try_recv()
        {
            rows += next.buffers.batch.len();
            group.push(next);
        }
        true
    }

    /// Evaluates a group in one call, into the buffers of its requests.
    fn serve(&mut self, group: &mut [Request]) -> Result<(), EvalError> {
        if let [Request { buffers, .. }] = group {
            return self.evaluator.evaluate(&buffers.batch, &mut buffers.out);
        }
        self.merged.batch.clear();
        for request in &*group {
            self.merged.batch.append(&request.buffers.batch);
        }
        let Buffers { batch, out } = &mut self.merged;
        self.evaluator.evaluate(batch, out)?;
        let mut start = 0;
        for Request { buffers: own, .. } in group {
            let end = start + own.batch.len();
            own.out.copy_rows(out, start..end);
            start = end;
        }
        Ok(())
    }
}

/// A worker's connection to a batcher: [`Evaluator::evaluate`] sends one batch and waits. A clone is
/// another client of the same batcher.
#[derive(Debug, Clone)]
pub struct BatchClient {
    info: Arc<ModelInfo>,
    preferred_batch: usize,
    requests: Sender<Request>,
    /// The buffers of the last batch, for reuse.
    spare: Buffers,
}

impl Evaluator for BatchClient {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn evaluate(&mut self, batch: &Batch, out: &mut Outputs) -> Result<(), EvalError> {
        self.info.check_batch(BACKEND, batch)?;
        let mut buffers = std::mem::replace(&mut self.spare, Buffers::new(&self.info));
        buffers.batch.clear();
        buffers.batch.append(batch);
        let (reply, answer) = bounded(1);
        // If no thread is left, the request is dropped.
        drop(self.requests.send(Request {
            buffers,
            reply,
            queue: self.requests.clone(),
        }));
        let Reply { buffers, result } = answer.recv().map_err(|_| {
            let reason = "the evaluator's thread has ended, it may have panicked";
            EvalError::run(BACKEND, reason)
        })?;
        self.spare = buffers;
        if result.is_ok() {
            std::mem::swap(out, &mut self.spare.out);
        }
        result
    }

    fn preferred_batch(&self) -> usize {
        self.preferred_batch
    }
}
