//! Termination of a search: limits, the clock, proofs, failures and the stop flag.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU16, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Duration;

use super::request::{Limits, Purpose, StopFlag};
use super::root::Leaders;
use crate::clock::stop::BATCH;
use crate::clock::{Budget, Clock, Progress, StopReason};

/// Maximum time without a playout: a network that takes longer hangs, and without a clock nothing
/// else would notice.
const STALL: Duration = Duration::from_secs(60);
/// With a budget, 1/STALL_SHARE of its target time, so that another network can still use the rest,
/// but at least [`StallWatch::patience`].
const STALL_SHARE: u32 = 2;
/// A busy machine is not a failure, and a large network is slow: this long, and this many times the slowest batch.
const MIN_STALL: Duration = Duration::from_secs(1);
const SLOWER: u32 = 3;
/// Maximum time counted between two checks: the whole process may have been suspended.
const LONGEST_LOOK: Duration = Duration::from_millis(100);

/// Sleep of a thread that can only collide with others: much less than they need for a batch.
const COLLISION_SLEEP: Duration = Duration::from_micros(50);

/// Minimum number of root checks up to the target limit, and the longest interval between two.
const LOOKS: u32 = 24;
const LONGEST_PAUSE: Duration = Duration::from_millis(50);

/// The shared state of one running search, apart from its tree.
pub(super) struct Control {
    stop: StopFlag,
    ended: OnceLock<StopReason>,
    /// Memory is full: the threads stop, and continue after pruning.
    wants_room: AtomicBool,
    /// Playouts that may still start.
    playouts_left: AtomicI64,
    playouts: AtomicU64,
    evaluations: AtomicU64,
    collisions: AtomicU64,
    clock: Arc<dyn Clock>,
    started: Duration,
    limits: Limits,
    /// Time of the next root check, in microseconds since the start.
    next_look: AtomicU64,
    /// The most visited root move at the last check, and since when, in microseconds.
    leader: AtomicU16,
    leads_since: AtomicU64,
    /// Whether the budget's rules may end the search early: they apply to the choice of a move, not
    /// to the analysis of a position.
    for_move: bool,
    /// The evaluation of the root ignores the target limit and the stop flag: without it there is no
    /// move to play.
    for_root: bool,
}

/// Visits of a search at most: edges count theirs in 32 bits.
const MAX_VISITS: u64 = 1 << 31;

impl Control {
    /// A search that began at `started`, with `reused` visits at the root.
    pub(super) fn new(
        limits: Limits,
        reused: u64,
        purpose: Purpose,
        stop: &StopFlag,
        clock: &Arc<dyn Clock>,
        started: Duration,
    ) -> Self {
        let visits = limits
            .visits
            .map_or(MAX_VISITS, |visits| visits.min(MAX_VISITS));
        let playouts_left = visits.saturating_sub(reused) as i64;
        Control {
            stop: stop.clone(),
            ended: OnceLock::new(),
            wants_room: AtomicBool::new(false),
            playouts_left: AtomicI64::new(playouts_left),
            playouts: AtomicU64::new(0),
            evaluations: AtomicU64::new(0),
            collisions: AtomicU64::new(0),
            next_look: AtomicU64::new(0),
            leader: AtomicU16::new(u16::MAX),
            leads_since: AtomicU64::new(0),
            started,
            clock: Arc::clone(clock),
            limits,
            for_move: purpose != Purpose::Position,
            for_root: false,
        }
    }

    /// The first step of the same search, which evaluates the root only.
    pub(super) fn root_step(&self) -> Control {
        let limits = Limits {
            visits: Some(1),
            ..self.limits
        };
        Control {
            for_root: true,
            ..Control::new(
                limits,
                0,
                Purpose::Move,
                &self.stop,
                &self.clock,
                self.started,
            )
        }
    }

    /// Whether this is the first step of a search.
    pub(super) fn is_root_step(&self) -> bool {
        self.for_root
    }

    /// Ends the search; the first reason is kept.
    pub(super) fn end(&self, reason: StopReason) {
        // A lost race means that another reason came first.
        let _ = self.ended.set(reason);
    }

    /// Whether the search is over, after checking flag and clock.
    pub(super) fn is_over(&self) -> bool {
        if self.ended.get().is_some() {
            return true;
        }
        if self.for_root {
            return false;
        }
        let is_late = |budget: Budget| self.elapsed() >= budget.maximum;
        if self.stop.is_raised() {
            self.end(StopReason::Interrupted);
        } else if self.limits.budget.is_some_and(is_late) {
            self.end(StopReason::Time);
        }
        self.ended.get().is_some()
    }

    /// Whether to keep a copy of the tree, begun at this time of the search, that was not made in time: if it took most
    /// of the time, the next search would get no further.
    pub(super) fn keeps_part(&self, began: Duration) -> bool {
        self.reason() == StopReason::Time && self.elapsed() / 2 >= began
    }

    /// Occasionally checks whether the budget's rules end the search. Call it after each batch,
    /// from any worker. `leaders` returns the state of the root and is rarely called.
    pub(super) fn judge(&self, leaders: impl FnOnce() -> Leaders) {
        let ruled = self.for_move && !self.for_root;
        let Some(budget) = self.limits.budget.filter(|_| ruled) else {
            return;
        };
        let elapsed = self.elapsed();
        let due = Duration::from_micros(self.next_look.load(Ordering::Relaxed));
        if elapsed < due {
            return;
        }
        let pause = (budget.target / LOOKS).min(LONGEST_PAUSE);
        let next = match budget.target.checked_sub(elapsed) {
            // At most the target limit, where a search without dispute ends.
            Some(rest) if !rest.is_zero() => elapsed + pause.min(rest),
            _ => elapsed + pause,
        };
        let micros = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let claimed = self.next_look.compare_exchange(
            micros(due),
            micros(next).max(micros(due) + 1),
            Ordering::Relaxed,
            Ordering::Relaxed,
        );
        if claimed.is_err() {
            return;
        }
        let leaders = leaders();
        // Only the worker that has claimed this check gets here, so these two values belong
        // together.
        if self.leader.swap(leaders.leader.0, Ordering::Relaxed) != leaders.leader.0 {
            let first = due.is_zero();
            let since = if first { Duration::ZERO } else { elapsed };
            self.leads_since.store(micros(since), Ordering::Relaxed);
        }
        let progress = Progress {
            elapsed,
            visits: self.playouts(),
            leader_visits: leaders.visits,
            runner_up_visits: leaders.runner_up,
            best_valued: leaders.best_valued,
            leads_since: Duration::from_micros(self.leads_since.load(Ordering::Relaxed)),
            open_moves: leaders.open_moves,
        };
        if let Some(reason) = budget.judge(&progress) {
            self.end(reason);
        }
    }

    /// Why the search ended; by default because all playouts are done.
    pub(super) fn reason(&self) -> StopReason {
        self.ended.get().copied().unwrap_or(StopReason::Visits)
    }

    /// Stops the threads because memory is full.
    pub(super) fn want_room(&self) {
        self.wants_room.store(true, Ordering::Relaxed);
    }

    /// Whether memory is full.
    pub(super) fn wants_room(&self) -> bool {
        self.wants_room.load(Ordering::Relaxed)
    }

    /// Called after pruning.
    pub(super) fn made_room(&self) {
        self.wants_room.store(false, Ordering::Relaxed);
    }

    /// Counts the start of a playout; false when none is left.
    pub(super) fn begin_playout(&self) -> bool {
        let less = |left: i64| (left > 0).then(|| left - 1);
        self.playouts_left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less)
            .is_ok()
    }

    /// Returns playouts that did not happen.
    pub(super) fn return_playouts(&self, count: usize) {
        self.playouts_left
            .fetch_add(count as i64, Ordering::Relaxed);
    }

    /// Returns a playout that collided with a leaf being evaluated.
    pub(super) fn return_collision(&self) {
        self.collisions.fetch_add(1, Ordering::Relaxed);
        self.return_playouts(1);
    }

    pub(super) fn count_playouts(&self, count: usize) {
        self.playouts.fetch_add(count as u64, Ordering::Relaxed);
        self.clock.worked(count as u64);
    }

    pub(super) fn count_evaluations(&self, count: usize) {
        self.evaluations.fetch_add(count as u64, Ordering::Relaxed);
    }

    pub(super) fn playouts(&self) -> u64 {
        self.playouts.load(Ordering::Relaxed)
    }

    pub(super) fn evaluations(&self) -> u64 {
        self.evaluations.load(Ordering::Relaxed)
    }

    /// Descents that ended at a leaf being evaluated.
    pub(super) fn collisions(&self) -> u64 {
        self.collisions.load(Ordering::Relaxed)
    }

    /// Sleeps until there are more playouts than `seen`, or the threads must stop.
    pub(super) fn await_others(&self, seen: u64) {
        while self.playouts() == seen && !self.is_over() && !self.wants_room() {
            thread::sleep(COLLISION_SLEEP);
        }
    }

    pub(super) fn now(&self) -> Duration {
        self.clock.now()
    }

    pub(super) fn elapsed(&self) -> Duration {
        self.clock.now().saturating_sub(self.started)
    }

    /// Whether the answer is due even if workers do not end. Workers check the limits between
    /// evaluations; this handles one that hangs in its evaluator. Call it repeatedly with the same
    /// `watch`.
    pub(super) fn overdue(&self, watch: &mut StallWatch) -> Option<Overdue> {
        let now = self.clock.now();
        let since = |at: Duration| now.saturating_sub(at);
        if self.stop.is_raised() {
            watch.stop_seen.get_or_insert(now);
        }
        let passed = watch.looked.map_or(Duration::ZERO, since);
        watch.looked = Some(now);
        if watch.playouts == Some(self.playouts()) {
            watch.standing_still += passed.min(LONGEST_LOOK);
        } else {
            watch.slowest = watch.slowest();
            (watch.playouts, watch.standing_still) = (Some(self.playouts()), Duration::ZERO);
        }
        let ignored = watch.stop_seen.is_some_and(|at| since(at) >= BATCH);
        let stall_limit = self.limits.budget.map_or(STALL, |budget| {
            (budget.target / STALL_SHARE).clamp(watch.patience(), STALL)
        });
        let stalled = watch.standing_still >= stall_limit;
        let late = self.limits.budget.is_some_and(|budget| {
            // Even if target and hard limit are equal, a worker may finish its current batch.
            since(self.started) >= budget.hard.max(budget.target.saturating_add(BATCH))
        });
        if stalled {
            return Some(Overdue::Hung);
        }
        if late {
            return Some(Overdue::Late);
        }
        ignored.then_some(Overdue::Stopped)
    }
}

/// Why workers are no longer waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Overdue {
    /// The search was stopped; they finish their current batch.
    Stopped,
    /// The time is up. A busy machine is late as well: whether they hang shows later.
    Late,
    /// No progress for a very long time.
    Hung,
}

/// Observations of the waiting side.
#[derive(Debug, Default)]
pub(super) struct StallWatch {
    /// Time when the stop flag was first seen raised.
    stop_seen: Option<Duration>,
    /// Time of the last check.
    looked: Option<Duration>,
    /// The number of playouts at the last check, and how long it has been unchanged.
    playouts: Option<u64>,
    standing_still: Duration,
    /// The longest time without a playout before that, also in earlier searches.
    slowest: Duration,
}

impl StallWatch {
    /// Of threads whose longest time without a playout was this so far.
    pub(super) fn after(slowest: Duration) -> StallWatch {
        StallWatch {
            slowest,
            ..StallWatch::default()
        }
    }

    /// The longest time without a playout so far.
    pub(super) fn slowest(&self) -> Duration {
        self.slowest.max(self.standing_still)
    }

    /// How long threads may take at least before they are given up.
    pub(super) fn patience(&self) -> Duration {
        (SLOWER * self.slowest).clamp(MIN_STALL, STALL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::FakeClock;

    fn control(limits: Limits, reused: u64) -> (Control, StopFlag, FakeClock) {
        let (stop, clock) = (StopFlag::new(), FakeClock::new());
        let time: Arc<dyn Clock> = Arc::new(clock.clone());
        let control = Control::new(limits, reused, Purpose::Move, &stop, &time, Duration::ZERO);
        (control, stop, clock)
    }

    #[test]
    fn the_playouts_left_are_the_visits_that_are_missing() {
        let (control, ..) = control(Limits::visits(5), 3);
        assert!(control.begin_playout() && control.begin_playout() && !control.begin_playout());
        control.return_playouts(1);
        assert!(control.begin_playout() && !control.begin_playout());
        assert_eq!(
            (control.is_over(), control.reason()),
            (false, StopReason::Visits)
        );
    }

    #[test]
    fn time_ends_it_softly_and_makes_it_overdue_later() {
        let budget = Budget::fixed(Duration::from_secs(1), Duration::from_secs(2));
        let (control, _, clock) = control(
            Limits {
                visits: None,
                budget: Some(budget),
            },
            0,
        );
        let mut watch = StallWatch::default();
        assert!(!control.is_over() && control.overdue(&mut watch).is_none());
        clock.advance(Duration::from_secs(1));
        assert!(control.is_over() && control.overdue(&mut watch).is_none());
        assert_eq!(control.reason(), StopReason::Time);
        clock.advance(Duration::from_secs(1));
        assert_eq!(control.overdue(&mut watch), Some(Overdue::Late));
    }

    #[test]
    fn a_copy_that_took_most_of_the_time_is_kept_though_it_is_cut_short() {
        let second = Duration::from_secs(1);
        let budget = Some(Budget::fixed(second, second));
        let limits = Limits {
            visits: None,
            budget,
        };
        let (late, early) = (second * 3 / 4, second / 4);
        let (limited, _, clock) = control(limits, 0);
        clock.advance(second);
        assert!(limited.is_over());
        assert!(limited.keeps_part(early) && !limited.keeps_part(late));
        let (stopped, stop, _) = control(limits, 0);
        stop.raise();
        assert!(stopped.is_over() && !stopped.keeps_part(Duration::ZERO));
    }

    #[test]
    fn the_root_is_evaluated_whatever_the_limits_say() {
        let budget = Budget::fixed(Duration::ZERO, Duration::from_secs(1));
        let limits = Limits {
            visits: Some(0),
            budget: Some(budget),
        };
        let (control, stop, clock) = control(limits, 0);
        stop.raise();
        let root = control.root_step();
        assert!(root.begin_playout() && !root.is_over() && control.is_over());
        clock.advance(Duration::from_secs(1));
        assert_eq!(
            root.overdue(&mut StallWatch::default()),
            Some(Overdue::Late)
        );
    }

    /// Polls for this long, as a waiting thread does.
    fn look_on(
        control: &Control,
        clock: &FakeClock,
        watch: &mut StallWatch,
        time: Duration,
    ) -> Option<Overdue> {
        let looks = time.as_millis() / LONGEST_LOOK.as_millis();
        (0..looks).find_map(|_| {
            clock.advance(LONGEST_LOOK);
            control.overdue(watch)
        })
    }

    #[test]
    fn without_a_clock_a_search_that_stands_still_is_overdue() {
        let (control, _, clock) = control(Limits::default(), 0);
        let mut watch = StallWatch::default();
        for _ in 0..3 {
            let almost = look_on(&control, &clock, &mut watch, STALL - LONGEST_LOOK);
            assert_eq!(almost, None);
            control.count_playouts(1);
        }
        let stalled = look_on(&control, &clock, &mut watch, STALL + LONGEST_LOOK);
        assert_eq!(stalled, Some(Overdue::Hung));
    }

    #[test]
    fn under_a_clock_it_is_overdue_while_there_is_time_for_another() {
        let target = Duration::from_secs(8);
        let budget = Some(Budget::fixed(target, 4 * target));
        let (control, _, clock) = control(
            Limits {
                visits: None,
                budget,
            },
            0,
        );
        let mut watch = StallWatch::default();
        assert_eq!(control.overdue(&mut watch), None);
        // The whole process was suspended for a while.
        clock.advance(target * 3 / 4);
        assert_eq!(control.overdue(&mut watch), None);
        let stalled = look_on(&control, &clock, &mut watch, target / STALL_SHARE);
        assert_eq!(stalled, Some(Overdue::Hung));
    }

    #[test]
    fn a_slow_network_is_not_taken_for_one_that_hangs() {
        let budget = Budget::fixed(MIN_STALL, 60 * MIN_STALL);
        let limits = Limits {
            visits: None,
            budget: Some(budget),
        };
        let (control, _, clock) = control(limits, 0);
        let mut watch = StallWatch::default();
        let mut look_on = |time| look_on(&control, &clock, &mut watch, time);
        assert_eq!(look_on(MIN_STALL * 9 / 10), None);
        control.count_playouts(1);
        assert_eq!(look_on(2 * MIN_STALL), None);
        assert_eq!(look_on(MIN_STALL), Some(Overdue::Hung));
    }

    #[test]
    fn a_raised_flag_gives_a_batch_of_grace() {
        let (control, stop, clock) = control(Limits::default(), 0);
        let mut watch = StallWatch::default();
        stop.raise();
        assert_eq!(control.overdue(&mut watch), None);
        clock.advance(BATCH);
        assert_eq!(control.overdue(&mut watch), Some(Overdue::Stopped));
    }

    #[test]
    fn the_first_reason_stays() {
        let (control, stop, _) = control(Limits::default(), 0);
        stop.raise();
        assert!(control.is_over());
        control.end(StopReason::Failed);
        assert_eq!(control.reason(), StopReason::Interrupted);
    }
}
