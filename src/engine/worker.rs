//! The thread on which a thinker lives, and how long to wait for it.
//!
//! The waiting side never depends on the thinker: it returns when the thinker answers, dies, or
//! lets its time or the stop flag pass. A late thinker keeps its thread and its network; its late
//! answer goes nowhere.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use super::{MakeThinker, ThinkError};
use crate::clock::Clock;
use crate::game::Game;
use crate::search::{Limits, SearchReport, StopFlag};

/// How often the waiting side looks at the stop flag and the clock.
const POLL: Duration = Duration::from_millis(5);
/// How long past its hard limit a search may run before it is told to stop. Together with
/// [`GRACE`] it stays within the lag that budgets keep back by default.
const OVERRUN: Duration = Duration::from_millis(20);
/// How long a search may take to answer after it was told to stop. A program that must end within
/// 100 ms has to finish in this time, whatever its search does.
const GRACE: Duration = Duration::from_millis(50);

/// One search for the thinker.
struct Request<G> {
    position: G,
    limits: Limits,
    stop: StopFlag,
    /// A new game has begun since the last request.
    new_game: bool,
    reply: Sender<Result<SearchReport, ThinkError>>,
}

/// A thinker on its own thread, started by the first request.
pub(super) struct Worker<G: Game> {
    make: MakeThinker<G>,
    requests: Option<Sender<Request<G>>>,
    new_game: bool,
}

impl<G: Game> Worker<G> {
    pub(super) fn new(make: MakeThinker<G>) -> Worker<G> {
        Worker {
            make,
            requests: None,
            new_game: false,
        }
    }

    /// The next request is about a new game.
    pub(super) fn new_game(&mut self) {
        self.new_game = true;
    }

    /// Has the thinker search and waits for it, no longer than `limits` and `stop` allow.
    pub(super) fn think(
        &mut self,
        position: &G,
        limits: &Limits,
        stop: &StopFlag,
        clock: &dyn Clock,
    ) -> Result<SearchReport, ThinkError> {
        let (reply, answer) = channel();
        let request = Request {
            position: position.clone(),
            limits: *limits,
            stop: stop.clone(),
            new_game: std::mem::take(&mut self.new_game),
            reply,
        };
        if self.requests()?.send(request).is_err() {
            self.requests = None;
            return Err(ThinkError::Gone("it had ended before".to_owned()));
        }
        let result = wait(&answer, limits, stop, clock);
        if matches!(result, Err(ThinkError::Gone(_))) {
            self.requests = None;
        }
        result
    }

    /// The way to the thinker's thread, which is started when there is none.
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
                let result = thinker.think(&request.position, &request.limits, &request.stop);
                // Nobody waits any more when this search was late.
                let _ = request.reply.send(result);
            }
        })
        .map_err(|error| ThinkError::Gone(error.to_string()))?;
    Ok(sender)
}

fn wait(
    answer: &Receiver<Result<SearchReport, ThinkError>>,
    limits: &Limits,
    stop: &StopFlag,
    clock: &dyn Clock,
) -> Result<SearchReport, ThinkError> {
    let started = clock.now();
    let mut told_to_stop = None;
    loop {
        match answer.recv_timeout(POLL) {
            Ok(result) => return result,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(ThinkError::Gone("it has panicked".to_owned()));
            }
            Err(RecvTimeoutError::Timeout) => {}
        }
        let now = clock.now();
        let overrun = limits
            .budget
            .is_some_and(|budget| now.saturating_sub(started) >= budget.hard + OVERRUN);
        if overrun {
            stop.raise();
        }
        if stop.is_raised() && now.saturating_sub(*told_to_stop.get_or_insert(now)) >= GRACE {
            return Err(ThinkError::Late);
        }
    }
}
