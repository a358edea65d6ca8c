//! The shape of a board as sets of points. Points are neighbours along rows and columns.

use super::BoardSize;
use super::bits::Bits;

/// Board geometry as bit masks: neighbours are computed with shifts instead of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<const WORDS: usize> {
    size: BoardSize,
    board: Bits<WORDS>,
    /// All points but those of the first column.
    not_west: Bits<WORDS>,
    /// All points but those of the last column.
    not_east: Bits<WORDS>,
}

impl<const WORDS: usize> Frame<WORDS> {
    /// The frame of a board.
    ///
    /// # Panics
    /// Unless it has 1 to `64 * WORDS` points, and fewer than 64 columns.
    pub fn new(size: BoardSize) -> Self {
        assert!((1..=64 * WORDS).contains(&size.area()) && size.width < 64);
        let column = |x: u8| {
            (0..size.height)
                .map(|y| size.point(x, y))
                .collect::<Bits<WORDS>>()
        };
        let board = Bits::first(size.area());
        Frame {
            size,
            board,
            not_west: board & !column(0),
            not_east: board & !column(size.width - 1),
        }
    }

    /// The board's size.
    pub fn size(&self) -> BoardSize {
        self.size
    }

    /// All points.
    pub fn board(&self) -> Bits<WORDS> {
        self.board
    }

    /// All points next to a point of `set`.
    #[inline]
    pub fn neighbors(&self, set: Bits<WORDS>) -> Bits<WORDS> {
        let width = u32::from(self.size.width);
        (self.sideways(set) | set.shift_up(width) | set.shift_down(width)) & self.board
    }

    /// All points next to a point of `set` in its row.
    #[inline]
    pub fn sideways(&self, set: Bits<WORDS>) -> Bits<WORDS> {
        (set & self.not_west).shift_down(1) | (set & self.not_east).shift_up(1)
    }

    /// The connected components of `set`, by their lowest points.
    pub fn components(&self, set: Bits<WORDS>) -> impl Iterator<Item = Bits<WORDS>> {
        let mut left = set;
        std::iter::from_fn(move || {
            let component = self.flood(Bits::point(left.lowest()?), set);
            left.remove_all(component);
            Some(component)
        })
    }

    /// `from` and all points that connect to it through points of `within`.
    pub fn flood(&self, from: Bits<WORDS>, within: Bits<WORDS>) -> Bits<WORDS> {
        let mut reached = from;
        loop {
            let next = reached | self.neighbors(reached) & within;
            if next == reached {
                return reached;
            }
            reached = next;
        }
    }
}
