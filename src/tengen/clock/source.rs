//! Sources of time, read nowhere else: the machine's monotonic clock, the date, the processor time of this process;
//! simulated clocks; and a clock that leaves out the time in which its process stood still.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use jiff::tz::Offset;
use parking_lot::Mutex;

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

/// A clock moved by hand, for tests. Clones share the same time.
#[derive(Debug, Clone, Default)]
pub struct FakeClock {
    micros: Arc<AtomicU64>,
}

impl FakeClock {
    /// A clock at zero.
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

/// Seconds since 1970 in UTC, from the system clock.
#[expect(
    clippy::disallowed_methods,
    reason = "this is the one source of the date"
)]
pub fn unix_time() -> Duration {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
}

/// `2026.08.23 08:40` for a time since 1970 in UTC, at a UTC offset in hours, at most 25 either
/// way; larger ones count as UTC.
pub fn date_time(unix: Duration, hours_ahead: i8) -> String {
    let seconds = i64::try_from(unix.as_secs()).unwrap_or(i64::MAX);
    let time = Timestamp::from_second(seconds).unwrap_or(Timestamp::MAX);
    let offset = Offset::from_hours(hours_ahead).unwrap_or(Offset::UTC);
    let there = offset.to_datetime(time);
    there.strftime("%Y.%m.%d %H:%M").to_string()
}

/// Unit of the times in `/proc/PID/stat`: clock ticks (proc_pid_stat(5)), of which Linux shows
/// programs 100 a second (`USER_HZ`) on the architectures that Tengen is built for.
const TICK: Duration = Duration::from_millis(10);

/// User and system time used by all threads of this process so far, to 10 ms; `None` where the
/// system does not provide it (it is read from `/proc`, so: outside Linux).
pub fn process_cpu_time() -> Option<Duration> {
    parse_stat(&std::fs::read_to_string("/proc/self/stat").ok()?)
}

/// User plus system time from the text of `/proc/PID/stat`.
fn parse_stat(stat: &str) -> Option<Duration> {
    // Field 2 is the program's name in parentheses and may itself hold blanks and parentheses;
    // user and system time are fields 14 and 15.
    let (_, rest) = stat.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace().skip(11);
    let user: u32 = fields.next()?.parse().ok()?;
    let system: u32 = fields.next()?.parse().ok()?;
    TICK.checked_mul(user.checked_add(system)?)
}

/// Interval at which the clock is read, also when no caller asks for the time.
const READ_EVERY: Duration = Duration::from_millis(200);

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
    pub fn start(inner: Arc<dyn Clock>, tell: fn(Duration)) -> Arc<dyn Clock> {
        let clock = Arc::new(SteadyClock::new(Arc::clone(&inner), tell));
        let weak: Weak<SteadyClock> = Arc::downgrade(&clock);
        let tick = move || {
            while let Some(clock) = weak.upgrade() {
                clock.now();
                drop(clock);
                thread::sleep(READ_EVERY);
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
    fn dates() {
        let check = |unix, hours, expected| {
            assert_eq!(date_time(Duration::from_secs(unix), hours), expected);
        };
        check(0, 0, "1970.01.01 00:00");
        check(0, -1, "1969.12.31 23:00");
        check(951_782_400, 0, "2000.02.29 00:00");
        check(1_598_143_200, 8, "2020.08.23 08:40");
        check(1_767_225_599, 0, "2025.12.31 23:59");
        check(u64::MAX, 25, "9999.12.31 23:00");
    }

    #[test]
    fn a_name_with_blanks_and_parentheses_is_skipped() {
        let stat = "42 (a ) b) S 1 42 42 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 4 0 12345";
        assert_eq!(parse_stat(stat), Some(Duration::from_secs(3)));
        assert_eq!(parse_stat("42 (a) S 1"), None);
        assert_eq!(parse_stat(""), None);
    }

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
