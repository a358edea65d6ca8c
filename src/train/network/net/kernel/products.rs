//! Sums of outer products: every input times every output's gradient.

use tengen_nn::eval::native::kernels::simd::{Job, Simd, Tile};
use tengen_nn::eval::native::kernels::{LANES, Lanes};

/// Adds the products of every input with every output's gradient, over some items: points of a row, or tiles.
pub(super) struct Products<'a> {
    /// From the first item of the first block on.
    pub(super) input: &'a [Lanes<f32>],
    pub(super) gradient: &'a [Lanes<f32>],
    /// Lines from a block to the next: of inputs, of gradients.
    pub(super) block_lens: [usize; 2],
    /// Lines from an item to the next.
    pub(super) step: usize,
    pub(super) count: usize,
    pub(super) inputs: usize,
    pub(super) groups: &'a [usize],
    /// `[group, input, block of the group]`.
    pub(super) sums: &'a mut [Lanes<f32>],
}

impl Job for Products<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let (mut sums, mut first) = (self.sums, 0);
        let places = self.inputs.next_multiple_of(LANES);
        for &group in self.groups {
            let points = if S::most_points(group) >= 8 { 8 } else { 4 };
            let (own, later) = sums.split_at_mut(places * group);
            sums = later;
            for start in (0..self.inputs).step_by(points) {
                let job = Outer {
                    input: &self.input[start / LANES * self.block_lens[0]..],
                    lane: start % LANES,
                    gradient: &self.gradient[first * self.block_lens[1]..],
                    block_len: self.block_lens[1],
                    step: self.step,
                    count: self.count,
                    sums: &mut own[start * group..][..points * group],
                };
                simd.tile(group, points, job);
            }
            first += group;
        }
    }
}

/// The products of a few inputs with a group of blocks of gradients.
struct Outer<'a> {
    input: &'a [Lanes<f32>],
    /// The first of the inputs in its block.
    lane: usize,
    gradient: &'a [Lanes<f32>],
    block_len: usize,
    step: usize,
    count: usize,
    sums: &'a mut [Lanes<f32>],
}

#[expect(
    clippy::needless_range_loop,
    reason = "loops of known length over indices are unrolled, so that sums stay in registers"
)]
impl Tile for Outer<'_> {
    #[inline(always)]
    fn run<S: Simd, const BLOCKS: usize, const POINTS: usize>(self, simd: S) {
        let (places, _) = self.sums.as_chunks_mut::<BLOCKS>();
        let mut sums = [[simd.splat(0.0); POINTS]; BLOCKS];
        for point in 0..POINTS {
            for block in 0..BLOCKS {
                sums[block][point] = simd.load(&places[point][block]);
            }
        }
        for item in 0..self.count {
            let at = item * self.step;
            let numbers = &self.input[at].0[self.lane..];
            let Some(numbers) = numbers.first_chunk::<POINTS>() else {
                return;
            };
            let mut factors = [simd.splat(0.0); BLOCKS];
            for block in 0..BLOCKS {
                factors[block] = simd.load(&self.gradient[block * self.block_len + at]);
            }
            for point in 0..POINTS {
                let number = simd.splat(numbers[point]);
                for block in 0..BLOCKS {
                    sums[block][point] = simd.mul_add(number, factors[block], sums[block][point]);
                }
            }
        }
        for point in 0..POINTS {
            for block in 0..BLOCKS {
                simd.store(sums[block][point], &mut places[point][block]);
            }
        }
    }
}
