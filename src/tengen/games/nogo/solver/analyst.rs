//! The exact values of small parts: the same part occurs in thousands of positions, so each is
//! computed once, whatever its place, rotation, reflection and colours.

use std::collections::HashMap;

use super::board::Board;
use super::bounds::MoveBounds;
use super::hash::{Cache, Mixed};
use super::parts::{Part, Parts, Shapes};
use super::sum::Winners;
use super::values::{Value, Values};
use crate::game::{Bits, BoardSize, Color};

/// Entries of the cache by place, a power of two.
const CACHE: usize = 1 << 14;

/// Values and parts after which all are forgotten before the next search: some 100 MB.
const MOST: usize = 1 << 20;

/// One thread's knowledge about the parts and sums of one board.
#[derive(Debug)]
pub(super) struct Analyst<const W: usize> {
    pub(super) values: Values,
    pub(super) size: BoardSize,
    pub(super) shapes: Shapes,
    by_shape: HashMap<u128, Value, Mixed>,
    /// Finding a shape takes longer than a look at what was in this place before.
    by_place: Cache<Value>,
    buffers: Vec<Parts<W>>,
    pub(super) winners: Winners,
}

impl<const W: usize> Analyst<W> {
    pub(super) fn new(size: BoardSize) -> Self {
        Analyst {
            values: Values::new(),
            size,
            shapes: Shapes::new(size.width, size.height),
            by_shape: HashMap::default(),
            by_place: Cache::new(CACHE),
            buffers: Vec::new(),
            winners: Winners::default(),
        }
    }

    /// To be called before a search: forgets everything if it is too much. Values found before are invalid then.
    pub(super) fn prepare(&mut self) {
        if self.values.len() + self.by_shape.len() > MOST {
            *self = Analyst::new(self.size);
        }
    }

    /// The value of a part, of those in `found`.
    pub(super) fn value(
        &mut self,
        board: &mut Board<W>,
        found: &Parts<W>,
        part: &Part<W>,
    ) -> Value {
        let place = found.key_in_place(part);
        if let Some(value) = self.by_place.get(place) {
            return value;
        }
        let [own, exchanged] = self.shapes.keys(part, found.blocks(part));
        let value = match self.by_shape.get(&own.min(exchanged)) {
            Some(&value) => value,
            None => {
                let value = self.compute(board, part);
                let value = self.seen(value, own > exchanged);
                self.by_shape.insert(own.min(exchanged), value);
                value
            }
        };
        let value = self.seen(value, own > exchanged);
        self.by_place.put(place, value);
        value
    }

    /// The value as it is, or with colours exchanged.
    fn seen(&mut self, value: Value, exchanged: bool) -> Value {
        match exchanged {
            true => self.values.negative(value),
            false => value,
        }
    }

    fn compute(&mut self, board: &mut Board<W>, part: &Part<W>) -> Value {
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
        self.values.position(left, right)
    }

    /// The value of points that are separate from the rest of the board.
    fn region(&mut self, board: &mut Board<W>, region: Bits<W>) -> Value {
        let bounds = MoveBounds::new(board);
        let mut found = self.buffer();
        let spare = found.find(board, &bounds, region & (board.legal[0] | board.legal[1]));
        let mut value = self.values.integer(spare);
        for part in &found.parts {
            let part = self.value(board, &found, part);
            value = self.values.add(value, part);
        }
        self.keep(found);
        value
    }

    /// A buffer for finding parts, to be given back to [`Analyst::keep`].
    pub(super) fn buffer(&mut self) -> Parts<W> {
        self.buffers.pop().unwrap_or_default()
    }

    pub(super) fn keep(&mut self, buffer: Parts<W>) {
        self.buffers.push(buffer);
    }
}
