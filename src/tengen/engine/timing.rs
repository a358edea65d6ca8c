//! Both sides' clocks of a game in progress, and the limits and times of moves and of what is done beside their search.

use std::fmt;
use std::time::Duration;

use crate::clock::stop::ANSWER;
use crate::clock::{
    Budget, ClockAccount, Lag, LagMeter, MoveTimeUsed, SideClock, Situation, TimeControl, TimeLeft,
    TimeManager, TimeParams,
};
use crate::game::{Color, Game};
use crate::search::{Limits, SearchReport, StopFlag};

/// Thinking time without visits, time per move and clock.
pub const DEFAULT_TIME_PER_MOVE: Duration = Duration::from_secs(2);

/// Slack of a search beyond a fixed time per move that is not enforced: the first search may load
/// its network.
const FIXED_TIME_SLACK: Duration = Duration::from_secs(10);

/// Reserves are for at most this many times the expected plies: a longer game is rare, and gets its
/// reserves from its own later shares.
const LONG_GAME: f64 = 2.0;
/// In games without a bound they are for at least this many plies per point of the board.
const UNBOUNDED_GAME: f64 = 0.2;
/// A move with less time is hardly searched; the user should be warned.
const STARVING: Duration = Duration::from_millis(50);

/// Limits per move. Every given limit holds, and the clock's in addition; without any a move takes
/// two seconds.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ThinkingLimits {
    /// Visits of the root, reused ones counted.
    pub visits: Option<u64>,
    /// Fixed time per move.
    pub time_per_move: Option<Duration>,
    /// Time after which a hanging search is given up, counted from the start of the move, if the
    /// controller enforces `time_per_move`; `None` for ten seconds beyond `time_per_move`.
    pub late_after: Option<Duration>,
    /// Time per move that the controller charges in addition to the engine's own, until it can be
    /// measured; `None` for [`crate::clock::USUAL_LAG`].
    pub lag: Option<Duration>,
    /// Parameters of time management.
    pub time: TimeParams,
}

/// Time of one move, with or without a clock.
#[derive(Debug, Clone, PartialEq)]
pub struct MoveTime {
    /// Plies before the move.
    pub ply: u32,
    /// Side that moved.
    pub color: Color,
    /// Its budget; `None` without a clock.
    pub budget: Option<Budget>,
    /// Its time and search; the time without lag.
    pub used: MoveTimeUsed,
    /// Value for the mover, in [-1, 1].
    pub value: f32,
    /// Lag charged in addition.
    lag: Lag,
    /// The clock before the move.
    before: ClockAccount,
    /// The clock after it, as is most likely.
    pub left: TimeLeft,
    /// The same after later moves of its side that are undone, and the time of those.
    since: (TimeLeft, Duration),
}

/// One side's clock and time manager, for display.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClockState {
    /// The clock, as is most likely.
    pub clock: SideClock,
    /// Lag per move.
    pub lag: Duration,
    /// Visits per second under the clock so far; 0 before the first search.
    pub rate: f64,
    /// The ply from which results are expected to be proven; `None` before the first move.
    pub expected_proof_ply: Option<f64>,
}

/// A budget of this time, which a first search may exceed to load its network.
pub(super) fn fixed_budget(time: Duration) -> Budget {
    Budget::fixed(time, time.saturating_add(FIXED_TIME_SLACK))
}

/// Clocks and time managers of both sides.
#[derive(Debug)]
pub(super) struct Timing {
    thinking_limits: ThinkingLimits,
    sides: [Side; 2],
}

/// One side's time.
#[derive(Debug, Clone)]
struct Side {
    clock: ClockAccount,
    manager: TimeManager,
    /// Whether the log has warned of too little time, in this game.
    told_starving: bool,
}

impl Timing {
    pub(super) fn new(thinking_limits: ThinkingLimits) -> Timing {
        let side = Side {
            clock: ClockAccount::new(TimeControl::Unlimited),
            manager: TimeManager::new(thinking_limits.time.clone(), thinking_limits.lag),
            told_starving: false,
        };
        Timing {
            thinking_limits,
            sides: [side.clone(), side],
        }
    }

    pub(super) fn thinking_limits(&self) -> &ThinkingLimits {
        &self.thinking_limits
    }

    /// Sets new limits; measurements of lag and speed are kept.
    pub(super) fn set_thinking_limits(&mut self, thinking_limits: ThinkingLimits) {
        for Side { manager, .. } in &mut self.sides {
            manager.params = thinking_limits.time.clone();
            if thinking_limits.lag != self.thinking_limits.lag {
                manager.lag = LagMeter::new(thinking_limits.lag);
            }
        }
        self.thinking_limits = thinking_limits;
    }

    pub(super) fn set_control(&mut self, control: TimeControl) {
        for side in &mut self.sides {
            (side.clock, side.told_starving) = (ClockAccount::new(control), false);
            side.manager.new_control();
        }
    }

    /// Both clocks are filled, and the managers learn from the finished game.
    pub(super) fn new_game(&mut self) {
        for side in &mut self.sides {
            side.clock.reset();
            side.told_starving = false;
            side.manager.new_game();
        }
    }

    /// Takes over the remaining time of a side from the controller.
    pub(super) fn told(&mut self, color: Color, time: Duration, stones: u32) {
        let Side { clock, manager, .. } = &mut self.sides[color.index()];
        manager.told(&clock.set_left(time, stones));
        self.sides[color.opponent().index()].manager.lag = manager.lag;
    }

    /// Limits of a search for the side to move of `position`, and their budget if a clock runs.
    pub(super) fn limits<G: Game>(&mut self, position: &G) -> (Limits, Option<Budget>) {
        let mover = position.to_move();
        let (ply, left) = (position.ply(), position.plies_left());
        let area = position.size().area() as f64;
        let long_game = LONG_GAME * left.expected;
        let (most_plies, reserved) = match left.bound {
            Some(bound) => (bound, long_game.min(f64::from(bound))),
            None => (u32::MAX, long_game.max(UNBOUNDED_GAME * area)),
        };
        let situation = |clock| Situation {
            clock,
            ply,
            plies_left: left.expected,
            reserved_plies: reserved.ceil() as u32,
            most_plies,
            usually_proven_from: (G::INFO.usually_proven_from)(position.size()).map(f64::from),
        };
        // Whichever reading of the clock is right, the move must be in time.
        let side = &mut self.sides[mover.index()];
        let clock = (side.clock.readings())
            .filter_map(|clock| side.manager.allot(&situation(clock)))
            .reduce(Budget::within);
        if let Some(budget) = &clock {
            side.warn_if_starving(mover, budget);
        }
        let wanted = &self.thinking_limits;
        let nothing_else = wanted.visits.is_none() && clock.is_none();
        let fixed = wanted
            .time_per_move
            .or(nothing_else.then_some(DEFAULT_TIME_PER_MOVE));
        let fixed = fixed.map(|time| match wanted.late_after {
            Some(late) => Budget::fixed(time, late.max(time)),
            None => fixed_budget(time),
        });
        let budget = match (fixed, clock) {
            (Some(fixed), Some(clock)) => Some(clock.within(fixed)),
            (fixed, clock) => fixed.or(clock),
        };
        let visits = wanted.visits;
        let charged = budget.filter(|_| clock.is_some());
        (Limits { visits, budget }, charged)
    }

    /// Charges a move of `color` at `ply`.
    pub(super) fn charge(
        &mut self,
        color: Color,
        ply: u32,
        budget: Option<Budget>,
        elapsed: Duration,
        report: Option<&SearchReport>,
    ) -> MoveTime {
        let Side { clock, manager, .. } = &mut self.sides[color.index()];
        let before = clock.clone();
        let lag = manager.next_lag();
        clock.spend(elapsed, lag);
        let used = MoveTimeUsed {
            elapsed,
            visits: report.map_or(0, |report| report.visits),
            reused: report.map_or(0, |report| report.reused),
            stop: report.map(|report| report.stop),
        };
        manager.moved(ply, budget.as_ref(), &used);
        let left = clock.likely().left();
        MoveTime {
            ply,
            color,
            budget,
            used,
            value: report.map_or(0.0, |report| report.value),
            lag,
            before,
            left,
            since: (left, Duration::ZERO),
        }
    }

    /// The move is undone. Its time stays spent, unless the controller has said otherwise since: a
    /// clock that shows too little never loses a game. Only what the move earned, an increment or
    /// one stone less in its period, is undone. `earlier` is the move of its side before it, which may be undone next.
    pub(super) fn take_back(&mut self, made: &MoveTime, earlier: Option<&mut MoveTime>) {
        let clock = &mut self.sides[made.color.index()].clock;
        let (left, later) = made.since;
        if clock.likely().left() != left {
            return;
        }
        let before = made.before.likely().left();
        *clock = made.before.clone();
        clock.spend_without_move(made.used.elapsed + later, made.lag);
        if let Some(earlier) = earlier.filter(|earlier| earlier.since.0 == before) {
            earlier.since.0 = clock.likely().left();
            // Added to that of moves in place of which this one was made.
            earlier.since.1 += made.used.elapsed + made.lag.usual + later;
        }
    }

    pub(super) fn state(&self, color: Color) -> ClockState {
        let Side { clock, manager, .. } = &self.sides[color.index()];
        ClockState {
            clock: clock.likely(),
            lag: manager.lag.usual(),
            rate: manager.rate,
            expected_proof_ply: manager.expected_proof_ply.ply(),
        }
    }
}

impl Side {
    /// Warns once per game that it has hardly any time.
    fn warn_if_starving(&mut self, color: Color, budget: &Budget) {
        if budget.maximum < STARVING && !std::mem::replace(&mut self.told_starving, true) {
            log::warn!(
                "{color} gets only {} ms for this move and later ones: its clock has {}",
                budget.maximum.as_millis(),
                self.clock.likely().left()
            );
        }
    }
}

/// In a move with a budget, an estimate beside the search may take 1/ESTIMATE_SHARE of the planned time.
const ESTIMATE_SHARE: u32 = 4;

/// Limits of an estimate beside a search, such as of dead stones: a controller waits, a clock does not.
#[derive(Clone, Copy)]
pub(super) struct EstimateLimits<'a> {
    /// Raised when it must be given up.
    pub(super) stop: &'a StopFlag,
    /// When the move began, and its budget.
    time: Option<(Duration, Budget)>,
}

impl<'a> EstimateLimits<'a> {
    /// For a move with this budget that began at `started`.
    pub(super) fn within(budget: Option<Budget>, started: Duration, stop: &'a StopFlag) -> Self {
        let time = budget.map(|budget| (started, budget));
        EstimateLimits { stop, time }
    }

    /// For a controller without a running clock.
    pub(super) fn of_controller(stop: &'a StopFlag) -> Self {
        EstimateLimits { stop, time: None }
    }

    /// Whether a clock runs.
    pub(super) fn is_timed(&self) -> bool {
        self.time.is_some()
    }

    /// What is left `now` of the move's budget.
    fn left(&self, now: Duration) -> Option<Budget> {
        let (started, budget) = self.time?;
        Some(budget.after(now.saturating_sub(started)))
    }

    /// The time of an estimate that begins `now`, at most 1/`part` of what is left; `None` without a clock.
    pub(super) fn share(&self, part: u32, now: Duration) -> Option<Duration> {
        let (_, budget) = self.time?;
        let most = self.left(now)?.hard / part;
        Some(most.min(budget.target / ESTIMATE_SHARE))
    }

    /// The same of an estimate by a search, in all that is left.
    pub(super) fn budget(&self, now: Duration) -> Option<Budget> {
        self.share(1, now).map(with_answer)
    }

    /// What is left `now` of the planned time of the move; `None` if nothing is, or without a clock.
    pub(super) fn rest(&self, now: Duration) -> Option<Budget> {
        let rest = self.left(now)?.target;
        (!rest.is_zero()).then(|| with_answer(rest))
    }

    /// Whether it must be given up.
    pub(super) fn is_over(&self, now: Duration) -> bool {
        let is_late = |left: Budget| left.hard.is_zero();
        self.stop.is_raised() || self.left(now).is_some_and(is_late)
    }
}

/// A budget of this time for a search and its answer, which would be late if the search took all of it.
fn with_answer(time: Duration) -> Budget {
    Budget::fixed(time - ANSWER.min(time / 4), time)
}

impl fmt::Display for MoveTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ply {} {}:", self.ply, self.color)?;
        if let Some(budget) = &self.budget {
            let seconds =
                [budget.target, budget.maximum, budget.hard].map(|time| time.as_secs_f64());
            let [target, maximum, hard] = seconds;
            write!(f, " allotted {target:.2}/{maximum:.2}/{hard:.2} s,")?;
        }
        write!(f, " used {:.2} s,", self.used.elapsed.as_secs_f64())?;
        match self.used.stop {
            Some(stop) => write!(
                f,
                " ended by {stop}, {} visits ({} reused), value {:+.2}",
                self.used.visits, self.used.reused, self.value
            )?,
            None => f.write_str(" without a search")?,
        }
        if self.budget.is_some() {
            write!(f, ", left {}", self.left)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::FillGame;
    use super::*;
    use crate::clock::Overtime;
    use crate::game::BoardSize;
    use crate::games::gomoku::Gomoku;

    const LAG: Duration = Duration::from_millis(100);

    fn on_a_minute() -> Timing {
        let mut timing = Timing::new(ThinkingLimits {
            lag: Some(LAG),
            ..ThinkingLimits::default()
        });
        timing.set_control(TimeControl::Limited {
            main: Duration::from_secs(60),
            overtime: Overtime::None,
        });
        timing
    }

    /// Black moves in a second.
    fn move_of_a_second(timing: &mut Timing) -> MoveTime {
        let position = FillGame::new(BoardSize::new(5, 1)).expect("a legal size");
        let (_, budget) = timing.limits(&position);
        timing.charge(Color::Black, 0, budget, Duration::from_secs(1), None)
    }

    fn left(timing: &Timing) -> f64 {
        match timing.state(Color::Black).clock.left() {
            TimeLeft::Main(left) => left.as_secs_f64(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_side_without_time_is_told_of_once_a_game() {
        let position = FillGame::new(BoardSize::new(5, 1)).expect("a legal size");
        let mut timing = on_a_minute();
        let told = |timing: &Timing| timing.sides.each_ref().map(|side| side.told_starving);
        timing.limits(&position);
        assert_eq!(told(&timing), [false, false]);
        timing.told(Color::Black, Duration::from_millis(20), 0);
        timing.limits(&position);
        assert_eq!(told(&timing), [true, false]);
        timing.new_game();
        assert_eq!(told(&timing), [false, false]);
    }

    #[test]
    fn lag_is_reserved_for_a_long_game_and_not_for_every_point() {
        let position = Gomoku::new(BoardSize::square(15)).expect("a legal size");
        let mut timing = on_a_minute();
        let mut planned = |main| {
            timing.set_control(TimeControl::Limited {
                main: Duration::from_secs(main),
                overtime: Overtime::None,
            });
            let (_, budget) = timing.limits(&position);
            budget.expect("there is a clock").target.as_secs_f64()
        };
        // A tenth of a second for each of 113 own moves would cost all of the shorter clock.
        for (main, range) in [(60, 2.0..4.0), (12, 0.3..0.6)] {
            let planned = planned(main);
            assert!(range.contains(&planned), "{planned} s of {main}");
        }
    }

    #[test]
    fn a_fixed_time_has_room_for_a_first_search_unless_somebody_loses_by_it() {
        let position = FillGame::new(BoardSize::new(5, 1)).expect("a legal size");
        let [second, late] = [1000, 1030].map(Duration::from_millis);
        let hard = |late_after| {
            let mut timing = Timing::new(ThinkingLimits {
                time_per_move: Some(second),
                late_after,
                ..ThinkingLimits::default()
            });
            timing.limits(&position).0.budget.map(|budget| budget.hard)
        };
        assert_eq!(hard(None), Some(second + FIXED_TIME_SLACK));
        assert_eq!(hard(Some(late)), Some(late));
        assert_eq!(hard(Some(Duration::ZERO)), Some(second));
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
    fn lag_stays_charged_when_a_move_is_taken_back() {
        let mut timing = on_a_minute();
        let made = move_of_a_second(&mut timing);
        assert!((left(&timing) - 58.9).abs() < 1e-6);
        timing.take_back(&made, None);
        assert!((left(&timing) - 58.9).abs() < 1e-6);
    }

    #[test]
    fn moves_that_are_taken_back_one_after_the_other_have_earned_nothing() {
        let mut timing = on_a_minute();
        timing.set_control(TimeControl::Limited {
            main: Duration::from_secs(60),
            overtime: Overtime::Fischer {
                increment: Duration::from_secs(5),
                most_main: None,
                most_move: None,
            },
        });
        let mut first = move_of_a_second(&mut timing);
        let second = move_of_a_second(&mut timing);
        assert!((left(&timing) - 67.8).abs() < 1e-6);
        timing.take_back(&second, Some(&mut first));
        assert!((left(&timing) - 62.8).abs() < 1e-6);
        timing.take_back(&first, None);
        assert!((left(&timing) - 57.8).abs() < 1e-6);
        // Another second move was tried.
        let mut first = move_of_a_second(&mut timing);
        for _ in 0..2 {
            let second = move_of_a_second(&mut timing);
            timing.take_back(&second, Some(&mut first));
        }
        timing.take_back(&first, None);
        assert!((left(&timing) - 54.5).abs() < 1e-6);
        // The controller has told the time in between.
        let mut first = move_of_a_second(&mut timing);
        let second = move_of_a_second(&mut timing);
        timing.take_back(&second, Some(&mut first));
        timing.told(Color::Black, Duration::from_secs(30), 0);
        timing.take_back(&first, None);
        assert!((left(&timing) - 30.0).abs() < 1e-6);
    }

    #[test]
    fn lag_measured_with_one_colour_holds_for_the_other() {
        let mut timing = on_a_minute();
        for ten in 1..=20 {
            move_of_a_second(&mut timing);
            let told = Duration::from_millis(60_000 - 1_300 * ten);
            timing.told(Color::Black, told, 0);
        }
        let lag = |color| timing.state(color).lag.as_secs_f64();
        assert!(
            (lag(Color::Black) - 0.3).abs() < 0.01,
            "{}",
            lag(Color::Black)
        );
        assert_eq!(lag(Color::White), lag(Color::Black));
    }
}
