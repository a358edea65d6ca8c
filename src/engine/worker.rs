//! The thread of a thinker, and how long to wait for it.
//!
//! The waiting side never depends on the thinker: it returns when the thinker answers, dies, or
//! exceeds its time or the stop flag. A late thinker keeps its thread and its network; its late
//! answer is dropped.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use super::{MakeThinker, ThinkError};
use crate::clock::stop_delays::{ANSWER, GRACE, LOOK};
use crate::clock::{Budget, Clock};
use crate::game::{Game, GameState};
use crate::search::{AnalysisOptions, Limits, SearchReport, StopFlag};

/// Maximum wait for the preparation of a thinker: a device that takes longer hangs.
const LONGEST_PREPARATION: Duration = Duration::from_secs(60);

/// Tasks of a thinker.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Task {
    /// [`super::Thinker::watch`].
    Search(Limits, AnalysisOptions),
    /// [`super::Thinker::evaluate`].
    Evaluate,
    /// [`super::Thinker::prepare`]; without an answer.
    Prepare,
}

/// One task for the thinker.
struct Request<G> {
    start: GameState<G>,
    task: Task,
    stop: StopFlag,
    /// Raised when the answer is no longer awaited.
    given_up: StopFlag,
    /// A new game has begun since the last request.
    new_game: bool,
    reply: Sender<ThinkerReply>,
}

/// Messages from the thinker.
enum ThinkerReply {
    /// An intermediate report.
    Seen(SearchReport),
    Done(Result<SearchReport, ThinkError>),
}

/// A thinker on its own thread, started by the first request.
pub(super) struct Worker<G: Game> {
    make: MakeThinker<G>,
    requests: Option<Sender<Request<G>>>,
    new_game: bool,
    /// Ends the current preparation.
    preparing: StopFlag,
}

impl<G: Game> Worker<G> {
    pub(super) fn new(make: MakeThinker<G>) -> Worker<G> {
        Worker {
            make,
            requests: None,
            new_game: false,
            preparing: StopFlag::new(),
        }
    }

    /// The next request is for a new game.
    pub(super) fn new_game(&mut self) {
        self.new_game = true;
    }

    /// Runs a task and waits for it, no longer than its limits and `stop` allow. `see` receives
    /// intermediate reports, on this thread.
    pub(super) fn think(
        &mut self,
        start: &GameState<G>,
        task: Task,
        stop: &StopFlag,
        clock: &dyn Clock,
        see: &mut dyn FnMut(&SearchReport),
    ) -> Result<SearchReport, ThinkError> {
        let budget = match &task {
            Task::Search(limits, _) => limits.budget,
            Task::Evaluate | Task::Prepare => None,
        };
        let (answer, given_up) = self.ask(start, task, stop)?;
        let result = wait(&answer, budget, stop, clock, see);
        given_up.raise();
        if matches!(result, Err(ThinkError::Gone(_))) {
            self.requests = None;
        }
        result
    }

    /// Starts the preparation of a search from `start`, which ends with the next task, without
    /// waiting.
    pub(super) fn prepare(&mut self, start: &GameState<G>) {
        let stop = StopFlag::new();
        match self.ask(start, Task::Prepare, &stop) {
            Ok(_) => self.preparing = stop,
            // The next search will report the error, too.
            Err(error) => log::warn!("cannot prepare a search: {error}"),
        }
    }

    /// Starts the preparation of a search from `start`, and waits for it until `stop` is raised.
    pub(super) fn get_ready(&mut self, start: &GameState<G>, stop: &StopFlag, clock: &dyn Clock) {
        let began = clock.now();
        let (answer, _) = match self.ask(start, Task::Prepare, stop) {
            Ok(asked) => asked,
            Err(error) => return log::warn!("cannot prepare a search: {error}"),
        };
        // The request is dropped when it is done, and its end of the channel with it.
        while matches!(answer.recv_timeout(LOOK), Err(RecvTimeoutError::Timeout)) {
            let waited = clock.now().saturating_sub(began);
            if stop.is_raised() || waited >= LONGEST_PREPARATION {
                return;
            }
        }
    }

    /// Sends a task to the thinker; returns the answers, and the flag to give it up.
    fn ask(
        &mut self,
        start: &GameState<G>,
        task: Task,
        stop: &StopFlag,
    ) -> Result<(Receiver<ThinkerReply>, StopFlag), ThinkError> {
        self.preparing.raise();
        let ((reply, answer), given_up) = (channel(), StopFlag::new());
        let position = start.position().searched();
        let request = Request {
            start: GameState::new(position, start.past().clone()),
            task,
            stop: stop.clone(),
            given_up: given_up.clone(),
            new_game: std::mem::take(&mut self.new_game),
            reply,
        };
        let Err(unsent) = self.requests()?.send(request) else {
            return Ok((answer, given_up));
        };
        // It died while idle: a new one takes the task.
        self.requests = None;
        match self.requests()?.send(unsent.0) {
            Ok(()) => Ok((answer, given_up)),
            Err(_) => Err(ThinkError::Gone("it had ended before".to_owned())),
        }
    }

    /// The channel to the thinker's thread, which is started if there is none.
    fn requests(&mut self) -> Result<&Sender<Request<G>>, ThinkError> {
        let requests = match self.requests.take() {
            Some(requests) => requests,
            None => spawn(&self.make)?,
        };
        Ok(self.requests.insert(requests))
    }
}

fn spawn<G: Game>(make: &MakeThinker<G>) -> Result<Sender<Request<G>>, ThinkError> {
    let (sender, receiver) = channel::<Request<G>>();
    let make = MakeThinker::clone(make);
    std::thread::Builder::new()
        .name("thinker".to_owned())
        .spawn(move || {
            let mut thinker = make();
            for request in receiver {
                if request.new_game {
                    thinker.new_game();
                }
                if request.given_up.is_raised() {
                    // It has waited behind others for too long.
                    continue;
                }
                // The answer of a late search is dropped.
                let tell = |news| drop(request.reply.send(news));
                let (start, stop) = (&request.start, &request.stop);
                let result = match &request.task {
                    Task::Prepare => {
                        thinker.prepare(start, stop);
                        continue;
                    }
                    Task::Search(limits, analysis) => {
                        let mut see = |report| tell(ThinkerReply::Seen(report));
                        thinker.watch(start, limits, stop, analysis, &mut see)
                    }
                    Task::Evaluate => thinker.evaluate(start),
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
    see: &mut dyn FnMut(&SearchReport),
) -> Result<SearchReport, ThinkError> {
    let started = clock.now();
    let mut told_to_stop = None;
    loop {
        let rest = budget.map_or(LOOK, |budget| {
            (started + budget.hard).saturating_sub(clock.now())
        });
        match answer.recv_timeout(LOOK.min(rest)) {
            Ok(ThinkerReply::Done(result)) => return result,
            Ok(ThinkerReply::Seen(report)) => see(&report),
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
            if elapsed >= budget.most.max(budget.hard.saturating_sub(warning)) {
                stop.raise();
            }
        }
        if stop.is_raised() && now.saturating_sub(*told_to_stop.get_or_insert(now)) >= GRACE {
            return Err(ThinkError::Late);
        }
    }
}
