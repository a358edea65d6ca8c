//! Sources of time: the machine's monotonic clock, read nowhere else, and simulated clocks.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A source of time, injected where it is needed.
pub trait Clock: Send + Sync {
    /// Time since some fixed moment; never goes back.
    fn now(&self) -> Duration;

    /// Reports that playouts were made. Only a simulated clock uses it.
    fn worked(&self, _playouts: u64) {}
}

/// The machine's monotonic clock.
#[derive(Debug, Clone)]
pub struct SystemClock {
    start: Instant,
}

impl SystemClock {
    /// A clock that starts at zero now.
    #[must_use]
    #[expect(clippy::disallowed_methods, reason = "this is the one source of time")]
    pub fn new() -> SystemClock {
        SystemClock {
            start: Instant::now(),
        }
    }
}

impl Default for SystemClock {
    fn default() -> Self {
        SystemClock::new()
    }
}

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the one source of time")]
    fn now(&self) -> Duration {
        self.start.elapsed()
    }
}

/// A simulated clock, on which a playout takes a fixed time and nothing else takes any. With one
/// search thread a game under it is exactly reproducible, independent of the machine's load.
#[derive(Debug)]
pub struct PlayoutClock {
    playouts: AtomicU64,
    per_second: f64,
}

impl PlayoutClock {
    /// A clock at zero; `per_second` playouts, a number above 0, take a second.
    #[must_use]
    pub fn new(per_second: f64) -> PlayoutClock {
        PlayoutClock {
            playouts: AtomicU64::new(0),
            per_second,
        }
    }
}

impl Clock for PlayoutClock {
    fn now(&self) -> Duration {
        let seconds = self.playouts.load(Ordering::Relaxed) as f64 / self.per_second;
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
    }

    fn worked(&self, playouts: u64) {
        self.playouts.fetch_add(playouts, Ordering::Relaxed);
    }
}

/// A clock moved by hand, for tests and for simulated games. Clones share the same time.
#[derive(Debug, Clone, Default)]
pub struct FakeClock {
    micros: Arc<AtomicU64>,
}

impl FakeClock {
    /// A clock at zero.
    #[must_use]
    pub fn new() -> FakeClock {
        FakeClock::default()
    }

    /// Moves the time forward, for all clones.
    pub fn advance(&self, by: Duration) {
        let micros = u64::try_from(by.as_micros()).unwrap_or(u64::MAX);
        self.micros.fetch_add(micros, Ordering::Relaxed);
    }
}

impl Clock for FakeClock {
    fn now(&self) -> Duration {
        Duration::from_micros(self.micros.load(Ordering::Relaxed))
    }
}
