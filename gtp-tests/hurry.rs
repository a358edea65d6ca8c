//! Moves due at once, on an overloaded machine. These are measurements: run them alone, `cargo test
//! --release --test gtp hurry -- --ignored --nocapture --test-threads 1`.

#![expect(
    clippy::print_stderr,
    reason = "measurements are told on the error stream"
)]

mod gomocup;
mod overload;

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::killed::Killed;

/// Processes that keep all processors busy until they are dropped.
fn busy() -> Vec<Killed> {
    let processors = tengen::system::processors();
    let start = |_| {
        let mut command = Command::new("yes");
        Killed(command.stdout(Stdio::null()).spawn().expect("a usual tool"))
    };
    (0..processors).map(start).collect()
}

/// Times, and their summary.
#[derive(Default)]
struct Times(Vec<Duration>);

impl Times {
    /// Percentiles 50, 90, 99 and 100 of the times.
    fn text(&mut self) -> String {
        self.0.sort_unstable();
        let last = self.0.len().saturating_sub(1);
        let quantile = |share: f64| {
            let time = self.0.get((share * last as f64).round() as usize);
            time.map_or(0.0, |time| 1000.0 * time.as_secs_f64())
        };
        let [half, most, nearly, all] = [0.5, 0.9, 0.99, 1.0].map(quantile);
        format!(
            "{:5} times: {half:7.2} {most:7.2} {nearly:7.2} {all:7.2} ms",
            self.0.len()
        )
    }

    fn longest(&self) -> Duration {
        self.0.iter().copied().max().unwrap_or_default()
    }
}
