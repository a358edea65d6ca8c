//! What is dead at the end of a game.

use std::sync::Arc;

use thiserror::Error;

use super::timing::EstimateLimits;
use crate::clock::Clock;
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

/// An estimate from fewer playouts per side to move is useless.
const MIN_PLAYOUTS: u64 = 200;

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
        if let Some(last) = self.last_of(position) {
            return Ok(settled(position, last));
        }
        let guess = PLAYOUTS_PER_SECOND / position.size().area() as f64;
        let rate = self.rate.unwrap_or(guess);
        let most = max_estimate_rollouts(position);
        // The speed may have changed.
        let given = effort.share(2, self.time.now());
        let playouts = given.map_or(most, |time| most.min((rate * time.as_secs_f64()) as u64));
        if playouts < MIN_PLAYOUTS {
            return Err(ScoringInterrupted);
        }
        self.settle_by(playouts, position, effort)
    }

    /// What was expected of a position when it was judged last.
    pub(super) fn known(&self, position: &G) -> Option<&OwnershipEstimate> {
        self.last_of(position)?.expected.as_ref()
    }

    fn last_of(&self, position: &G) -> Option<&Estimate> {
        self.last.as_ref().filter(|last| last.key == position.key())
    }

    fn settle_by(&mut self, playouts: u64, position: &G, effort: EstimateLimits<'_>) -> Settlement {
        let known = self.last_of(position);
        let is_enough = known.is_some_and(|last| last.playouts >= playouts);
        let Some(expect) = self.expect.as_mut().filter(|_| G::INFO.scored) else {
            return Ok(None);
        };
        if !is_enough {
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
                key: position.key(),
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
