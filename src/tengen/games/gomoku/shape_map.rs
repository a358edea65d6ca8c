//! The shapes that a stone on each empty point would make, updated and restored stone by stone.

use super::lines::{BoardLine, LINES, MAX_SIDE, Place};
use super::{Direction, Gomoku, GomokuRules, Points, Shape, Shapes};
use crate::game::{Bits, BoardSize, Color, Game, Move};
use std::cell::RefCell;

/// Shapes that have point sets, in ascending order.
const SETS: [Shape; 6] = [
    Shape::ClosedThree,
    Shape::Three,
    Shape::Four,
    Shape::TwoFours,
    Shape::StraightFour,
    Shape::Five,
];

/// For each colour, the points with one of [`SETS`] in at least one direction.
type Sets = [[Points; SETS.len()]; 2];

/// A point that entered a set or left it.
#[derive(Debug, Clone, Copy)]
struct Flip {
    color: Color,
    /// Index in [`SETS`].
    set: u8,
    point: Move,
}

/// What some updates have changed, to be undone last first.
#[derive(Debug, Clone, Default)]
pub struct MapHistory {
    /// For each update the point, its lines as they were, and the number of flips before it.
    updates: Vec<(Move, [LineShapes; Direction::ALL.len()], usize)>,
    flips: Vec<Flip>,
}

/// For both colours, the shapes that a stone on each empty point would make in each direction.
/// Forbidden moves are not considered.
#[derive(Debug, Clone)]
pub struct ShapeMap {
    size: BoardSize,
    lines: [LineShapes; LINES],
    sets: Sets,
}

impl ShapeMap {
    /// The map of a position.
    pub fn of(position: &Gomoku) -> ShapeMap {
        let size = position.size();
        let mut map = ShapeMap {
            size,
            lines: [LineShapes::default(); LINES],
            sets: [[Bits::EMPTY; SETS.len()]; 2],
        };
        for direction in Direction::ALL {
            for start in direction.starts(size) {
                map.read_line(position, start, direction, &mut |_| ());
            }
        }
        map
    }

    /// Calls `take` with each colour, empty point and shape from [`Shape::ClosedTwo`] on that a stone
    /// there would make in some direction: up to four times for a point. Cheaper than a map.
    pub fn each_two_or_better(position: &Gomoku, mut take: impl FnMut(Color, Move, Shape)) {
        let size = position.size();
        for direction in Direction::ALL {
            for start in direction.starts(size) {
                let here = direction.place(size.column_row(start));
                let shapes = LineShapes::of(position.lines().line(here.line), position.rules());
                for color in Color::BOTH {
                    for (index, shape) in shapes.twos_or_better(color) {
                        let steps = index as i8 - here.index as i8;
                        take(color, direction.step(size, start, steps), shape);
                    }
                }
            }
        }
    }

    /// Updates the map after a stone was put on a point of the position.
    pub fn update(&mut self, position: &Gomoku, point: Move) {
        for direction in Direction::ALL {
            self.read_line(position, point, direction, &mut |_| ());
        }
    }

    /// The same, and adds what has changed to a history, for [`ShapeMap::undo`].
    pub fn update_noting(&mut self, position: &Gomoku, point: Move, history: &mut MapHistory) {
        let MapHistory { updates, flips } = history;
        let lines = self.places(point).map(|place| self.lines[place.line]);
        updates.push((point, lines, flips.len()));
        for direction in Direction::ALL {
            self.read_line(position, point, direction, &mut |flip| flips.push(flip));
        }
    }

    /// Undoes the last update of a history, if there is one.
    pub fn undo(&mut self, history: &mut MapHistory) {
        let MapHistory { updates, flips } = history;
        let Some((point, lines, kept)) = updates.pop() else {
            return;
        };
        for (place, line) in self.places(point).into_iter().zip(lines) {
            self.lines[place.line] = line;
        }
        for flip in flips.drain(kept..).rev() {
            self.sets[flip.color.index()][usize::from(flip.set)].toggle(flip.point);
        }
    }

    /// Shapes that a stone of `color` on a point would make in each of [`Direction::ALL`];
    /// [`Shape::Nothing`] where the point is occupied.
    pub fn shapes(&self, color: Color, point: Move) -> [Shape; 4] {
        let [row, column, rising, falling] = self.places(point);
        // Not by `map`, which is not always inlined.
        let shape = |place: Place| self.lines[place.line].shape(color, place.index);
        [shape(row), shape(column), shape(rising), shape(falling)]
    }

    /// The empty points where a stone of `color` would make exactly this shape in at least one
    /// direction.
    ///
    /// # Panics
    /// For shapes poorer than [`Shape::ClosedThree`], of which no lists are kept.
    pub fn points(&self, color: Color, shape: Shape) -> Points {
        let set = set_of(shape);
        self.sets[color.index()][set.expect("a shape with a list")]
    }

    #[inline]
    fn places(&self, point: Move) -> [Place; 4] {
        Place::of_each(self.size.column_row(point))
    }

    /// Reads the line through a point from the position, and tells which points enter or leave a
    /// set.
    #[inline]
    fn read_line(
        &mut self,
        position: &Gomoku,
        point: Move,
        direction: Direction,
        note: &mut impl FnMut(Flip),
    ) {
        let here = direction.place(self.size.column_row(point));
        let now = LineShapes::of(position.lines().line(here.line), position.rules());
        let before = std::mem::replace(&mut self.lines[here.line], now);
        for color in Color::BOTH {
            for index in now.changes(before, color) {
                let steps = index as i8 - here.index as i8;
                let there = direction.step(self.size, point, steps);
                let left = set_of(before.shape(color, index));
                if let Some(set) = left
                    && !self.shapes(color, there).contains(&SETS[set])
                {
                    self.flip(color, set, there, note);
                }
                if let Some(set) = set_of(now.shape(color, index))
                    && !self.sets[color.index()][set].contains(there)
                {
                    self.flip(color, set, there, note);
                }
            }
        }
    }

    fn flip(&mut self, color: Color, set: usize, point: Move, note: &mut impl FnMut(Flip)) {
        self.sets[color.index()][set].toggle(point);
        let set = set as u8;
        note(Flip { color, set, point });
    }
}

/// The number of a shape in [`SETS`].
fn set_of(shape: Shape) -> Option<usize> {
    (shape as usize).checked_sub(SETS[0] as usize)
}

// The shapes that a stone would make on each place of a line, remembered by the line's stones.
//
// A search for threats meets the same lines again and again: of 1.8 million lines read by a search of
// 4,000 visits on 15x15, 98% were still in memory. One look-up then replaces the windows of both
// colours at every place.

/// Bits of a place.
const BITS: u32 = 4;

/// The lowest bit of every place.
const LOWEST: u128 = u128::MAX / ((1 << BITS) - 1);

/// The shapes of both colours on the places of a line, [`Shape::Nothing`] where a stone stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct LineShapes([u128; 2]);

impl LineShapes {
    /// The shapes of a line under these rules.
    #[inline]
    pub(super) fn of(line: BoardLine, rules: GomokuRules) -> LineShapes {
        let key = line.key(rules);
        // Knuth's multiplicative hashing, by the golden ratio.
        let place = key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (u64::BITS - MEMO_BITS);
        MEMO.with_borrow_mut(|memo| {
            let remembered = &mut memo[place as usize];
            if remembered.key != key {
                let shapes = LineShapes::computed(line, rules);
                *remembered = Remembered { key, shapes };
            }
            remembered.shapes
        })
    }

    /// The same without memory.
    #[cold]
    #[inline(never)]
    fn computed(line: BoardLine, rules: GomokuRules) -> LineShapes {
        let mut found = LineShapes::default();
        for color in Color::BOTH {
            let shapes = Shapes::of(rules.five(color));
            for place in (0..u32::from(MAX_SIDE)).filter(|&place| line.is_empty(place)) {
                let shape = shapes.shape(line.window(color, place));
                found.0[color.index()] |= (shape as u128) << (BITS * place);
            }
        }
        found
    }

    /// The shape that a stone of `color` would make on a place.
    #[inline]
    pub(super) fn shape(self, color: Color, place: u32) -> Shape {
        let number = self.0[color.index()] >> (BITS * place) & ((1 << BITS) - 1);
        Shape::ALL[number as usize]
    }

    /// The places where a colour's shape is another one than before and at least
    /// [`Shape::ClosedThree`], now or before.
    #[inline]
    pub(super) fn changes(
        self,
        before: LineShapes,
        color: Color,
    ) -> impl Iterator<Item = u32> + use<> {
        let (now, before) = (self.0[color.index()], before.0[color.index()]);
        let rich = if_at_least::<{ Shape::ClosedThree as u128 }>;
        ones(if_any(now ^ before) & (rich(now) | rich(before)))
    }

    /// The places where a stone of `color` would make at least a [`Shape::ClosedTwo`], each with its
    /// shape.
    #[inline]
    pub(super) fn twos_or_better(self, color: Color) -> impl Iterator<Item = (u32, Shape)> {
        let shapes = self.0[color.index()];
        let places = if_at_least::<{ Shape::ClosedTwo as u128 }>(shapes);
        ones(places).map(move |place| (place, self.shape(color, place)))
    }
}

/// The places whose lowest bit is set.
#[inline]
fn ones(mut places: u128) -> impl Iterator<Item = u32> {
    std::iter::from_fn(move || {
        let lowest = (places != 0).then(|| places.trailing_zeros())?;
        places &= places - 1;
        Some(lowest / BITS)
    })
}

/// The lowest bit of each place that has any bit.
const fn if_any(places: u128) -> u128 {
    let pairs = places | places >> 1;
    (pairs | pairs >> 2) & LOWEST
}

/// The lowest bit of each place with the shape of this number or a better one: adding to these
/// numbers, and to no others, carries into the place's highest bit.
const fn if_at_least<const LEAST: u128>(places: u128) -> u128 {
    let to_carry = const { (1 << (BITS - 1)) - LEAST };
    const { assert!(Shape::Five as u128 + (1 << (BITS - 1)) - LEAST < 1 << BITS) };
    (places + to_carry * LOWEST) >> (BITS - 1) & LOWEST
}

/// Logarithm of the number of lines remembered: 400 KB, which stay in the second-level cache.
const MEMO_BITS: u32 = 13;

/// A line in the memory.
#[derive(Clone, Copy, Default)]
struct Remembered {
    /// Stones, edges and rules; 0 for none.
    key: u64,
    shapes: LineShapes,
}

thread_local! {
    /// Lines by their stones, each in one place; a later one replaces an earlier one.
    static MEMO: RefCell<Vec<Remembered>> = RefCell::new(vec![Remembered::default(); 1 << MEMO_BITS]);
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::super::GomokuRules;
    use super::*;
    use crate::game::BoardSize;
    use crate::game::{Game, Move};
    use crate::games::gomoku::{Direction, Gomoku};

    fn same(one: &ShapeMap, other: &ShapeMap) -> bool {
        one.lines == other.lines && one.sets == other.sets
    }

    /// Whether each point has the shapes of its windows, and the sets those points.
    fn is_true(map: &ShapeMap, position: &Gomoku) -> bool {
        Color::BOTH.into_iter().all(|color| {
            let mut points = position.size().points();
            let shapes = |point| match position.stone(point) {
                Some(_) => [Shape::Nothing; 4],
                None => position.shapes_at(color, point),
            };
            let lists = |point| SETS.map(|shape| map.points(color, shape).contains(point));
            points.all(|point| {
                map.shapes(color, point) == shapes(point)
                    && lists(point) == SETS.map(|shape| shapes(point).contains(&shape))
            })
        })
    }

    #[test]
    fn it_stays_true_stone_by_stone_and_back() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for rules in GomokuRules::ALL {
            for (width, height) in [(5, 5), (6, 9), (15, 15), (20, 20)] {
                let mut position =
                    Gomoku::with_rules(BoardSize::new(width, height), rules).unwrap();
                let mut map = ShapeMap::of(&position);
                let (mut history, mut earlier) = (MapHistory::default(), Vec::new());
                while position.outcome().is_none() {
                    let choice = rng.random_range(0..position.legal_count());
                    let mv = position.legal_moves().nth(choice).unwrap();
                    earlier.push(map.clone());
                    position.play(mv);
                    map.update_noting(&position, mv, &mut history);
                    assert!(same(&map, &ShapeMap::of(&position)), "{position:?}");
                    assert!(is_true(&map, &position), "{position:?}");
                }
                for expected in earlier.into_iter().rev() {
                    map.undo(&mut history);
                    assert!(same(&map, &expected), "{position:?}");
                }
            }
        }
    }

    #[test]
    fn every_two_and_better_is_told_once_for_each_direction() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        for rules in GomokuRules::ALL {
            let mut position = Gomoku::with_rules(BoardSize::new(15, 9), rules).unwrap();
            for _ in 0..40 {
                let moves = position.legal_count();
                let Some(mv) = position
                    .legal_moves()
                    .nth(rng.random_range(0..moves.max(1)))
                else {
                    break;
                };
                position.play(mv);
                let mut told = Vec::new();
                ShapeMap::each_two_or_better(&position, |color, point, shape| {
                    told.push((color, point, shape));
                });
                let map = ShapeMap::of(&position);
                let mut expected = Vec::new();
                for color in Color::BOTH {
                    for point in position.empty().iter() {
                        let shapes = map.shapes(color, point).into_iter();
                        let shapes = shapes.filter(|&shape| shape >= Shape::ClosedTwo);
                        expected.extend(shapes.map(|shape| (color, point, shape)));
                    }
                }
                told.sort_unstable();
                expected.sort_unstable();
                assert_eq!(told, expected, "{position:?}");
            }
        }
    }

    #[test]
    fn sets_hold_what_a_stone_makes() {
        let rows = "....... ....... .XXX... ....... .OO.... .O..... .......";
        let position = super::super::tests::diagram(rows, GomokuRules::Freestyle, Color::Black);
        let map = ShapeMap::of(&position);
        let found = |color, shape| -> Vec<(u8, u8)> {
            let points = map.points(color, shape).iter();
            points
                .map(|point| position.size().column_row(point))
                .collect()
        };
        assert_eq!(found(Color::Black, Shape::StraightFour), [(4, 4)]);
        assert_eq!(found(Color::Black, Shape::Four), [(0, 4), (5, 4)]);
        assert!(found(Color::White, Shape::Three).contains(&(3, 2)));
        assert!(found(Color::Black, Shape::Five).is_empty());
    }

    #[test]
    fn lines_are_remembered_by_stones_length_and_rules() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for number in 0..400 {
            let rules = GomokuRules::ALL[number % 5];
            let size = BoardSize::new(rng.random_range(5..=20), rng.random_range(5..=20));
            let mut position = Gomoku::with_rules(size, rules).unwrap();
            for _ in 0..rng.random_range(0..size.area()) {
                let point = Move(rng.random_range(0..size.area()) as u16);
                if position.stone(point).is_none() {
                    position.put(Color::BOTH[rng.random_range(0..2)], point);
                }
            }
            for point in size.points() {
                for direction in Direction::ALL {
                    let place = direction.place(size.column_row(point));
                    let line = position.lines().line(place.line);
                    let found = LineShapes::of(line, rules);
                    assert_eq!(found, LineShapes::computed(line, rules), "{position:?}");
                    for color in Color::BOTH {
                        let expected = match position.stone(point) {
                            Some(_) => Shape::Nothing,
                            None => position.shapes_at(color, point)[direction as usize],
                        };
                        assert_eq!(found.shape(color, place.index), expected, "{position:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn rich_changes_are_found_at_every_place() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        let mut random = || -> [Shape; MAX_SIDE as usize] {
            std::array::from_fn(|_| Shape::ALL[rng.random_range(0..Shape::ALL.len())])
        };
        for _ in 0..1000 {
            let (before, now) = (random(), random());
            let packed = |shapes: [Shape; MAX_SIDE as usize]| {
                let places = (0..).zip(shapes);
                let line = places.fold(0, |line, (place, shape)| {
                    line | (shape as u128) << (BITS * place)
                });
                LineShapes([0, line])
            };
            let expected = (0..u32::from(MAX_SIDE)).filter(|&place| {
                let [now, before] = [now, before].map(|shapes| shapes[place as usize]);
                now != before && now.max(before) >= Shape::ClosedThree
            });
            let found = packed(now).changes(packed(before), Color::White);
            assert!(found.eq(expected), "{before:?} {now:?}");
            let shown = (0..)
                .zip(now)
                .filter(|(_, shape)| *shape >= Shape::ClosedTwo);
            assert!(packed(now).twos_or_better(Color::White).eq(shown));
        }
    }
}
