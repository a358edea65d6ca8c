//! NoGo against known numbers and against a separate, naive referee.

use std::collections::HashSet;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::game::conformance;
use crate::game::conformance::{neighbors, perft};

/// NoGo exactly as its rule sheet says, by flood fill; shares no code with the real implementation.
#[derive(Clone)]
struct Naive {
    size: BoardSize,
    points: Vec<Option<Color>>,
}

impl Naive {
    fn new(size: BoardSize) -> Naive {
        Naive {
            size,
            points: vec![None; size.area()],
        }
    }

    fn has_liberty(&self, point: usize) -> bool {
        let (mut seen, mut todo) = (HashSet::from([point]), vec![point]);
        while let Some(at) = todo.pop() {
            for next in neighbors(self.size, at) {
                if self.points[next].is_none() {
                    return true;
                }
                if self.points[next] == self.points[at] && seen.insert(next) {
                    todo.push(next);
                }
            }
        }
        false
    }

    fn is_legal(&mut self, color: Color, point: usize) -> bool {
        if self.points[point].is_some() {
            return false;
        }
        self.points[point] = Some(color);
        let legal = self.has_liberty(point)
            && neighbors(self.size, point)
                .into_iter()
                .all(|next| self.points[next].is_none() || self.has_liberty(next));
        self.points[point] = None;
        legal
    }
}

/// The position with these stones on the board of `empty`, after this move.
pub(super) fn from_stones(
    empty: &SmallNoGo,
    stones: [Bits<2>; 2],
    to_move: Color,
    last_move: Option<Move>,
) -> Result<SmallNoGo, IllegalSetup> {
    let of = |color: Color| {
        stones[color.index()]
            .iter()
            .map(move |point| (point, color))
    };
    let stones: Vec<(Move, Color)> = Color::BOTH.into_iter().flat_map(of).collect();
    let mut position = empty.set_up(&stones, to_move)?;
    position.recent = last_move.into_iter().collect();
    Ok(position)
}

fn compare(position: &SmallNoGo, naive: &mut Naive) {
    for color in Color::BOTH {
        for point in 0..naive.points.len() {
            assert_eq!(
                position.legal(color).contains(Move(point as u16)),
                naive.is_legal(color, point),
                "{color} on {point} in {:?}",
                naive.points
            );
        }
    }
}

/// Plays `plies` random plies in all, game after game, comparing both colours' legal sets after
/// each; sometimes the same side moves twice, as GTP controllers may request.
fn play_against_naive(size: BoardSize, plies: u64, seed: u64) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut played = 0;
    while played < plies {
        let mut position = SmallNoGo::new(size).unwrap();
        let mut naive = Naive::new(size);
        while position.outcome().is_none() {
            let moves: Vec<Move> = position.legal_moves().collect();
            let mv = moves[rng.random_range(0..moves.len())];
            naive.points[mv.index()] = Some(position.to_move());
            position.play(mv);
            compare(&position, &mut naive);
            if rng.random_range(0..20) == 0 {
                position.set_to_move(position.to_move().opponent());
            }
            played += 1;
        }
    }
}

/// `TENGEN_PLIES` sets the number of plies on 9x9 (the acceptance run uses 1000000).
#[test]
fn agrees_with_the_naive_referee() {
    let plies = std::env::var("TENGEN_PLIES").map_or(10_000, |n| n.parse().unwrap());
    play_against_naive(BoardSize::square(9), plies, 1);
    for (width, height) in [(1, 8), (2, 2), (3, 3), (2, 7), (5, 4), (11, 11)] {
        play_against_naive(BoardSize::new(width, height), 1000, 2);
    }
}

#[test]
fn conforms() {
    conformance::check::<SmallNoGo>(BoardSize::square(9), 40);
    conformance::check::<SmallNoGo>(BoardSize::new(4, 7), 40);
    conformance::check::<SmallNoGo>(BoardSize::square(1), 1);
    conformance::check::<LargeNoGo>(BoardSize::square(13), 8);
    conformance::check::<LargeNoGo>(BoardSize::new(25, 7), 8);
}

#[test]
fn the_board_must_fit() {
    assert!(SmallNoGo::new(BoardSize::new(11, 12)).is_err());
    assert!(LargeNoGo::new(BoardSize::new(11, 12)).is_ok());
    assert!(LargeNoGo::new(BoardSize::new(51, 1)).is_err());
    assert!(LargeNoGo::new(BoardSize::new(0, 5)).is_err());
    let text = LargeNoGo::new(BoardSize::square(14))
        .unwrap_err()
        .to_string();
    assert!(
        text.contains("14x14") && text.contains("192 points"),
        "{text}"
    );
}

/// Counts computed by an independent program when the project began (docs/methods.md#nogo).
/// `TENGEN_PERFT` is the largest count that is run; raise it for longer columns.
#[test]
fn perft_counts() {
    let limit = std::env::var("TENGEN_PERFT").map_or(7_000_000, |n| n.parse().unwrap());
    let tables: [(u8, &[u64]); 7] = [
        (9, &[81, 6480, 511_912, 39_927_264, 3_074_133_216]),
        (8, &[64, 4032, 249_976, 15_247_072, 914_660_640]),
        (7, &[49, 2352, 110_536, 5_083_552, 228_666_240]),
        (6, &[36, 1260, 42_832, 1_412_664, 45_156_864]),
        (5, &[25, 600, 13_792, 302_896, 6_339_312, 126_000_720]),
        (
            4,
            &[
                16,
                240,
                3352,
                43_264,
                511_776,
                5_481_072,
                52_532_352,
                442_050_048,
            ],
        ),
        (3, &[9, 72, 496, 2832, 12_768, 41_328, 80_352, 43_776, 0]),
    ];
    for (side, counts) in tables {
        let start = SmallNoGo::new(BoardSize::square(side)).unwrap();
        for (depth, &count) in (1..).zip(counts).filter(|(_, count)| **count <= limit) {
            assert_eq!(perft(&start, depth), count, "{side}x{side}, depth {depth}");
        }
    }
}

/// Visits every set of stones in which each block has a liberty, once: point by point, each left
/// empty or given a stone that is legal there. By heredity this finds them all.
fn count_positions(position: &NoGo<1>, point: u16, balanced: &mut u64) -> u64 {
    if usize::from(point) == position.size().area() {
        let [black, white] = Color::BOTH.map(|color| position.stones(color).count());
        *balanced += u64::from(black == white || black == white + 1);
        return 1;
    }
    let mut count = count_positions(position, point + 1, balanced);
    for color in Color::BOTH {
        if position.legal(color).contains(Move(point)) {
            let mut next = position.clone();
            next.place(color, Move(point));
            count += count_positions(&next, point + 1, balanced);
        }
    }
    count
}

/// OEIS A094777 and docs/methods.md#nogo. The 24 million positions of 4x4 take seconds: set
/// `TENGEN_POSITIONS=1` to include them.
#[test]
fn legal_position_counts() {
    let mut tables = vec![
        (1, 1, 1, 1),
        (1, 2, 5, 3),
        (2, 2, 57, 25),
        (2, 3, 489, 177),
        (3, 3, 12_675, 3884),
        (3, 4, 321_689, 87_361),
    ];
    if std::env::var_os("TENGEN_POSITIONS").is_some() {
        tables.push((4, 4, 24_318_165, 5_820_817));
    }
    for (width, height, legal, reachable) in tables {
        let start = NoGo::<1>::new(BoardSize::new(width, height)).unwrap();
        let mut balanced = 0;
        assert_eq!(
            count_positions(&start, 0, &mut balanced),
            legal,
            "{width}x{height}"
        );
        assert_eq!(balanced, reachable, "{width}x{height}, balanced");
    }
}

#[test]
fn a_position_is_its_stones() {
    let empty = SmallNoGo::new(BoardSize::square(9)).unwrap();
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let mut position = empty.clone();
    while position.outcome().is_none() {
        let stones = Color::BOTH.map(|color| position.stones(color));
        let (side, last) = (position.to_move(), position.last_move());
        let rebuilt = from_stones(&empty, stones, side, last).unwrap();
        assert_eq!(rebuilt.key(), position.key());
        assert_eq!(rebuilt.last_move(), last);
        assert_eq!(rebuilt.ply(), position.ply());
        for color in Color::BOTH {
            assert_eq!(rebuilt.legal(color), position.legal(color));
        }
        let count = position.legal_count();
        position.play(
            position
                .legal_moves()
                .nth(rng.random_range(0..count))
                .unwrap(),
        );
    }
}

#[test]
fn stones_without_liberties_are_refused() {
    let empty = SmallNoGo::new(BoardSize::square(3)).unwrap();
    let corner = Bits::point(Move(0));
    let around: Bits<2> = [Move(1), Move(3)].into_iter().collect();
    let result = from_stones(&empty, [corner, around], Color::Black, None);
    assert!(matches!(
        result,
        Err(IllegalSetup {
            color: Color::White,
            ..
        })
    ));
    let overlap = from_stones(&empty, [corner, corner], Color::Black, None);
    assert!(overlap.is_err());
    let outside = Bits::point(Move(100));
    assert!(from_stones(&empty, [outside, Bits::EMPTY], Color::Black, None).is_err());
}
