//! Independent parts of a position, and their values.
//!
//! Two empty points are connected when they are neighbours or liberties of one block that can still
//! lose its last liberty. Stones of other blocks are walls: a move in one part changes nothing in
//! another, and the position is the sum of its parts (docs/methods.md#endings). The exact value of
//! a small part is computed once: the same part occurs in thousands of positions.

use std::collections::HashMap;

use super::board::Board;
use super::bounds::MoveBounds;
use super::hash::{Mixed, mix, scramble};
use super::values::{ONE, Value, Values};
use crate::game::{Bits, Color};

/// One part.
#[derive(Debug, Clone, Copy)]
struct Part<const W: usize> {
    points: Bits<W>,
    /// Equal for equal parts.
    key: u128,
}

/// Parts of a position, with buffers for finding them.
#[derive(Debug, Default)]
struct Parts<const W: usize> {
    parts: Vec<Part<W>>,
    /// Liberties and colour of the blocks that are not walls.
    blocks: Vec<(Bits<W>, usize)>,
}

/// The exact values of small parts on one board, with their tables.
#[derive(Debug)]
pub(super) struct PartValues<const W: usize> {
    values: Values,
    parts: HashMap<u128, Value, Mixed>,
    found: Parts<W>,
    /// Points of the largest part that is valued.
    largest: usize,
    /// Total entries after which all tables are cleared.
    capacity: usize,
}

/// A position as a sum of games.
#[derive(Debug, Default)]
pub(super) struct Sum {
    /// Values of small parts that are no numbers.
    games: Vec<Value>,
    /// Sum of all numbers, in units of 1/64.
    number: i32,
    /// Number of parts without a value, and the sum of their scrambled keys.
    large: usize,
    large_key: u128,
}

impl<const W: usize> PartValues<W> {
    pub(super) fn new(largest: usize, capacity: usize) -> Self {
        PartValues {
            values: Values::new(),
            parts: HashMap::default(),
            found: Parts::default(),
            largest,
            capacity,
        }
    }

    /// The position as a sum of parts, with values for the small ones.
    pub(super) fn sum(&mut self, board: &mut Board<W>) -> Sum {
        if self.values.len() + self.parts.len() > self.capacity {
            *self = PartValues::new(self.largest, self.capacity);
        }
        let mut found = std::mem::take(&mut self.found);
        let spare = decompose(board, board.legal[0] | board.legal[1], &mut found);
        let mut sum = Sum {
            number: spare * ONE,
            ..Sum::default()
        };
        for part in &found.parts {
            if part.points.count() > self.largest {
                sum.large += 1;
                sum.large_key = sum.large_key.wrapping_add(scramble(part.key));
                continue;
            }
            let value = self.value(board, part);
            match self.values.number(value) {
                Some(number) => sum.number += number,
                None => sum.games.push(value),
            }
        }
        self.found = found;
        sum
    }

    /// Whether the side to move wins, if all parts have values.
    pub(super) fn verdict(&mut self, sum: &Sum, mover: Color) -> Option<bool> {
        (sum.large == 0).then(|| self.values.first_wins(mover, &sum.games, sum.number))
    }

    /// A key of the position: equal only for positions with the same result.
    pub(super) fn key(&self, sum: &Sum, mover: Color) -> u128 {
        let small = self.values.key(&sum.games, sum.number, mover);
        scramble(small.wrapping_add(sum.large_key))
    }

    /// The value of a part of the board.
    fn value(&mut self, board: &mut Board<W>, part: &Part<W>) -> Value {
        if let Some(&value) = self.parts.get(&part.key) {
            return value;
        }
        let mover = board.to_move;
        let mut options = [Vec::new(), Vec::new()];
        for color in Color::BOTH {
            for point in (board.legal[color.index()] & part.points).iter() {
                board.to_move = color;
                let undo = board.play(point);
                let value = self.region(board, part.points & !Bits::point(point));
                options[color.index()].push(value);
                board.take_back(&undo);
            }
        }
        board.to_move = mover;
        let [left, right] = options;
        let value = self.values.position(left, right);
        self.parts.insert(part.key, value);
        value
    }

    /// The value of points that are separate from the rest of the board.
    fn region(&mut self, board: &mut Board<W>, region: Bits<W>) -> Value {
        let mut found = Parts::default();
        let region = region & (board.legal[0] | board.legal[1]);
        let spare = decompose(board, region, &mut found);
        let mut value = self.values.integer(spare);
        for part in &found.parts {
            let part = self.value(board, part);
            value = self.values.add(value, part);
        }
        value
    }
}

/// Finds the parts of a region; returns the spare moves of Black minus those of White, which are in
/// no part.
fn decompose<const W: usize>(board: &Board<W>, region: Bits<W>, found: &mut Parts<W>) -> i32 {
    let bounds = MoveBounds::new(board);
    let spare = bounds.spare.map(|spare| (spare & region).count() as i32);
    let mut rest = region & !(bounds.spare[0] | bounds.spare[1]);
    let Parts { parts, blocks } = found;
    parts.clear();
    blocks.clear();
    for x in 0..2 {
        for root in (board.roots[x] & !bounds.immortal[x]).iter() {
            let liberties = board.block(root).liberties;
            if !(liberties & rest).is_empty() {
                blocks.push((liberties, x));
            }
        }
    }
    let frame = board.frame();
    // Points where a stone would have a permanent liberty.
    let alive = [0, 1].map(|x: usize| {
        board.legal[x] & frame.neighbors(bounds.dead | bounds.immortal[x] | bounds.spare[x])
    });
    // Points are numbered by board, so parts of boards of other sizes differ.
    let size = frame.size();
    let salt = u64::from(size.width) << 8 | u64::from(size.height) << 16;
    while let Some(first) = rest.lowest() {
        let mut points = Bits::point(first);
        let mut key = 0_u128;
        loop {
            let mut next = points | (frame.neighbors(points) & rest);
            blocks.retain(|&(liberties, x)| {
                let apart = (liberties & next).is_empty();
                if !apart {
                    next |= liberties;
                    key = key.wrapping_add(mix(liberties, salt | x as u64));
                }
                apart
            });
            if next == points {
                break;
            }
            points = next;
        }
        for (x, (legal, alive)) in (0..).zip(board.legal.into_iter().zip(alive)) {
            key = key
                .wrapping_add(mix(points & legal, salt | 2 | x))
                .wrapping_add(mix(points & alive, salt | 4 | x));
        }
        rest.remove_all(points);
        parts.push(Part { points, key });
    }
    spare[0] - spare[1]
}
