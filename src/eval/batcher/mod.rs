//! Few evaluators, each in a thread of its own, that serve many workers, their rows put together.
//!
//! For evaluators that like large batches and of which there are few: those on GPUs. Workers hold a
//! [`BatchClient`] each, which implements [`Evaluator`] like everything else. A thread takes the first
//! request that comes, adds what waits behind it until it has enough rows, computes once and answers
//! everybody. It never waits for a batch to fill: while it computes, the next one gathers by
//! itself. Two evaluators on the same GPU keep it busy while workers are answered and rows are on
//! their way; those of several GPUs share the work by taking it when they are free.
//!
//! Nobody hangs: a request that is dropped unanswered, because the evaluator panicked or the
//! thread ended, answers itself with an error.

mod calls;
mod client;
mod request;
mod server;
#[cfg(test)]
mod tests;

pub use calls::Calls;
pub use client::BatchClient;

use std::sync::Arc;
use std::thread::JoinHandle;

use crossbeam::channel::unbounded;

use super::{EvalError, Evaluator};
use calls::Counted;
use request::BACKEND;
use server::Server;

/// Starts a thread for each evaluator, of the same network all, and gives out the first client; clone
/// it for more.
///
/// A call takes whole requests until it has `enough` rows. The threads end when the last client is dropped; the handles may be joined then. An evaluator's
/// panic ends its thread too: its handle carries it, and when no thread is left every client gets an
/// error.
///
/// # Errors
/// [`EvalError::Run`] when there is no evaluator, or the system gives no thread.
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
    let first = first.ok_or_else(|| failed("there is nothing to evaluate with".to_owned()))?;
    let client = BatchClient::new(first.as_ref(), sender, Arc::clone(&calls));
    let mut handles = Vec::new();
    for (number, evaluator) in evaluators.into_iter().enumerate() {
        let (requests, calls) = (receiver.clone(), Arc::clone(&calls));
        let server = Server::new(evaluator, requests, enough, calls);
        let thread = std::thread::Builder::new().name(format!("{BACKEND}-{number}"));
        let handle = thread.spawn(move || server.run());
        handles.push(handle.map_err(|error| failed(format!("no thread: {error}")))?);
    }
    Ok((client, handles))
}
