//! Encoding `gomoku-2`: `gomoku-1` with the shapes of two stones, and with the number of directions in
//! which a stone makes each shape.
//!
//! A three in two directions wins, one in a single direction is a threat; twos and closed threes
//! are what later threats are made of. A network of three blocks with these planes predicts moves
//! and winners as well as one of five blocks with `gomoku-1`.

use super::v1::{board_sets, fill_turn_and_rules};
use crate::encode::{Encoding, show_sets};
use crate::game::Game;
use crate::games::gomoku::{Gomoku, Shape, ShapeMap};

/// Number of planes, in order: the board; my stones, theirs; the last move; what is forbidden to me, to them; my fives,
/// two fours in one line (straight or not), fours, threes, closed threes, twos, closed twos; theirs; ones if I am
/// Black; a number for the rules.
const PLANES: usize = 22;

/// Number of planes that are sets of points, which come first.
const SETS: usize = 6;

/// Number of planes of one side's shapes.
const SHAPES: usize = 7;

/// The plane of a shape that a stone makes on a point, among those of its side, and what each
/// direction adds there, to 1 at most.
const fn plane(shape: Shape) -> Option<(usize, f32)> {
    match shape {
        Shape::Five => Some((0, 1.0)),
        Shape::StraightFour | Shape::TwoFours => Some((1, 1.0)),
        Shape::Four => Some((2, 0.5)),
        Shape::Three => Some((3, 0.5)),
        Shape::ClosedThree => Some((4, 0.5)),
        Shape::Two => Some((5, 0.5)),
        Shape::ClosedTwo => Some((6, 0.5)),
        Shape::One | Shape::Overline | Shape::Nothing => None,
    }
}

/// `gomoku-2`.
pub(super) const V2: Encoding<Gomoku> = Encoding::new("gomoku-2", PLANES, encode);

fn encode(position: &Gomoku, row: &mut [f32]) {
    let (me, area) = (position.to_move(), position.size().area());
    let (board, rest) = row.split_at_mut(SETS * area);
    show_sets(board, area, board_sets(position));
    let (shapes, last) = rest.split_at_mut(2 * SHAPES * area);
    ShapeMap::each_two_or_better(position, |color, point, shape| {
        let first = if color == me { 0 } else { SHAPES };
        if let Some((plane, each)) = plane(shape) {
            let cell = &mut shapes[(first + plane) * area + point.index()];
            *cell = (*cell + each).min(1.0);
        }
    });
    fill_turn_and_rules(last, position);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{BoardSize, Color};
    use crate::games::gomoku::GomokuRules;

    /// Black has two stones in line with (3, 3) in three directions, one of them closed by White, who
    /// has three in a row at the edge.
    fn shown(plane: usize) -> Vec<((usize, usize), f32)> {
        let size = BoardSize::new(9, 9);
        let black = [(3, 4), (3, 5), (4, 3), (5, 3), (4, 4), (5, 5)];
        let white = [(6, 6), (0, 0), (1, 0), (2, 0), (8, 8), (8, 6)];
        let mut position = Gomoku::with_rules(size, GomokuRules::Renju).unwrap();
        for (&(x, y), &(other_x, other_y)) in black.iter().zip(&white) {
            position.play(size.point(x, y));
            position.play(size.point(other_x, other_y));
        }
        let mut row = vec![0.0; PLANES * 81];
        V2.encode(&position, &mut row);
        let cells = row[81 * plane..].iter().take(81).enumerate();
        cells
            .filter(|&(_, &value)| value != 0.0)
            .map(|(point, &value)| ((point % 9, point / 9), value))
            .collect()
    }

    #[test]
    fn planes_count_directions() {
        let at = |plane, point| {
            let shown = shown(plane);
            shown.iter().find(|cell| cell.0 == point).map(|cell| cell.1)
        };
        assert_eq!(at(9, (3, 3)), Some(1.0));
        assert_eq!(at(10, (3, 3)), Some(0.5));
        assert_eq!(at(9, (6, 3)), Some(0.5));
        assert_eq!(at(4, (3, 3)), Some(1.0));
        assert_eq!(at(9, (3, 4)), None, "a stone is there");
        assert_eq!(
            shown(15),
            [((3, 0), 0.5), ((4, 0), 0.5)],
            "closed by the edge"
        );
        assert!(shown(6).is_empty());
        assert_eq!(at(3, (8, 6)), Some(1.0));
        assert_eq!(shown(20).len(), 81);
        assert!(shown(21).iter().all(|cell| cell.1 == 0.5));
    }

    #[test]
    fn the_planes_of_a_side_are_the_others_for_the_opponent() {
        let size = BoardSize::square(15);
        let mut position = Gomoku::with_rules(size, GomokuRules::Freestyle).unwrap();
        for (x, y) in [(7, 7), (7, 8), (8, 7), (8, 8), (6, 7), (2, 3), (8, 6)] {
            position.play(size.point(x, y));
        }
        let planes = |position: &Gomoku| {
            let mut row = vec![0.0; PLANES * 225];
            V2.encode(position, &mut row);
            let side = SHAPES * 225;
            let shapes = row[SETS * 225..].to_vec();
            (shapes[..side].to_vec(), shapes[side..2 * side].to_vec())
        };
        let (mine, theirs) = planes(&position);
        position.set_to_move(Color::Black);
        assert_eq!(planes(&position), (theirs, mine.clone()));
        assert!(mine.iter().sum::<f32>() > 5.0);
    }
}
