//! Tests of the batcher, with fake evaluators.

use crossbeam::channel::{Receiver, Sender};

use super::*;
use crate::eval::testnet::{SMALL, random_batch};
use crate::eval::{
    Batch, FailingEvaluator, Failure, HashEvaluator, ModelInfo, Outputs, StallingEvaluator, suite,
};

const ROW: usize = 60;

fn spawn(evaluator: impl Evaluator + 'static, max: usize) -> (BatchClient, JoinHandle<()>) {
    let (client, mut threads) = spawn_batcher(vec![Box::new(evaluator)], max).unwrap();
    (client, threads.remove(0))
}

fn hash() -> HashEvaluator {
    HashEvaluator::new(SMALL.info())
}

/// Reports the length of every batch that it evaluates.
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
fn waiting_requests_are_put_together_until_there_are_enough() {
    let (release, gate) = crossbeam::channel::unbounded();
    let (record, lengths) = crossbeam::channel::unbounded();
    let stalling = StallingEvaluator::new(SMALL.info(), gate);
    let (mut client, thread) = spawn(Recording(stalling, record), 8);
    client.submit(random_batch(ROW, 1, 0)).unwrap();
    // The thread is busy with the first batch now: all others wait.
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
    assert_eq!(lengths, [9, 9, 2], "3 + 2 + 4, 9 alone, 1 + 1");
}

/// While one thread stalls, the other serves the rest, and each answer goes to its client.
#[test]
fn several_evaluators_share_the_work() {
    let (release, gate) = crossbeam::channel::unbounded();
    let held = StallingEvaluator::new(SMALL.info(), gate);
    let (mut client, threads) = spawn_batcher(vec![Box::new(held)], 8).unwrap();
    drop(threads);
    client.submit(random_batch(ROW, 2, 1)).unwrap();
    drop(release);
    assert_eq!(client.wait().unwrap().0.len(), 2);
    assert_eq!(client.calls(), Calls { calls: 1, rows: 2 });
    assert!(spawn_batcher(Vec::new(), 8).is_err());

    let (release, gate) = crossbeam::channel::unbounded();
    let (record, lengths) = crossbeam::channel::unbounded();
    let held = Recording(StallingEvaluator::new(SMALL.info(), gate), record.clone());
    let free = Recording(hash(), record);
    let (first, threads) = spawn_batcher(vec![Box::new(held), Box::new(free)], 8).unwrap();
    // Eventually the stalling thread has a request, and the other one serves the rest.
    let mut waiting: Vec<BatchClient> = (0..20).map(|_| first.clone()).collect();
    for (client, seed) in waiting.iter_mut().zip(1..) {
        client.submit(random_batch(ROW, 8, seed)).unwrap();
    }
    for _ in 0..20 {
        assert_eq!(lengths.recv(), Ok(8));
    }
    drop(release);
    for (mut client, seed) in waiting.into_iter().zip(1..) {
        let expected = suite::run(&mut hash(), &random_batch(ROW, 8, seed));
        let (_, out) = client.wait().unwrap();
        for row in 0..8 {
            suite::assert_same_row(&out, row, &expected, row, 0.0);
        }
    }
    assert_eq!(
        first.calls(),
        Calls {
            calls: 20,
            rows: 160
        }
    );
    drop(first);
    for thread in threads {
        thread.join().unwrap();
    }
}

#[test]
fn an_error_reaches_every_waiting_client_and_the_next_request_is_tried() {
    let (release, gate) = crossbeam::channel::bounded(0);
    let failing = FailingEvaluator::new(SMALL.info(), 0, Failure::Error);
    let (record, lengths) = crossbeam::channel::unbounded();
    /// Waits at the gate, then behaves like `1`.
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

/// Requests per client of the eight clients; `TENGEN_STRESS` multiplies it.
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
