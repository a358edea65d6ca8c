//! A clock that leaves out the time in which its process stood still.

use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;

use super::Clock;

/// Interval at which the clock is read, also when no caller asks for the time.
const TICK: Duration = Duration::from_millis(200);

/// If the clock was not read for longer than this, its process stood still: stopped by Ctrl-Z, by a
/// debugger, or together with its virtual machine. A loaded machine delays a thread by tens of milliseconds.
const STANDSTILL: Duration = Duration::from_secs(2);

/// Another clock without the times in which this process did not run, so that no game is lost on time when a
/// match is stopped for lunch.
pub struct SteadyClock {
    inner: Arc<dyn Clock>,
    state: Mutex<State>,
    /// Called after each standstill, with its length.
    tell: fn(Duration),
}

#[derive(Default)]
struct State {
    last_read: Duration,
    left_out: Duration,
}

impl SteadyClock {
    /// A clock that a thread reads every 200 ms as long as the clock exists; `tell` is called after each
    /// standstill, with the time left out. Where no thread can be started, any long pause between two readings
    /// would look like a standstill: the inner clock is returned.
    #[must_use]
    pub fn start(inner: Arc<dyn Clock>, tell: fn(Duration)) -> Arc<dyn Clock> {
        let clock = Arc::new(SteadyClock::new(Arc::clone(&inner), tell));
        let weak: Weak<SteadyClock> = Arc::downgrade(&clock);
        let tick = move || {
            while let Some(clock) = weak.upgrade() {
                clock.now();
                drop(clock);
                thread::sleep(TICK);
            }
        };
        match thread::Builder::new().name("clock".to_owned()).spawn(tick) {
            Ok(_) => clock,
            Err(_) => inner,
        }
    }

    fn new(inner: Arc<dyn Clock>, tell: fn(Duration)) -> SteadyClock {
        let state = State {
            last_read: inner.now(),
            left_out: Duration::ZERO,
        };
        SteadyClock {
            inner,
            state: Mutex::new(state),
            tell,
        }
    }
}

impl Clock for SteadyClock {
    fn now(&self) -> Duration {
        let mut state = self.state.lock();
        let now = self.inner.now();
        let silence = now.saturating_sub(state.last_read);
        if silence > STANDSTILL {
            state.left_out += silence;
        }
        state.last_read = now;
        let counted = now.saturating_sub(state.left_out);
        // Another reader need not wait until this is written.
        drop(state);
        if silence > STANDSTILL {
            (self.tell)(silence);
        }
        counted
    }

    fn worked(&self, playouts: u64) {
        self.inner.worked(playouts);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::FakeClock;

    #[test]
    fn a_standstill_does_not_count_and_a_slow_tick_does() {
        let time = FakeClock::new();
        time.advance(Duration::from_secs(100));
        let clock = SteadyClock::new(Arc::new(time.clone()), |_| ());
        let start = clock.now();
        for _ in 0..10 {
            time.advance(Duration::from_millis(1_900));
            clock.now();
        }
        assert_eq!(clock.now() - start, Duration::from_secs(19));
        time.advance(Duration::from_secs(60));
        assert_eq!(clock.now() - start, Duration::from_secs(19));
        time.advance(Duration::from_secs(1));
        assert_eq!(clock.now() - start, Duration::from_secs(20));
    }
}
