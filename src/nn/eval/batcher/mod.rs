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
