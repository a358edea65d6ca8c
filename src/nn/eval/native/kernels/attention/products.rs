//! Products of a few points with packed weights, in register tiles.

use super::super::arithmetic::{Arithmetic, Sums};
use super::super::conv::points_mut;
use super::super::matrix::add_products;
use super::super::simd::{Simd, Tile};

/// Blocks of outputs that are computed together: some groups, then what is left one by one.
#[derive(Debug, Clone, Copy)]
pub(super) struct Groups {
    pub(super) blocks: usize,
    /// Blocks of a group.
    pub(super) group: usize,
    /// Lines of weights of a block.
    pub(super) steps: usize,
}

impl Groups {
    #[inline(always)]
    pub(super) fn new<S: Simd, A: Arithmetic>(blocks: usize, inputs: usize) -> Groups {
        Groups {
            blocks,
            group: if S::most_points(2) > 0 { 2 } else { 1 },
            steps: A::steps(inputs),
        }
    }

    /// Blocks in whole groups.
    #[inline(always)]
    pub(super) fn grouped(self) -> usize {
        self.blocks - self.blocks % self.group
    }

    #[inline(always)]
    pub(super) fn lines(self) -> usize {
        self.blocks * self.steps
    }

    /// The first line of a block, and how far it is from one of its steps to the next.
    #[inline(always)]
    pub(super) fn place(self, block: usize) -> (usize, usize) {
        match block < self.grouped() {
            true => {
                let first = block / self.group * self.group;
                (first * self.steps + block % self.group, self.group)
            }
            false => (block * self.steps, 1),
        }
    }
}

/// Products of a few points with packed weights; their blocks of inputs are `stride` lines apart.
#[inline(always)]
pub(super) fn multiply<S: Simd, A: Arithmetic>(
    simd: S,
    groups: Groups,
    points: usize,
    (input, stride): (&[A::Input], usize),
    weights: &[A::Weights],
    out: &mut [A::Sums],
) {
    let grouped = groups.grouped();
    let (first, rest) = weights.split_at(grouped * groups.steps);
    let (first_out, rest_out) = out.split_at_mut(grouped * points);
    for (group, weights, out) in [(groups.group, first, first_out), (1, rest, rest_out)] {
        if !weights.is_empty() {
            simd.tile(
                group,
                points,
                Products::<A> {
                    steps: groups.steps,
                    weights,
                    input,
                    stride,
                    out,
                },
            );
        }
    }
}

/// Products of a few points with all blocks of outputs.
struct Products<'a, A: Arithmetic> {
    /// Lines of weights of a block.
    pub(super) steps: usize,
    weights: &'a [A::Weights],
    input: &'a [A::Input],
    /// Lines from one block of inputs to the next.
    stride: usize,
    /// Block by block.
    out: &'a mut [A::Sums],
}

#[expect(
    clippy::needless_range_loop,
    reason = "loops of known length over indices are unrolled, so that sums stay in registers"
)]
impl<A: Arithmetic> Tile for Products<'_, A> {
    #[inline(always)]
    fn run<S: Simd, const BLOCKS: usize, const POINTS: usize>(self, simd: S) {
        let groups = self.weights.chunks_exact(self.steps * BLOCKS);
        for (weights, out) in groups.zip(self.out.chunks_exact_mut(BLOCKS * POINTS)) {
            let mut sums = [[A::Sums::zero(simd); POINTS]; BLOCKS];
            let input = (self.input, self.stride);
            add_products::<A, S, BLOCKS, POINTS>(simd, input, weights, &mut &[][..], &mut sums);
            for block in 0..BLOCKS {
                let out = points_mut::<_, POINTS>(out, block * POINTS);
                for point in 0..POINTS {
                    out[point].store(simd, sums[block][point]);
                }
            }
        }
    }
}
