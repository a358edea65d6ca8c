//! The time manager of one side: its settings; measurements of lag, search and game; reserves for lag and accidents; and
//! the ply from which positions are usually proven.

use std::time::Duration;

use super::budget::from_seconds;
use super::params::MoveTimeUsed;
use super::{Budget, Lag, LagMeter, StopReason, StopRules, TimeParams, Told};

/// Used share of the planned time, before there are measurements.
const FIRST_USED: f64 = 0.85;
/// Minimum used share in plans.
const MIN_USED: f64 = 0.4;
/// Below this used share of the plans, the rules that end searches early are relaxed.
const THRIFTY: f64 = 0.6;
/// Shorter times say nothing about the used share.
const SHORTEST_INFORMATIVE: Duration = Duration::from_millis(100);
/// Weight of a new move in the running means.
const MOVE_WEIGHT: f64 = 0.15;
/// A larger difference after one move, as a share of the main time (and more than a second), is not
/// lag: the clock was corrected.
const LARGEST_LAG_SHARE: f64 = 0.1;

/// Time manager of one side: its settings, and what it has measured.
#[derive(Debug, Clone)]
pub(crate) struct TimeManager {
    pub(crate) params: TimeParams,
    pub(crate) lag: LagMeter,
    /// Running mean of used time over planned time.
    pub(super) used: f64,
    /// Running mean of visits per second; 0 before the first search.
    pub(crate) rate: f64,
    pub(crate) expected_proof_ply: ExpectedProofPly,
    /// The largest main time seen in this game, and the last.
    pub(super) full: Duration,
    pub(super) present: Duration,
    /// Moves since the controller last reported the time, and since a report settled it.
    moves_untold: u32,
    moves_unsettled: u32,
}

impl TimeManager {
    /// A manager without measurements. `lag` is the assumed difference per move between this clock
    /// and the controller's until it can be measured; `None` for [`super::USUAL_LAG`].
    pub(crate) fn new(params: TimeParams, lag: Option<Duration>) -> TimeManager {
        TimeManager {
            params,
            lag: LagMeter::new(lag),
            used: FIRST_USED,
            rate: 0.0,
            expected_proof_ply: ExpectedProofPly::default(),
            full: Duration::ZERO,
            present: Duration::ZERO,
            moves_untold: 0,
            moves_unsettled: 0,
        }
    }

    /// Sets another time control: the clock is full and charges restart; measurements of lag and
    /// speed are kept.
    pub(crate) fn new_control(&mut self) {
        self.full = Duration::ZERO;
        (self.moves_untold, self.moves_unsettled) = (0, 0);
    }

    /// A game has ended: learns from it, and starts the next one.
    pub(crate) fn new_game(&mut self) {
        self.expected_proof_ply.new_game();
        self.new_control();
    }

    /// Lag to charge for the next move, as the controller's clock does.
    pub(crate) fn next_lag(&self) -> Lag {
        self.lag.charge(self.moves_unsettled + 1)
    }

    /// The controller has reported this side's time.
    pub(crate) fn told(&mut self, told: &Told) {
        let moves = std::mem::take(&mut self.moves_untold);
        if told.settles {
            self.moves_unsettled = 0;
        }
        let maximum = (LARGEST_LAG_SHARE * self.full.as_secs_f64()).max(1.0) * f64::from(moves);
        let lost = told.lost_seconds.filter(|lost| lost.abs() <= maximum);
        if let (Some(lost), 1..) = (lost, moves) {
            self.lag.measure(lost, moves, told.coarse);
        }
    }

    /// Records a move; `budget` is what it was given, `None` for one of a book.
    pub(crate) fn moved(&mut self, ply: u32, budget: Option<&Budget>, spent: &MoveTimeUsed) {
        self.moves_untold += 1;
        self.moves_unsettled += 1;
        let (Some(budget), Some(stop)) = (budget, spent.stop) else {
            return;
        };
        self.expected_proof_ply.moved(ply, stop);
        if matches!(stop, StopReason::Time | StopReason::Settled) {
            self.learn(budget, spent);
        }
    }

    /// Learns from a completed search: the used share of its time, and its speed.
    fn learn(&mut self, budget: &Budget, spent: &MoveTimeUsed) {
        if budget.target >= SHORTEST_INFORMATIVE {
            let used =
                spent.elapsed.min(budget.maximum).as_secs_f64() / budget.target.as_secs_f64();
            self.used += MOVE_WEIGHT * (used - self.used);
            self.used = self.used.clamp(MIN_USED, 1.5);
        }
        let new = spent.visits.saturating_sub(spent.reused);
        if new >= 32 && !spent.elapsed.is_zero() {
            let rate = new as f64 / spent.elapsed.as_secs_f64();
            let weight = if self.rate == 0.0 { 1.0 } else { MOVE_WEIGHT };
            self.rate += weight * (rate - self.rate);
        }
    }

    /// The stop rules of searches. Consecutive searches that end early get increasingly more of
    /// their time back: unused time is worth nothing after the game.
    pub(super) fn rules(&self) -> StopRules {
        let thrift = ((self.used - MIN_USED) / (THRIFTY - MIN_USED)).clamp(0.0, 1.0);
        let overtake = self.params.time_overtake;
        StopRules {
            overtake: if thrift > 0.0 { overtake / thrift } else { 0.0 },
            credit: self.params.time_credit * thrift,
            rate: self.rate,
            ..StopRules::default()
        }
    }
}

// The expected proof ply: the ply from which a game's positions are usually proven, so that moves need
// no thought. Learned from game to game, where one ply is usual.

/// Weak opponents are beaten early and loaded endings are proven at once: learned expected proof plies
/// stay within this many plies of the usual one.
const RANGE: f64 = 8.0;
/// Weight of a new game in the running mean.
const GAME_WEIGHT: f64 = 0.3;

/// Plies by which ten times the time moves it forward: half of the games between RAVE engines are
/// solved at ply 58, 56, 53 and 51 with 10^3, 10^4, 10^5 and 10^6 nodes
/// (docs/results/measures.toml).
const PLIES_BY_TENFOLD_TIME: f64 = 2.0;
/// The time per move of a game's usual expected proof ply.
const USUAL_MOVE_TIME: Duration = Duration::from_millis(100);

/// The usual expected proof ply at this time per move, given the one at a tenth of a second.
pub(super) fn usual_proof_ply(at_a_tenth: f64, move_time: Duration) -> f64 {
    let times = move_time.as_secs_f64() / USUAL_MOVE_TIME.as_secs_f64();
    let earlier = PLIES_BY_TENFOLD_TIME * times.max(f64::MIN_POSITIVE).log10();
    at_a_tenth - earlier.clamp(-RANGE, RANGE)
}

/// A running mean over games, and observations of the current game.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct ExpectedProofPly {
    mean: Option<f64>,
    /// The first ply of this game whose result was proven.
    proven_at: Option<u32>,
    /// The last ply of this game that was searched.
    last_ply: Option<u32>,
}

impl ExpectedProofPly {
    /// The ply; `None` before [`ExpectedProofPly::expect`] has set the usual one.
    pub(crate) fn ply(&self) -> Option<f64> {
        self.mean
    }

    /// Sets the usual ply of this game and board, unless a similar one was learned.
    pub(super) fn expect(&mut self, usual: f64) {
        let mean = self.mean.get_or_insert(usual);
        *mean = mean.clamp(usual - RANGE, usual + RANGE);
    }

    /// Sets the ply of this game, regardless of what was learned.
    pub(super) fn assume(&mut self, ply: f64) {
        self.mean = Some(ply);
    }

    /// The search of a move at `ply` ended so. One that needed its time shows that an earlier proof was of another
    /// position, before an undo.
    pub(super) fn moved(&mut self, ply: u32, stop: StopReason) {
        self.last_ply = Some(ply);
        match stop {
            StopReason::Proven => self.proven_at = self.proven_at.or(Some(ply)),
            StopReason::Time | StopReason::Settled => self.proven_at = None,
            _ => {}
        }
    }

    /// A game has ended or was given up.
    pub(super) fn new_game(&mut self) {
        // A game without a proof was not proven before its last search.
        let seen = match (self.proven_at, self.last_ply, self.mean) {
            (Some(proven), _, _) => Some(f64::from(proven)),
            (None, Some(last), Some(mean)) if f64::from(last) > mean => Some(f64::from(last)),
            _ => None,
        };
        if let (Some(seen), Some(mean)) = (seen, &mut self.mean) {
            *mean += GAME_WEIGHT * (seen - *mean);
        }
        (self.proven_at, self.last_ply) = (None, None);
    }
}

/// The share of the remaining time that the assumed lag of all future moves takes at most.
const ASSUMED_LAG_SHARE: f64 = 0.25;
/// Added to an assumed lag in reserves.
const MIN_LAG: Duration = Duration::from_millis(5);
/// An accident may take a second: this much is reserved for it, in seconds, unless it is more than
/// this share of a short clock.
const MIN_ACCIDENT: f64 = 1.3;
const LARGEST_ACCIDENT_SHARE: f64 = 0.03;
/// A clock too short for that reserves this, in seconds, unless it is more than this larger share.
const SMALL_ACCIDENT: f64 = 0.3;
const LARGEST_SMALL_SHARE: f64 = 0.05;
/// Maximum reserve for accidents, in seconds.
const LARGEST_ACCIDENT: f64 = 5.0;
/// The reserve for accidents beyond the minimum is released over this many last moves, if the
/// controller reports the time.
const RELEASE_MOVES: f64 = 12.0;
/// The accident that an overtime period must survive, in seconds: one of a second, and jitter.
const PERIOD_ACCIDENT: f64 = 1.2;
/// Maximum share reserved of a period whose end loses the game.
const LAST_PERIOD_SHARE: f64 = 0.1;
/// Maximum share of the remaining time reserved for the lag of future moves.
const LARGEST_LAG_RESERVE: f64 = 0.6;

/// Minimum time per move: a root evaluation takes a few milliseconds. It is reserved for every
/// future move.
pub(super) const MIN_HARD: Duration = Duration::from_millis(10);

impl TimeManager {
    /// Lag of this many moves. While it is only assumed it may not take a short clock's thinking
    /// time.
    pub(super) fn lag_of(&self, moves: u32) -> Duration {
        let lag = if self.lag.is_assumed() {
            let lag = self.lag.mean() * moves;
            let most = self.present.mul_f64(ASSUMED_LAG_SHARE);
            let lag = if self.lag.is_told { lag } else { lag.min(most) };
            lag + MIN_LAG * moves
        } else {
            self.lag.reserve(moves)
        };
        // Neither a single spike nor a set value may take the whole clock.
        lag.min(self.present.mul_f64(LARGEST_LAG_RESERVE))
    }

    /// Reserve of a byoyomi or Canadian period, where an overrun costs a period or the game: a bad
    /// lag, several times the usual one until it is measured well, and a share of the period for
    /// accidents, a larger one if there is no period to lose.
    pub(super) fn margin(&self, period: Duration, last: bool) -> Duration {
        let lag = if self.lag.is_known() {
            self.lag.worst()
        } else {
            self.lag.careful() * 3
        };
        let share = match last {
            true => LAST_PERIOD_SHARE,
            false => LARGEST_ACCIDENT_SHARE,
        };
        lag + period_accident(period, share)
    }

    /// Reserve of a Canadian period for a second accident, which adds to the first while the
    /// controller does not report the time.
    pub(super) fn untold_accident(&self, period: Duration) -> Duration {
        if self.lag.is_assumed() {
            period_accident(period, LAST_PERIOD_SHARE)
        } else {
            Duration::ZERO
        }
    }

    /// Reserved time: lag and the minimum time of every future move, and a reserve for accidents.
    pub(super) fn reserve(&self, moves: u32) -> Duration {
        let full = self.full.as_secs_f64();
        let least = least_accident(full);
        let told = (self.params.time_reserve * full).clamp(least, LARGEST_ACCIDENT);
        let accidents = if self.lag.is_assumed() {
            // Without reports of the time errors add up.
            2.0 * told
        } else {
            let released = told * (f64::from(moves) / RELEASE_MOVES).min(1.0);
            released.max(least)
        };
        self.lag_of(moves) + MIN_HARD * moves + from_seconds(accidents)
    }
}

/// Reserve for accidents of a clock, until its last move, in seconds.
fn least_accident(full: f64) -> f64 {
    let small = SMALL_ACCIDENT.min(LARGEST_SMALL_SHARE * full);
    small.max(LARGEST_ACCIDENT_SHARE * full).min(MIN_ACCIDENT)
}

/// Reserve of a period for one accident: at most this share of it.
fn period_accident(period: Duration, share: f64) -> Duration {
    period.mul_f64(share).min(from_seconds(PERIOD_ACCIDENT))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::TimeParams;

    #[test]
    fn who_hardly_uses_the_plans_ends_fewer_searches_early() {
        let mut known = TimeManager::new(TimeParams::default(), None);
        let mut at = |used| {
            known.used = used;
            let rules = known.rules();
            (rules.overtake, rules.credit)
        };
        assert_eq!(at(0.8), (0.5, 0.7));
        let (overtake, credit) = at(0.5);
        assert!((overtake - 1.0).abs() < 1e-9 && (credit - 0.35).abs() < 1e-9);
        assert_eq!(at(MIN_USED), (0.0, 0.0));
    }

    #[test]
    fn it_moves_towards_what_games_show() {
        let mut expected_proof_ply = ExpectedProofPly::default();
        expected_proof_ply.expect(54.0);
        expected_proof_ply.moved(42, StopReason::Time);
        expected_proof_ply.moved(44, StopReason::Proven);
        expected_proof_ply.moved(46, StopReason::Visits);
        expected_proof_ply.moved(48, StopReason::Proven);
        expected_proof_ply.new_game();
        assert_eq!(expected_proof_ply.ply(), Some(51.0));
        // Never proven, and searched beyond: later than expected.
        expected_proof_ply.moved(61, StopReason::Time);
        expected_proof_ply.new_game();
        assert_eq!(expected_proof_ply.ply(), Some(54.0));
        // Given up early: nothing is known.
        expected_proof_ply.moved(20, StopReason::Time);
        expected_proof_ply.new_game();
        assert_eq!(expected_proof_ply.ply(), Some(54.0));
        // A proof that was undone does not count.
        expected_proof_ply.moved(40, StopReason::Proven);
        expected_proof_ply.moved(38, StopReason::Time);
        expected_proof_ply.new_game();
        assert_eq!(expected_proof_ply.ply(), Some(54.0));
    }

    #[test]
    fn it_comes_earlier_where_moves_take_longer() {
        let at = |millis| usual_proof_ply(54.0, Duration::from_millis(millis));
        let close = |millis, ply: f64| assert!((at(millis) - ply).abs() < 1e-9, "{}", at(millis));
        close(10, 56.0);
        close(100, 54.0);
        close(1_000, 52.0);
        close(100_000, 48.0);
        close(0, 54.0 + RANGE);
    }

    #[test]
    fn where_games_differ_nothing_is_learned() {
        let mut expected_proof_ply = ExpectedProofPly::default();
        for (ply, assumed) in [(6, 35.0), (60, 80.0), (8, 36.5)] {
            expected_proof_ply.assume(assumed);
            assert_eq!(expected_proof_ply.ply(), Some(assumed));
            expected_proof_ply.moved(ply, StopReason::Proven);
            expected_proof_ply.new_game();
        }
    }

    #[test]
    fn it_stays_near_the_usual() {
        let mut expected_proof_ply = ExpectedProofPly::default();
        expected_proof_ply.new_game();
        assert_eq!(expected_proof_ply.ply(), None);
        expected_proof_ply.expect(54.0);
        for _ in 0..20 {
            expected_proof_ply.moved(0, StopReason::Proven);
            expected_proof_ply.new_game();
        }
        expected_proof_ply.expect(54.0);
        assert_eq!(expected_proof_ply.ply(), Some(46.0));
    }

    #[test]
    fn what_is_only_assumed_takes_a_quarter_of_a_short_clock_in_a_long_game() {
        let reserve = |lag| {
            let mut assumed = TimeManager::new(TimeParams::default(), lag);
            assumed.full = Duration::from_secs(10);
            assumed.present = Duration::from_secs(8);
            assumed.lag_of(120).as_secs_f64()
        };
        // Plus five milliseconds a move.
        assert!((reserve(None) - 2.6).abs() < 1e-9, "{}", reserve(None));
        assert!((reserve(Some(Duration::from_millis(30))) - 4.2).abs() < 1e-9);
    }

    #[test]
    fn what_is_kept_for_accidents_grows_with_the_clock() {
        for (full, kept) in [
            (2.0, 0.1),
            (6.0, 0.3),
            (10.0, 0.3),
            (20.0, 0.6),
            (60.0, 1.3),
        ] {
            assert!((least_accident(full) - kept).abs() < 1e-9, "{full}");
        }
    }

    #[test]
    fn a_wild_connection_does_not_take_the_whole_clock() {
        let mut known = TimeManager::new(TimeParams::default(), None);
        known.full = Duration::from_secs(60);
        known.present = Duration::from_secs(5);
        for mv in 0..40 {
            known.lag.measure(f64::from(mv % 2) * 20.0, 1, false);
        }
        let kept = known.reserve(12).as_secs_f64();
        assert!(kept < 5.0 * LARGEST_LAG_RESERVE + 1.8 + 0.2, "{kept}");
    }
}
