//! Convolutions as steps of a plan, with what can be fused: others of the same input, and the bias,
//! the sum and the ReLU behind them.

use super::super::super::graph::{Conv, Op, ValueId, Weights};
use super::super::super::grid::{Grid, Layout};
use super::super::super::kernels::{Activation, LANES, Lanes, chunk_blocks, kernel_frequencies};
use super::super::pack::{InWords, Kernels, line_up, scale_and_bias};
use super::super::{ConvStep, MapPart, Step};
use super::{Fused, Lowering};

/// How a convolution is computed.
enum Form {
    Float,
    Integer,
    Winograd,
    WinogradOfWords(InWords),
    Words(InWords),
}

impl<'a> Lowering<'a> {
    /// A convolution, with all others of the same input that can be fused with it.
    pub(super) fn convolutions(
        &mut self,
        input: ValueId,
        parts: &[(&Conv, Fused)],
    ) -> Result<(), String> {
        let conv = parts[0].0;
        let residual = parts[0].1.residual;
        let blocks = parts
            .iter()
            .map(|(conv, _)| conv.bias.len().div_ceil(LANES));
        let grid = self.grid(input);
        let form = self.form(parts, grid);
        let is_integer = matches!(conv.weights, Weights::Integer { .. });
        let groups = self.level.groups(blocks.sum());
        let channels = match form {
            Form::Integer => 4,
            Form::Words(_) => 2,
            _ => 1,
        };
        let taps = grid.taps(conv.kernel);
        let ([scale, bias], activations) = epilogue(parts);
        let map = match is_integer {
            true => self.results.bytes(input)?,
            false => self.results.numbers(input)?,
        };
        let step = ConvStep {
            input: MapPart {
                channels: conv.inputs,
                ..map
            },
            chunk: chunk_blocks(
                conv.inputs.div_ceil(LANES),
                taps.len(),
                LANES / channels,
                &groups,
            ),
            weights: self.pack(parts, &groups, &form),
            factors: Vec::new(),
            residual: residual
                .map(|value| self.results.numbers(value))
                .transpose()?,
            norm: self.norms[input],
            has_factors: self.norms[input].is_some() || matches!(form, Form::Words(_)),
            gate: self.gates[input]
                .map(|gate| self.results.numbers(gate))
                .transpose()?,
            target: self.target(parts.iter().map(|(_, fused)| fused))?,
            taps,
            groups,
            scale,
            bias,
            activations,
        };
        self.steps.push(match form {
            Form::Float => Step::Float(step),
            Form::Integer => Step::Integer(step),
            Form::Winograd => Step::Winograd(step),
            Form::WinogradOfWords(kernels) => Step::WinogradOfWords(ConvStep {
                factors: kernels.steps,
                ..step
            }),
            Form::Words(matrices) => Step::Words(ConvStep {
                scale: matrices.steps,
                ..step
            }),
        });
        for (_, fused) in parts {
            self.finish(fused);
            self.results.release(input);
            if let Some(gate) = self.gates[input] {
                self.results.release(gate);
            }
        }
        if let Some(residual) = residual {
            self.results.release(residual);
        }
        Ok(())
    }

    /// A depthwise convolution.
    pub(super) fn depthwise(
        &mut self,
        input: ValueId,
        conv: &Conv,
        fused: Fused,
    ) -> Result<(), String> {
        let parts = [(conv, fused)];
        let (conv, fused) = &parts[0];
        let taps = self.grid(input).taps(conv.kernel);
        let Weights::Float(numbers) = &conv.weights else {
            return Err("it is in bytes".to_owned());
        };
        let channels = conv.bias.len();
        let weights = self.floats.len();
        for first in (0..channels).step_by(LANES) {
            for tap in 0..taps.len() {
                let mut line = Lanes::default();
                for (lane, weight) in line.0[..LANES.min(channels - first)].iter_mut().enumerate() {
                    *weight = numbers[(first + lane) * taps.len() + tap];
                }
                self.floats.push(line);
            }
        }
        let ([scale, bias], activations) = epilogue(&parts);
        let step = ConvStep {
            input: self.results.numbers(input)?,
            chunk: 1,
            groups: vec![1; channels.div_ceil(LANES)],
            weights,
            residual: fused
                .residual
                .map(|value| self.results.numbers(value))
                .transpose()?,
            norm: None,
            gate: None,
            has_factors: false,
            target: self.target(std::iter::once(fused))?,
            taps,
            scale,
            factors: Vec::new(),
            bias,
            activations,
        };
        self.steps.push(Step::Depthwise(step));
        self.finish(fused);
        self.results.release(input);
        if let Some(residual) = fused.residual {
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

    /// The fastest way to compute convolutions of the same input.
    fn form(&self, parts: &[(&Conv, Fused)], grid: Grid) -> Form {
        let conv = parts[0].0;
        // Winograd's algorithm needs fewer products, except on the smallest boards.
        let plain = 9 * grid.width * grid.height;
        let in_frequencies = conv.kernel == [3, 3] && grid.products() < plain;
        match (&conv.weights, in_frequencies) {
            (Weights::Float(_), _) if self.has_words(grid) => {
                Form::Words(InWords::matrices(parts.iter().map(|(conv, _)| *conv)))
            }
            (Weights::Float(_), true) => Form::Winograd,
            (Weights::Float(_), false) => Form::Float,
            (Weights::Integer { .. }, true) if self.level.has_faster_words() => {
                let convs = parts.iter().map(|(conv, _)| *conv);
                let kernels = InWords::kernels(convs, self.board.tile);
                kernels.map_or(Form::Integer, Form::WinogradOfWords)
            }
            (Weights::Integer { .. }, _) => Form::Integer,
        }
    }

    /// Appends the weights of convolutions, and returns their offset.
    fn pack(&mut self, parts: &[(&Conv, Fused)], groups: &[usize], form: &Form) -> usize {
        let conv = parts[0].0;
        let (inputs, taps) = (conv.inputs, conv.kernel[0] * conv.kernel[1]);
        let frequencies = self.board.frequencies();
        let (mut floats, mut integers) = (Vec::new(), Vec::new());
        for (conv, _) in parts {
            match &conv.weights {
                Weights::Float(weights) => floats.push((&weights[..], conv.bias.len())),
                Weights::Integer { weights, .. } => {
                    integers.push((&weights[..], conv.bias.len()));
                }
            }
        }
        let to = &mut self.floats;
        match form {
            Form::Float => Kernels::new(floats, inputs, taps).pack(groups, false, to, |[x]| x),
            Form::Winograd => {
                let tile = self.board.tile;
                let of_part = |&(weights, outputs): &(&[f32], usize)| {
                    let kernels = weights.chunks_exact(9);
                    let weights = kernels.flat_map(|kernel| kernel_frequencies(kernel, tile));
                    (weights.collect::<Vec<_>>(), outputs)
                };
                let parts: Vec<_> = floats.iter().map(of_part).collect();
                let parts = parts
                    .iter()
                    .map(|(weights, outputs)| (&weights[..], *outputs));
                Kernels::new(parts.collect(), inputs, frequencies).pack(groups, true, to, |[x]| x)
            }
            Form::Integer => Kernels::new(integers, inputs, taps).pack(
                groups,
                false,
                &mut self.integers,
                |weights: [i8; 4]| weights,
            ),
            Form::WinogradOfWords(kernels) => Kernels::new(kernels.parts(), inputs, frequencies)
                .pack(groups, true, &mut self.words, |weights: [i16; 2]| weights),
            Form::Words(matrices) => Kernels::new(matrices.parts(), inputs, taps).pack(
                groups,
                false,
                &mut self.words,
                |weights: [i16; 2]| weights,
            ),
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
