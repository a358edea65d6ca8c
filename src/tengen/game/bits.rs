//! A set of board points as machine words: bit `i` is point `i` ([`super::Move`] numbering). The shape of a board as
//! such sets: points are neighbours along rows and columns.

use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, Not};

use super::zobrist::MAX_POINTS;
use super::{BoardSize, Move};

/// Words for the points of every board.
const LARGEST: usize = MAX_POINTS.div_ceil(64);

/// A set of points on a board of at most `64 * WORDS` points. To add or remove a point past them is a panic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Bits<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> Bits<WORDS> {
    /// The empty set.
    pub const EMPTY: Self = Bits([0; WORDS]);

    /// The points 0..`count`.
    pub fn first(count: usize) -> Self {
        let mut bits = Self::EMPTY;
        for index in 0..count {
            bits.insert(Move(index as u16));
        }
        bits
    }

    /// The set of one point.
    pub fn point(point: Move) -> Self {
        // Not a store into an array: reading that back as one vector would stall.
        let (at, bit) = (point.index() / 64, 1 << (point.index() % 64));
        Bits(std::array::from_fn(|word| if word == at { bit } else { 0 }))
    }

    /// Whether `point` is in the set; a number past the last word is not.
    pub fn contains(&self, point: Move) -> bool {
        self.0
            .get(point.index() / 64)
            .is_some_and(|word| word >> (point.index() % 64) & 1 != 0)
    }

    /// Adds a point.
    pub fn insert(&mut self, point: Move) {
        self.0[point.index() / 64] |= 1 << (point.index() % 64);
    }

    /// Removes a point.
    pub fn remove(&mut self, point: Move) {
        self.0[point.index() / 64] &= !(1 << (point.index() % 64));
    }

    /// Adds a point, or removes it if it is there.
    pub fn toggle(&mut self, point: Move) {
        self.0[point.index() / 64] ^= 1 << (point.index() % 64);
    }

    /// Removes all points of `other`.
    pub fn remove_all(&mut self, other: Self) {
        *self &= !other;
    }

    /// The set as words, bit `i` of word `j` being point `64 * j + i`.
    pub fn words(self) -> [u64; WORDS] {
        self.0
    }

    /// Whether some point is in both sets.
    pub fn intersects(self, other: Self) -> bool {
        !(self & other).is_empty()
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.iter().fold(0, |all, word| all | word) == 0
    }

    /// Number of points in the set.
    pub fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether the set has exactly one point; cheaper than counting.
    pub fn is_single(&self) -> bool {
        let mut low = self.0;
        // Take away the lowest bit of the lowest word that has one, and see whether any is left.
        for word in &mut low {
            if *word != 0 {
                *word &= *word - 1;
                return low == [0; WORDS];
            }
        }
        false
    }

    /// The set if it has exactly one point, else the empty set.
    pub fn if_single(self) -> Self {
        match self.is_single() {
            true => self,
            false => Self::EMPTY,
        }
    }

    /// Whether the set has exactly two points.
    pub fn is_pair(&self) -> bool {
        self.count() == 2
    }

    /// The point with the lowest number, if there is one.
    pub fn lowest(&self) -> Option<Move> {
        self.0
            .iter()
            .position(|&word| word != 0)
            .map(|i| Move((i * 64) as u16 + self.0[i].trailing_zeros() as u16))
    }

    /// The point of rank `rank` (0 is the lowest), if the set has more than `rank` points.
    pub fn nth(&self, rank: usize) -> Option<Move> {
        let mut rest = rank as u32;
        for (i, &word) in self.0.iter().enumerate() {
            let ones = word.count_ones();
            if rest < ones {
                return Some(Move((i * 64) as u16 + select_bit(word, rest) as u16));
            }
            rest -= ones;
        }
        None
    }

    /// The points, ascending.
    pub fn iter(self) -> BitsIter<WORDS> {
        BitsIter(self)
    }

    /// Every point's number raised by `by`, `0 < by < 64`; numbers past the last word are dropped.
    #[must_use]
    fn shift_up(self, by: u32) -> Self {
        let mut carried = 0;
        Bits(self.0.map(|word| {
            let moved = (word << by) | carried;
            carried = word >> (64 - by);
            moved
        }))
    }

    /// Every point's number lowered by `by`, `0 < by < 64`; numbers below 0 are dropped.
    #[must_use]
    fn shift_down(self, by: u32) -> Self {
        let (mut words, mut carried) = (self.0, 0);
        for word in words.iter_mut().rev() {
            (*word, carried) = ((*word >> by) | carried, *word << (64 - by));
        }
        Bits(words)
    }
}

/// Position of the bit of rank `rank` in `word`, which has more than `rank` ones: binary search
/// on the number of ones in the lower half.
fn select_bit(word: u64, mut rank: u32) -> u32 {
    let mut base = 0;
    for half in [32, 16, 8, 4, 2, 1] {
        let low = (word >> base) & ((1 << half) - 1);
        let ones = low.count_ones();
        if rank >= ones {
            rank -= ones;
            base += half;
        }
    }
    base
}

/// Iterator over the points of a [`Bits`], ascending.
#[derive(Debug, Clone)]
pub struct BitsIter<const WORDS: usize>(Bits<WORDS>);

impl<const WORDS: usize> Iterator for BitsIter<WORDS> {
    type Item = Move;

    fn next(&mut self) -> Option<Move> {
        for (index, word) in self.0.0.iter_mut().enumerate() {
            if *word != 0 {
                let bit = word.trailing_zeros();
                *word &= *word - 1;
                return Some(Move((index * 64) as u16 + bit as u16));
            }
        }
        None
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.0.count();
        (count, Some(count))
    }

    fn count(self) -> usize {
        self.0.count()
    }
}

impl<const WORDS: usize> ExactSizeIterator for BitsIter<WORDS> {}

impl<const WORDS: usize> FromIterator<Move> for Bits<WORDS> {
    fn from_iter<I: IntoIterator<Item = Move>>(points: I) -> Self {
        let mut bits = Self::EMPTY;
        points.into_iter().for_each(|point| bits.insert(point));
        bits
    }
}

impl<const WORDS: usize> BitAnd for Bits<WORDS> {
    type Output = Self;
    fn bitand(mut self, other: Self) -> Self {
        self &= other;
        self
    }
}

impl<const WORDS: usize> BitAndAssign for Bits<WORDS> {
    fn bitand_assign(&mut self, other: Self) {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word &= other;
        }
    }
}

impl<const WORDS: usize> BitOr for Bits<WORDS> {
    type Output = Self;
    fn bitor(mut self, other: Self) -> Self {
        self |= other;
        self
    }
}

impl<const WORDS: usize> BitOrAssign for Bits<WORDS> {
    fn bitor_assign(&mut self, other: Self) {
        for (word, other) in self.0.iter_mut().zip(other.0) {
            *word |= other;
        }
    }
}

impl<const WORDS: usize> Not for Bits<WORDS> {
    type Output = Self;
    fn not(self) -> Self {
        Bits(self.0.map(|word| !word))
    }
}

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

/// The points that are connected to one of `starts` through points that are `open`, themselves among them.
pub fn connected(
    size: BoardSize,
    starts: impl IntoIterator<Item = Move>,
    open: impl Fn(Move) -> bool,
) -> Vec<Move> {
    let open: Bits<LARGEST> = size.points().filter(|&point| open(point)).collect();
    let starts: Bits<LARGEST> = starts.into_iter().collect();
    let reached = Frame::new(size).flood(starts & open, open);
    reached.iter().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::collection::btree_set;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn agrees_with_an_ordered_set(points in btree_set(0_u16..192, 0..60), by in 1_u32..26) {
            let bits: Bits<3> = points.iter().map(|&p| Move(p)).collect();
            let listed: Vec<u16> = bits.iter().map(|p| p.0).collect();
            prop_assert_eq!(&listed, &points.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(bits.count(), points.len());
            prop_assert_eq!(bits.is_empty(), points.is_empty());
            prop_assert_eq!(bits.is_single(), points.len() == 1);
            prop_assert_eq!(bits.if_single().count(), usize::from(points.len() == 1));
            prop_assert_eq!(bits.lowest().map(|p| p.0), points.first().copied());
            for (rank, point) in points.iter().enumerate() {
                prop_assert_eq!(bits.nth(rank), Some(Move(*point)));
            }
            prop_assert_eq!(bits.nth(points.len()), None);
            for point in 0..192 {
                let (mut without, mut rest) = (bits, points.clone());
                without.remove(Move(point));
                rest.remove(&point);
                prop_assert_eq!(without.count(), rest.len());
                prop_assert!(!without.contains(Move(point)));
                let mut toggled = bits;
                toggled.toggle(Move(point));
                prop_assert_eq!(toggled.contains(Move(point)), !bits.contains(Move(point)));
                toggled.toggle(Move(point));
                prop_assert_eq!(toggled, bits);
            }
            let up: Vec<u16> = bits.shift_up(by).iter().map(|p| p.0).collect();
            let moved = points.iter().map(|p| p + by as u16).filter(|&p| p < 192);
            prop_assert_eq!(up, moved.collect::<Vec<_>>());
            let down: Vec<u16> = bits.shift_down(by).iter().map(|p| p.0).collect();
            let moved = points.iter().filter_map(|p| p.checked_sub(by as u16));
            prop_assert_eq!(down, moved.collect::<Vec<_>>());
        }
    }

    #[test]
    fn a_number_past_the_last_word_is_in_no_set() {
        assert!(!Bits::<2>::first(128).contains(Move(128)));
        assert!(!Bits::<2>::first(128).contains(Move(u16::MAX)));
    }
}
