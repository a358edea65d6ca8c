//! The shapes that a stone on each empty point would make, updated and restored stone by stone.

use super::{Direction, Gomoku, Points, Shape, Shapes};
use crate::game::{Bits, Color, Game, Move};

/// Points of the largest board.
const MAX_POINTS: usize = 400;

/// Shapes that have point sets, in ascending order.
const SETS: [Shape; 6] = [
    Shape::ClosedThree,
    Shape::Three,
    Shape::Four,
    Shape::TwoFours,
    Shape::StraightFour,
    Shape::Five,
];

/// A shape before an update.
#[derive(Debug, Clone, Copy)]
pub struct ShapeChange {
    color: Color,
    point: Move,
    /// Index in [`Direction::ALL`].
    direction: u8,
    before: Shape,
}

/// For both colours, the shapes that a stone on each empty point would make in each direction.
/// Forbidden moves are not considered.
#[derive(Debug, Clone)]
pub struct ShapeMap {
    tables: [&'static Shapes; 2],
    shapes: [[[Shape; 4]; MAX_POINTS]; 2],
    /// For each colour, the points with one of [`SETS`] in at least one direction.
    sets: [[Points; SETS.len()]; 2],
}

impl ShapeMap {
    /// The map of a position.
    #[must_use]
    pub fn of(position: &Gomoku) -> ShapeMap {
        let mut map = ShapeMap {
            tables: Color::BOTH.map(|color| position.shapes(color)),
            shapes: [[[Shape::Nothing; 4]; MAX_POINTS]; 2],
            sets: [[Bits::EMPTY; SETS.len()]; 2],
        };
        for point in position.empty().iter() {
            for color in Color::BOTH {
                let found = position.shapes_at(color, point);
                map.shapes[color.index()][point.index()] = found;
                if found.iter().any(|&shape| shape >= SETS[0]) {
                    map.list(color, point, found);
                }
            }
        }
        map
    }

    /// Updates the map after a stone was put on a point of the position.
    pub fn update(&mut self, position: &Gomoku, point: Move) {
        self.update_with(position, point, |_| ());
    }

    /// The same, and adds what has changed to a list, for [`ShapeMap::undo`].
    pub fn update_noting(&mut self, position: &Gomoku, point: Move, to: &mut Vec<ShapeChange>) {
        self.update_with(position, point, |change| to.push(change));
    }

    fn update_with(&mut self, position: &Gomoku, point: Move, mut note: impl FnMut(ShapeChange)) {
        let size = position.size();
        for (number, direction) in Direction::ALL.into_iter().enumerate() {
            let (line, place) = position.lines().line(point, direction);
            let (behind, ahead) = direction.room(size, point);
            for (sign, room) in [(-1, behind), (1, ahead)] {
                for color in Color::BOTH {
                    for steps in 1..=room {
                        let there = place.wrapping_add_signed(i32::from(sign * steps));
                        // Opposing stones hide the cells behind them.
                        if line.is_blocked(color, there) {
                            break;
                        }
                        if line.is_empty(there) {
                            let at = direction.step(size, point, sign * steps);
                            let window = line.window(color, there);
                            let shape = self.tables[color.index()].shape(window);
                            self.set(color, at, number, shape, &mut note);
                        }
                    }
                }
            }
        }
        for color in Color::BOTH {
            for direction in 0..Direction::ALL.len() {
                self.set(color, point, direction, Shape::Nothing, &mut note);
            }
        }
    }

    /// Undoes the last changes of a list, so that the first `kept` remain.
    pub fn undo(&mut self, changes: &mut Vec<ShapeChange>, kept: usize) {
        for change in changes.drain(kept..).rev() {
            let direction = usize::from(change.direction);
            self.replace(change.color, change.point, direction, change.before);
        }
    }

    /// Shapes that a stone of `color` on a point would make in each of [`Direction::ALL`];
    /// [`Shape::Nothing`] where the point is occupied.
    #[must_use]
    pub fn shapes(&self, color: Color, point: Move) -> [Shape; 4] {
        self.shapes[color.index()][point.index()]
    }

    /// The empty points where a stone of `color` would make exactly this shape in at least one
    /// direction.
    ///
    /// # Panics
    /// For shapes poorer than [`Shape::ClosedThree`], of which no lists are kept.
    #[must_use]
    pub fn points(&self, color: Color, shape: Shape) -> Points {
        let set = SETS.iter().position(|&listed| listed == shape);
        self.sets[color.index()][set.expect("a shape with a list")]
    }

    fn set(
        &mut self,
        color: Color,
        point: Move,
        direction: usize,
        shape: Shape,
        note: &mut impl FnMut(ShapeChange),
    ) {
        let before = self.shapes[color.index()][point.index()][direction];
        if before != shape {
            note(ShapeChange {
                color,
                point,
                direction: direction as u8,
                before,
            });
            self.replace(color, point, direction, shape);
        }
    }

    fn replace(&mut self, color: Color, point: Move, direction: usize, shape: Shape) {
        let shapes = &mut self.shapes[color.index()][point.index()];
        let before = std::mem::replace(&mut shapes[direction], shape);
        let found = *shapes;
        if before.max(shape) >= SETS[0] {
            self.list(color, point, found);
        }
    }

    /// Adds a point to the sets of the shapes it makes, and removes it from the others.
    fn list(&mut self, color: Color, point: Move, found: [Shape; 4]) {
        for (set, shape) in self.sets[color.index()].iter_mut().zip(SETS) {
            match found.contains(&shape) {
                true => set.insert(point),
                false => set.remove(point),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::super::GomokuRules;
    use super::*;
    use crate::game::BoardSize;

    fn same(one: &ShapeMap, other: &ShapeMap) -> bool {
        one.shapes == other.shapes && one.sets == other.sets
    }

    #[test]
    fn it_stays_true_stone_by_stone_and_back() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for rules in GomokuRules::ALL {
            for (width, height) in [(5, 5), (6, 9), (15, 15), (20, 20)] {
                let mut position =
                    Gomoku::with_rules(BoardSize::new(width, height), rules).unwrap();
                let mut map = ShapeMap::of(&position);
                let (mut changes, mut earlier) = (Vec::new(), Vec::new());
                while position.outcome().is_none() {
                    let choice = rng.random_range(0..position.legal_count());
                    let mv = position.legal_moves().nth(choice).unwrap();
                    earlier.push((map.clone(), changes.len()));
                    position.play(mv);
                    map.update_noting(&position, mv, &mut changes);
                    assert!(same(&map, &ShapeMap::of(&position)), "{position:?}");
                }
                for (before, kept) in earlier.into_iter().rev() {
                    map.undo(&mut changes, kept);
                    assert!(same(&map, &before), "{position:?}");
                }
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
}
