//! Peak performance of the processor: the reference for training speed.

use std::time::Duration;

use tengen::clock::Clock;
use tengen_nn::eval::native::Level;
use tengen_nn::eval::native::kernels::{Factors, Peak};

/// Multiply-adds of each chain between clock reads; some tens of microseconds.
const BURST: usize = 5_000;

/// Floating-point operations per second that all threads together reach in registers, a
/// multiply-add counting two, measured for `span`. It is measured and not looked up, because it
/// depends on the machine's load. Convolutions of 3x3 may show more: products are counted as those
/// of the plain method, and Winograd's needs fewer.
#[must_use]
pub fn peak_flops(clock: &dyn Clock, span: Duration) -> f64 {
    let start = clock.now();
    let products: usize = rayon::broadcast(|_| {
        let mut products = 0;
        while clock.now().saturating_sub(start) < span {
            products += burst();
        }
        products
    })
    .into_iter()
    .sum();
    let seconds = clock.now().saturating_sub(start).as_secs_f64();
    (2 * products) as f64 / seconds.max(1e-9)
}

/// Returns the number of its products.
fn burst() -> usize {
    Level::best().enter(Peak {
        rounds: BURST,
        factors: Factors::Floats,
    })
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
        let bursts = 4 * burst() * 2;
        let seconds = (5 + rayon::current_num_threads()) as f64 / 1000.0;
        let expected = bursts as f64 / seconds;
        assert!((peak / expected - 1.0).abs() < 1e-9, "{peak} {expected}");
    }
}
