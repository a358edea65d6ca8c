//! Encoding `nogo-2`: sixteen planes for NoGo, from the side to move's view, without last move.
//!
//! A convolution sees a point's neighbourhood; it needs many layers to learn how many liberties a
//! long block has, and whether one of them can never be filled by either side. So each stone shows
//! how few liberties its block has, and whether the block can never lose its last one
//! (docs/methods.md#endings: a point closed to both sides is a permanent liberty, which makes the
//! adjacent blocks immortal and walls between regions).
//!
//! The order of moves is irrelevant in NoGo (docs/methods.md#nogo), so there is no last move: a
//! position reached in two ways is one input. Sixteen planes are also fast: ONNX Runtime computes
//! the first convolution in whole vector registers.

use crate::encode::{Encoding, show_sets};
use crate::game::{Bits, Color, Game};
use crate::games::nogo::NoGo;

/// Number of planes, in order: ones; what is legal for me, for them; what is empty and legal for neither side; my
/// stones, those in blocks with one liberty, with two, in immortal blocks; the liberties of my blocks with one liberty,
/// with two; the same six of theirs.
const PLANES: usize = 16;

/// Number of planes of one side's stones, which come last.
const SIDE: usize = 6;

impl<const WORDS: usize> NoGo<WORDS> {
    /// `nogo-2`.
    pub(super) const V2: Encoding<Self> = Encoding {
        cache_key: |position| position.key(),
        ..Encoding::new("nogo-2", PLANES, encode)
    };
}

fn encode<const WORDS: usize>(position: &NoGo<WORDS>, row: &mut [f32]) {
    let area = position.size().area();
    let (me, them) = (position.to_move(), position.to_move().opponent());
    let (mine, theirs) = (position.legal(me), position.legal(them));
    let closed = position.empty() & !(mine | theirs);
    let (points, stones) = row.split_at_mut((PLANES - 2 * SIDE) * area);
    let board = position.frame().board();
    show_sets(points, area, [board, mine, theirs, closed]);
    let (own, other) = stones.split_at_mut(SIDE * area);
    show_sets(own, area, blocks_of(position, me, closed));
    show_sets(other, area, blocks_of(position, them, closed));
}

/// One side's planes. `closed` are the empty points that are legal for neither side.
fn blocks_of<const WORDS: usize>(
    position: &NoGo<WORDS>,
    color: Color,
    closed: Bits<WORDS>,
) -> [Bits<WORDS>; SIDE] {
    let all = position.stones(color);
    let [mut one, mut two, mut immortal, mut last, mut last_two] = [Bits::EMPTY; 5];
    for stone in all.iter() {
        let (here, liberties) = (Bits::point(stone), position.liberties(stone));
        match liberties.count() {
            1 => {
                one |= here;
                last |= liberties;
            }
            2 => {
                two |= here;
                last_two |= liberties;
            }
            _ => {}
        }
        if !(liberties & closed).is_empty() {
            immortal |= here;
        }
    }
    [all, one, two, immortal, last, last_two]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{BoardSize, Move};
    use crate::games::nogo::SmallNoGo;

    fn played(size: BoardSize, moves: &[u16]) -> SmallNoGo {
        let mut position = SmallNoGo::new(size).unwrap();
        moves.iter().for_each(|&mv| position.play(Move(mv)));
        position
    }

    fn row(encoding: &Encoding<SmallNoGo>, position: &SmallNoGo) -> Vec<f32> {
        let mut row = vec![0.0; encoding.planes() * position.size().area()];
        encoding.encode(position, &mut row);
        row
    }

    fn plane(position: &SmallNoGo, number: usize) -> Vec<usize> {
        let (area, row) = (position.size().area(), row(&SmallNoGo::V2, position));
        let plane = &row[number * area..][..area];
        (0..area).filter(|&point| plane[point] == 1.0).collect()
    }

    #[test]
    fn stones_show_the_liberties_of_their_block() {
        // XX.O on a board of four points: White has no legal move; the point is closed to both.
        let position = played(BoardSize::new(4, 1), &[0, 3, 1]);
        let show = |number| plane(&position, number);
        assert_eq!(show(11), [0, 1]);
        assert_eq!(show(13), [0, 1]);
        assert_eq!(show(7), [3]);
        assert_eq!(show(3), [2]);
        assert!(show(6).is_empty());
        assert_eq!(show(14), [2]);
        let corner = played(BoardSize::square(5), &[2, 24]);
        let show = |number| plane(&corner, number);
        assert_eq!(show(12), [24]);
        assert!(show(7).is_empty());
        assert_eq!(show(0).len(), 25);
    }

    /// The planes shared with `nogo-1` are the same, and two orders of moves give the same planes.
    #[test]
    fn what_both_show_is_equal_and_order_is_not_seen() {
        let size = BoardSize::new(5, 4);
        let position = played(size, &[7, 3, 8, 2, 12, 4, 0]);
        let (old, new) = (
            row(&SmallNoGo::V1, &position),
            row(&SmallNoGo::V2, &position),
        );
        let plane = |row: &[f32], index: usize| row[index * 20..][..20].to_vec();
        for (old_index, new_index) in [(0, 4), (1, 10), (2, 0), (3, 1), (4, 2), (11, 3)] {
            assert_eq!(plane(&old, old_index), plane(&new, new_index));
        }
        for (old_index, new_index) in [(5, 8), (6, 9), (7, 14), (8, 15)] {
            assert_eq!(plane(&old, old_index), plane(&new, new_index));
        }
        let other_way = played(size, &[0, 4, 12, 2, 7, 3, 8]);
        assert_eq!(row(&SmallNoGo::V2, &other_way), new);
        assert_eq!(
            SmallNoGo::V2.cache_key(&other_way),
            SmallNoGo::V2.cache_key(&position)
        );
    }
}
