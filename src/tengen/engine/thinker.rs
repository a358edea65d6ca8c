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
use crate::search::{Observer, SearchReport, SearchRequest, StopFlag};

/// Why a thinker has no report.
#[derive(Debug, Error)]
pub enum ThinkError {
    /// The method's own reason, such as a file that cannot be read or does not fit.
    #[error(transparent)]
    Other(Box<dyn std::error::Error + Send + Sync>),
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
    /// Searches or evaluates a position whose side to move has at least one legal move, until a limit is
    /// reached or its stop flag is raised, and reports what was found, however little; `observer` sees
    /// reports meanwhile, as the request says. Moves that the history forbids are not legal.
    ///
    /// # Errors
    /// [`ThinkError`] when there is no report at all; the caller then plays some legal move.
    fn search(
        &mut self,
        request: &SearchRequest<G>,
        observer: &mut Observer<'_>,
    ) -> Result<SearchReport, ThinkError>;

    /// Does the preparations of a search from `start` during idle time. Stops when `stop` is
    /// raised, except for what must be done anyway.
    fn prepare(&mut self, start: &GameState<G>, stop: &StopFlag) {
        let (_, _) = (start, stop);
    }

    /// A new game begins: results of earlier games may not affect it.
    fn new_game(&mut self) {}

    /// Visits of earlier searches may not affect the next one, in the same game.
    fn drop_visits(&mut self) {
        self.new_game();
    }
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
    pub fn lines(&self) -> Vec<String> {
        self.0.lock().clone()
    }
}

/// Maximum wait for the preparation of a thinker: a device that takes longer hangs. Large networks take a minute.
const LONGEST_PREPARATION: Duration = Duration::from_secs(300);

/// One task for the thinker.
type Job<G> = Box<dyn FnOnce(&mut dyn Thinker<G>) + Send>;

/// How a search ends.
type Answer = Result<SearchReport, ThinkError>;

/// Messages from the thinker.
enum ThinkerReply {
    /// An intermediate report.
    Seen(SearchReport),
    Done(Answer),
}

/// A thinker on its own thread, started by the first job.
pub(super) struct Worker<G: Game> {
    make: MakeThinker<G>,
    jobs: Option<Sender<Job<G>>>,
    /// The next job is for a new game.
    pub(super) new_game: bool,
    /// The next job may not use the visits of earlier ones.
    pub(super) drops_visits: bool,
    /// Ends the current preparation.
    preparing: StopFlag,
    time: Arc<dyn Clock>,
}

/// The position as it is searched.
pub(super) fn searched<G: Game>(start: &GameState<G>) -> GameState<G> {
    start.with(scoring::searched(start.position()))
}

impl<G: Game> Worker<G> {
    pub(super) fn new(make: MakeThinker<G>, time: Arc<dyn Clock>) -> Worker<G> {
        Worker {
            make,
            jobs: None,
            new_game: false,
            drops_visits: false,
            preparing: StopFlag::new(),
            time,
        }
    }

    /// Searches, and waits for the result no longer than limits and stop flag allow. `observer`
    /// receives reports meanwhile, on this thread.
    pub(super) fn search(
        &mut self,
        mut request: SearchRequest<G>,
        observer: &mut Observer<'_>,
    ) -> Answer {
        request.start = searched(&request.start);
        // What ends this search is no wish of the caller.
        let (budget, stop) = (request.limits.budget, request.stop.child());
        request.stop = stop.clone();
        let given_up = StopFlag::new();
        let is_late = given_up.clone();
        let (time, asked) = (Arc::clone(&self.time), self.time.now());
        let answer = self.send(move |thinker, tell| {
            // It may have waited behind others, perhaps for too long.
            request.limits = request.limits.after(time.now().saturating_sub(asked));
            if !is_late.is_raised() {
                let mut seen = |report: &SearchReport| tell(ThinkerReply::Seen(report.clone()));
                tell(ThinkerReply::Done(thinker.search(&request, &mut seen)));
            }
        })?;
        let result = wait(
            &answer,
            (budget, &stop, GRACE),
            (&*self.time, asked),
            observer,
        );
        given_up.raise();
        if matches!(result, Err(ThinkError::Gone(_))) {
            self.jobs = None;
        }
        result
    }

    /// Starts the preparation of a search from `start`, which ends with the next job, without
    /// waiting.
    pub(super) fn prepare(&mut self, start: &GameState<G>) {
        let stop = StopFlag::new();
        if self.send_preparation(start, &stop).is_some() {
            self.preparing = stop;
        }
    }

    /// Starts the preparation of a search from `start`, and waits for it until `stop` is raised.
    pub(super) fn get_ready(&mut self, start: &GameState<G>, stop: &StopFlag) {
        if let Some(answer) = self.send_preparation(start, stop) {
            let longest = Budget::fixed(LONGEST_PREPARATION, LONGEST_PREPARATION);
            let until = (Some(longest), stop, Duration::ZERO);
            // The job is dropped when it is done, and its end of the channel with it.
            let started = self.time.now();
            let _ = wait(&answer, until, (&*self.time, started), &mut |_| {});
        }
    }

    fn send_preparation(
        &mut self,
        start: &GameState<G>,
        stop: &StopFlag,
    ) -> Option<Receiver<ThinkerReply>> {
        let (start, stop) = (searched(start), stop.clone());
        let sent = self.send(move |thinker, _| thinker.prepare(&start, &stop));
        // The next search will report the error, too.
        sent.inspect_err(|error| log::warn!("cannot prepare a search: {error}"))
            .ok()
    }

    /// Sends a job to the thinker; returns the answers.
    fn send(
        &mut self,
        work: impl FnOnce(&mut dyn Thinker<G>, &dyn Fn(ThinkerReply)) + Send + 'static,
    ) -> Result<Receiver<ThinkerReply>, ThinkError> {
        self.preparing.raise();
        let (reply, answer) = channel();
        let new_game = std::mem::take(&mut self.new_game);
        let drops_visits = std::mem::take(&mut self.drops_visits);
        let job: Job<G> = Box::new(move |thinker| {
            if new_game {
                thinker.new_game();
            } else if drops_visits {
                thinker.drop_visits();
            }
            // The answer of a late search is dropped.
            work(thinker, &|news| drop(reply.send(news)));
        });
        let Err(unsent) = self.jobs()?.send(job) else {
            return Ok(answer);
        };
        // It died while idle: a new one takes the job.
        self.jobs = None;
        match self.jobs()?.send(unsent.0) {
            Ok(()) => Ok(answer),
            Err(_) => Err(ThinkError::Gone("it had ended before".to_owned())),
        }
    }

    /// The channel to the thinker's thread, which is started if there is none.
    fn jobs(&mut self) -> Result<&Sender<Job<G>>, ThinkError> {
        let jobs = match self.jobs.take() {
            Some(jobs) => jobs,
            None => spawn(&self.make)?,
        };
        Ok(self.jobs.insert(jobs))
    }
}

fn spawn<G: Game>(make: &MakeThinker<G>) -> Result<Sender<Job<G>>, ThinkError> {
    let (sender, receiver) = channel::<Job<G>>();
    let make = MakeThinker::clone(make);
    let run = move || {
        let mut thinker = make();
        receiver.into_iter().for_each(|job| job(&mut *thinker));
    };
    let thread = std::thread::Builder::new().name("thinker".to_owned());
    thread
        .spawn(run)
        .map_err(|error| ThinkError::Gone(error.to_string()))?;
    Ok(sender)
}

/// Waits for the end of a job that started at a time of `clock`, as long as the budget says, and after `stop` is raised for
/// this long.
fn wait(
    answer: &Receiver<ThinkerReply>,
    (budget, stop, grace): (Option<Budget>, &StopFlag, Duration),
    (clock, started): (&dyn Clock, Duration),
    observer: &mut Observer<'_>,
) -> Answer {
    let mut told_to_stop = None;
    loop {
        let rest = budget.map_or(LOOK, |budget| {
            let elapsed = clock.now().saturating_sub(started);
            budget.hard.saturating_sub(elapsed)
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
        if stop.is_raised() && now.saturating_sub(*told_to_stop.get_or_insert(now)) >= grace {
            return Err(ThinkError::Late);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{FillGame, report};
    use super::*;
    use crate::clock::FakeClock;
    use crate::game::BoardSize;
    use crate::search::Limits;

    /// Takes 91 s to prepare, from when it is stopped if it is lazy; the visits of its searches are the seconds that
    /// they are given.
    struct Slow {
        time: FakeClock,
        is_lazy: bool,
    }

    impl Thinker<FillGame> for Slow {
        fn search(
            &mut self,
            request: &SearchRequest<FillGame>,
            _: &mut Observer<'_>,
        ) -> Result<SearchReport, ThinkError> {
            let given = request
                .limits
                .budget
                .map_or(0, |budget| budget.target.as_secs());
            Ok(report(&[(0, given, 1.0)]))
        }

        fn prepare(&mut self, _: &GameState<FillGame>, stop: &StopFlag) {
            while self.is_lazy && !stop.is_raised() {
                std::thread::yield_now();
            }
            self.time.advance(Duration::from_secs(90));
            // Long enough for a waiting thread to see it.
            std::thread::sleep(20 * LOOK);
            self.time.advance(Duration::from_secs(1));
        }
    }

    fn slow(is_lazy: bool) -> (Worker<FillGame>, GameState<FillGame>, FakeClock) {
        let clock = FakeClock::new();
        let time = clock.clone();
        let make: MakeThinker<FillGame> = Arc::new(move || {
            let time = time.clone();
            Box::new(Slow { time, is_lazy })
        });
        let empty = FillGame::new(BoardSize::new(5, 1)).expect("a legal size");
        let worker = Worker::new(make, Arc::new(clock.clone()));
        (worker, empty.into(), clock)
    }

    #[test]
    fn a_search_that_waits_for_a_preparation_has_the_rest_of_its_time() {
        let (mut worker, start, _) = slow(true);
        worker.prepare(&start);
        let all = Duration::from_secs(200);
        let request = SearchRequest::new(start).within(Limits {
            visits: None,
            budget: Some(Budget::fixed(all, all)),
        });
        let found = worker.search(request, &mut |_| {}).expect("it answers");
        assert_eq!(found.moves[0].visits, 200 - 91);
    }

    #[test]
    fn a_preparation_may_take_more_than_a_minute() {
        let (mut worker, start, clock) = slow(false);
        worker.get_ready(&start, &StopFlag::new());
        assert_eq!(clock.now(), Duration::from_secs(91));
    }
}
