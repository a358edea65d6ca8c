//! A line a minute of a program that waits.

use std::time::Duration;

const EVERY: Duration = Duration::from_secs(60);

/// When to say again that a program waits.
pub(super) struct Reminder {
    due: Duration,
}

impl Reminder {
    /// Due at once, then each minute.
    pub(super) fn now() -> Reminder {
        Reminder {
            due: Duration::ZERO,
        }
    }

    /// Due after a minute from now, then each minute.
    pub(super) fn later(now: Duration) -> Reminder {
        Reminder { due: now + EVERY }
    }

    /// Whether to say it now.
    pub(super) fn is_due(&mut self, now: Duration) -> bool {
        let is_due = now >= self.due;
        if is_due {
            self.due = now + EVERY;
        }
        is_due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wait_is_told_each_minute() {
        let told = |mut reminder: Reminder| -> Vec<u64> {
            let seconds = (0..200).step_by(5);
            seconds
                .filter(|&second| reminder.is_due(Duration::from_secs(second)))
                .collect()
        };
        assert_eq!(told(Reminder::now()), [0, 60, 120, 180]);
        assert_eq!(told(Reminder::later(Duration::ZERO)), [60, 120, 180]);
    }
}
