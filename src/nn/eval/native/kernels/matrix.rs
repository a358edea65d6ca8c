//! Products of points in a row with a matrix, in the tiles of a [convolution](super::conv) or of attention; and the
//! order of weights.

use super::arithmetic::{Arithmetic, Line, Register, UNROLLED};
use super::simd::{LANES, Simd, points};

/// Adds the products of some points, whose blocks of channels are `stride` lines apart, with all these
/// weights, and prefetches a line of the weights `ahead` for each line of an iteration.
#[expect(
    clippy::needless_range_loop,
    reason = "loops of known length over indices are unrolled, so that sums stay in registers"
)]
#[inline(always)]
pub(super) fn add_products<A: Arithmetic, S: Simd, const BLOCKS: usize, const POINTS: usize>(
    simd: S,
    (mut input, stride): (&[A::Input], usize),
    weights: &[A::Line],
    ahead: &mut &[A::Line],
    sums: &mut [[Register<A, S>; POINTS]; BLOCKS],
) {
    let (mut lines, _) = weights.as_chunks::<BLOCKS>();
    loop {
        let window = points::<_, POINTS>(input, 0);
        for start in (0..LANES / A::CHANNELS).step_by(UNROLLED) {
            let Some((few, rest)) = lines.split_first_chunk::<UNROLLED>() else {
                return;
            };
            lines = rest;
            if let Some((line, later)) = ahead.split_first() {
                simd.prefetch(line);
                *ahead = later;
            }
            for i in 0..UNROLLED {
                let mut factors = [A::Line::zero(simd); BLOCKS];
                for block in 0..BLOCKS {
                    factors[block] = few[i][block].load(simd);
                }
                for point in 0..POINTS {
                    let input = A::splat(simd, &window[point], start + i);
                    for block in 0..BLOCKS {
                        let sum = &mut sums[block][point];
                        *sum = A::add_product(simd, *sum, input, factors[block]);
                    }
                }
            }
        }
        if lines.is_empty() {
            return;
        }
        input = &input[stride..];
    }
}

/// Order of the lines of weights. A line has `LANES` outputs of a block, for one step of inputs at
/// one tap of the kernel or one frequency of its transform.
#[derive(Debug, Clone, Copy)]
pub struct WeightOrder<'a> {
    /// Blocks of outputs that are computed together, group after group.
    pub groups: &'a [usize],
    /// Input channels.
    pub inputs: usize,
    /// Taps, or frequencies.
    pub taps: usize,
    /// Input channels of a step.
    pub channels: usize,
    /// Whether a tap is read for all blocks of inputs before the next tap, as frequencies are;
    /// otherwise a block of inputs is read for all taps.
    pub by_tap: bool,
}

impl WeightOrder<'_> {
    /// Number of lines.
    pub fn lines(&self) -> usize {
        let steps = self.inputs.next_multiple_of(self.channels * UNROLLED) / self.channels;
        self.groups.iter().sum::<usize>() * steps * self.taps
    }

    /// Calls `line` with the block of outputs, the first input and the tap of each line. Inputs past
    /// the last have no weights: their lines are zero.
    pub fn each(&self, mut line: impl FnMut(usize, usize, usize)) {
        let blocks = self.inputs.div_ceil(LANES);
        let mut first = 0;
        for &group in self.groups {
            for step in 0..blocks * self.taps {
                let (block, tap) = match self.by_tap {
                    true => (step % blocks, step / blocks),
                    false => (step / self.taps, step % self.taps),
                };
                let start = block * LANES;
                let left = (self.inputs - start).min(LANES);
                let end = start + left.next_multiple_of(self.channels * UNROLLED);
                for input in (start..end).step_by(self.channels) {
                    (first..first + group).for_each(|outputs| line(outputs, input, tap));
                }
            }
            first += group;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_weight_is_read_once_in_either_order() {
        for by_tap in [false, true] {
            let order = WeightOrder {
                groups: &[2, 1],
                inputs: LANES + 3,
                taps: 9,
                channels: 1,
                by_tap,
            };
            let mut seen = Vec::new();
            order.each(|outputs, input, tap| seen.push((outputs, input, tap)));
            assert_eq!(seen.len(), order.lines());
            let (first, second) = (seen[0], seen[1]);
            assert_eq!(
                [first, second],
                [(0, 0, 0), (1, 0, 0)],
                "a group side by side"
            );
            let next_block = seen.iter().position(|line| line.1 == LANES);
            let next_tap = seen.iter().position(|line| line.2 == 1);
            assert_eq!(next_block < next_tap, by_tap);
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), order.lines());
        }
    }
}
