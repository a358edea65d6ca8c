//! The search threads of a searcher, which start, work and are waited for together.

use std::iter;
use std::sync::Arc;
use std::time::Duration;

use crossbeam::channel::{Receiver, RecvTimeoutError, unbounded};

use super::control::{Control, Overdue, StallWatch};
use super::points::OwnershipSums;
use super::request::{PointsByMove, Prober, SearchError};
use super::root::Root;
use super::worker::{self, Job, JobResult, Worker};
use crate::clock::StopReason;
use crate::clock::stop::LOOK;
use crate::encode::{self, Encode, Encoding};
use tengen_nn::eval::{EvalError, Evaluator};

/// Makes one evaluator for each search thread.
pub type EvaluatorMaker = Arc<dyn Fn() -> Result<Box<dyn Evaluator>, EvalError> + Send + Sync>;

/// Makes one prober for each search thread.
pub type ProberMaker<G> = Arc<dyn Fn() -> Prober<G> + Send + Sync>;

/// The running threads with their evaluators.
pub(super) struct Pool<G: Encode> {
    workers: Vec<Worker<G>>,
    results: Receiver<JobResult>,
    /// Workers whose job has not ended. After a stopped search they may still be in an evaluation;
    /// the next search waits for them.
    running: usize,
    /// Time when they were first late, while some have not come back.
    late_since: Option<Duration>,
    /// The longest time without a playout so far.
    slowest: Duration,
    /// Encoding that fills the planes.
    pub(super) encoding: &'static Encoding<G>,
    /// Number of points whose owner the network predicts, 0 if it predicts the lead only; `None` if
    /// it predicts no points.
    points: Option<usize>,
    /// Number of policy indices.
    moves: usize,
}

impl<G: Encode> Pool<G> {
    /// Starts `threads` threads, at least one, with evaluators for games with the board and rules
    /// of `position`; fewer where no more can be created.
    ///
    /// # Errors
    /// [`SearchError`] when no evaluator or no thread can be created, or does not fit the game.
    pub(super) fn start(
        threads: usize,
        make_evaluator: &EvaluatorMaker,
        make_prober: Option<&ProberMaker<G>>,
        position: &G,
    ) -> Result<Pool<G>, SearchError> {
        let (sender, results) = unbounded();
        let first = make_evaluator()?;
        let (encoding, info) = (encode::find(first.info(), position)?, first.info());
        let mut pool = Pool {
            workers: Vec::new(),
            results,
            running: 0,
            late_since: None,
            slowest: Duration::ZERO,
            encoding,
            points: info.points.checked_sub(1),
            moves: info.policy_len,
        };
        let others = (1..threads).map(|_| make_evaluator());
        for (number, evaluator) in iter::once(Ok(first)).chain(others).enumerate() {
            let (prober, results) = (make_prober.map(|make| make()), sender.clone());
            let evaluator = evaluator.map_err(SearchError::from);
            let worker = evaluator
                .and_then(|evaluator| Ok(worker::spawn(number, evaluator, prober, results)?));
            match worker {
                Ok(worker) => pool.workers.push(worker),
                // The system may allow no more of them, or memory for no more.
                Err(error) if number > 0 => {
                    log::warn!(
                        "only {number} of {threads} search threads could be started: {error}"
                    );
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(pool)
    }

    /// Sums for each thread's leaves, which continue those of an earlier search of the position; empty where
    /// the network predicts no points.
    pub(super) fn point_sums(
        &self,
        by_move: PointsByMove,
        known: Option<&Vec<OwnershipSums>>,
    ) -> Vec<OwnershipSums> {
        let Some(points) = self.points else {
            return Vec::new();
        };
        let sums = |thread: usize| {
            let new = OwnershipSums::new(points, self.moves, by_move);
            match known.and_then(|known| known.get(thread)) {
                Some(known) => known.continued(new),
                None => new,
            }
        };
        (0..self.workers.len()).map(sums).collect()
    }

    /// Whether all threads are idle.
    pub(super) fn is_idle(&self) -> bool {
        self.running == 0
    }

    /// Searches a position on all threads, or on one for the evaluation of the root, until they finish or
    /// are overdue. Calls `look` every few milliseconds. After a stop the tree may still change
    /// until [`Pool::wait`] succeeds.
    ///
    /// # Errors
    /// [`SearchError`] when a thread is gone, hangs, or its evaluator failed.
    pub(super) fn run(
        &mut self,
        root: Root<G>,
        control: &Arc<Control>,
        look: &mut dyn FnMut(),
    ) -> Result<(), SearchError> {
        let threads = if control.is_root_step() {
            1
        } else {
            self.workers.len()
        };
        let job = Arc::new(Job {
            root,
            control: Arc::clone(control),
        });
        let workers = self.workers.iter().take(threads);
        let started = workers
            .filter(|worker| worker.send(Arc::clone(&job)).is_ok())
            .count();
        drop(job);
        self.running += started;
        if started < threads {
            control.end(StopReason::Failed);
            return Err(SearchError::Broken("a search thread is gone".to_owned()));
        }
        self.wait(control, look)
    }

    /// Waits until all threads are idle, up to a limit.
    ///
    /// # Errors
    /// [`SearchError`] when a thread is gone, hangs, or its evaluator failed.
    pub(super) fn wait(
        &mut self,
        control: &Control,
        look: &mut dyn FnMut(),
    ) -> Result<(), SearchError> {
        let (mut failure, mut watch) = (None, StallWatch::after(self.slowest));
        while self.running > 0 {
            look();
            match self.results.recv_timeout(LOOK) {
                Ok(result) => {
                    self.running -= 1;
                    // The others end soon: a failure ends the search.
                    failure = result.err().or(failure);
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let text = "all search threads are gone".to_owned();
                    return Err(SearchError::Broken(text));
                }
                Err(RecvTimeoutError::Timeout) => match control.overdue(&mut watch) {
                    None => {}
                    Some(Overdue::Stopped) => {
                        control.end(StopReason::Interrupted);
                        break;
                    }
                    Some(Overdue::Late) => {
                        control.end(StopReason::Time);
                        self.late_since.get_or_insert(control.now());
                        break;
                    }
                    Some(Overdue::Hung) => {
                        control.end(StopReason::Failed);
                        return Err(SearchError::did_not_answer());
                    }
                },
            }
        }
        if self.is_idle() {
            (self.late_since, self.slowest) = (None, watch.slowest());
        }
        failure.map_or(Ok(()), Err)
    }

    /// Whether late threads have not come back for a long time.
    pub(super) fn hangs(&self, now: Duration) -> bool {
        let late = self.late_since.map(|since| now.saturating_sub(since));
        late.is_some_and(|late| late >= StallWatch::after(self.slowest).patience())
    }
}
