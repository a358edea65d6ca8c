//! How long a judgement of what is dead may take: a controller waits, a clock does not.

use std::time::Duration;

use crate::clock::Budget;
use crate::search::StopFlag;

/// While a clock runs, a judgement may take one part in so many of what the move shall take.
const SHARE: u32 = 4;

/// A judgement of fewer playouts with either side to move says nothing.
const LEAST_PLAYOUTS: u64 = 200;

/// What a judgement may take.
#[derive(Clone, Copy)]
pub(super) struct JudgeLimits<'a> {
    stop: &'a StopFlag,
    /// While a clock runs.
    time: Option<Time>,
}

#[derive(Clone, Copy)]
struct Time {
    /// What it should take at most.
    share: Duration,
    /// It is given up then.
    until: Duration,
}

impl<'a> JudgeLimits<'a> {
    /// For a move with this budget that began at `started`.
    pub(super) fn within(budget: Option<Budget>, started: Duration, stop: &'a StopFlag) -> Self {
        let time = budget.map(|budget| Time {
            share: budget.soft / SHARE,
            until: started.saturating_add(budget.hard),
        });
        JudgeLimits { stop, time }
    }

    /// For a controller, who waits.
    pub(super) fn of_controller(stop: &'a StopFlag) -> Self {
        JudgeLimits { stop, time: None }
    }

    /// How many playouts a judgement may make that begins `now` and makes so many in a second, of so many
    /// wanted; `None` where they are too few.
    pub(super) fn playouts(&self, wanted: u64, per_second: f64, now: Duration) -> Option<u64> {
        let playouts = self.time.map_or(wanted, |time| {
            // The speed may have been another one.
            let left = time.until.saturating_sub(now) / 2;
            wanted.min((per_second * time.share.min(left).as_secs_f64()) as u64)
        });
        (playouts >= LEAST_PLAYOUTS).then_some(playouts)
    }

    /// Whether it has to be given up.
    pub(super) fn is_over(&self, now: Duration) -> bool {
        self.stop.is_raised() || self.time.is_some_and(|time| now >= time.until)
    }
}
