//! The board as lines: each row, column and diagonal is one machine word per colour, so that the
//! surroundings of a point in one direction are two shifts away.

use super::rules::GomokuRules;
use crate::game::{BoardSize, Color, Move};

/// Maximum number of columns and of rows.
pub(super) const MAX_SIDE: u8 = 20;

/// How far a line matters to either side of a point: a five that contains it, and the stone that
/// would make it an overline.
pub const REACH: usize = 5;

/// Rows, columns, and both kinds of diagonals of the largest board.
pub(super) const LINES: usize = 4 * MAX_SIDE as usize + 2 * (MAX_SIDE as usize - 1);

/// A direction of lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum Direction {
    /// Horizontal, from left to right.
    Row,
    /// Vertical, upwards.
    Column,
    /// Diagonal, to the right and upwards.
    Rising,
    /// Diagonal, to the right and downwards.
    Falling,
}

impl Direction {
    /// All four directions.
    pub const ALL: [Direction; 4] = [
        Direction::Row,
        Direction::Column,
        Direction::Rising,
        Direction::Falling,
    ];

    /// The point `steps` further on; the caller knows that it is on the board.
    #[inline]
    pub fn step(self, size: BoardSize, point: Move, steps: i8) -> Move {
        let width = i16::from(size.width);
        let stride = match self {
            Direction::Row => 1,
            Direction::Column => width,
            Direction::Rising => width + 1,
            Direction::Falling => 1 - width,
        };
        Move((point.0 as i16 + stride * i16::from(steps)) as u16)
    }

    /// Number of points behind and ahead of a point, at most [`REACH`].
    pub fn room(self, size: BoardSize, point: Move) -> (i8, i8) {
        let (x, y) = size.column_row(point);
        let (right, up) = (size.width - 1 - x, size.height - 1 - y);
        let (behind, ahead) = match self {
            Direction::Row => (x, right),
            Direction::Column => (y, up),
            Direction::Rising => (x.min(y), right.min(up)),
            Direction::Falling => (x.min(up), right.min(y)),
        };
        let near = |count: u8| count.min(REACH as u8) as i8;
        (near(behind), near(ahead))
    }

    /// The place of the point with this column and row.
    #[inline]
    pub(super) fn place(self, (x, y): (u8, u8)) -> Place {
        const SIDE: usize = MAX_SIDE as usize;
        let (column, row) = (usize::from(x), usize::from(y));
        let (line, index) = match self {
            Direction::Row => (row, x),
            Direction::Column => (SIDE + column, y),
            Direction::Rising => (3 * SIDE - 1 + column - row, x),
            Direction::Falling => (4 * SIDE - 1 + column + row, x),
        };
        Place {
            line,
            index: index.into(),
        }
    }

    /// The first point of each line.
    pub(super) fn starts(self, size: BoardSize) -> impl Iterator<Item = Move> {
        let left = (0..size.height).map(move |y| (0, y));
        let edge = if self == Direction::Falling {
            size.height - 1
        } else {
            0
        };
        let (has_left, has_edge) = (self != Direction::Column, self != Direction::Row);
        // The corner counts once.
        let edge = (u8::from(has_left)..size.width).map(move |x| (x, edge));
        let left = left.filter(move |_| has_left);
        let starts = left.chain(edge.filter(move |_| has_edge));
        starts.map(move |(x, y)| size.point(x, y))
    }
}

/// Where a point is in one direction.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Number of the line, below [`LINES`].
    pub(super) line: usize,
    /// The point's index on it.
    pub(super) index: u32,
}

impl Place {
    /// The places of the point with this column and row in each of [`Direction::ALL`].
    #[inline]
    pub(super) fn of_each(at: (u8, u8)) -> [Place; 4] {
        // Not by `map`, which is not always inlined.
        [
            Direction::Row.place(at),
            Direction::Column.place(at),
            Direction::Rising.place(at),
            Direction::Falling.place(at),
        ]
    }

    /// Its bit in the words of [`Lines`].
    fn bit(self) -> u32 {
        1 << (self.index + REACH as u32)
    }
}

/// The stones of both colours, line by line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Lines {
    size: BoardSize,
    /// For each colour, the places it cannot occupy: under the opponent's stones and off the board.
    /// Bit `REACH + i` is place `i` of the line.
    blocked: [[u32; LINES]; 2],
}

impl Lines {
    /// A board without stones, of at most 20 columns and rows.
    pub fn new(size: BoardSize) -> Lines {
        let mut open = [u32::MAX; LINES];
        for point in size.points() {
            for place in Place::of_each(size.column_row(point)) {
                open[place.line] &= !place.bit();
            }
        }
        Lines {
            size,
            blocked: [open; 2],
        }
    }

    /// The board's size.
    pub fn size(&self) -> BoardSize {
        self.size
    }

    /// Puts a stone on an empty point, or removes this side's stone, as when a move is undone.
    pub fn toggle(&mut self, color: Color, point: Move) {
        let theirs = &mut self.blocked[color.opponent().index()];
        for place in Place::of_each(self.size.column_row(point)) {
            theirs[place.line] ^= place.bit();
        }
    }

    /// The windows of `color` around a point in each of [`Direction::ALL`], ignoring the point itself.
    pub fn windows(&self, color: Color, point: Move) -> [Window; 4] {
        let window = |place: Place| self.line(place.line).window(color, place.index);
        let [row, column, rising, falling] = Place::of_each(self.size.column_row(point));
        [window(row), window(column), window(rising), window(falling)]
    }

    /// The line of this number.
    #[inline]
    pub(super) fn line(&self, line: usize) -> BoardLine {
        BoardLine([self.blocked[0][line], self.blocked[1][line]])
    }
}

/// One line of the board: for each colour the places it cannot occupy, as in [`Lines`].
#[derive(Debug, Clone, Copy)]
pub(super) struct BoardLine([u32; 2]);

impl BoardLine {
    /// The window of `color` around a place on the line.
    #[inline]
    pub(super) fn window(self, color: Color, place: u32) -> Window {
        let blocked = self.0[color.index()] >> place;
        let other = self.0[color.opponent().index()] >> place;
        let half =
            |from: usize| ((blocked >> from & HALF) << REACH | other >> from & HALF) as usize;
        let (behind, ahead) = (BEHIND[half(0)], AHEAD[half(REACH + 1)]);
        Window::of(behind.into(), ahead.into())
    }

    /// A number that no other line has under these rules, and that is not 0.
    #[inline]
    pub(super) fn key(self, rules: GomokuRules) -> u64 {
        // The highest bits are off every board, and so 1 for both colours.
        let stones = u64::from(self.0[0]) << u32::BITS | u64::from(self.0[1]);
        stones ^ (rules as u64) << (u32::BITS - RULES_BITS)
    }

    /// Whether a place of the board is empty.
    #[inline]
    pub(super) fn is_empty(self, place: u32) -> bool {
        (self.0[0] | self.0[1]) >> (place + REACH as u32) & 1 == 0
    }
}

/// Bits for the number of the rules.
const RULES_BITS: u32 = GomokuRules::ALL.len().ilog2() + 1;

/// Mask of half a window.
const HALF: u32 = (1 << REACH) - 1;

/// Codes of the half window ahead of a point, indexed by two words of [`REACH`] bits each: the
/// places that one colour, and the other, cannot occupy.
static AHEAD: [u8; 1 << (2 * REACH)] = half_codes(false);

/// The same for the half behind it, whose bits are in the opposite order.
static BEHIND: [u8; 1 << (2 * REACH)] = half_codes(true);

const fn half_codes(reversed: bool) -> [u8; 1 << (2 * REACH)] {
    let mut codes = [0; 1 << (2 * REACH)];
    let mut index = 0;
    while index < codes.len() as u32 {
        let (mut blocked, mut other) = (index >> REACH, index & HALF);
        if reversed {
            blocked = blocked.reverse_bits() >> (u32::BITS - REACH as u32);
            other = other.reverse_bits() >> (u32::BITS - REACH as u32);
        }
        // A place that neither colour can occupy is off the board.
        codes[index as usize] = half(blocked, other & !blocked, other & blocked);
        index += 1;
    }
    codes
}

/// Number of codes of half a window, rounded up to a power of two.
const HALF_CODES: usize = 128;

/// Windows are numbered below this.
pub(super) const WINDOWS: usize = HALF_CODES * HALF_CODES;

/// Half a window as a number: own stones up to the first blocked cell, its distance, and whether it
/// is the edge. Cells behind it do not matter.
const fn half(blocked: u32, own: u32, edge: u32) -> u8 {
    let free = (blocked | 1 << REACH).trailing_zeros();
    let before = (1 << free) - 1;
    let code = match free == REACH as u32 {
        true => 2 * before + (own & HALF),
        false => 2 * (before + (own & before)) + (edge >> free & 1),
    };
    code as u8
}

/// A cell of a window, seen by one colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cell {
    Empty,
    Own,
    Theirs,
    Edge,
}

/// View of a colour in one direction from a point, [`REACH`] cells to either side: its own stones,
/// and where opposing stones or the edge end the view. The point itself is not part of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Window(u16);

impl Window {
    fn of(behind: u16, ahead: u16) -> Window {
        Window(behind * HALF_CODES as u16 + ahead)
    }

    /// Index of the window.
    pub(super) fn index(self) -> usize {
        usize::from(self.0)
    }

    /// All possible windows.
    pub(super) fn all() -> impl Iterator<Item = Window> {
        let codes = || (0..HALF_CODES as u16).filter(|&code| decode(code).is_some());
        codes().flat_map(move |behind| codes().map(move |ahead| Window::of(behind, ahead)))
    }

    /// Its cells in the line's direction, the centre as `middle`; cells out of sight count as the
    /// opponent's.
    pub(super) fn cells(self, middle: Cell) -> [Cell; 2 * REACH + 1] {
        let code = |code: u16| decode(code).expect("windows are made of codes");
        let (behind, ahead) = (
            code(self.0 / HALF_CODES as u16),
            code(self.0 % HALF_CODES as u16),
        );
        let mut cells = [middle; 2 * REACH + 1];
        for (distance, (back, front)) in (1..).zip(behind.into_iter().zip(ahead)) {
            cells[REACH - distance] = back;
            cells[REACH + distance] = front;
        }
        cells
    }

    /// The window with these cells.
    pub(super) fn seen(cells: &[Cell; 2 * REACH + 1]) -> Window {
        let side = |cells: [Cell; REACH]| {
            let bits = |wanted: &[Cell]| {
                let places = (0..REACH).filter(|&place| wanted.contains(&cells[place]));
                places.fold(0, |bits, place| bits | 1 << place)
            };
            let blocked = bits(&[Cell::Theirs, Cell::Edge]);
            half(blocked, bits(&[Cell::Own]), bits(&[Cell::Edge]))
        };
        let behind = side(std::array::from_fn(|place| cells[REACH - 1 - place]));
        let ahead = side(std::array::from_fn(|place| cells[REACH + 1 + place]));
        Window::of(behind.into(), ahead.into())
    }
}

/// The cells of half a window, the nearest first; `None` for a number that is not a code.
fn decode(code: u16) -> Option<[Cell; REACH]> {
    let code = u32::from(code);
    let free = (0..=REACH as u32)
        .rev()
        .find(|free| code >= 2 * ((1 << free) - 1))?;
    let rest = code - 2 * ((1 << free) - 1);
    let (own, end) = match free == REACH as u32 {
        true => (rest, Cell::Theirs),
        false if rest & 1 == 1 => (rest >> 1, Cell::Edge),
        false => (rest >> 1, Cell::Theirs),
    };
    let known = own < 1 << free;
    known.then(|| {
        std::array::from_fn(|place| match (place as u32) < free {
            true if own >> place & 1 == 1 => Cell::Own,
            true => Cell::Empty,
            false if place as u32 == free => end,
            false => Cell::Theirs,
        })
    })
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    #[test]
    fn windows_survive_numbers_and_there_are_94_halves() {
        assert_eq!(Window::all().count(), 94 * 94);
        for window in Window::all() {
            assert_eq!(Window::seen(&window.cells(Cell::Empty)), window);
        }
    }

    /// Every window of random boards, read cell by cell.
    #[test]
    fn windows_show_what_stands_there() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for (width, height) in [(5, 5), (20, 20), (20, 5), (7, 19), (15, 15)] {
            let size = BoardSize::new(width, height);
            let mut lines = Lines::new(size);
            let mut stones = vec![None; size.area()];
            for _ in 0..3 * size.area() {
                let point = rng.random_range(0..size.area());
                match stones[point].take() {
                    Some(color) => lines.toggle(color, Move(point as u16)),
                    None => {
                        let color = Color::BOTH[rng.random_range(0..2)];
                        lines.toggle(color, Move(point as u16));
                        stones[point] = Some(color);
                    }
                }
            }
            for point in size.points() {
                for (direction, step) in
                    Direction::ALL
                        .into_iter()
                        .zip([(1, 0), (0, 1), (1, 1), (1, -1)])
                {
                    for color in Color::BOTH {
                        let cells = naive(size, &stones, color, point, step);
                        assert_eq!(
                            lines.windows(color, point)[direction as usize],
                            Window::seen(&cells),
                            "{color} at {point:?} {direction:?}: {cells:?}"
                        );
                        for steps in [-5_i8, 5] {
                            if cells[(REACH as i8 + steps) as usize] != Cell::Edge {
                                let (x, y) = size.column_row(direction.step(size, point, steps));
                                let (from_x, from_y) = size.column_row(point);
                                assert_eq!(
                                    (i32::from(x), i32::from(y)),
                                    (
                                        i32::from(from_x) + step.0 * i32::from(steps),
                                        i32::from(from_y) + step.1 * i32::from(steps)
                                    )
                                );
                            }
                        }
                    }
                }
            }
        }
    }

    fn naive(
        size: BoardSize,
        stones: &[Option<Color>],
        color: Color,
        point: Move,
        (dx, dy): (i32, i32),
    ) -> [Cell; 2 * REACH + 1] {
        let (x, y) = size.column_row(point);
        std::array::from_fn(|place| {
            let steps = place as i32 - REACH as i32;
            let (x, y) = (i32::from(x) + steps * dx, i32::from(y) + steps * dy);
            let inside =
                (0..i32::from(size.width)).contains(&x) && (0..i32::from(size.height)).contains(&y);
            match inside {
                false => Cell::Edge,
                true => match stones[(y * i32::from(size.width) + x) as usize] {
                    None => Cell::Empty,
                    Some(owner) if owner == color => Cell::Own,
                    Some(_) => Cell::Theirs,
                },
            }
        })
    }
}
