//! Packs weights in the order in which the kernels read them.

use crate::eval::native::graph::{Conv, Weights};
use crate::eval::native::kernels::{LANES, Lanes, WeightOrder};

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

    /// The lines, with input blocks before taps; `join` combines the weights of a step's channels
    /// into one lane.
    pub(super) fn packed<L: Copy + Default, const CHANNELS: usize>(
        &self,
        groups: &[usize],
        join: impl Fn([T; CHANNELS]) -> L,
    ) -> Vec<Lanes<L>> {
        self.packed_in(self.order(groups, CHANNELS, false), join)
    }

    /// The same with taps before input blocks.
    pub(super) fn packed_by_tap<L: Copy + Default, const CHANNELS: usize>(
        &self,
        groups: &[usize],
        join: impl Fn([T; CHANNELS]) -> L,
    ) -> Vec<Lanes<L>> {
        self.packed_in(self.order(groups, CHANNELS, true), join)
    }

    fn order<'a>(&self, groups: &'a [usize], channels: usize, by_tap: bool) -> WeightOrder<'a> {
        WeightOrder {
            groups,
            inputs: self.inputs,
            taps: self.taps,
            channels,
            by_tap,
        }
    }

    fn packed_in<L: Copy + Default, const CHANNELS: usize>(
        &self,
        order: WeightOrder<'_>,
        join: impl Fn([T; CHANNELS]) -> L,
    ) -> Vec<Lanes<L>> {
        let mut lines = Vec::with_capacity(order.lines());
        order.each(|outputs, input, tap| {
            let mut line = Lanes::<L>::default();
            for (lane, weights) in line.0.iter_mut().enumerate() {
                let weight = |i| self.weight(outputs * LANES + lane, input + i, tap);
                *weights = join(std::array::from_fn(weight));
            }
            lines.push(line);
        });
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
