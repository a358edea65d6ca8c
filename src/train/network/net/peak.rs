//! Peak performance of the processor: the reference for training speed.

use std::hint::black_box;
use std::time::Duration;

use super::kernel::{LANES, Lanes, POINTS, multiply_add};
use crate::clock::Clock;

/// Multiply-adds between clock reads; some tens of microseconds.
const BURST: usize = 50_000;

/// Floating-point operations per second that all threads together reach in registers, a
/// multiply-add counting two, measured for `span`. It is measured and not looked up, because it
/// depends on the machine's load.
#[must_use]
pub fn peak_flops(clock: &dyn Clock, span: Duration) -> f64 {
    let start = clock.now();
    let bursts: u64 = rayon::broadcast(|_| {
        let mut bursts = 0;
        while clock.now().saturating_sub(start) < span {
            black_box(burst(black_box([1.000_001; LANES]), black_box(1e-9)));
            bursts += 1;
        }
        bursts
    })
    .into_iter()
    .sum();
    let seconds = clock.now().saturating_sub(start).as_secs_f64();
    (bursts as usize * BURST * POINTS * LANES * 2) as f64 / seconds.max(1e-9)
}

/// As many independent sums as the convolutions have at most.
fn burst(factor: Lanes, number: f32) -> [Lanes; POINTS] {
    let mut sums = [[0.0; LANES]; POINTS];
    for _ in 0..BURST {
        for sum in &mut sums {
            *sum = std::array::from_fn(|lane| multiply_add(sum[lane], factor[lane], number));
        }
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    /// A clock that advances by a millisecond at every reading.
    struct Ticking(AtomicU64);

    impl Clock for Ticking {
        fn now(&self) -> Duration {
            Duration::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
        }
    }

    #[test]
    fn bursts_of_all_threads_are_counted_over_the_time_they_took() {
        let peak = peak_flops(&Ticking(AtomicU64::new(7)), Duration::from_millis(5));
        // Readings 1 to 4 after the first one count one burst each, of any thread; each thread
        // reads once more to see that the time is up, and the last reading gives the duration.
        let bursts = 4 * BURST * POINTS * LANES * 2;
        let seconds = (5 + rayon::current_num_threads()) as f64 / 1000.0;
        let expected = bursts as f64 / seconds;
        assert!((peak / expected - 1.0).abs() < 1e-9, "{peak} {expected}");
    }
}
