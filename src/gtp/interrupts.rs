//! When a search is cut short by what the controller sends meanwhile.
//!
//! Input comes in messages: the lines that arrived together, numbered from 1. `quit` or the end of
//! input ends every search begun by an *earlier* message at once, and all searches after that one;
//! it lets searches of its own message be played out, so that a script piped into the engine plays
//! at full strength. `# interrupt` ends the searches of the commands that came before it and does
//! nothing when all of them are answered: commands are numbered, so that it cannot miss a search
//! that is just about to begin, nor hit the one after.

use std::time::Duration;

use parking_lot::{Condvar, Mutex};

use crate::search::StopFlag;

/// How long the first search waits for the rest of its input: a script piped into the engine
/// arrives in pieces within this time, its end included, and counts as one message.
const SETTLE: Duration = Duration::from_millis(30);

/// What the reader thread and the event loop know of each other.
#[derive(Debug, Default)]
pub struct Interrupts {
    state: Mutex<State>,
    /// Something has arrived.
    arrival: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// The last message that has arrived.
    arrived: u64,
    /// The message whose commands are being answered.
    handling: u64,
    /// Commands of that message whose answering has not begun.
    waiting: usize,
    /// Commands whose answering has begun.
    begun: u64,
    /// The first so many commands are interrupted.
    interrupted: u64,
    /// The message that brings `quit` or the end of input.
    closed_by: Option<u64>,
    /// A search was cut short by the end: every later one is, too.
    ending: bool,
    /// The first search has begun.
    settled: bool,
    /// The flag of the search that is running.
    running: Option<StopFlag>,
    /// Any input ends that search.
    until_input: bool,
}

impl State {
    /// Whether there is input that has not been looked at, or there will be none any more.
    fn has_input(&self) -> bool {
        self.waiting > 0 || self.arrived > self.handling || self.closed_by.is_some()
    }
}

impl Interrupts {
    /// Nothing has arrived, nothing is running.
    #[must_use]
    pub fn new() -> Interrupts {
        Interrupts::default()
    }

    /// `# interrupt` has arrived, after so many commands.
    pub fn interrupt(&self, commands_before: u64) {
        let mut state = self.state.lock();
        state.interrupted = commands_before;
        if let Some(stop) = &state.running {
            stop.raise();
        }
    }

    /// Message number `message` has arrived. To be called before anybody can begin to handle it.
    pub fn arrive(&self, message: u64) {
        let mut state = self.state.lock();
        state.arrived = message;
        if state.until_input
            && let Some(stop) = &state.running
        {
            stop.raise();
        }
        self.arrival.notify_all();
    }

    /// The next command is answered from now on.
    pub fn begin_command(&self) {
        let mut state = self.state.lock();
        state.begun += 1;
        state.waiting = state.waiting.saturating_sub(1);
    }

    /// Message number `message` brings `quit` or the end of input. To be called before it
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

    /// The commands of message number `message`, so many of them, are answered from now on.
    pub fn handle(&self, message: u64, commands: usize) {
        let mut state = self.state.lock();
        state.handling = message;
        state.waiting = commands;
    }

    /// Runs a search of the message being handled, with the flag that may cut it short.
    pub fn search<T>(&self, search: impl FnOnce(&StopFlag) -> T) -> T {
        let stop = StopFlag::new();
        {
            let mut state = self.state.lock();
            if !state.settled {
                state.settled = true;
                let open = |state: &mut State| state.closed_by.is_none();
                self.arrival.wait_while_for(&mut state, open, SETTLE);
                if state.closed_by.is_some() {
                    state.closed_by = Some(state.handling);
                }
            }
            if state
                .closed_by
                .is_some_and(|message| message > state.handling)
            {
                state.ending = true;
            }
            if state.ending || state.begun <= state.interrupted {
                stop.raise();
            }
            state.running = Some(stop.clone());
        }
        let found = search(&stop);
        self.state.lock().running = None;
        found
    }

    /// Runs a search that lasts until there is input, with the flag that tells it so.
    pub fn until_input<T>(&self, search: impl FnOnce(&StopFlag) -> T) -> T {
        let stop = StopFlag::new();
        {
            let mut state = self.state.lock();
            if state.has_input() {
                stop.raise();
            }
            state.running = Some(stop.clone());
            state.until_input = true;
        }
        let found = search(&stop);
        let mut state = self.state.lock();
        state.running = None;
        state.until_input = false;
        found
    }

    /// Whether the command being answered was interrupted.
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        let state = self.state.lock();
        state.begun <= state.interrupted
    }

    /// Whether a search was cut short because the conversation ends.
    #[must_use]
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

    /// Whether a search is stopped before it begins.
    fn stopped(interrupts: &Interrupts) -> bool {
        interrupts.search(StopFlag::is_raised)
    }

    /// Past its first search, handling `message`.
    fn settled(message: u64) -> Interrupts {
        let interrupts = Interrupts::new();
        interrupts.begin_command();
        assert!(!stopped(&interrupts));
        interrupts.handle(message, 0);
        interrupts
    }

    #[test]
    fn an_interrupt_ends_the_running_search_only() {
        let interrupts = settled(1);
        interrupts.interrupt(1);
        interrupts.begin_command();
        assert!(!stopped(&interrupts), "it came before this command");
        interrupts.begin_command();
        let seen = interrupts.search(|stop| {
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
        interrupts.handle(2, 0);
        assert!(!stopped(&interrupts));
    }

    #[test]
    fn the_end_stops_the_running_search_and_all_that_follow() {
        let interrupts = settled(1);
        let seen = interrupts.search(|stop| {
            interrupts.close(2);
            stop.is_raised()
        });
        assert!(seen);
        assert!(stopped(&interrupts));
        interrupts.handle(2, 0);
        assert!(stopped(&interrupts));
    }

    #[test]
    fn the_end_stops_searches_of_earlier_messages_not_yet_begun() {
        let interrupts = settled(1);
        interrupts.close(3);
        assert!(stopped(&interrupts));
        interrupts.handle(3, 0);
        assert!(stopped(&interrupts));
    }

    #[test]
    fn the_first_search_counts_all_input_before_it_as_one_message() {
        let interrupts = Interrupts::new();
        interrupts.begin_command();
        interrupts.handle(1, 0);
        interrupts.close(7);
        assert!(!stopped(&interrupts));
        interrupts.handle(2, 0);
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
        interrupts.handle(2, 2);
        assert!(interrupts.until_input(StopFlag::is_raised), "two commands");
        interrupts.begin_command();
        assert!(interrupts.until_input(StopFlag::is_raised), "one more");
        interrupts.begin_command();
        assert!(!interrupts.until_input(StopFlag::is_raised));
    }

    #[test]
    fn input_does_not_end_a_search() {
        let interrupts = settled(1);
        let seen = interrupts.search(|stop| {
            interrupts.arrive(2);
            stop.is_raised()
        });
        assert!(!seen);
    }
}
