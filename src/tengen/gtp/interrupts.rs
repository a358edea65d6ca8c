//! Interruption of searches by later input.
//!
//! Input arrives in messages: lines that arrived together, numbered from 1. `quit` or the end of
//! input ends every search begun by an *earlier* message at once, and all searches after that one;
//! searches of its own message run to completion, so that a script piped into the engine plays at
//! full strength. `# interrupt` ends the searches of the commands before it and does nothing when
//! all of them are answered: commands are numbered, so that it cannot miss a search that is about
//! to begin, nor hit a later one.

use std::sync::Arc;
use std::time::Duration;

use parking_lot::{Condvar, Mutex, MutexGuard};

use crate::clock::Clock;
use crate::engine::Engine;
use crate::search::StopFlag;

/// How long the first search waits for the rest of its input: a script piped into the engine
/// arrives in pieces within this time, its end included, and counts as one message.
const SETTLE: Duration = Duration::from_millis(30);

/// State shared by the reader thread and the event loop.
pub struct Interrupts {
    state: Mutex<State>,
    /// Signalled when input arrives.
    arrival: Condvar,
    /// Says when messages arrive and are answered.
    time: Arc<dyn Clock>,
}

#[derive(Debug, Default)]
struct State {
    /// Number of the last message received.
    arrived: u64,
    /// Since when the controller waits: it has sent the message being processed, or got an answer after that.
    waits_since: Option<Duration>,
    /// The message being processed.
    handling: u64,
    /// Commands of that message not begun yet.
    waiting: usize,
    /// Number of commands begun.
    begun: u64,
    /// Commands up to this number are interrupted.
    interrupted: u64,
    /// The message that contains `quit` or the end of input.
    closed_by: Option<u64>,
    /// A search was ended by the end of input: so is every later one.
    ending: bool,
    /// The first search has begun.
    settled: bool,
    /// The flag of the running search.
    running: Option<StopFlag>,
    /// Whether any input ends that search.
    until_input: bool,
}

impl State {
    /// Whether there is unprocessed input, or the input has ended.
    fn has_input(&self) -> bool {
        self.waiting > 0 || self.arrived > self.handling || self.closed_by.is_some()
    }
}

impl Interrupts {
    /// Nothing received, nothing running, by this clock.
    pub fn new(time: Arc<dyn Clock>) -> Interrupts {
        Interrupts {
            state: Mutex::default(),
            arrival: Condvar::new(),
            time,
        }
    }

    /// `# interrupt` was received, after this many commands.
    pub fn interrupt(&self, commands_before: u64) {
        let mut state = self.state.lock();
        state.interrupted = commands_before;
        if let Some(stop) = &state.running {
            stop.raise();
        }
    }

    /// Message number `message` was received; returns when. Call it before its processing can begin.
    pub fn arrive(&self, message: u64) -> Duration {
        let now = self.time.now();
        let mut state = self.state.lock();
        state.arrived = message;
        if state.until_input
            && let Some(stop) = &state.running
        {
            stop.raise();
        }
        self.arrival.notify_all();
        now
    }

    /// Processing of the next command begins.
    pub fn begin_command(&self) {
        let mut state = self.state.lock();
        state.begun += 1;
        state.waiting = state.waiting.saturating_sub(1);
    }

    /// Message number `message` contains `quit` or the end of input. Call it before it
    /// [arrives](Interrupts::arrive).
    pub fn close(&self, message: u64) {
        let mut state = self.state.lock();
        if state.closed_by.is_some() {
            return;
        }
        state.closed_by = Some(message);
        if let Some(stop) = &state.running {
            stop.raise();
            state.ending = !state.until_input;
        }
    }

    /// Processing of message number `message` begins, with this many commands, which arrived at this time.
    pub fn handle(&self, message: u64, commands: usize, arrived: Duration) {
        let mut state = self.state.lock();
        state.handling = message;
        state.waiting = commands;
        state.waits_since = state.waits_since.max(Some(arrived));
    }

    /// The controller has its answer, and waits no more, unless it has sent another message before: one that ends an
    /// analysis waits for that end.
    pub fn answered(&self) {
        let now = self.time.now();
        let mut state = self.state.lock();
        if state.arrived <= state.handling {
            state.waits_since = state.waits_since.and(Some(now));
        }
    }

    /// Runs a search of the current message, with the flag that may stop it.
    pub fn until_interrupted<T>(&self, search: impl FnOnce(&StopFlag) -> T) -> T {
        let stop = StopFlag::new();
        let mut state = self.state.lock();
        if !state.settled {
            state.settled = true;
            let open = |state: &mut State| state.closed_by.is_none();
            self.arrival.wait_while_for(&mut state, open, SETTLE);
            if state.closed_by.is_some() {
                state.closed_by = Some(state.handling);
            }
        }
        let handling = state.handling;
        state.ending |= state.closed_by.is_some_and(|message| message > handling);
        if state.ending || state.begun <= state.interrupted {
            stop.raise();
        }
        self.run(state, &stop, false, search)
    }

    /// The same for a move, also with the time that the controller has already waited for it.
    pub fn for_move<T>(&self, search: impl FnOnce(&StopFlag, Duration) -> T) -> T {
        let found = self.until_interrupted(|stop| {
            let since = self.state.lock().waits_since;
            let waited = since.map(|since| self.time.now().saturating_sub(since));
            search(stop, waited.unwrap_or_default())
        });
        // The time of a move that is already asked for begins now.
        let now = self.time.now();
        let mut state = self.state.lock();
        state.waits_since = state.waits_since.and(Some(now));
        found
    }

    /// Runs a search that lasts until there is input, with the flag that stops it.
    pub fn until_input<T>(&self, search: impl FnOnce(&StopFlag) -> T) -> T {
        let stop = StopFlag::new();
        let state = self.state.lock();
        if state.has_input() {
            stop.raise();
        }
        self.run(state, &stop, true, search)
    }

    fn run<T>(
        &self,
        mut state: MutexGuard<'_, State>,
        stop: &StopFlag,
        until_input: bool,
        search: impl FnOnce(&StopFlag) -> T,
    ) -> T {
        (state.running, state.until_input) = (Some(stop.clone()), until_input);
        drop(state);
        let found = search(stop);
        let mut state = self.state.lock();
        (state.running, state.until_input) = (None, false);
        found
    }

    /// Thinks during the opponent's time, until there is input.
    pub fn ponder(&self, engine: &mut dyn Engine) {
        self.until_input(|stop| engine.ponder(stop));
    }

    /// Whether the current command was interrupted.
    pub fn is_interrupted(&self) -> bool {
        let state = self.state.lock();
        state.begun <= state.interrupted
    }

    /// Whether a search was ended because the session ends.
    pub fn is_ending(&self) -> bool {
        self.state.lock().ending
    }

    /// Waits until there is input.
    pub fn wait_for_input(&self) {
        let mut state = self.state.lock();
        self.arrival
            .wait_while(&mut state, |state| !state.has_input());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::FakeClock;

    /// When messages arrive does not matter here.
    const ANY_TIME: Duration = Duration::ZERO;

    fn interrupts() -> Interrupts {
        Interrupts::new(Arc::new(FakeClock::new()))
    }

    /// Whether a search is stopped before it begins.
    fn stopped(interrupts: &Interrupts) -> bool {
        interrupts.until_interrupted(StopFlag::is_raised)
    }

    /// Past its first search, handling `message`.
    fn settled(message: u64) -> Interrupts {
        let interrupts = interrupts();
        interrupts.begin_command();
        assert!(!stopped(&interrupts));
        interrupts.handle(message, 0, ANY_TIME);
        interrupts
    }

    #[test]
    fn an_interrupt_ends_the_running_search_only() {
        let interrupts = settled(1);
        interrupts.interrupt(1);
        interrupts.begin_command();
        assert!(!stopped(&interrupts), "it came before this command");
        interrupts.begin_command();
        let seen = interrupts.until_interrupted(|stop| {
            interrupts.interrupt(3);
            stop.is_raised()
        });
        assert!(seen);
        interrupts.begin_command();
        assert!(!stopped(&interrupts));
    }

    #[test]
    fn an_interrupt_ends_a_search_that_has_not_begun_yet() {
        let interrupts = settled(1);
        interrupts.begin_command();
        interrupts.interrupt(2);
        assert!(stopped(&interrupts));
    }

    #[test]
    fn the_end_lets_its_own_message_be_played_out() {
        let interrupts = settled(1);
        interrupts.close(2);
        interrupts.handle(2, 0, ANY_TIME);
        assert!(!stopped(&interrupts));
    }

    #[test]
    fn the_end_stops_the_running_search_and_all_that_follow() {
        let interrupts = settled(1);
        let seen = interrupts.until_interrupted(|stop| {
            interrupts.close(2);
            stop.is_raised()
        });
        assert!(seen);
        assert!(stopped(&interrupts));
        interrupts.handle(2, 0, ANY_TIME);
        assert!(stopped(&interrupts));
    }

    #[test]
    fn the_end_stops_searches_of_earlier_messages_not_yet_begun() {
        let interrupts = settled(1);
        interrupts.close(3);
        assert!(stopped(&interrupts));
        interrupts.handle(3, 0, ANY_TIME);
        assert!(stopped(&interrupts));
    }

    #[test]
    fn the_first_search_counts_all_input_before_it_as_one_message() {
        let interrupts = interrupts();
        interrupts.begin_command();
        interrupts.handle(1, 0, ANY_TIME);
        interrupts.close(7);
        assert!(!stopped(&interrupts));
        interrupts.handle(2, 0, ANY_TIME);
        assert!(!stopped(&interrupts));
    }

    #[test]
    fn any_input_ends_an_analysis() {
        let interrupts = settled(1);
        interrupts.arrive(1);
        let seen = interrupts.until_input(|stop| {
            assert!(!stop.is_raised(), "nothing has arrived");
            interrupts.arrive(2);
            stop.is_raised()
        });
        assert!(seen);
        interrupts.wait_for_input();
        assert!(interrupts.until_input(StopFlag::is_raised), "not handled");
        interrupts.handle(2, 2, ANY_TIME);
        assert!(interrupts.until_input(StopFlag::is_raised), "two commands");
        interrupts.begin_command();
        assert!(interrupts.until_input(StopFlag::is_raised), "one more");
        interrupts.begin_command();
        assert!(!interrupts.until_input(StopFlag::is_raised));
    }

    #[test]
    fn input_does_not_end_a_search() {
        let interrupts = settled(1);
        let seen = interrupts.until_interrupted(|stop| {
            interrupts.arrive(2);
            stop.is_raised()
        });
        assert!(!seen);
    }
}
