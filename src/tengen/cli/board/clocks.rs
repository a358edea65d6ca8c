//! The clocks of a game on the board. They belong to the game; the engine is sent their time before
//! each of its moves.

use std::collections::HashMap;
use std::time::Duration;

use crate::clock::{Overtime, SideClock, TimeControl, TimeLeft};
use crate::game::Color;
use crate::watch::ClockView;

use super::tree::Tree;

/// Both clocks.
#[derive(Debug, Clone)]
pub(super) struct Clocks {
    pub(super) control: TimeControl,
    sides: [SideClock; 2],
    /// The side whose clock runs, and its start.
    running: Option<(Color, Duration)>,
    /// The clocks in each position, when the last move to it was made.
    past: HashMap<usize, [SideClock; 2]>,
}

impl Clocks {
    pub(super) fn new(control: TimeControl) -> Clocks {
        let sides = [SideClock::new(control); 2];
        Clocks {
            control,
            sides,
            running: None,
            past: HashMap::from([(Tree::ROOT, sides)]),
        }
    }

    /// A move has led to a position.
    pub(super) fn remember(&mut self, node: usize) {
        if self.control != TimeControl::Unlimited {
            self.past.insert(node, self.sides);
        }
    }

    /// The clocks are as they were in a position, and stand still.
    pub(super) fn restore(&mut self, node: usize) {
        if let Some(sides) = self.past.get(&node) {
            (self.sides, self.running) = (*sides, None);
        }
    }

    /// Gives a side at least this time for its next move.
    pub(super) fn give(&mut self, color: Color, least: Duration) {
        let side = &mut self.sides[color.index()];
        if side.longest_move() < least {
            let overtime = side.overtime();
            *side = SideClock::new(TimeControl::Limited {
                main: least,
                overtime,
            });
        }
    }

    /// Time left of a side, including its current move.
    pub(super) fn left(&self, color: Color, now: Duration) -> TimeLeft {
        let mut clock = self.sides[color.index()];
        let thought = match self.running {
            Some((running, since)) if running == color => now.saturating_sub(since),
            _ => return clock.left(),
        };
        if let Overtime::Byoyomi { period, periods } = clock.overtime() {
            return in_byoyomi(clock.left(), period, periods, thought);
        }
        clock.spend_without_move(thought);
        clock.left()
    }

    /// Starts one side's clock, or stops both.
    pub(super) fn run(&mut self, color: Option<Color>, now: Duration) {
        let wanted = color.filter(|_| self.control != TimeControl::Unlimited);
        if wanted == self.running.map(|(color, _)| color) {
            return;
        }
        if let Some((color, since)) = self.running.take() {
            self.sides[color.index()].spend_without_move(now.saturating_sub(since));
        }
        self.running = wanted.map(|color| (color, now));
    }

    /// A side has moved: stops its clock and applies the time of the move.
    pub(super) fn moved(&mut self, color: Color, now: Duration) {
        if let Some((_, since)) = self.running.take_if(|(running, _)| *running == color) {
            self.sides[color.index()].spend(now.saturating_sub(since));
        }
    }

    /// When the running clock will run out, and its side.
    pub(super) fn deadline(&self) -> Option<(Color, Duration)> {
        let (color, since) = self.running?;
        let longest = self.sides[color.index()].longest_move();
        Some((color, since.saturating_add(longest)))
    }

    /// Whether a side's time is up.
    pub(super) fn is_up(&self, color: Color, now: Duration) -> bool {
        let deadline = self.deadline();
        deadline.is_some_and(|(running, at)| running == color && now >= at)
    }

    /// A side's clock for the page; `None` without a clock.
    pub(super) fn view(&self, color: Color, now: Duration) -> Option<ClockView> {
        let running = self.running.is_some_and(|(running, _)| running == color);
        ClockView::new(self.left(color, now), running)
    }
}

/// Time left in the middle of a move, before its period is restored.
fn in_byoyomi(left: TimeLeft, period: Duration, periods: u32, thought: Duration) -> TimeLeft {
    let (first, later) = match left {
        TimeLeft::Main(main) if thought < main => return TimeLeft::Main(main - thought),
        TimeLeft::Main(main) => (main, periods),
        TimeLeft::Byoyomi { period, periods } => (period, periods.saturating_sub(1)),
        other => return other,
    };
    let Some(beyond) = thought.checked_sub(first) else {
        return TimeLeft::Byoyomi {
            period: first - thought,
            periods: later + 1,
        };
    };
    let whole = beyond.as_nanos() / period.as_nanos().max(1);
    let lost = u32::try_from(whole).unwrap_or(u32::MAX);
    TimeLeft::Byoyomi {
        period: match lost < later {
            true => period - (beyond - period * lost),
            false => Duration::ZERO,
        },
        periods: later.saturating_sub(lost),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Color::{Black, White};

    fn secs(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn clocks(text: &[&str]) -> Clocks {
        Clocks::new(TimeControl::from_kata(text).expect("a time control"))
    }

    fn byoyomi(seconds: u64, periods: u32) -> TimeLeft {
        TimeLeft::Byoyomi {
            period: secs(seconds),
            periods,
        }
    }

    #[test]
    fn the_side_to_move_pays() {
        let mut clocks = clocks(&["fischer", "60", "5"]);
        clocks.run(Some(Black), secs(10));
        assert_eq!(clocks.deadline(), Some((Black, secs(70))));
        assert_eq!(clocks.left(Black, secs(30)), TimeLeft::Main(secs(40)));
        clocks.moved(Black, secs(30));
        assert_eq!(clocks.left(Black, secs(30)), TimeLeft::Main(secs(45)));
        clocks.run(Some(White), secs(30));
        assert!(!clocks.is_up(White, secs(89)) && clocks.is_up(White, secs(90)));
    }

    #[test]
    fn a_clock_that_is_stopped_keeps_what_it_has() {
        let mut clocks = clocks(&["byoyomi", "10", "5", "3"]);
        clocks.run(Some(White), secs(0));
        assert_eq!(clocks.deadline(), Some((White, secs(25))));
        clocks.run(None, secs(4));
        assert_eq!(clocks.left(White, secs(99)), TimeLeft::Main(secs(6)));
        clocks.run(Some(White), secs(100));
        let view = clocks.view(White, secs(108)).expect("a clock");
        assert_eq!(
            (view.phase, view.stones, view.running),
            ("byoyomi", 3, true)
        );
        assert!((view.seconds - 3.0).abs() < 1e-9, "{view:?}");
        assert_eq!(clocks.left(White, secs(112)), byoyomi(4, 2));
        clocks.moved(White, secs(112));
        assert_eq!(clocks.left(White, secs(112)), byoyomi(5, 2));
        clocks.run(Some(White), secs(112));
        assert_eq!(clocks.left(White, secs(114)), byoyomi(3, 2));
        assert_eq!(clocks.left(White, secs(118)), byoyomi(4, 1));
        assert_eq!(clocks.left(White, secs(500)), byoyomi(0, 0));
        assert_eq!(clocks.deadline(), Some((White, secs(122))));
    }

    #[test]
    fn without_a_clock_no_side_is_late() {
        let mut clocks = clocks(&["none"]);
        clocks.run(Some(Black), secs(0));
        assert_eq!(clocks.deadline(), None);
        clocks.moved(Black, secs(1_000_000));
        assert_eq!(clocks.view(Black, secs(1)), None);
    }
}
