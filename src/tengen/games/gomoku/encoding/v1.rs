//! Encoding `gomoku-1`: sixteen planes for Gomoku, from the side to move's view.
//!
//! A convolution can find rows that lack a stone; overlines, blocked ends and moves forbidden by
//! Renju are rules that it would have to learn from few games. So the points that make a five, a
//! four or a three are shown, by the rules of the game.

use crate::encode::{Encoding, show_sets};
use crate::game::{Bits, Color, Game};
use crate::games::gomoku::{Gomoku, GomokuRules, Points, Shape, ShapeMap};

/// Number of planes, in order: the board; my stones, theirs; the last move; what is forbidden to me, to them; where I
/// make a five, two fours in one line (straight or not), a four, a three; where they do; ones if I am Black; a number
/// for the rules.
const PLANES: usize = 16;

/// Number of planes that are sets of points, which come first.
const SETS: usize = 14;

/// `gomoku-1`.
pub(super) const V1: Encoding<Gomoku> = Encoding::new("gomoku-1", PLANES, encode);

fn encode(position: &Gomoku, row: &mut [f32]) {
    let (me, them) = (position.to_move(), position.to_move().opponent());
    let area = position.size().area();
    let map = ShapeMap::of(position);
    let shapes = [me, them].map(|color| threats(&map, color));
    let board = board_sets(position).into_iter();
    show_sets(row, area, board.chain(shapes.into_iter().flatten()));
    fill_turn_and_rules(&mut row[SETS * area..], position);
}

/// Points where a colour makes a five, two fours in one line, a four, a three.
fn threats(map: &ShapeMap, color: Color) -> [Points; 4] {
    let of = |shape| map.points(color, shape);
    [
        of(Shape::Five),
        of(Shape::StraightFour) | of(Shape::TwoFours),
        of(Shape::Four),
        of(Shape::Three),
    ]
}

/// Value of the plane that tells the rules.
const fn number(rules: GomokuRules) -> f32 {
    match rules {
        GomokuRules::Freestyle => 0.0,
        GomokuRules::Standard => 1.0,
        GomokuRules::Renju => 0.5,
        GomokuRules::Caro => -0.5,
        GomokuRules::StandardCaro => -1.0,
    }
}

/// The board itself: its points, my stones, theirs, the last move, what is forbidden to me, to them.
pub(super) fn board_sets(position: &Gomoku) -> [Points; 6] {
    let (me, them) = (position.to_move(), position.to_move().opponent());
    [
        Bits::first(position.size().area()),
        position.stones(me),
        position.stones(them),
        position.last_move().into_iter().collect(),
        position.forbidden(me),
        position.forbidden(them),
    ]
}

/// Fills the last two planes: ones if Black is to move, and the number of the rules.
pub(super) fn fill_turn_and_rules(planes: &mut [f32], position: &Gomoku) {
    let (black, rules) = planes.split_at_mut(position.size().area());
    if position.to_move() == Color::Black {
        black.fill(1.0);
    }
    rules.fill(number(position.rules()));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{BoardSize, Move};

    /// A row of a position after these moves, given as column and row.
    fn row(rules: GomokuRules, moves: &[(u8, u8)]) -> (Gomoku, Vec<f32>) {
        let mut position = Gomoku::with_rules(BoardSize::new(9, 8), rules).unwrap();
        for &(x, y) in moves {
            position.play(position.size().point(x, y));
        }
        let mut row = vec![0.0; PLANES * 72];
        V1.encode(&position, &mut row);
        (position, row)
    }

    #[test]
    fn planes_show_what_they_say() {
        // Black has two threes to make at (3, 3); White has three in a row at the edge.
        let moves = [
            (3, 4),
            (0, 0),
            (3, 5),
            (1, 0),
            (4, 3),
            (2, 0),
            (5, 3),
            (8, 7),
        ];
        let (_, row) = row(GomokuRules::Renju, &moves);
        let points = |plane: usize| -> Vec<(usize, usize)> {
            let shown = (0..72).filter(|&point| row[72 * plane + point] == 1.0);
            shown.map(|point| (point % 9, point / 9)).collect()
        };
        assert_eq!(points(1), [(4, 3), (5, 3), (3, 4), (3, 5)]);
        assert_eq!(points(2), [(0, 0), (1, 0), (2, 0), (8, 7)]);
        assert_eq!(points(3), [(8, 7)]);
        assert_eq!(points(4), [(3, 3)]);
        assert!(points(5).is_empty());
        assert_eq!(points(12), [(3, 0), (4, 0)]);
        assert!(points(9).contains(&(3, 3)));
        assert!(points(6).is_empty());
        assert_eq!(points(14).len(), 72);
        assert!(row[15 * 72..].iter().all(|&number| number == 0.5));
    }

    #[test]
    fn two_fours_in_a_line_are_no_single_four() {
        let moves = [(2, 2), (0, 7), (3, 2), (2, 7), (4, 2), (4, 7)];
        let (_, row) = row(GomokuRules::Freestyle, &moves);
        let at = |plane: usize, point: Move| row[72 * plane + point.index()];
        let size = BoardSize::new(9, 8);
        assert_eq!(
            (at(7, size.point(5, 2)), at(8, size.point(5, 2))),
            (1.0, 0.0)
        );
        assert_eq!(
            (at(7, size.point(6, 2)), at(8, size.point(6, 2))),
            (0.0, 1.0)
        );
    }

    #[test]
    fn what_encodes_alike_may_share_a_cache_entry() {
        let (one, _) = row(GomokuRules::Freestyle, &[(1, 1), (2, 2), (3, 3)]);
        let (other, _) = row(GomokuRules::Freestyle, &[(3, 3), (2, 2), (1, 1)]);
        assert_eq!(one.key(), other.key());
        assert_ne!(V1.cache_key(&one), V1.cache_key(&other));
    }
}
