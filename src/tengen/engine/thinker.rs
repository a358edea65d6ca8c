//! The interface between a game in progress and a method of choosing moves, the thread of a thinker, and how long to
//! wait for it.
//!
//! The waiting side never depends on the thinker: it returns when the thinker answers, dies, or exceeds its time or the
//! stop flag. A late thinker keeps its thread and its network; its late answer is dropped.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use parking_lot::Mutex;
use thiserror::Error;

use crate::clock::stop::{ANSWER, GRACE, LOOK};
use crate::clock::{Budget, Clock};
use crate::game::{Game, GameState, scoring};
use crate::search::{Limits, Observer, SearchError, SearchReport, SearchRequest, StopFlag};
use tengen_nn::eval::EvalError;

/// Why a thinker has no report.
#[derive(Debug, Error)]
pub enum ThinkError {
    /// The network cannot be loaded or run.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// The method's own reason, such as a file that cannot be read or does not fit.
    #[error(transparent)]
    Other(Box<dyn std::error::Error + Send + Sync>),
    /// The search has no report.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// The thinker's thread cannot be started or has ended.
    #[error("the search thread is gone: {0}")]
    Gone(String),
    /// The thinker was told to stop, or ran out of time, and did not answer.
    #[error("the search did not answer in time")]
    Late,
}

impl ThinkError {
    /// The reason of a method whose errors this module does not know.
    pub fn other(reason: impl std::error::Error + Send + Sync + 'static) -> ThinkError {
        ThinkError::Other(Box::new(reason))
    }
}

/// Chooses moves for one game. Runs on one thread and may load a network on the first call;
/// creating a thinker must be free, because GoGui starts engines that it never asks for a move.
pub trait Thinker<G: Game>: Send {
    /// Searches a position whose side to move has at least one legal move, until a limit is reached
    /// or its stop flag is raised, and reports what was found, however little; `observer` sees
    /// reports meanwhile, as the request says. Moves that the history forbids are not legal.
    ///
    /// # Errors
    /// [`ThinkError`] when there is no report at all; the caller then plays some legal move.
    fn search(
        &mut self,
        request: &SearchRequest<G>,
        observer: &mut Observer<'_>,
    ) -> Result<SearchReport, ThinkError>;

    /// A first evaluation without search: value and priors of one visit.
    ///
    /// # Errors
    /// As [`Thinker::search`].
    fn evaluate(&mut self, start: &GameState<G>) -> Result<SearchReport, ThinkError> {
        let once = Limits {
            visits: Some(1),
            budget: None,
        };
        let request = SearchRequest::new(start.clone()).within(once);
        self.search(&request, &mut |_| {})
    }

    /// Does the preparations of a search from `start` during idle time. Stops when `stop` is
    /// raised, except for what must be done anyway.
    fn prepare(&mut self, start: &GameState<G>, stop: &StopFlag) {
        let (_, _) = (start, stop);
    }

    /// A new game begins: results of earlier games may not affect it.
    fn new_game(&mut self) {}
}

/// Creates a thinker: called before the first search, and again after a thinker has panicked.
pub type MakeThinker<G> = Arc<dyn Fn() -> Box<dyn Thinker<G>> + Send + Sync>;

/// Events so far; clones share them.
#[derive(Debug, Clone, Default)]
pub struct ThinkerLog(Arc<Mutex<Vec<String>>>);

impl ThinkerLog {
    /// Adds an event.
    pub fn note(&self, text: String) {
        self.0.lock().push(text);
    }

    /// All events in order; empty before the first search.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        self.0.lock().clone()
    }
}

/// Maximum wait for the preparation of a thinker: a device that takes longer hangs.
const LONGEST_PREPARATION: Duration = Duration::from_secs(60);

/// Tasks of a thinker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Task {
    /// [`super::Thinker::search`].
    Search,
    /// [`super::Thinker::evaluate`].
    Evaluate,
    /// [`super::Thinker::prepare`]; without an answer.
    Prepare,
}

/// One task for the thinker.
struct SearchJob<G: Game> {
    request: SearchRequest<G>,
    task: Task,
    /// Raised when the answer is no longer awaited.
    given_up: StopFlag,
    /// A new game has begun since the last job.
    new_game: bool,
    reply: Sender<ThinkerReply>,
}

/// Messages from the thinker.
enum ThinkerReply {
    /// An intermediate report.
    Seen(SearchReport),
    Done(Result<SearchReport, ThinkError>),
}

/// A thinker on its own thread, started by the first job.
pub(super) struct Worker<G: Game> {
    make: MakeThinker<G>,
    jobs: Option<Sender<SearchJob<G>>>,
    new_game: bool,
    /// Ends the current preparation.
    preparing: StopFlag,
    time: Arc<dyn Clock>,
}

impl<G: Game> Worker<G> {
    pub(super) fn new(make: MakeThinker<G>, time: Arc<dyn Clock>) -> Worker<G> {
        Worker {
            make,
            jobs: None,
            new_game: false,
            preparing: StopFlag::new(),
            time,
        }
    }

    /// The next job is for a new game.
    pub(super) fn new_game(&mut self) {
        self.new_game = true;
    }

    /// Searches, and waits for the result no longer than limits and stop flag allow. `observer`
    /// receives reports meanwhile, on this thread.
    pub(super) fn search(
        &mut self,
        request: SearchRequest<G>,
        observer: &mut Observer<'_>,
    ) -> Result<SearchReport, ThinkError> {
        self.run(request, Task::Search, observer)
    }

    /// A first evaluation without search, waited for as long as the budget says and until `stop` is raised.
    pub(super) fn evaluate(
        &mut self,
        start: GameState<G>,
        budget: Option<Budget>,
        stop: &StopFlag,
    ) -> Result<SearchReport, ThinkError> {
        let limits = Limits {
            visits: None,
            budget,
        };
        let request = SearchRequest::new(start).within(limits).until(stop);
        self.run(request, Task::Evaluate, &mut |_| {})
    }

    fn run(
        &mut self,
        request: SearchRequest<G>,
        task: Task,
        observer: &mut Observer<'_>,
    ) -> Result<SearchReport, ThinkError> {
        let (budget, stop) = (request.limits.budget, request.stop.clone());
        let (answer, given_up) = self.send(request, task)?;
        let result = wait(&answer, budget, &stop, &*self.time, observer);
        given_up.raise();
        if matches!(result, Err(ThinkError::Gone(_))) {
            self.jobs = None;
        }
        result
    }

    /// Starts the preparation of a search from `start`, which ends with the next job, without
    /// waiting.
    pub(super) fn prepare(&mut self, start: GameState<G>) {
        let request = SearchRequest::new(start);
        let stop = request.stop.clone();
        match self.send(request, Task::Prepare) {
            Ok(_) => self.preparing = stop,
            // The next search will report the error, too.
            Err(error) => log::warn!("cannot prepare a search: {error}"),
        }
    }

    /// Starts the preparation of a search from `start`, and waits for it until `stop` is raised.
    pub(super) fn get_ready(&mut self, start: GameState<G>, stop: &StopFlag) {
        let began = self.time.now();
        let request = SearchRequest::new(start).until(stop);
        let (answer, _) = match self.send(request, Task::Prepare) {
            Ok(sent) => sent,
            Err(error) => return log::warn!("cannot prepare a search: {error}"),
        };
        // The job is dropped when it is done, and its end of the channel with it.
        while matches!(answer.recv_timeout(LOOK), Err(RecvTimeoutError::Timeout)) {
            let waited = self.time.now().saturating_sub(began);
            if stop.is_raised() || waited >= LONGEST_PREPARATION {
                return;
            }
        }
    }

    /// Sends a job to the thinker; returns the answers, and the flag to give it up.
    fn send(
        &mut self,
        request: SearchRequest<G>,
        task: Task,
    ) -> Result<(Receiver<ThinkerReply>, StopFlag), ThinkError> {
        self.preparing.raise();
        let ((reply, answer), given_up) = (channel(), StopFlag::new());
        let start = &request.start;
        let start = GameState::new(scoring::searched(start.position()), start.past().clone());
        let job = SearchJob {
            request: SearchRequest { start, ..request },
            task,
            given_up: given_up.clone(),
            new_game: std::mem::take(&mut self.new_game),
            reply,
        };
        let Err(unsent) = self.jobs()?.send(job) else {
            return Ok((answer, given_up));
        };
        // It died while idle: a new one takes the job.
        self.jobs = None;
        match self.jobs()?.send(unsent.0) {
            Ok(()) => Ok((answer, given_up)),
            Err(_) => Err(ThinkError::Gone("it had ended before".to_owned())),
        }
    }

    /// The channel to the thinker's thread, which is started if there is none.
    fn jobs(&mut self) -> Result<&Sender<SearchJob<G>>, ThinkError> {
        let jobs = match self.jobs.take() {
            Some(jobs) => jobs,
            None => spawn(&self.make)?,
        };
        Ok(self.jobs.insert(jobs))
    }
}

fn spawn<G: Game>(make: &MakeThinker<G>) -> Result<Sender<SearchJob<G>>, ThinkError> {
    let (sender, receiver) = channel::<SearchJob<G>>();
    let make = MakeThinker::clone(make);
    std::thread::Builder::new()
        .name("thinker".to_owned())
        .spawn(move || {
            let mut thinker = make();
            for job in receiver {
                if job.new_game {
                    thinker.new_game();
                }
                if job.given_up.is_raised() {
                    // It has waited behind others for too long.
                    continue;
                }
                // The answer of a late search is dropped.
                let tell = |news| drop(job.reply.send(news));
                let request = &job.request;
                let result = match job.task {
                    Task::Prepare => {
                        thinker.prepare(&request.start, &request.stop);
                        continue;
                    }
                    Task::Search => thinker.search(request, &mut |report| {
                        tell(ThinkerReply::Seen(report.clone()));
                    }),
                    Task::Evaluate => thinker.evaluate(&request.start),
                };
                tell(ThinkerReply::Done(result));
            }
        })
        .map_err(|error| ThinkError::Gone(error.to_string()))?;
    Ok(sender)
}

fn wait(
    answer: &Receiver<ThinkerReply>,
    budget: Option<Budget>,
    stop: &StopFlag,
    clock: &dyn Clock,
    observer: &mut Observer<'_>,
) -> Result<SearchReport, ThinkError> {
    let started = clock.now();
    let mut told_to_stop = None;
    loop {
        let rest = budget.map_or(LOOK, |budget| {
            (started + budget.hard).saturating_sub(clock.now())
        });
        match answer.recv_timeout(LOOK.min(rest)) {
            Ok(ThinkerReply::Done(result)) => return result,
            Ok(ThinkerReply::Seen(report)) => observer(&report),
            Err(RecvTimeoutError::Disconnected) => {
                return Err(ThinkError::Gone("it has panicked".to_owned()));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        let now = clock.now();
        let elapsed = now.saturating_sub(started);
        if let Some(budget) = budget {
            if elapsed >= budget.hard {
                stop.raise();
                return Err(ThinkError::Late);
            }
            let warning = ANSWER.min(budget.hard / 4);
            if elapsed >= budget.maximum.max(budget.hard.saturating_sub(warning)) {
                stop.raise();
            }
        }
        if stop.is_raised() && now.saturating_sub(*told_to_stop.get_or_insert(now)) >= GRACE {
            return Err(ThinkError::Late);
        }
    }
}
