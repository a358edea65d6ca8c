//! Limits on the time to estimate dead stones: a controller waits, a clock does not.

use std::time::Duration;

use crate::clock::Budget;
use crate::search::StopFlag;

/// While a clock runs, an estimate may take 1/SHARE of the planned move time.
const SHARE: u32 = 4;

/// An estimate from fewer playouts per side to move is useless.
const MIN_PLAYOUTS: u64 = 200;

/// Limits of an estimate.
#[derive(Clone, Copy)]
pub(super) struct EstimateLimits<'a> {
    stop: &'a StopFlag,
    /// While a clock runs.
    time: Option<Time>,
}

#[derive(Clone, Copy)]
struct Time {
    /// Planned maximum time.
    share: Duration,
    /// Deadline.
    until: Duration,
}

impl<'a> EstimateLimits<'a> {
    /// For a move with this budget that began at `started`.
    pub(super) fn within(budget: Option<Budget>, started: Duration, stop: &'a StopFlag) -> Self {
        let time = budget.map(|budget| Time {
            share: budget.target / SHARE,
            until: started.saturating_add(budget.hard),
        });
        EstimateLimits { stop, time }
    }

    /// For a controller without a running clock.
    pub(super) fn of_controller(stop: &'a StopFlag) -> Self {
        EstimateLimits { stop, time: None }
    }

    /// Number of playouts for an estimate that begins `now`, at a speed of `per_second` and at most
    /// `wanted`; `None` if there is time for too few.
    pub(super) fn playouts(&self, wanted: u64, per_second: f64, now: Duration) -> Option<u64> {
        let playouts = self.time.map_or(wanted, |time| {
            // The speed may have changed.
            let left = time.until.saturating_sub(now) / 2;
            wanted.min((per_second * time.share.min(left).as_secs_f64()) as u64)
        });
        (playouts >= MIN_PLAYOUTS).then_some(playouts)
    }

    /// Raised when it must be given up.
    pub(super) fn stop(&self) -> &'a StopFlag {
        self.stop
    }

    /// Whether a clock runs.
    pub(super) fn is_timed(&self) -> bool {
        self.time.is_some()
    }

    /// What is left `now` for other estimates than playouts; `None` without a clock.
    pub(super) fn budget(&self, now: Duration) -> Option<Budget> {
        let left = |time: Time| Budget::fixed(time.share, time.until.saturating_sub(now));
        self.time.map(left)
    }

    /// Whether it must be given up.
    pub(super) fn is_over(&self, now: Duration) -> bool {
        self.stop.is_raised() || self.time.is_some_and(|time| now >= time.until)
    }
}
