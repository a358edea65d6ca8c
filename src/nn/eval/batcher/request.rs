//! Requests to a batcher thread, their answers, and statistics of its calls.

use crossbeam::channel::Sender;

use super::super::{Batch, EvalError, Outputs};
use std::sync::atomic::{AtomicU64, Ordering};

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

/// Calls and rows of a batcher so far.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Calls {
    /// Calls of its evaluators.
    pub calls: u64,
    /// Rows (positions) evaluated in these calls.
    pub rows: u64,
}

/// [`Calls`] as atomic counters.
#[derive(Debug, Default)]
pub(super) struct Counted {
    calls: AtomicU64,
    rows: AtomicU64,
}

impl Counted {
    pub(super) fn add(&self, rows: usize) {
        self.calls.fetch_add(1, Ordering::Relaxed);
        self.rows.fetch_add(rows as u64, Ordering::Relaxed);
    }

    pub(super) fn so_far(&self) -> Calls {
        Calls {
            calls: self.calls.load(Ordering::Relaxed),
            rows: self.rows.load(Ordering::Relaxed),
        }
    }
}
