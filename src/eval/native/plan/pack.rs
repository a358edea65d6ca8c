//! Packs weights in the order in which the kernels read them.

use crate::eval::native::graph::{Conv, Weights};
use crate::eval::native::kernels::{LANES, Lanes, UNROLLED};

/// Weights `[output, input, tap]` of several convolutions of the same input, each starting with its
/// own block.
pub(super) struct Kernels<'a, T> {
    /// Weights and output channels of each.
    pub(super) parts: Vec<(&'a [T], usize)>,
    pub(super) inputs: usize,
    pub(super) taps: usize,
}

impl<T: Copy + Default> Kernels<'_, T> {
    /// The weight of an output lane, counted over the blocks of all parts.
    fn weight(&self, output: usize, input: usize, tap: usize) -> T {
        let mut start = 0;
        for &(weights, outputs) in &self.parts {
            let end = start + outputs.div_ceil(LANES) * LANES;
            if output < end {
                let output = output - start;
                if output >= outputs || input >= self.inputs {
                    return T::default();
                }
                return weights[(output * self.inputs + input) * self.taps + tap];
            }
            start = end;
        }
        T::default()
    }

    /// Number of lines of [`Kernels::packed`], with this many channels per step.
    pub(super) fn lines(&self, groups: &[usize], channels: usize) -> usize {
        let steps = self.inputs.next_multiple_of(channels * UNROLLED) / channels;
        groups.iter().sum::<usize>() * steps * self.taps
    }

    /// A line of `LANES` outputs for each group, input block, tap, step and block of the group;
    /// `join` combines the weights of a step's channels into one lane.
    pub(super) fn packed<L: Copy + Default, const CHANNELS: usize>(
        &self,
        groups: &[usize],
        join: impl Fn([T; CHANNELS]) -> L,
    ) -> Vec<Lanes<L>> {
        let blocks = (0..self.inputs).step_by(LANES);
        let order = blocks.flat_map(|block| (0..self.taps).map(move |tap| (block, tap)));
        self.packed_in(groups, order, join)
    }

    /// The same for each group, tap, input block, step and block of the group.
    pub(super) fn packed_by_tap<L: Copy + Default>(
        &self,
        groups: &[usize],
        join: impl Fn([T; 1]) -> L,
    ) -> Vec<Lanes<L>> {
        let blocks = |tap| {
            (0..self.inputs)
                .step_by(LANES)
                .map(move |block| (block, tap))
        };
        self.packed_in(groups, (0..self.taps).flat_map(blocks), join)
    }

    /// Lines in a given order of input blocks and taps.
    fn packed_in<L: Copy + Default, const CHANNELS: usize>(
        &self,
        groups: &[usize],
        order: impl Iterator<Item = (usize, usize)> + Clone,
        join: impl Fn([T; CHANNELS]) -> L,
    ) -> Vec<Lanes<L>> {
        let mut lines = Vec::new();
        let mut start = 0;
        for &group in groups {
            for (block, tap) in order.clone() {
                let left = (self.inputs - block).min(LANES);
                let end = block + left.next_multiple_of(CHANNELS * UNROLLED);
                for input in (block..end).step_by(CHANNELS) {
                    for answers in start..start + group {
                        let mut line = Lanes::<L>::default();
                        for (lane, weights) in line.0.iter_mut().enumerate() {
                            let output = answers * LANES + lane;
                            let weight = |i| self.weight(output, input + i, tap);
                            *weights = join(std::array::from_fn(weight));
                        }
                        lines.push(line);
                    }
                }
            }
            start += group;
        }
        lines
    }
}

/// Numbers in lines, padded with zeros.
pub(super) fn line_up(numbers: &[f32]) -> Vec<Lanes<f32>> {
    let lines = numbers.chunks(LANES).map(|part| {
        let mut line = Lanes::default();
        line.0[..part.len()].copy_from_slice(part);
        line
    });
    lines.collect()
}

/// Scale and offset of a sum of products: an input with a zero point contributes zero times all
/// weights too much, and so does the border, which is filled with it.
pub(super) fn scale_and_bias(conv: &Conv) -> (Vec<f32>, Vec<f32>) {
    let Weights::Integer {
        weights,
        scales,
        steps,
    } = &conv.weights
    else {
        return (vec![1.0; conv.bias.len()], conv.bias.clone());
    };
    let scale: Vec<f32> = scales.iter().map(|scale| scale * steps.scale).collect();
    let kernels = weights.chunks(weights.len() / conv.bias.len());
    let bias = conv.bias.iter().zip(&scale).zip(kernels);
    let bias = bias.map(|((bias, scale), kernel)| {
        let sum: i64 = kernel.iter().map(|&weight| i64::from(weight)).sum();
        let excess = f64::from(*scale) * (sum * i64::from(steps.zero)) as f64;
        (f64::from(*bias) - excess) as f32
    });
    let bias = bias.collect();
    (scale, bias)
}
