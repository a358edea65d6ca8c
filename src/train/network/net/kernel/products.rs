//! What gradients of weights are made of: sums of outer products, every input times every output's gradient, and
//! gradients of the outputs of Winograd's algorithm, by tile, as gradients of its frequencies: A m A' with the A' of
//! [`tengen_nn::eval::native::kernels::winograd::transforms`].

use std::f32::consts::{FRAC_1_SQRT_2, SQRT_2};

use tengen_nn::eval::native::grid::Grid;
use tengen_nn::eval::native::kernels::simd::{Job, Simd, Tile};
use tengen_nn::eval::native::kernels::winograd::transforms::Tiles;
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

/// The transposed transform of a row of sums.
pub(super) trait Transposed<const TILE: usize, const PATCH: usize> {
    /// A d: row i of A is (1, a_i, a_i^2, ..), the last row (0, .., 0, 1).
    fn gradient<S: Simd>(simd: S, d: [S::F; TILE]) -> [S::F; PATCH];
}

impl Transposed<3, 5> for Tiles {
    #[inline(always)]
    fn gradient<S: Simd>(simd: S, d: [S::F; 3]) -> [S::F; 5] {
        let minus = simd.splat(-1.0);
        let even = simd.add(d[0], d[2]);
        let at_two = simd.mul_add(d[1], simd.splat(2.0), d[0]);
        [
            d[0],
            simd.add(even, d[1]),
            simd.mul_add(d[1], minus, even),
            simd.mul_add(d[2], simd.splat(4.0), at_two),
            d[2],
        ]
    }
}

impl Transposed<4, 6> for Tiles {
    #[inline(always)]
    fn gradient<S: Simd>(simd: S, d: [S::F; 4]) -> [S::F; 6] {
        let (half, two, minus) = (simd.splat(0.5), simd.splat(2.0), simd.splat(-1.0));
        // At +-a: even and odd terms, of which the odd ones change their sign.
        let inner_even = simd.mul_add(d[2], half, d[0]);
        let inner_odd = simd.mul(simd.mul_add(d[3], half, d[1]), simd.splat(FRAC_1_SQRT_2));
        let outer_even = simd.mul_add(d[2], two, d[0]);
        let outer_odd = simd.mul(simd.mul_add(d[3], two, d[1]), simd.splat(SQRT_2));
        [
            d[0],
            simd.add(inner_even, inner_odd),
            simd.mul_add(inner_odd, minus, inner_even),
            simd.add(outer_even, outer_odd),
            simd.mul_add(outer_odd, minus, outer_even),
            d[3],
        ]
    }
}

/// From a block of gradients to those of its frequencies, tile by tile.
pub(super) struct GradientSpectra<
    'a,
    const TILE: usize,
    const PATCH: usize,
    const FREQUENCIES: usize,
> {
    pub(super) grid: Grid,
    pub(super) map: &'a [Lanes<f32>],
    pub(super) spectra: &'a mut [[Lanes<f32>; FREQUENCIES]],
}

#[expect(
    clippy::needless_range_loop,
    reason = "loops of known length over indices are unrolled, so that rows stay in registers"
)]
impl<const TILE: usize, const PATCH: usize, const FREQUENCIES: usize> Job
    for GradientSpectra<'_, TILE, PATCH, FREQUENCIES>
where
    Tiles: Transposed<TILE, PATCH>,
{
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let [_, columns] = self.grid.tiles();
        for (row, spectra) in self.spectra.chunks_exact_mut(columns).enumerate() {
            for (column, spectrum) in spectra.iter_mut().enumerate() {
                let start = self.grid.at(TILE * row, TILE * column);
                let mut half = [[simd.splat(0.0); PATCH]; TILE];
                for i in 0..TILE {
                    let lines = &self.map[start + i * self.grid.stride..][..TILE];
                    let mut line = [simd.splat(0.0); TILE];
                    for j in 0..TILE {
                        line[j] = simd.load(&lines[j]);
                    }
                    half[i] = Tiles::gradient(simd, line);
                }
                for j in 0..PATCH {
                    let mut line = [simd.splat(0.0); TILE];
                    for i in 0..TILE {
                        line[i] = half[i][j];
                    }
                    let line = Tiles::gradient(simd, line);
                    for i in 0..PATCH {
                        simd.store(line[i], &mut spectrum[PATCH * i + j]);
                    }
                }
            }
        }
    }
}
