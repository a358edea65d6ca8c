//! A batcher: few evaluators, each in its own thread, serve many workers with combined batches.
//!
//! For GPUs, which need large batches and of which there are few. Each worker holds a
//! [`BatchClient`], which is an [`Evaluator`] itself. A thread takes the first request, adds
//! waiting requests until it has enough rows, evaluates them in one call and answers all. It never
//! waits for a batch to fill: the next one collects while it computes. Two evaluators on the same
//! GPU keep it busy during transfers; those of several GPUs share the work by taking requests when
//! idle.
//!
//! Nothing hangs: a request that is dropped unanswered, because the evaluator panicked or the
//! thread ended, answers itself with an error.

mod client;
mod request;
#[cfg(test)]
mod tests;

pub use client::BatchClient;
pub use request::Calls;

use std::sync::Arc;
use std::thread::JoinHandle;

use crossbeam::channel::{Receiver, unbounded};

use super::{Batch, EvalError, Evaluator, Outputs};
use request::{BACKEND, Buffers, Counted, Request};

/// Starts a thread for each evaluator, all of the same network, and returns the first client; clone
/// it for more.
///
/// A call takes whole requests until it has `enough` rows. The threads end when the last client is
/// dropped; then the handles may be joined. A panic in an evaluator ends its thread and is returned
/// by its handle; when no thread is left every client gets an error.
///
/// # Errors
/// [`EvalError::Run`] without evaluators, or if the system cannot create a thread.
pub fn spawn_batcher(
    evaluators: Vec<Box<dyn Evaluator>>,
    enough: usize,
) -> Result<(BatchClient, Vec<JoinHandle<()>>), EvalError> {
    let failed = |reason| EvalError::Run {
        backend: BACKEND,
        reason,
    };
    let (sender, receiver) = unbounded();
    let calls = Arc::new(Counted::default());
    let first = evaluators.first();
    let first = first.ok_or_else(|| failed("no evaluator was given".to_owned()))?;
    let client = BatchClient::new(first.as_ref(), sender, Arc::clone(&calls));
    let mut handles = Vec::new();
    for (number, evaluator) in evaluators.into_iter().enumerate() {
        let (requests, calls) = (receiver.clone(), Arc::clone(&calls));
        let server = Server::new(evaluator, requests, enough, calls);
        let thread = std::thread::Builder::new().name(format!("{BACKEND}-{number}"));
        let handle = thread.spawn(move || server.run());
        handles.push(handle.map_err(|error| failed(format!("cannot create a thread: {error}")))?);
    }
    Ok((client, handles))
}

/// State of a batcher thread.
struct Server {
    evaluator: Box<dyn Evaluator>,
    requests: Receiver<Request>,
    /// Combined rows of several requests.
    merged: Buffers,
    /// Rows from which on no request is added.
    enough: usize,
    calls: Arc<Counted>,
}

impl Server {
    fn new(
        evaluator: Box<dyn Evaluator>,
        requests: Receiver<Request>,
        enough: usize,
        calls: Arc<Counted>,
    ) -> Server {
        Server {
            merged: Buffers {
                batch: Batch::new(evaluator.info().row_len()),
                out: Outputs::new(),
            },
            evaluator,
            requests,
            enough,
            calls,
        }
    }

    fn run(mut self) {
        let mut group = Vec::new();
        while self.gather(&mut group) {
            self.serve(&mut group);
        }
    }

    /// Waits for a request and adds waiting requests until there are enough rows; the others are
    /// left to other threads. False when no client is left.
    fn gather(&mut self, group: &mut Vec<Request>) -> bool {
        let Ok(first) = self.requests.recv() else {
            return false;
        };
        let mut rows = first.len();
        group.push(first);
        while rows < self.enough
            && let Ok(next) = self.requests.try_recv()
        {
            rows += next.len();
            group.push(next);
        }
        true
    }

    /// Evaluates a group in one call and answers it; leaves it empty.
    fn serve(&mut self, group: &mut Vec<Request>) {
        self.calls.add(group.iter().map(Request::len).sum());
        if let [alone] = group.as_mut_slice() {
            if let Some(Buffers { batch, out }) = &mut alone.buffers {
                let result = self.evaluator.evaluate(batch, out);
                alone.send(result);
            }
            group.clear();
            return;
        }
        self.merged.batch.clear();
        for Buffers { batch, .. } in group.iter().flat_map(|request| &request.buffers) {
            self.merged.batch.append(batch);
        }
        let Buffers { batch, out } = &mut self.merged;
        let result = self.evaluator.evaluate(batch, out);
        let mut start = 0;
        for mut request in group.drain(..) {
            let len = request.len();
            if let (Ok(()), Some(buffers)) = (&result, &mut request.buffers) {
                buffers.out.copy_rows(out, start..start + len);
            }
            start += len;
            request.answer(result.clone());
        }
    }
}
