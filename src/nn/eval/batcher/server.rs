//! The thread's side of the batcher: collects requests, evaluates, answers.

use std::sync::Arc;

use crossbeam::channel::Receiver;

use super::super::{Batch, Evaluator, Outputs};
use super::calls::Counted;
use super::request::{Buffers, Request};

/// State of a batcher thread.
pub(super) struct Server {
    evaluator: Box<dyn Evaluator>,
    requests: Receiver<Request>,
    /// Combined rows of several requests.
    merged: Buffers,
    /// Rows from which on no request is added.
    enough: usize,
    calls: Arc<Counted>,
}

impl Server {
    pub(super) fn new(
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

    pub(super) fn run(mut self) {
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
