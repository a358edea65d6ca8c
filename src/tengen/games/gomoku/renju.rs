//! The moves that Renju forbids to Black (International Rules of Renju, sections 3 and 9), and its openings.
//!
//! A five is always allowed. Without one, a stone may not make an overline, two fours or two
//! threes. A three counts only if it can become a straight four by a stone that makes no five and
//! is itself not forbidden; this is decided recursively, with one more stone on the board.

use super::lines::{Direction, Lines};
use super::rules::Five;
use super::shape::{Shape, Shapes};
use crate::game::{BoardSize, Color, Move};

/// What Black may not make.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ban {
    Overline,
    TwoFours,
    /// Its threes may not be real: that takes more than the stone's own shapes.
    TwoThrees,
}

impl Ban {
    /// For users.
    pub(super) fn text(self) -> &'static str {
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

/// What Black would make on an empty point and may not.
pub(super) fn ban(lines: &Lines, point: Move) -> Option<Ban> {
    let table = Shapes::of(Five::Exactly);
    let windows = lines.windows(Color::Black, point);
    let shapes = windows.map(|window| table.shape(window));
    let banned = ban_by_shapes(shapes)?;
    if banned != Ban::TwoThrees {
        return Some(banned);
    }
    let mut after = *lines;
    after.toggle(Color::Black, point);
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

/// What Black may not make by the shapes of a stone alone, as if all its threes were real.
pub(super) fn ban_by_shapes(shapes: [Shape; 4]) -> Option<Ban> {
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
    (threes > 1).then_some(Ban::TwoThrees)
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

// The twenty-six three-stone openings of Renju and the China Computer Game Championship: Black in the centre, White
// adjacent to it, Black within two lines of the centre.

/// A name, and the offsets of White's stone and Black's second stone from the centre: columns to
/// the right, rows upwards.
type Named = (&'static str, (i8, i8), (i8, i8));

/// Numbered as by the Renju International Federation, with the Japanese names of the patterns: `D`
/// direct, White above Black; `I` indirect, White diagonally adjacent.
const OPENINGS: [Named; 26] = [
    ("D1 Kansei", (0, 1), (0, 2)),
    ("D2 Keigetsu", (0, 1), (1, 2)),
    ("D3 Sosei", (0, 1), (2, 2)),
    ("D4 Kagetsu", (0, 1), (1, 1)),
    ("D5 Zangetsu", (0, 1), (2, 1)),
    ("D6 Ugetsu", (0, 1), (1, 0)),
    ("D7 Kinsei", (0, 1), (2, 0)),
    ("D8 Shogetsu", (0, 1), (0, -1)),
    ("D9 Kyugetsu", (0, 1), (1, -1)),
    ("D10 Shingetsu", (0, 1), (2, -1)),
    ("D11 Zuisei", (0, 1), (0, -2)),
    ("D12 Sangetsu", (0, 1), (1, -2)),
    ("D13 Yusei", (0, 1), (2, -2)),
    ("I1 Chosei", (1, 1), (2, 2)),
    ("I2 Kyogetsu", (1, 1), (2, 1)),
    ("I3 Kosei", (1, 1), (2, 0)),
    ("I4 Suigetsu", (1, 1), (2, -1)),
    ("I5 Ryusei", (1, 1), (2, -2)),
    ("I6 Ungetsu", (1, 1), (1, 0)),
    ("I7 Hogetsu", (1, 1), (1, -1)),
    ("I8 Rangetsu", (1, 1), (1, -2)),
    ("I9 Gingetsu", (1, 1), (0, -1)),
    ("I10 Myojo", (1, 1), (0, -2)),
    ("I11 Shagetsu", (1, 1), (-1, -1)),
    ("I12 Meigetsu", (1, 1), (-1, -2)),
    ("I13 Suisei", (1, 1), (-2, -2)),
];

/// The openings on a board, all moves in order.
pub(super) fn openings(size: BoardSize) -> Vec<(&'static str, Vec<Move>)> {
    let (x, y) = ((size.width / 2) as i8, (size.height / 2) as i8);
    let at = |(right, up): (i8, i8)| size.point((x + right) as u8, (y + up) as u8);
    let moves = |(name, white, black)| (name, vec![at((0, 0)), at(white), at(black)]);
    OPENINGS.into_iter().map(moves).collect()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::game::Symmetry;

    /// All third stones within two lines of the centre, each once up to symmetry.
    #[test]
    fn they_are_all_there_are() {
        let size = BoardSize::square(15);
        let plain = |moves: &[Move]| {
            let images = Symmetry::all(size).map(|turn| {
                let stones: Vec<Move> = moves.iter().map(|&mv| turn.apply(size, mv)).collect();
                (
                    stones[1],
                    [stones[0], stones[2]].into_iter().min(),
                    stones[0].max(stones[2]),
                )
            });
            images.min().expect("there are eight")
        };
        let named: HashSet<_> = openings(size)
            .iter()
            .map(|(_, moves)| plain(moves))
            .collect();
        assert_eq!(named.len(), 26);
        let middle = size.point(7, 7);
        let mut possible = HashSet::new();
        for white in [size.point(7, 8), size.point(8, 8)] {
            for (x, y) in (5..=9).flat_map(|x| (5..=9).map(move |y| (x, y))) {
                let black = size.point(x, y);
                if black != white && black != middle {
                    possible.insert(plain(&[middle, white, black]));
                }
            }
        }
        assert_eq!(named, possible);
        assert_eq!(openings(BoardSize::square(5)).len(), 26);
    }
}
