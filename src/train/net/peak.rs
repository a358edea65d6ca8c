//! What the processor could do at best: the limit that training speed is measured against.

use std::hint::black_box;
use std::time::Duration;

use super::kernel::{LANES, Lanes, POINTS, multiply_add};
use crate::clock::Clock;

/// Multiply-adds between looks at the clock; some tens of microseconds.
const BURST: usize = 50_000;

/// Floating-point operations a second that all threads together reach in registers, a multiply-add
/// counting two, measured for `span`. It is measured and not looked up, because it depends on what
/// else the machine is doing.
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

/// As many sums at once as the convolutions keep at most.
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
    use crate::clock::SystemClock;

    #[test]
    fn a_processor_does_more_than_a_hundred_million_a_second() {
        let peak = peak_flops(&SystemClock::new(), Duration::from_millis(5));
        assert!(peak > 1e8, "{peak}");
    }
}
