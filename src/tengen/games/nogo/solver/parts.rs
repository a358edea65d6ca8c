//! Independent parts of a position, and their keys.
//!
//! Two empty points are connected when they are neighbours or liberties of one block that can still
//! lose its last liberty. Stones of other blocks are walls: a move in one part changes nothing in
//! another, and the position is the sum of its parts (docs/methods.md#endings).

use super::board::Board;
use super::bounds::MoveBounds;
use super::hash::mix;
use crate::game::{Bits, Move};

/// The liberties of a block that is no wall, and its colour.
type OpenBlock<const W: usize> = (Bits<W>, usize);

/// One part.
#[derive(Debug, Clone, Copy)]
pub(super) struct Part<const W: usize> {
    pub(super) points: Bits<W>,
    /// Where each colour may play.
    pub(super) legal: [Bits<W>; 2],
    /// Where a stone of each colour would have a permanent liberty.
    pub(super) alive: [Bits<W>; 2],
    /// Its blocks: where they begin and end in the list.
    blocks: (u32, u32),
}

/// Parts of a position, with buffers for finding them.
#[derive(Debug, Default)]
pub(super) struct Parts<const W: usize> {
    pub(super) parts: Vec<Part<W>>,
    blocks: Vec<OpenBlock<W>>,
    /// Blocks of no part yet.
    rest: Vec<OpenBlock<W>>,
}

impl<const W: usize> Parts<W> {
    pub(super) fn blocks(&self, part: &Part<W>) -> &[OpenBlock<W>] {
        &self.blocks[part.blocks.0 as usize..part.blocks.1 as usize]
    }

    /// A key of a part in its place, equal for equal parts of one board: cheaper than [`Shapes`].
    pub(super) fn key_in_place(&self, part: &Part<W>) -> u128 {
        let blocks = self.blocks(part).iter();
        let blocks = blocks.map(|&(liberties, x)| mix(liberties, x as u64));
        let kinds = (2..).zip(part.legal.into_iter().chain(part.alive));
        let kinds = kinds.map(|(kind, points)| mix(points, kind));
        blocks.chain(kinds).fold(0, u128::wrapping_add)
    }

    /// Finds the parts of a region; returns the spare moves of Black minus those of White, which
    /// are in no part.
    pub(super) fn find(
        &mut self,
        board: &Board<W>,
        bounds: &MoveBounds<W>,
        region: Bits<W>,
    ) -> i32 {
        let spare = bounds.spare.map(|spare| (spare & region).count() as i32);
        let mut left = region & !(bounds.spare[0] | bounds.spare[1]);
        let Parts {
            parts,
            blocks,
            rest,
        } = self;
        parts.clear();
        blocks.clear();
        rest.clear();
        for x in 0..2 {
            for root in (board.roots[x] & !bounds.immortal[x]).iter() {
                let liberties = board.block(root).liberties;
                if !(liberties & left).is_empty() {
                    rest.push((liberties, x));
                }
            }
        }
        let frame = &board.frame;
        let alive = [0, 1].map(|x: usize| {
            let kept = board.dead | bounds.immortal[x] | bounds.spare[x];
            board.legal[x] & frame.neighbors(kept)
        });
        while let Some(first) = left.lowest() {
            let mut points = Bits::point(first);
            let start = blocks.len();
            loop {
                points = frame.flood(points, left);
                let mut next = points;
                let mut i = 0;
                while let Some(&block) = rest.get(i) {
                    if (block.0 & next).is_empty() {
                        i += 1;
                        continue;
                    }
                    next |= block.0;
                    rest.swap_remove(i);
                    // Of blocks with the same liberties one says it all.
                    if !blocks[start..].contains(&block) {
                        blocks.push(block);
                    }
                }
                if next == points {
                    break;
                }
                points = next;
            }
            left.remove_all(points);
            parts.push(Part {
                points,
                legal: board.legal.map(|legal| legal & points),
                alive: alive.map(|alive| alive & points),
                blocks: (start as u32, blocks.len() as u32),
            });
        }
        spare[0] - spare[1]
    }
}

// Keys of parts that are equal for parts that differ only by place, rotation and reflection, and what they become with
// the colours exchanged.
//
// Each point of a part's bounding box has a random number for each of the box's eight images. The
// images' hashes are added up side by side, and the least one is the key. What a point is rotates
// its number, so that one table serves all.

/// Random numbers of a point for the two halves of a key, each in the box's eight images.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
struct Images([[u64; 8]; 2]);

/// Hashes of the eight images, of a part and of the part with colours exchanged.
type Hashes = [[u64; 8]; 2];

/// Keys of shapes on one board.
#[derive(Debug)]
pub(super) struct Shapes {
    width: usize,
    /// By width and height; filled when needed.
    boxes: Vec<Box<[Images]>>,
}

/// The bounding box of a part.
struct Bounds {
    left: usize,
    top: usize,
    width: usize,
    height: usize,
}

impl Bounds {
    fn of<const W: usize>(points: Bits<W>, board_width: usize) -> Bounds {
        let (mut left, mut right, mut top, mut bottom) = (usize::MAX, 0, usize::MAX, 0);
        for point in points.iter() {
            let (x, y) = (point.index() % board_width, point.index() / board_width);
            (left, right) = (left.min(x), right.max(x));
            (top, bottom) = (top.min(y), bottom.max(y));
        }
        Bounds {
            left,
            top,
            width: right + 1 - left,
            height: bottom + 1 - top,
        }
    }
}

impl Shapes {
    pub(super) fn new(width: u8, height: u8) -> Shapes {
        let count = (usize::from(width) + 1) * (usize::from(height) + 1);
        Shapes {
            width: usize::from(width),
            boxes: vec![Box::default(); count],
        }
    }

    /// The key of a part, and of the same part with colours exchanged.
    pub(super) fn keys<const W: usize>(
        &mut self,
        part: &Part<W>,
        blocks: &[OpenBlock<W>],
    ) -> [u128; 2] {
        let bounds = Bounds::of(part.points, self.width);
        let images = &mut self.boxes[bounds.height * (self.width + 1) + bounds.width];
        if images.is_empty() {
            *images = numbers(bounds.width, bounds.height);
        }
        let images = &**images;
        let width = self.width;
        let at = |point: Move| {
            let (x, y) = (
                point.index() % width - bounds.left,
                point.index() / width - bounds.top,
            );
            &images[y * bounds.width + x].0
        };
        let [low, high] = [0, 1].map(|half| hashes(part, blocks, |point| &at(point)[half]));
        // Images with equal lower halves are the same: the shape is symmetric.
        [0, 1].map(|swapped| {
            let least = (0..8).min_by_key(|&image| low[swapped][image]).unwrap_or(0);
            u128::from(high[swapped][least]) << 64 | u128::from(low[swapped][least])
        })
    }
}

/// One half of the hashes of all images.
#[inline]
fn hashes<'i, const W: usize>(
    part: &Part<W>,
    blocks: &[OpenBlock<W>],
    numbers: impl Fn(Move) -> &'i [u64; 8],
) -> Hashes {
    let mut all = [[0_u64; 8]; 2];
    for point in part.points.iter() {
        let numbers = numbers(point);
        let is = |set: &Bits<W>| u32::from(set.contains(point));
        let [black, white] = [0, 1].map(|x| is(&part.legal[x]) | is(&part.alive[x]) << 1);
        for (hashes, kind) in all.iter_mut().zip([black | white << 2, white | black << 2]) {
            for (hash, number) in hashes.iter_mut().zip(numbers) {
                *hash = hash.wrapping_add(number.rotate_left(4 * kind));
            }
        }
    }
    for &(liberties, x) in blocks {
        let mut sums = [0_u64; 8];
        for point in liberties.iter() {
            for (sum, number) in sums.iter_mut().zip(numbers(point)) {
                *sum = sum.wrapping_add(*number);
            }
        }
        for (hashes, color) in all.iter_mut().zip([x, 1 - x]) {
            let salt = [0x1357_9bdf_0246_8ace, 0xfdb9_7531_eca8_6420][color];
            for (hash, sum) in hashes.iter_mut().zip(sums) {
                *hash = hash.wrapping_add(finish(sum ^ salt));
            }
        }
    }
    all
}

/// The numbers of a box. A point's number in an image is that of where the image has it.
fn numbers(width: usize, height: usize) -> Box<[Images]> {
    let points = (0..height).flat_map(|y| (0..width).map(move |x| (x, y)));
    let of = |(x, y)| {
        let (right, bottom) = (width - 1 - x, height - 1 - y);
        let places = [
            (x, y),
            (right, y),
            (x, bottom),
            (right, bottom),
            (y, x),
            (y, right),
            (bottom, x),
            (bottom, right),
        ];
        Images(
            [1, 2]
                .map(|half| places.map(|(x, y)| random((x as u64) << 16 | (y as u64) << 8 | half))),
        )
    };
    points.map(of).collect()
}

/// A number without pattern for each seed (splitmix64: Steele, Lea and Flood 2014).
fn random(seed: u64) -> u64 {
    finish(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x94d0_49bb_1331_11eb)
}

fn finish(x: u64) -> u64 {
    let mut hash = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{BoardSize, Color, Game as _, Symmetry};
    use crate::games::nogo::NoGo;

    /// The keys of the only part of a board with these stones.
    fn keys(stones: &[(Move, Color)]) -> [u128; 2] {
        let size = BoardSize::square(5);
        let position: NoGo<1> = NoGo::new(size).unwrap();
        let board = Board::new(&position.set_up(stones, Color::Black).unwrap());
        let mut found = Parts::default();
        found.find(&board, &MoveBounds::new(&board), board.empty);
        let [part] = found.parts[..] else {
            panic!("{stones:?}")
        };
        Shapes::new(5, 5).keys(&part, found.blocks(&part))
    }

    #[test]
    fn a_key_does_not_depend_on_rotation_reflection_and_colours() {
        let size = BoardSize::square(5);
        let at = |x, y, color| (size.point(x, y), color);
        let (black, white) = (Color::Black, Color::White);
        let stones = [
            at(1, 0, black),
            at(1, 1, black),
            at(3, 2, white),
            at(0, 3, white),
        ];
        let plain = keys(&stones);
        assert_ne!(plain[0], plain[1]);
        for symmetry in Symmetry::all(size) {
            let turned = stones.map(|(point, color)| (symmetry.apply(size, point), color));
            assert_eq!(keys(&turned), plain);
            let [own, exchanged] = keys(&turned.map(|(point, color)| (point, color.opponent())));
            assert_eq!([exchanged, own], plain);
        }
        let mut other = stones;
        other[3].0 = size.point(0, 4);
        assert_ne!(keys(&other), plain);
    }
}
