//! One evaluator in a thread of its own that serves many workers, their rows put together.
//!
//! For evaluators that like large batches and exist once: a GPU. Workers hold a [`BatchClient`]
//! each, which wears [`Evaluator`] like everything else. The thread takes the first request that
//! comes, adds what waits behind it up to a number of rows, computes once and answers everybody.
//! It never waits for a batch to fill: while it computes, the next one gathers by itself.
//!
//! Nobody hangs: a request that is dropped unanswered, because the evaluator panicked or the
//! thread ended, answers itself with an error.

use std::sync::Arc;
use std::thread::JoinHandle;

use crossbeam::channel::{Receiver, Sender, unbounded};

use super::{Batch, EvalError, Evaluator, ModelInfo, Outputs};

const BACKEND: &str = "batcher";

/// A batch on its way, with the buffer for its answer; both return to the client for reuse.
#[derive(Debug)]
struct Buffers {
    batch: Batch,
    out: Outputs,
}

#[derive(Debug)]
struct Reply {
    buffers: Buffers,
    result: Result<(), EvalError>,
}

#[derive(Debug)]
struct Request {
    /// Taken when the request is answered.
    buffers: Option<Buffers>,
    reply: Sender<Reply>,
}

impl Request {
    fn len(&self) -> usize {
        self.buffers.as_ref().map_or(0, |b| b.batch.len())
    }

    fn answer(mut self, result: Result<(), EvalError>) {
        self.send(result);
    }

    fn send(&mut self, result: Result<(), EvalError>) {
        if let Some(buffers) = self.buffers.take() {
            // A client that has gone no longer wants its answer.
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
    let info = Arc::new(evaluator.info().clone());
    let preferred_batch = evaluator.preferred_batch();
    let server = Server {
        merged: Buffers {
            batch: Batch::new(info.row_len()),
            out: Outputs::new(),
        },
        evaluator,
        requests: receiver,
        held: None,
        max_batch,
    };
    let thread = std::thread::Builder::new().name(BACKEND.to_owned());
    let handle = thread.spawn(move || server.run());
    let handle = handle.map_err(|error| EvalError::Run {
        backend: BACKEND,
        reason: format!("no thread: {error}"),
    })?;
    Ok((BatchClient::new(info, preferred_batch, sender), handle))
}

/// What runs in the thread.
struct Server {
    evaluator: Box<dyn Evaluator>,
    requests: Receiver<Request>,
    /// Came off the queue but did not fit into the last group.
    held: Option<Request>,
    /// Rows of several requests, put together.
    merged: Buffers,
    max_batch: usize,
}

impl Server {
    fn run(mut self) {
        let mut group = Vec::new();
        while self.gather(&mut group) {
            self.serve(&mut group);
        }
    }

    /// Waits for a request and adds those that wait behind it. False when no client is left.
    fn gather(&mut self, group: &mut Vec<Request>) -> bool {
        let first = self.held.take().or_else(|| self.requests.recv().ok());
        let Some(first) = first else {
            return false;
        };
        let mut rows = first.len();
        group.push(first);
        while let Ok(next) = self.requests.try_recv() {
            rows += next.len();
            if rows > self.max_batch {
                self.held = Some(next);
                break;
            }
            group.push(next);
        }
        true
    }

    /// Computes a group in one call and answers it; leaves it empty.
    fn serve(&mut self, group: &mut Vec<Request>) {
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

/// A worker's connection to a batcher.
///
/// [`Evaluator::evaluate`] asks and waits. To keep a GPU busy, [`BatchClient::submit`] several
/// batches and [`BatchClient::wait`] for them one after another instead.
#[derive(Debug)]
pub struct BatchClient {
    info: Arc<ModelInfo>,
    preferred_batch: usize,
    requests: Sender<Request>,
    reply: Sender<Reply>,
    replies: Receiver<Reply>,
    in_flight: usize,
    spare: Vec<Buffers>,
}

impl BatchClient {
    fn new(info: Arc<ModelInfo>, preferred_batch: usize, requests: Sender<Request>) -> BatchClient {
        let (reply, replies) = unbounded();
        BatchClient {
            info,
            preferred_batch,
            requests,
            reply,
            replies,
            in_flight: 0,
            spare: Vec::new(),
        }
    }

    /// Sends a batch off. What goes wrong with it later is told by the [`BatchClient::wait`] that
    /// fetches its answer.
    ///
    /// # Errors
    /// [`EvalError::Run`] when its rows were not encoded for this network: it is not sent then.
    pub fn submit(&mut self, batch: Batch) -> Result<(), EvalError> {
        self.info.check_batch(BACKEND, &batch)?;
        let out = self.spare.pop().map_or_else(Outputs::new, |b| b.out);
        self.send(Buffers { batch, out });
        Ok(())
    }

    /// Waits for the answer to the oldest batch in flight, and gives the batch back.
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
        // When the thread has gone the request is dropped, and so answers itself.
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
        let info = Arc::clone(&self.info);
        BatchClient::new(info, self.preferred_batch, self.requests.clone())
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

#[cfg(test)]
mod tests {
    use super::super::testnet::{SMALL, random_batch};
    use super::super::{FailingEvaluator, Failure, HashEvaluator, StallingEvaluator, suite};
    use super::*;

    const ROW: usize = 60;

    fn spawn(evaluator: impl Evaluator + 'static, max: usize) -> (BatchClient, JoinHandle<()>) {
        spawn_batcher(Box::new(evaluator), max).unwrap()
    }

    fn hash() -> HashEvaluator {
        HashEvaluator::new(SMALL.info())
    }

    /// Tells the length of every batch that it computes.
    struct Recording<E>(E, Sender<usize>);

    impl<E: Evaluator> Evaluator for Recording<E> {
        fn info(&self) -> &ModelInfo {
            self.0.info()
        }

        fn evaluate(&mut self, batch: &Batch, out: &mut Outputs) -> Result<(), EvalError> {
            self.1.send(batch.len()).unwrap();
            self.0.evaluate(batch, out)
        }
    }

    #[test]
    fn passes_the_suite_and_ends_with_its_last_client() {
        let (mut client, thread) = spawn(hash(), 8);
        let mut second = client.clone();
        suite::check(&mut client);
        drop(client);
        suite::check(&mut second);
        drop(second);
        thread.join().unwrap();
    }

    #[test]
    fn waiting_requests_are_put_together_up_to_the_limit() {
        let (release, gate) = crossbeam::channel::unbounded();
        let (record, lengths) = crossbeam::channel::unbounded();
        let stalling = StallingEvaluator::new(SMALL.info(), gate);
        let (mut client, thread) = spawn(Recording(stalling, record), 8);
        client.submit(random_batch(ROW, 1, 0)).unwrap();
        // The thread is at work on the first batch now: all others wait.
        assert_eq!(lengths.recv(), Ok(1));
        for len in [3, 2, 4, 9, 1, 1] {
            client.submit(random_batch(ROW, len, len as u64)).unwrap();
        }
        drop(release);
        for len in [1, 3, 2, 4, 9, 1, 1] {
            let (batch, out) = client.wait().unwrap();
            assert_eq!((batch.len(), out.len()), (len, len));
            let alone = suite::run(&mut hash(), &batch);
            for index in 0..len {
                suite::assert_same_row(&out, index, &alone, index, 0.0);
            }
        }
        drop(client);
        thread.join().unwrap();
        let lengths: Vec<usize> = lengths.iter().collect();
        assert_eq!(lengths, [5, 4, 9, 2], "3 + 2, 4, 9 alone, 1 + 1");
    }

    #[test]
    fn an_error_reaches_every_waiting_client_and_the_next_request_is_tried() {
        let (release, gate) = crossbeam::channel::bounded(0);
        let failing = FailingEvaluator::new(SMALL.info(), 0, Failure::Error);
        let (record, lengths) = crossbeam::channel::unbounded();
        /// Waits at the gate, then does as `1` does.
        struct Gated(Receiver<()>, FailingEvaluator);
        impl Evaluator for Gated {
            fn info(&self) -> &ModelInfo {
                self.1.info()
            }
            fn evaluate(&mut self, batch: &Batch, out: &mut Outputs) -> Result<(), EvalError> {
                let _ = self.0.recv();
                self.1.evaluate(batch, out)
            }
        }
        let (mut first, thread) = spawn(Recording(Gated(gate, failing), record), 8);
        let (mut second, mut third) = (first.clone(), first.clone());
        first.submit(random_batch(ROW, 1, 1)).unwrap();
        assert_eq!(lengths.recv(), Ok(1));
        second.submit(random_batch(ROW, 2, 1)).unwrap();
        third.submit(random_batch(ROW, 2, 1)).unwrap();
        drop(release);
        for client in [&mut first, &mut second, &mut third] {
            let text = client.wait().unwrap_err().to_string();
            assert!(text.contains("fails on purpose"), "{text}");
        }
        assert_eq!(lengths.recv(), Ok(4), "the others shared one call");
        assert!(
            first
                .evaluate(&random_batch(ROW, 1, 1), &mut Outputs::new())
                .is_err()
        );
        drop((first, second, third));
        thread.join().unwrap();
    }

    #[test]
    fn a_panic_becomes_an_error_for_everybody() {
        let failing = FailingEvaluator::new(SMALL.info(), 10, Failure::Panic);
        let (client, thread) = spawn(failing, 4);
        std::thread::scope(|scope| {
            for seed in 0..6 {
                let mut client = client.clone();
                scope.spawn(move || {
                    let batch = random_batch(ROW, 2, seed);
                    let mut out = Outputs::new();
                    // Two requests in flight at a time, until the first error.
                    client.submit(batch.clone()).unwrap();
                    client.submit(batch.clone()).unwrap();
                    while client.wait().is_ok() {
                        client.submit(batch.clone()).unwrap();
                    }
                    assert!(client.wait().is_err());
                    assert!(client.evaluate(&batch, &mut out).is_err());
                });
            }
        });
        assert!(thread.join().is_err(), "the panic is in the handle");
    }

    #[test]
    fn misuse_is_an_error() {
        let (mut client, _thread) = spawn(hash(), 8);
        assert!(client.wait().is_err(), "nothing is in flight");
        client.submit(random_batch(ROW, 1, 1)).unwrap();
        assert_eq!(client.in_flight(), 1);
        let batch = random_batch(ROW, 1, 2);
        assert!(client.evaluate(&batch, &mut Outputs::new()).is_err());
        assert!(client.submit(random_batch(ROW + 1, 1, 1)).is_err());
        assert!(client.wait().is_ok());
        assert_eq!(client.in_flight(), 0);
        suite::run(&mut client, &batch);
    }

    /// Requests of each of the eight clients; `TENGEN_STRESS` multiplies it.
    fn rounds() -> u64 {
        let factor = std::env::var("TENGEN_STRESS").ok();
        500 * factor.and_then(|f| f.parse().ok()).unwrap_or(1)
    }

    #[test]
    fn many_clients_get_their_own_answers() {
        let (client, thread) = spawn(hash(), 16);
        std::thread::scope(|scope| {
            for worker in 0..8 {
                let mut client = client.clone();
                scope.spawn(move || {
                    for round in 0..rounds() {
                        let seed = worker * 1_000_000 + round;
                        let batch = random_batch(ROW, (seed % 5) as usize, seed);
                        let expected = suite::run(&mut hash(), &batch);
                        let out = if round % 2 == 0 {
                            suite::run(&mut client, &batch)
                        } else {
                            client.submit(batch.clone()).unwrap();
                            client.wait().unwrap().1
                        };
                        for index in 0..batch.len() {
                            suite::assert_same_row(&out, index, &expected, index, 0.0);
                        }
                    }
                });
            }
        });
        drop(client);
        thread.join().unwrap();
    }
}
