//! Independent parts of a position.
//!
//! Two empty points are connected when they are neighbours or liberties of one block that can still
//! lose its last liberty. Stones of other blocks are walls: a move in one part changes nothing in
//! another, and the position is the sum of its parts (docs/methods.md#endings).

use super::board::Board;
use super::bounds::MoveBounds;
use super::hash::mix;
use crate::game::Bits;

/// The liberties of a block that is no wall, and its colour.
pub(super) type OpenBlock<const W: usize> = (Bits<W>, usize);

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

    /// A key of a part in its place, equal for equal parts of one board: cheaper than
    /// [`Shapes`](super::shapes::Shapes).
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
