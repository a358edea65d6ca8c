//! One evaluator in a thread of its own that serves many workers, their rows put together.
//!
//! For evaluators that like large batches and exist once: a GPU. Workers hold a [`BatchClient`]
//! each, which implements [`Evaluator`] like everything else. The thread takes the first request
//! that comes, adds what waits behind it up to a number of rows, computes once and answers
//! everybody. It never waits for a batch to fill: while it computes, the next one gathers by
//! itself.
//!
//! Nobody hangs: a request that is dropped unanswered, because the evaluator panicked or the
//! thread ended, answers itself with an error.

mod client;
mod request;
mod server;
#[cfg(test)]
mod tests;

pub use client::BatchClient;

use std::thread::JoinHandle;

use crossbeam::channel::unbounded;

use super::{EvalError, Evaluator};
use request::BACKEND;
use server::Server;

/// Starts the thread that owns `evaluator` and gives out the first client; clone it for more.
///
/// A call computes at most `max_batch` rows, except that a single request is never split. The
/// thread ends when the last client is dropped; the handle may be joined then. An evaluator's
/// panic ends the thread too: the handle carries it, and every client gets an error from then on.
///
/// # Errors
/// [`EvalError::Run`] when the system gives no thread.
pub fn spawn_batcher(
    evaluator: Box<dyn Evaluator>,
    max_batch: usize,
) -> Result<(BatchClient, JoinHandle<()>), EvalError> {
    let (sender, receiver) = unbounded();
    let client = BatchClient::new(evaluator.info(), evaluator.preferred_batch(), sender);
    let server = Server::new(evaluator, receiver, max_batch);
    let thread = std::thread::Builder::new().name(BACKEND.to_owned());
    let handle = thread.spawn(move || server.run());
    let handle = handle.map_err(|error| EvalError::Run {
        backend: BACKEND,
        reason: format!("no thread: {error}"),
    })?;
    Ok((client, handle))
}
