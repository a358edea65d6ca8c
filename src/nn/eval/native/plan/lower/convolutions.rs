//! Convolutions as steps of a plan, with what can be fused: others of the same input, and the bias,
//! the sum and the ReLU behind them.

use super::super::super::graph::{Conv, Op, ValueId, Weights};
use super::super::super::grid::{Grid, Layout};
use super::super::super::kernels::simd::joined;
use super::super::super::kernels::{
    Activation, LANES, Lanes, WeightOrder, chunk_blocks, kernel_frequencies,
};
use super::super::pack::{InWords, line_up, pack, scale_and_bias};
use super::super::{ConvKind, ConvStep, Step};
use super::{Fused, Lowering};

impl<'a> Lowering<'a> {
    /// A convolution, with all others of the same input that can be fused with it.
    pub(super) fn convolutions(
        &mut self,
        input: ValueId,
        parts: &[(&Conv, Fused)],
        is_depthwise: bool,
    ) -> Result<(), String> {
        let conv = parts[0].0;
        let (residual, gate) = (parts[0].1.residual, self.gates[input]);
        let blocks = parts
            .iter()
            .map(|(conv, _)| conv.bias.len().div_ceil(LANES));
        let blocks: usize = blocks.sum();
        let grid = self.grid(input);
        let ((kind, words), groups) = match is_depthwise {
            true => ((ConvKind::Depthwise, None), vec![1; blocks]),
            false => (self.kind(parts, grid), self.level.groups(blocks)),
        };
        let step_channels = match kind {
            ConvKind::Integer => 4,
            ConvKind::Words => 2,
            _ => 1,
        };
        let taps = grid.taps(conv.kernel);
        let ([scale, bias], activations) = epilogue(parts);
        let mut map = match conv.weights {
            Weights::Integer { .. } => self.results.bytes(input)?,
            Weights::Float(_) => self.results.numbers(input)?,
        };
        if !is_depthwise {
            map.channels = conv.inputs;
        }
        let weights = self.pack(parts, &groups, kind, words.as_ref());
        let (factors, scale) = match (kind, words) {
            (ConvKind::Words, Some(words)) => (Vec::new(), words.steps),
            (_, words) => (words.map_or(Vec::new(), |words| words.steps), scale),
        };
        let numbers = |value| self.results.numbers(value);
        let step = ConvStep {
            kind,
            input: map,
            chunk: chunk_blocks(
                conv.inputs.div_ceil(LANES),
                taps.len(),
                LANES / step_channels,
                &groups,
            ),
            weights,
            factors,
            residual: residual.map(numbers).transpose()?,
            norm: self.norms[input],
            gate: gate.map(numbers).transpose()?,
            target: self.target(parts.iter().map(|(_, fused)| fused))?,
            taps,
            groups,
            scale,
            bias,
            activations,
        };
        self.steps.push(Step::Conv(step));
        for (_, fused) in parts {
            self.finish(fused);
            self.results.release(input);
            if let Some(gate) = gate {
                self.results.release(gate);
            }
        }
        if let Some(residual) = residual {
            self.results.release(residual);
        }
        Ok(())
    }

    /// A convolution and those that can be computed with it.
    pub(super) fn parts(&self, index: usize, conv: &'a Conv) -> Vec<(&'a Conv, Fused)> {
        let first = self.fused(index, true);
        let is_alone = first.residual.is_some();
        let mut parts = vec![(conv, first)];
        for &other in &self.readers[self.graph.nodes[index].inputs[0]] {
            let node = &self.graph.nodes[other];
            if let Op::Conv(second) = &node.op
                && !is_alone
                && other > index
                && alike(conv, second)
                && !self.is_summed(node.output)
            {
                parts.push((second, self.fused(other, false)));
            }
        }
        parts
    }

    /// Where the points of a value lie.
    fn grid(&self, value: ValueId) -> Grid {
        match self.graph.values[value].layout() {
            Some(Layout::Row) => self.row,
            _ => self.board,
        }
    }

    /// Whether matrices are multiplied in words where points lie so.
    pub(super) fn has_words(&self, grid: Grid) -> bool {
        grid == self.row && self.words_are_wanted && self.level.multiplies_words()
    }

    /// The fastest way to compute convolutions of the same input, and their weights if it is in words.
    fn kind(&self, parts: &[(&Conv, Fused)], grid: Grid) -> (ConvKind, Option<InWords>) {
        let conv = parts[0].0;
        let convs = || parts.iter().map(|(conv, _)| *conv);
        // Winograd's algorithm needs fewer products, except on the smallest boards.
        let plain = 9 * grid.width * grid.height;
        let in_frequencies = conv.kernel == [3, 3] && grid.products() < plain;
        match (&conv.weights, in_frequencies) {
            (Weights::Float(_), _) if self.has_words(grid) => {
                (ConvKind::Words, Some(InWords::matrices(convs())))
            }
            (Weights::Float(_), true) => (ConvKind::Winograd, None),
            (Weights::Float(_), false) => (ConvKind::Float, None),
            (Weights::Integer { .. }, true) if self.level.has_faster_words() => {
                match InWords::kernels(convs(), self.board.tile) {
                    Some(words) => (ConvKind::WinogradOfWords, Some(words)),
                    None => (ConvKind::Integer, None),
                }
            }
            (Weights::Integer { .. }, _) => (ConvKind::Integer, None),
        }
    }

    /// Appends the weights of convolutions, and returns their offset.
    fn pack(
        &mut self,
        parts: &[(&Conv, Fused)],
        groups: &[usize],
        kind: ConvKind,
        words: Option<&InWords>,
    ) -> usize {
        let conv = parts[0].0;
        let (tile, taps) = (self.board.tile, conv.kernel[0] * conv.kernel[1]);
        let order = WeightOrder {
            groups,
            inputs: conv.inputs,
            taps,
            channels: 1,
            by_tap: false,
        };
        let in_frequencies = WeightOrder {
            taps: self.board.frequencies(),
            by_tap: true,
            ..order
        };
        if let Some(words) = words {
            let order = match kind {
                ConvKind::WinogradOfWords => in_frequencies,
                _ => order,
            };
            return pack(&words.parts, order, &mut self.integers, joined);
        }
        let (mut floats, mut integers) = (Vec::new(), Vec::new());
        for (conv, _) in parts {
            match &conv.weights {
                Weights::Float(weights) => floats.push((&weights[..], conv.bias.len())),
                Weights::Integer { weights, .. } => {
                    integers.push((&weights[..], conv.bias.len()));
                }
            }
        }
        let (to, alone) = (&mut self.floats, |[weight]: [f32; 1]| weight);
        match kind {
            ConvKind::Integer => {
                let join = |four: [i8; 4]| i32::from_ne_bytes(four.map(i8::cast_unsigned));
                pack(&integers, order, &mut self.integers, join)
            }
            ConvKind::Winograd => {
                let of_part = |&(weights, outputs): &(&[f32], usize)| {
                    let kernels = weights.chunks_exact(9);
                    let weights = kernels.flat_map(|kernel| kernel_frequencies(kernel, tile));
                    (weights.collect::<Vec<_>>(), outputs)
                };
                let parts: Vec<_> = floats.iter().map(of_part).collect();
                pack(&parts, in_frequencies, to, alone)
            }
            ConvKind::Depthwise => {
                let offset = to.len();
                for (weights, channels) in floats {
                    for first in (0..channels).step_by(LANES) {
                        to.extend((0..taps).map(|tap| {
                            let weight = |lane| weights.get((first + lane) * taps + tap);
                            Lanes(std::array::from_fn(|lane| {
                                weight(lane).copied().unwrap_or(0.0)
                            }))
                        }));
                    }
                }
                offset
            }
            _ => pack(&floats, order, to, alone),
        }
    }

    /// Whether the only reader of a value adds a map to it.
    fn is_summed(&self, value: ValueId) -> bool {
        let is_sum = |&reader: &usize| {
            let node = &self.graph.nodes[reader];
            let is_map = |&&input: &&ValueId| self.graph.values[input].layout().is_some();
            matches!(node.op, Op::Add) && node.inputs.iter().filter(is_map).count() == 2
        };
        self.readers[value].iter().all(is_sum)
    }
}

/// Scale, bias and activation of each block.
fn epilogue(parts: &[(&Conv, Fused)]) -> ([Vec<Lanes<f32>>; 2], Vec<Activation>) {
    let (mut lines, mut activations) = ([const { Vec::new() }; 2], Vec::new());
    for (conv, fused) in parts {
        let (scale, bias) = scale_and_bias(conv);
        lines[0].extend(line_up(&scale));
        lines[1].extend(line_up(&bias));
        activations.resize(lines[1].len(), fused.activation);
    }
    (lines, activations)
}

/// Whether two convolutions of the same input can be computed together.
fn alike(a: &Conv, b: &Conv) -> bool {
    let same = matches!(
        (&a.weights, &b.weights),
        (Weights::Float(_), Weights::Float(_)) | (Weights::Integer { .. }, Weights::Integer { .. })
    );
    same && a.kernel == b.kernel && a.inputs == b.inputs
}
