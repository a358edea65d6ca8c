//! The moves that Renju forbids to Black (International Rules of Renju, sections 3 and 9).
//!
//! A five is always allowed. Without one, a stone may not make an overline, two fours or two
//! threes. A three counts only if it can become a straight four by a stone that makes no five and
//! is itself not forbidden; this is decided recursively, with one more stone on the board.

use super::lines::{Direction, Lines};
use super::rules::Five;
use super::shape::{Shape, Shapes};
use crate::game::{Color, Move};

/// The patterns that Black may not make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ban {
    Overline,
    TwoFours,
    TwoThrees,
}

impl Ban {
    /// Name for users.
    pub(super) fn name(self) -> &'static str {
        match self {
            Ban::Overline => "an overline",
            Ban::TwoFours => "two fours",
            Ban::TwoThrees => "two threes",
        }
    }
}

/// Whether Black may not play on an empty point.
pub(super) fn is_forbidden(lines: &Lines, point: Move) -> bool {
    ban(lines, point).is_some()
}

/// The reason why Black may not play on an empty point.
pub(super) fn ban(lines: &Lines, point: Move) -> Option<Ban> {
    let table = Shapes::of(Five::Exactly);
    let windows = lines.windows(Color::Black, point);
    let shapes = windows.map(|window| table.shape(window));
    let (mut fours, mut threes, mut overline) = (0, 0, false);
    for shape in shapes {
        match shape {
            Shape::Five => return None,
            Shape::Overline => overline = true,
            Shape::TwoFours => fours += 2,
            Shape::Four | Shape::StraightFour => fours += 1,
            Shape::Three => threes += 1,
            _ => {}
        }
    }
    if overline {
        return Some(Ban::Overline);
    }
    if fours > 1 {
        return Some(Ban::TwoFours);
    }
    if threes < 2 {
        return None;
    }
    let mut after = *lines;
    after.put(Color::Black, point);
    let real = (0..4).filter(|&line| {
        let mut steps = table.straights(windows[line]).steps();
        shapes[line] == Shape::Three
            && steps.any(|steps| {
                let next = Direction::ALL[line].step(lines.size(), point, steps);
                becomes_straight(&after, next)
            })
    });
    (real.count() > 1).then_some(Ban::TwoThrees)
}

/// Whether Black may make a straight four on a point without making a five.
fn becomes_straight(lines: &Lines, point: Move) -> bool {
    let table = Shapes::of(Five::Exactly);
    let windows = lines.windows(Color::Black, point);
    let wins = windows
        .iter()
        .any(|&window| table.shape(window) == Shape::Five);
    !wins && !is_forbidden(lines, point)
}
