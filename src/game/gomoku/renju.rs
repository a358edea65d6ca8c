//! The moves that Renju forbids to Black (International Rules of Renju, sections 3 and 9).
//!
//! A five is always allowed. Without one, a stone may not make an overline, two fours, or two
//! threes. A three counts only if it can become a straight four by a stone that makes no five and is
//! itself not forbidden; whether that is so is the same question again, with one stone more on the
//! board.

use super::lines::{Direction, Lines};
use super::shape::{Five, Shape, Shapes};
use crate::game::{Color, Move};

/// Whether Black may not play on an empty point.
pub(super) fn is_forbidden(lines: &Lines, point: Move) -> bool {
    let table = Shapes::of(Five::Exactly);
    let shapes = Direction::ALL.map(|direction| {
        let window = lines.window(Color::Black, point, direction);
        (direction, window, table.shape(window))
    });
    let (mut fours, mut threes, mut overline) = (0, 0, false);
    for (_, _, shape) in shapes {
        match shape {
            Shape::Five => return false,
            Shape::Overline => overline = true,
            Shape::TwoFours => fours += 2,
            Shape::Four | Shape::StraightFour => fours += 1,
            Shape::Three => threes += 1,
            _ => {}
        }
    }
    if overline || fours > 1 {
        return true;
    }
    if threes < 2 {
        return false;
    }
    let mut after = *lines;
    after.put(Color::Black, point);
    let real = shapes.iter().filter(|(direction, window, shape)| {
        *shape == Shape::Three
            && table
                .straights(*window)
                .steps()
                .any(|steps| becomes_straight(&after, direction.step(lines.size(), point, steps)))
    });
    real.count() > 1
}

/// Whether Black may play where a straight four comes of it, making no five.
fn becomes_straight(lines: &Lines, point: Move) -> bool {
    let table = Shapes::of(Five::Exactly);
    let wins = Direction::ALL
        .into_iter()
        .any(|direction| table.shape(lines.window(Color::Black, point, direction)) == Shape::Five);
    !wins && !is_forbidden(lines, point)
}
