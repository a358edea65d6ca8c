//! The encodings of Gomoku.

use super::{Gomoku, GomokuRules, Points, Shape, ShapeMap};
use crate::encode::{Encode, Encoding, show_sets};
use crate::game::{Bits, Color, Game};

impl Encode for Gomoku {
    fn encodings() -> &'static [&'static Encoding<Self>] {
        &[&GOBANG, &V1, &V2]
    }
}

/// `gobang-1`, the four planes of AlphaGobangZero (3.5.1), to reproduce its training: Black's stones, White's stones,
/// ones if Black is to move, the opponent's last move. Colours are absolute, as in the paper. For playing strength use
/// `gomoku-2`.
const GOBANG: Encoding<Gomoku> = Encoding::new("gobang-1", 4, |position, row| {
    let area = position.size().area();
    let planes = [
        position.stones(Color::Black),
        position.stones(Color::White),
        match position.to_move() {
            Color::Black => Bits::first(area),
            Color::White => Bits::EMPTY,
        },
        position.last_move().into_iter().collect(),
    ];
    show_sets(row, area, planes);
});

/// `gomoku-1`, from the side to move's view, in order: the board; my stones, theirs; the last move; what is forbidden to
/// me, to them; where I make a five, two fours in one line (straight or not), a four, a three; where they do; ones if I
/// am Black; a number for the rules.
///
/// A convolution can find rows that lack a stone; overlines, blocked ends and moves forbidden by
/// Renju are rules that it would have to learn from few games. So the points that make a five, a
/// four or a three are shown, by the rules of the game.
const V1: Encoding<Gomoku> = Encoding::new("gomoku-1", BOARD + 2 * 4 + 2, |position, row| {
    let (me, them) = (position.to_move(), position.to_move().opponent());
    let area = position.size().area();
    let map = ShapeMap::of(position);
    let shapes = [me, them].map(|color| threats(&map, color));
    let (sets, last) = row.split_at_mut((BOARD + 2 * 4) * area);
    let board = board_sets(position).into_iter();
    show_sets(sets, area, board.chain(shapes.into_iter().flatten()));
    fill_turn_and_rules(last, position);
});

/// `gomoku-2`: `gomoku-1` with the shapes of two stones, and with the number of directions in which a stone makes each
/// shape. In order: the board; my stones, theirs; the last move; what is forbidden to me, to them; my fives, two fours in
/// one line (straight or not), fours, threes, closed threes, twos, closed twos; theirs; ones if I am Black; a number for
/// the rules.
///
/// A three in two directions wins, one in a single direction is a threat; twos and closed threes
/// are what later threats are made of. A network of three blocks with these planes predicts moves
/// and winners as well as one of five blocks with `gomoku-1`.
const V2: Encoding<Gomoku> = Encoding::new("gomoku-2", BOARD + 2 * SHAPES + 2, |position, row| {
    let (me, area) = (position.to_move(), position.size().area());
    let (board, rest) = row.split_at_mut(BOARD * area);
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
});

/// Number of planes of the board itself, which come first.
const BOARD: usize = 6;

/// Number of planes of one side's shapes in `gomoku-2`.
const SHAPES: usize = 7;

/// The board itself: its points, my stones, theirs, the last move, what is forbidden to me, to them.
fn board_sets(position: &Gomoku) -> [Points; BOARD] {
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

/// The plane of a shape that a stone makes on a point, among those of its side in `gomoku-2`, and what each
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

/// Fills the last two planes: ones if Black is to move, and a number that tells the rules.
fn fill_turn_and_rules(planes: &mut [f32], position: &Gomoku) {
    let (black, rules) = planes.split_at_mut(position.size().area());
    if position.to_move() == Color::Black {
        black.fill(1.0);
    }
    rules.fill(match position.rules() {
        GomokuRules::Freestyle => 0.0,
        GomokuRules::Standard => 1.0,
        GomokuRules::Renju => 0.5,
        GomokuRules::Caro => -0.5,
        GomokuRules::StandardCaro => -1.0,
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{BoardSize, Move};

    #[test]
    fn planes_show_colours_the_turn_and_the_last_move() {
        let mut position = Gomoku::new(BoardSize::square(8)).unwrap();
        let shown = |position: &Gomoku| -> Vec<Vec<usize>> {
            let mut row = vec![0.0; 4 * 64];
            GOBANG.encode(position, &mut row);
            let planes = row.chunks_exact(64);
            planes
                .map(|plane| (0..64).filter(|&point| plane[point] == 1.0).collect())
                .collect()
        };
        let all: Vec<usize> = (0..64).collect();
        assert_eq!(shown(&position), [vec![], vec![], all.clone(), vec![]]);
        position.play(Move(27));
        assert_eq!(shown(&position), [vec![27], vec![], vec![], vec![27]]);
        position.play(Move(5));
        assert_eq!(shown(&position), [vec![27], vec![5], all, vec![5]]);
    }

    #[test]
    fn the_key_knows_turn_and_last_move() {
        let mut keys = Vec::new();
        for moves in [[27, 5, 30], [30, 5, 27]] {
            let mut position = Gomoku::new(BoardSize::square(8)).unwrap();
            for point in moves {
                position.play(Move(point));
            }
            keys.push(GOBANG.cache_key(&position));
            position.set_to_move(Color::Black);
            keys.push(GOBANG.cache_key(&position));
        }
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 4);
    }

    /// A row of a position after these moves, given as column and row.
    fn row(rules: GomokuRules, moves: &[(u8, u8)]) -> (Gomoku, Vec<f32>) {
        let mut position = Gomoku::with_rules(BoardSize::new(9, 8), rules).unwrap();
        for &(x, y) in moves {
            position.play(position.size().point(x, y));
        }
        let mut row = vec![0.0; V1.planes() * 72];
        V1.encode(&position, &mut row);
        (position, row)
    }

    #[test]
    fn the_planes_of_gomoku_1_show_what_they_say() {
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

    /// Black has two stones in line with (3, 3) in three directions, one of them closed by White, who
    /// has three in a row at the edge.
    fn shown_by_2(plane: usize) -> Vec<((usize, usize), f32)> {
        let size = BoardSize::new(9, 9);
        let black = [(3, 4), (3, 5), (4, 3), (5, 3), (4, 4), (5, 5)];
        let white = [(6, 6), (0, 0), (1, 0), (2, 0), (8, 8), (8, 6)];
        let mut position = Gomoku::with_rules(size, GomokuRules::Renju).unwrap();
        for (&(x, y), &(other_x, other_y)) in black.iter().zip(&white) {
            position.play(size.point(x, y));
            position.play(size.point(other_x, other_y));
        }
        let mut row = vec![0.0; V2.planes() * 81];
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
            let shown = shown_by_2(plane);
            shown.iter().find(|cell| cell.0 == point).map(|cell| cell.1)
        };
        assert_eq!(at(9, (3, 3)), Some(1.0));
        assert_eq!(at(10, (3, 3)), Some(0.5));
        assert_eq!(at(9, (6, 3)), Some(0.5));
        assert_eq!(at(4, (3, 3)), Some(1.0));
        assert_eq!(at(9, (3, 4)), None, "a stone is there");
        assert_eq!(
            shown_by_2(15),
            [((3, 0), 0.5), ((4, 0), 0.5)],
            "closed by the edge"
        );
        assert!(shown_by_2(6).is_empty());
        assert_eq!(at(3, (8, 6)), Some(1.0));
        assert_eq!(shown_by_2(20).len(), 81);
        assert!(shown_by_2(21).iter().all(|cell| cell.1 == 0.5));
    }

    #[test]
    fn the_planes_of_a_side_are_the_others_for_the_opponent() {
        let size = BoardSize::square(15);
        let mut position = Gomoku::with_rules(size, GomokuRules::Freestyle).unwrap();
        for (x, y) in [(7, 7), (7, 8), (8, 7), (8, 8), (6, 7), (2, 3), (8, 6)] {
            position.play(size.point(x, y));
        }
        let planes = |position: &Gomoku| {
            let mut row = vec![0.0; V2.planes() * 225];
            V2.encode(position, &mut row);
            let side = SHAPES * 225;
            let shapes = row[BOARD * 225..].to_vec();
            (shapes[..side].to_vec(), shapes[side..2 * side].to_vec())
        };
        let (mine, theirs) = planes(&position);
        position.set_to_move(Color::Black);
        assert_eq!(planes(&position), (theirs, mine.clone()));
        assert!(mine.iter().sum::<f32>() > 5.0);
    }
}
