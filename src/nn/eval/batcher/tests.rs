//! Tests of the batcher, with fake evaluators.

use super::*;
use crate::eval::testnet::{SMALL, random_batch};
use crate::eval::{FailingEvaluator, Failure, HashEvaluator, StallingEvaluator, suite};

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

/// Serves batches of these lengths, all waiting from the start; returns the answers, in order, and
/// the lengths of the calls.
fn serve(evaluator: impl Evaluator + 'static, lens: &[usize]) -> (Vec<Reply>, Vec<usize>) {
    let (record, lengths) = unbounded();
    let (requests, waiting) = unbounded();
    let (reply, replies) = unbounded();
    for (&len, seed) in lens.iter().zip(1..) {
        let batch = random_batch(ROW, len, seed);
        let out = Outputs::new();
        let buffers = Buffers { batch, out };
        let (reply, queue) = (reply.clone(), requests.clone());
        let request = Request {
            buffers,
            reply,
            queue,
        };
        requests.send(request).unwrap();
    }
    // Without senders the server ends with the last request, and the lists with the server.
    drop((requests, reply));
    let evaluator = Box::new(Recording(evaluator, record));
    let server = Server {
        merged: Buffers::new(evaluator.info()),
        evaluator,
        requests: waiting,
        enough: 8,
        working: Arc::new(AtomicUsize::new(1)),
    };
    server.run();
    (replies.iter().collect(), lengths.iter().collect())
}

#[test]
fn waiting_requests_are_put_together_until_there_are_enough() {
    let lens = [3, 2, 4, 9, 1, 1];
    let (replies, calls) = serve(hash(), &lens);
    assert_eq!(calls, [9, 9, 2], "3 + 2 + 4, 9 alone, 1 + 1");
    assert_eq!(replies.len(), lens.len());
    for (Reply { buffers, result }, len) in replies.iter().zip(lens) {
        assert!(result.is_ok());
        let Buffers { batch, out } = buffers;
        assert_eq!((batch.len(), out.len()), (len, len));
        let alone = suite::run(&mut hash(), batch);
        for index in 0..len {
            suite::assert_same_row(out, index, &alone, index, 0.0);
        }
    }
}

/// While one thread stalls, the other serves the rest, and each answer goes to its client.
#[test]
fn several_evaluators_share_the_work() {
    let (mut client, threads) = spawn_batcher(vec![Box::new(hash())], 8).unwrap();
    drop(threads);
    suite::run(&mut client, &random_batch(ROW, 2, 1));
    assert!(spawn_batcher(Vec::new(), 8).is_err());

    let (release, gate) = unbounded();
    let (record, lengths) = unbounded();
    let held = Recording(StallingEvaluator::new(SMALL.info(), gate), record.clone());
    let free = Recording(hash(), record);
    let (first, threads) = spawn_batcher(vec![Box::new(held), Box::new(free)], 8).unwrap();
    std::thread::scope(|scope| {
        for seed in 1..=20 {
            let mut client = first.clone();
            scope.spawn(move || {
                let batch = random_batch(ROW, 8, seed);
                let expected = suite::run(&mut hash(), &batch);
                let out = suite::run(&mut client, &batch);
                for row in 0..8 {
                    suite::assert_same_row(&out, row, &expected, row, 0.0);
                }
            });
        }
        // Eventually the stalling thread has a request, and the other one serves the rest.
        for _ in 0..20 {
            assert_eq!(lengths.recv(), Ok(8));
        }
        drop(release);
    });
    drop(first);
    for thread in threads {
        thread.join().unwrap();
    }
}

#[test]
fn an_error_reaches_every_waiting_client_and_the_next_request_is_tried() {
    let failing = || FailingEvaluator::new(SMALL.info(), 0, Failure::Error);
    let (replies, calls) = serve(failing(), &[2, 6, 1]);
    assert_eq!(calls, [8, 1], "the first two share one call");
    assert_eq!(replies.len(), 3);
    for reply in replies {
        let text = reply.result.unwrap_err().to_string();
        assert!(text.contains("fails on purpose"), "{text}");
    }
    let (mut client, thread) = spawn(failing(), 8);
    for _ in 0..2 {
        let answer = client.evaluate(&random_batch(ROW, 1, 1), &mut Outputs::new());
        let text = answer.unwrap_err().to_string();
        assert!(text.contains("fails on purpose"), "{text}");
    }
    drop(client);
    thread.join().unwrap();
}

#[test]
fn one_that_fails_leaves_its_work_to_the_others() {
    let failing = || FailingEvaluator::new(SMALL.info(), 0, Failure::Error);
    let (mut client, threads) =
        spawn_batcher(vec![Box::new(failing()), Box::new(hash())], 8).unwrap();
    // Eventually the failing one has a request.
    while !threads[0].is_finished() {
        suite::run(&mut client, &random_batch(ROW, 2, 1));
    }
    drop(client);
    for thread in threads {
        thread.join().unwrap();
    }
    // The last one left answers, and tries again.
    let (mut client, _) = spawn_batcher(vec![Box::new(failing()), Box::new(failing())], 8).unwrap();
    for _ in 0..4 {
        let answer = client.evaluate(&random_batch(ROW, 1, 1), &mut Outputs::new());
        let text = answer.unwrap_err().to_string();
        assert!(text.contains("fails on purpose"), "{text}");
    }
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
                while client.evaluate(&batch, &mut out).is_ok() {}
                assert!(client.evaluate(&batch, &mut out).is_err());
            });
        }
    });
    assert!(thread.join().is_err(), "the panic is in the handle");
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
                    let out = suite::run(&mut client, &batch);
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
