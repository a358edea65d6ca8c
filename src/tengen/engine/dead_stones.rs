//! What is dead at the end of a game, and how long may be spent on it: a controller waits, a clock does not.

use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use crate::clock::stop::ANSWER;
use crate::clock::{Budget, Clock};
use crate::game::{Game, Move, OwnershipEstimate, Settled, scoring};
use crate::search::StopFlag;

/// Why dead stones and score are not known: the estimate was stopped, or there was no time for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("interrupted before the position was judged")]
pub struct ScoringInterrupted;

/// A position as the players may agree to count it; `None` in games without dead stones.
pub(super) type Settlement = Result<Option<Settled>, ScoringInterrupted>;

/// Maximum number of playouts that say what is dead, for each side to move: twice as many in all.
const MAX_ESTIMATE_ROLLOUTS: u64 = 2000;

/// Plies of all playouts for one side to move, about; a judgement costs twice as many. These bound
/// it, not a clock, so that it is the same in every process and under any load.
const MAX_ESTIMATE_PLIES: u64 = 200_000;

/// The same where those leave something open towards the end of a game, and a controller has asked.
const CAREFUL_PLIES: u64 = 450_000;

/// Assumed playouts per second for each side to move, times the points of the board, until a
/// judgement has measured them.
const PLAYOUTS_PER_SECOND: f64 = 500_000.0;

/// Estimates the ownership of a position by this many playouts for each side to move; `None` in
/// games without points, and when it is stopped.
pub(crate) type MakeExpected<G> =
    Box<dyn FnMut(&G, u64, &dyn Fn() -> bool) -> Option<OwnershipEstimate> + Send>;

/// A judgement of the position of this key.
struct Estimate {
    key: u128,
    playouts: u64,
    expected: Option<OwnershipEstimate>,
}

/// Judges positions of one game, and remembers the last: controllers ask for score and dead stones
/// one after the other.
pub(crate) struct DeadStoneEstimator<G: Game> {
    /// How it judges; it judges nothing without.
    pub(crate) expect: Option<MakeExpected<G>>,
    time: Arc<dyn Clock>,
    /// The last one. While a clock runs any of the present position will do.
    last: Option<Estimate>,
    /// Playouts a second for each side to move, where that is known.
    rate: Option<f64>,
}

impl<G: Game> DeadStoneEstimator<G> {
    /// One that judges nothing yet.
    pub(super) fn new(time: Arc<dyn Clock>) -> DeadStoneEstimator<G> {
        DeadStoneEstimator {
            expect: None,
            time,
            last: None,
            rate: None,
        }
    }

    /// The position as the players may agree to count it, for controllers; `None` in games without
    /// dead stones.
    ///
    /// # Errors
    /// [`ScoringInterrupted`] when it is stopped.
    pub(super) fn settle(&mut self, position: &G, stop: &StopFlag) -> Settlement {
        let effort = EstimateLimits::of_controller(stop);
        let settled = self.settle_by(max_estimate_rollouts(position), position, effort)?;
        // Before, more of them would only be more of a guess.
        if settled.as_ref().is_none_or(Settled::is_certain) || !scoring::nears_end(position) {
            return Ok(settled);
        }
        let more = CAREFUL_PLIES / playout_plies(position);
        self.settle_by(more, position, effort)
    }

    /// The same while a clock may run.
    ///
    /// # Errors
    /// [`ScoringInterrupted`] when there is no time for it, too.
    pub(super) fn settle_within(&mut self, position: &G, effort: EstimateLimits<'_>) -> Settlement {
        let known = self.last.as_ref().filter(|last| last.key == position.key());
        if let Some(last) = known {
            return Ok(settled(position, last));
        }
        let guess = PLAYOUTS_PER_SECOND / position.size().area() as f64;
        let rate = self.rate.unwrap_or(guess);
        let playouts = effort.playouts(max_estimate_rollouts(position), rate, self.time.now());
        self.settle_by(playouts.ok_or(ScoringInterrupted)?, position, effort)
    }

    /// What was expected of a position when it was judged last.
    pub(super) fn known(&self, position: &G) -> Option<&OwnershipEstimate> {
        let last = self.last.as_ref()?;
        last.expected
            .as_ref()
            .filter(|_| last.key == position.key())
    }

    fn settle_by(&mut self, playouts: u64, position: &G, effort: EstimateLimits<'_>) -> Settlement {
        let Some(expect) = self.expect.as_mut().filter(|_| G::INFO.scored) else {
            return Ok(None);
        };
        let key = position.key();
        let known = |last: &Estimate| last.key == key && last.playouts >= playouts;
        if !self.last.as_ref().is_some_and(known) {
            let (time, started) = (Arc::clone(&self.time), self.time.now());
            let halt = || effort.is_over(time.now());
            let expected = expect(position, playouts, &halt);
            if halt() {
                return Err(ScoringInterrupted);
            }
            let took = self.time.now().saturating_sub(started).as_secs_f64();
            if expected.is_some() && took > 0.0 {
                self.rate = Some(playouts as f64 / took);
            }
            self.last = Some(Estimate {
                key,
                playouts,
                expected,
            });
        }
        let last = self.last.as_ref();
        Ok(last.and_then(|last| settled(position, last)))
    }
}

/// Plies of a playout from a position, about: all empty points, and a quarter of the board again for
/// stones that are taken.
fn playout_plies<G: Game>(position: &G) -> u64 {
    let area = position.size().area();
    (area - stones(position) + area / 4).max(1) as u64
}

/// Playouts for each side to move that say what is dead.
fn max_estimate_rollouts<G: Game>(position: &G) -> u64 {
    (MAX_ESTIMATE_PLIES / playout_plies(position)).min(MAX_ESTIMATE_ROLLOUTS)
}

/// A position by what was found of it.
fn settled<G: Game>(position: &G, judged: &Estimate) -> Option<Settled> {
    scoring::settle(position, judged.expected.as_ref()?)
}

/// How many stones are on the board.
pub(super) fn stones<G: Game>(position: &G) -> usize {
    let points = 0..position.size().area();
    let stones = points.filter(|&at| position.stone(Move(at as u16)).is_some());
    stones.count()
}

/// While a clock runs, an estimate may take 1/SHARE of the planned move time.
const SHARE: u32 = 4;

/// An estimate from fewer playouts per side to move is useless.
const MIN_PLAYOUTS: u64 = 200;

/// Limits of an estimate.
#[derive(Clone, Copy)]
pub(super) struct EstimateLimits<'a> {
    /// Raised when it must be given up.
    pub(super) stop: &'a StopFlag,
    /// While a clock runs.
    time: Option<Time>,
}

#[derive(Clone, Copy)]
struct Time {
    /// Planned maximum time.
    share: Duration,
    /// When the move is planned to end.
    planned: Duration,
    /// Deadline.
    until: Duration,
}

impl<'a> EstimateLimits<'a> {
    /// For a move with this budget that began at `started`.
    pub(super) fn within(budget: Option<Budget>, started: Duration, stop: &'a StopFlag) -> Self {
        let time = budget.map(|budget| Time {
            share: budget.target / SHARE,
            planned: started.saturating_add(budget.target),
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

    /// Whether a clock runs.
    pub(super) fn is_timed(&self) -> bool {
        self.time.is_some()
    }

    /// What is left `now` for other estimates than playouts; `None` without a clock.
    pub(super) fn budget(&self, now: Duration) -> Option<Budget> {
        let left = |time: Time| time.share.min(time.until.saturating_sub(now));
        self.time.map(|time| with_answer(left(time)))
    }

    /// What is left `now` of the planned time of the move; `None` if nothing is, or without a clock.
    pub(super) fn rest(&self, now: Duration) -> Option<Budget> {
        let time = self.time.filter(|time| now < time.planned)?;
        Some(with_answer(time.planned - now))
    }

    /// Whether it must be given up.
    pub(super) fn is_over(&self, now: Duration) -> bool {
        self.stop.is_raised() || self.time.is_some_and(|time| now >= time.until)
    }
}

/// A budget of this time for a search and its answer, which would be late if the search took all of it.
fn with_answer(time: Duration) -> Budget {
    Budget::fixed(time - ANSWER.min(time / 4), time)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use parking_lot::Mutex;

    use super::*;
    use crate::clock::{Budget, FakeClock};
    use crate::game::Color;
    use crate::games::go::SmallGo;
    use crate::games::go::diagram::diagram;

    /// A judge whose playouts take a millisecond each, and all numbers of playouts that it has made.
    fn slow(clock: &Arc<FakeClock>) -> (DeadStoneEstimator<SmallGo>, Arc<Mutex<Vec<u64>>>) {
        let (time, made) = (Arc::clone(clock), Arc::new(Mutex::new(Vec::new())));
        let kept = Arc::clone(&made);
        let expect = move |position: &SmallGo, playouts, halt: &dyn Fn() -> bool| {
            for _ in 0..playouts {
                if halt() {
                    return None;
                }
                time.advance(Duration::from_millis(1));
            }
            kept.lock().push(playouts);
            crate::rollout::expect(position, 100, 1, &|| false)
        };
        let time: Arc<dyn Clock> = Arc::<FakeClock>::clone(clock);
        let mut judge = DeadStoneEstimator::new(time);
        judge.expect = Some(Box::new(expect));
        (judge, made)
    }

    /// White has passed, and Black's wall leaves nothing open.
    fn finished() -> SmallGo {
        let mut position = diagram("XXXXX .XXX. XXXXX OOOOO O.O.O", "chinese", Color::White);
        position.play(position.size().pass());
        position
    }

    #[test]
    fn judging_costs_no_game_on_time() {
        let clock = Arc::new(FakeClock::new());
        let (mut judge, made) = slow(&clock);
        let stop = StopFlag::new();
        let mut asked = |target: u64, hard: u64| {
            let (target, hard) = (Duration::from_millis(target), Duration::from_millis(hard));
            let started = clock.now();
            let effort = EstimateLimits::within(Some(Budget::fixed(target, hard)), started, &stop);
            judge.last = None;
            let _ = judge.settle_within(&finished(), effort);
            (clock.now() - started, made.lock().pop())
        };
        // Too slow for what it was taken for: given up in time.
        assert_eq!(asked(400, 500), (Duration::from_millis(500), None));
        // A long move: all, and now it knows how slow it is.
        let all = Duration::from_millis(MAX_ESTIMATE_ROLLOUTS);
        assert_eq!(asked(60_000, 60_000), (all, Some(MAX_ESTIMATE_ROLLOUTS)));
        assert_eq!(asked(400, 500), (Duration::ZERO, None));
        let quarter = Duration::from_millis(300);
        assert_eq!(asked(1200, 60_000), (quarter, Some(300)));
    }

    #[test]
    fn searches_of_a_pass_have_time_to_answer() {
        let (target, stop) = (Duration::from_secs(4), StopFlag::new());
        let budget = Budget::fixed(target, target);
        let effort = EstimateLimits::within(Some(budget), Duration::ZERO, &stop);
        for now in [0, 2500, 3999].map(Duration::from_millis) {
            for budget in [effort.budget(now), effort.rest(now)] {
                let budget = budget.expect("there is time left");
                assert!(now + budget.hard <= target && budget.target < budget.hard);
            }
        }
        assert!(effort.rest(target).is_none());
    }

    #[test]
    fn a_controller_gets_all_playouts_after_a_move_had_few() {
        let clock = Arc::new(FakeClock::new());
        let (mut judge, made) = slow(&clock);
        let stop = StopFlag::new();
        judge.rate = Some(1000.0);
        let target = Duration::from_secs(1);
        let effort =
            EstimateLimits::within(Some(Budget::fixed(target, target)), clock.now(), &stop);
        for _ in 0..2 {
            assert!(judge.settle_within(&finished(), effort).is_ok());
        }
        assert_eq!(*made.lock(), [250], "one judgement is enough for a move");
        assert!(matches!(judge.settle(&finished(), &stop), Ok(Some(_))));
        assert_eq!(made.lock()[1], MAX_ESTIMATE_ROLLOUTS);
    }
}
