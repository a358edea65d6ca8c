//! Takes operations together: from the nodes of a graph to the steps of a plan.

use super::super::graph::{Conv, Graph, Node, Op, Shape, Steps, ValueId, Weights};
use super::super::grid::Grid;
use super::super::kernels::{FREQUENCIES, LANES, Level, Line, kernel_frequencies};
use super::pack::{Kernels, line_up, scale_and_bias};
use super::results::{NewMap, Results};
use super::{ConvStep, MapPart, Plan, Step, Target};

/// Weights of a chunk of input channels, in bytes: half of the smallest first-level caches, so that
/// they stay there while the board passes by.
const CHUNK_BYTES: usize = 20 << 10;

impl Plan {
    /// The plan for a board of this width and height, on this kind of processor.
    ///
    /// # Errors
    /// In words, when the network is too large for this backend.
    pub(in super::super) fn new(
        graph: &Graph,
        size: [usize; 2],
        level: Level,
    ) -> Result<Plan, String> {
        let kernels = graph.nodes.iter().filter_map(|node| match &node.op {
            Op::Conv(conv) | Op::Depthwise(conv) => Some(conv.kernel[0].max(conv.kernel[1]) / 2),
            _ => None,
        });
        let grid = Grid::new(size[0], size[1], kernels.max().unwrap_or(0));
        let mut lowering = Lowering {
            graph,
            grid,
            level,
            readers: readers(graph),
            done: vec![false; graph.nodes.len()],
            results: Results::new(graph.values.len(), grid.len),
            steps: Vec::new(),
            floats: Vec::new(),
            integers: Vec::new(),
        };
        let planes = lowering.planes()?;
        for node in 0..graph.nodes.len() {
            if !lowering.done[node] {
                lowering.node(node)?;
            }
        }
        let outputs = graph.outputs.iter();
        let outputs = outputs.map(|&value| lowering.results.vector(value));
        let outputs = outputs.collect::<Result<_, _>>()?;
        Ok(Plan {
            grid: lowering.grid,
            steps: lowering.steps,
            floats: lowering.floats,
            integers: lowering.integers,
            products: products(graph, size[0] * size[1]),
            layout: lowering.results.into_layout(),
            planes,
            outputs,
        })
    }
}

fn products(graph: &Graph, area: usize) -> u64 {
    let products = graph.nodes.iter().map(|node| match &node.op {
        Op::Conv(conv) | Op::Depthwise(conv) => {
            area * conv.kernel[0] * conv.kernel[1] * conv.inputs * conv.bias.len()
        }
        Op::Dense(dense) => dense.weights.len(),
        _ => 0,
    });
    products.map(|products| products as u64).sum()
}

/// The nodes that read each value; a node that reads it twice is there twice.
fn readers(graph: &Graph) -> Vec<Vec<usize>> {
    let mut readers = vec![Vec::new(); graph.values.len()];
    for (index, node) in graph.nodes.iter().enumerate() {
        for &input in &node.inputs {
            readers[input].push(index);
        }
    }
    readers
}

struct Lowering<'a> {
    graph: &'a Graph,
    grid: Grid,
    level: Level,
    readers: Vec<Vec<usize>>,
    done: Vec<bool>,
    results: Results,
    steps: Vec<Step>,
    floats: Vec<Line<f32>>,
    integers: Vec<Line<[i8; 4]>>,
}

/// What a convolution takes in of the operations behind it.
struct Fused {
    residual: Option<ValueId>,
    relu: bool,
    /// The value that is left at the end.
    value: ValueId,
    /// The nodes that are thereby done.
    nodes: Vec<usize>,
}

impl<'a> Lowering<'a> {
    fn node(&mut self, index: usize) -> Result<(), String> {
        let node = &self.graph.nodes[index];
        match &node.op {
            Op::Conv(conv) => {
                let parts = self.parts(index, conv);
                self.convolutions(node.inputs[0], &parts)
            }
            Op::Depthwise(conv) => {
                let fused = self.fused(index, true);
                self.depthwise(node.inputs[0], (conv, fused))
            }
            Op::Relu | Op::Add => self.combine(index, node),
            Op::Pool(kind) => {
                let input = self.results.numbers(node.inputs[0])?;
                let out = self.results.new_vector(node.output, input.channels);
                self.steps.push(Step::Pool {
                    kind: *kind,
                    input,
                    out,
                });
                self.results.release(node.inputs[0]);
                Ok(())
            }
            Op::Dense(dense) => {
                let input = self.results.vector(node.inputs[0])?;
                let fused = self.fused(index, false);
                let outputs = dense.bias.len();
                let rows = dense.weights.chunks(outputs).flat_map(line_up);
                let mut weights: Vec<_> = rows.collect();
                let lines = outputs.div_ceil(LANES);
                weights.resize(input.len.div_ceil(LANES) * LANES * lines, Line::default());
                let bias = line_up(&dense.bias);
                let out = self.results.new_vector(fused.value, outputs);
                let floor = floor(fused.relu);
                self.steps.push(Step::Dense {
                    input,
                    weights,
                    bias,
                    floor,
                    out,
                });
                self.finish(&fused);
                Ok(())
            }
            Op::Concat => {
                let inputs = node.inputs.iter().map(|&input| self.results.vector(input));
                let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
                let len = inputs.iter().map(|input| input.len).sum();
                let out = self.results.new_vector(node.output, len);
                self.steps.push(Step::Concat { inputs, out });
                Ok(())
            }
            Op::Scale(factor) => {
                let input = self.results.vector(node.inputs[0])?;
                let out = self.results.new_vector(node.output, input.len);
                let factor = *factor;
                self.steps.push(Step::Scale { input, factor, out });
                Ok(())
            }
            Op::Flatten => {
                let input = self.results.numbers(node.inputs[0])?;
                let area = self.grid.width * self.grid.height;
                let out = self.results.new_vector(node.output, input.channels * area);
                self.steps.push(Step::Flatten { input, out });
                self.results.release(node.inputs[0]);
                Ok(())
            }
        }
    }

    /// The nodes behind a node that can be computed with it.
    fn fused(&self, index: usize, with_residual: bool) -> Fused {
        let mut fused = Fused {
            residual: None,
            relu: false,
            value: self.graph.nodes[index].output,
            nodes: vec![index],
        };
        while let (&[reader], false) = (&self.readers[fused.value][..], fused.relu) {
            let node = &self.graph.nodes[reader];
            match node.op {
                Op::Relu => fused.relu = true,
                Op::Add if with_residual && fused.residual.is_none() => {
                    let others = node.inputs.iter().find(|&&input| input != fused.value);
                    let Some(&other) = others.filter(|&&other| self.results.is_map(other)) else {
                        break;
                    };
                    fused.residual = Some(other);
                }
                _ => break,
            }
            fused.value = node.output;
            fused.nodes.push(reader);
        }
        fused
    }

    fn finish(&mut self, fused: &Fused) {
        for &node in &fused.nodes {
            self.done[node] = true;
        }
    }

    /// A convolution, with all others of the same input that can be computed with it.
    fn convolutions(&mut self, input: ValueId, parts: &[(&Conv, Fused)]) -> Result<(), String> {
        let conv = parts[0].0;
        let residual = parts[0].1.residual;
        let blocks = parts
            .iter()
            .map(|(conv, _)| conv.bias.len().div_ceil(LANES));
        let is_integer = matches!(conv.weights, Weights::Integer { .. });
        let groups = self.level.groups(blocks.sum());
        let taps = self.grid.taps(conv.kernel);
        let widest = groups.iter().max().copied().unwrap_or(1);
        let steps = LANES / if is_integer { 4 } else { 1 };
        let bytes = taps.len() * steps * widest * size_of::<Line<f32>>();
        let [scale, bias, floor] = epilogue(parts);
        let step = ConvStep {
            input: if is_integer {
                self.results.bytes(input)?
            } else {
                self.results.numbers(input)?
            },
            chunk: (CHUNK_BYTES / bytes).max(1),
            weights: self.pack(parts, &groups),
            residual: residual
                .map(|value| self.results.numbers(value))
                .transpose()?,
            target: self.target(parts.iter().map(|(_, fused)| fused))?,
            taps,
            groups,
            scale,
            bias,
            floor,
        };
        self.steps.push(if is_integer {
            Step::Integer(step)
        } else if self.in_frequencies(conv) {
            Step::Winograd(step)
        } else {
            Step::Float(step)
        });
        for (_, fused) in parts {
            self.finish(fused);
            self.results.release(input);
        }
        if let Some(residual) = residual {
            self.results.release(residual);
        }
        Ok(())
    }

    /// A convolution of each channel by itself.
    fn depthwise(&mut self, input: ValueId, part: (&Conv, Fused)) -> Result<(), String> {
        let parts = [part];
        let (conv, fused) = &parts[0];
        let taps = self.grid.taps(conv.kernel);
        let Weights::Float(numbers) = &conv.weights else {
            return Err("it is in bytes".to_owned());
        };
        let channels = conv.bias.len();
        let weights = self.floats.len();
        for first in (0..channels).step_by(LANES) {
            for tap in 0..taps.len() {
                let mut line = Line::default();
                for (lane, weight) in line.0[..LANES.min(channels - first)].iter_mut().enumerate() {
                    *weight = numbers[(first + lane) * taps.len() + tap];
                }
                self.floats.push(line);
            }
        }
        let [scale, bias, floor] = epilogue(&parts);
        let step = ConvStep {
            input: self.results.numbers(input)?,
            chunk: 1,
            groups: vec![1; channels.div_ceil(LANES)],
            weights,
            residual: fused
                .residual
                .map(|value| self.results.numbers(value))
                .transpose()?,
            target: self.target(std::iter::once(fused))?,
            taps,
            scale,
            bias,
            floor,
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
    fn parts(&self, index: usize, conv: &'a Conv) -> Vec<(&'a Conv, Fused)> {
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

    /// Puts the weights of convolutions behind all others, and says where they begin.
    fn pack(&mut self, parts: &[(&Conv, Fused)], groups: &[usize]) -> usize {
        let conv = parts[0].0;
        let taps = conv.kernel[0] * conv.kernel[1];
        let (mut floats, mut integers) = (Vec::new(), Vec::new());
        for (conv, _) in parts {
            match &conv.weights {
                Weights::Float(weights) => floats.push((&weights[..], conv.bias.len())),
                Weights::Integer { weights, .. } => {
                    integers.push((&weights[..], conv.bias.len()));
                }
            }
        }
        let inputs = conv.inputs;
        if self.in_frequencies(conv) {
            let kernels: Vec<_> = floats
                .iter()
                .map(|(weights, _)| frequencies(weights))
                .collect();
            let parts = kernels.iter().zip(&floats);
            let kernels = Kernels {
                parts: parts
                    .map(|(weights, part)| (&weights[..], part.1))
                    .collect(),
                inputs,
                taps: FREQUENCIES,
            };
            self.floats
                .extend(kernels.packed_by_tap(groups, |[weight]| weight));
            return self.floats.len() - kernels.lines(groups, 1);
        }
        if integers.is_empty() {
            let kernels = Kernels {
                parts: floats,
                inputs,
                taps,
            };
            self.floats
                .extend(kernels.packed(groups, |[weight]: [f32; 1]| weight));
            return self.floats.len() - kernels.lines(groups, 1);
        }
        let kernels = Kernels {
            parts: integers,
            inputs,
            taps,
        };
        self.integers
            .extend(kernels.packed(groups, |weights: [i8; 4]| weights));
        self.integers.len() - kernels.lines(groups, 4)
    }

    /// Whether Winograd's way is shorter for a convolution.
    fn in_frequencies(&self, conv: &Conv) -> bool {
        let is_float = matches!(conv.weights, Weights::Float(_));
        let [rows, columns] = self.grid.tiles();
        let products = FREQUENCIES * rows * columns;
        is_float && conv.kernel == [3, 3] && products < 9 * self.grid.width * self.grid.height
    }

    /// Whether the only reader of a value adds a map to it.
    fn is_summed(&self, value: ValueId) -> bool {
        let is_sum = |&reader: &usize| {
            let node = &self.graph.nodes[reader];
            let is_map = |&&input: &&ValueId| matches!(self.graph.values[input], Shape::Map(_));
            matches!(node.op, Op::Add) && node.inputs.iter().filter(is_map).count() == 2
        };
        self.readers[value].iter().all(is_sum)
    }

    /// Sums of maps and vectors, and what remains of ReLUs.
    fn combine(&mut self, index: usize, node: &Node) -> Result<(), String> {
        let is_relu = matches!(node.op, Op::Relu);
        if let (true, Shape::Vector(len)) = (is_relu, self.graph.values[node.inputs[0]]) {
            let input = self.results.vector(node.inputs[0])?;
            let out = self.results.new_vector(node.output, len);
            self.steps.push(Step::Relu { input, out });
            return Ok(());
        }
        let first = self.results.numbers(node.inputs[0])?;
        let (mut second, mut bias) = (None, None);
        match node.inputs.get(1) {
            Some(&input) if matches!(self.graph.values[input], Shape::Vector(_)) => {
                bias = Some(self.results.vector(input)?);
            }
            Some(&input) => second = Some(self.results.numbers(input)?),
            None => {}
        }
        let fused = self.fused(index, false);
        let floor = floor(is_relu || fused.relu);
        let target = self.target(std::iter::once(&fused))?;
        self.steps.push(Step::Combine {
            first,
            second,
            bias,
            floor,
            target,
        });
        self.finish(&fused);
        for &input in &node.inputs {
            self.results.release(input);
        }
        Ok(())
    }

    /// Memory for maps that are made together, as their readers want them.
    fn target<'t>(&mut self, tails: impl Iterator<Item = &'t Fused>) -> Result<Target, String> {
        let new_map = |fused: &Fused| {
            let Shape::Map(channels) = self.graph.values[fused.value] else {
                return Err("a vector is made like a map".to_owned());
            };
            let (steps, reads_numbers) = self.wanted(fused.value)?;
            Ok(NewMap {
                value: fused.value,
                channels,
                steps,
                reads_numbers,
                readers: self.readers[fused.value].len(),
            })
        };
        let maps = tails.map(new_map).collect::<Result<Vec<_>, String>>()?;
        self.results.new_maps(&maps)
    }

    /// The steps in which integer convolutions read a value, and whether anybody reads its numbers.
    fn wanted(&self, value: ValueId) -> Result<(Option<Steps>, bool), String> {
        let (mut wanted, mut numbers) = (None, false);
        for &reader in &self.readers[value] {
            match &self.graph.nodes[reader].op {
                Op::Conv(Conv {
                    weights: Weights::Integer { steps, .. },
                    ..
                }) => {
                    if wanted.is_some_and(|wanted| wanted != *steps) {
                        return Err("a tensor is rounded in two ways".to_owned());
                    }
                    wanted = Some(*steps);
                }
                _ => numbers = true,
            }
        }
        Ok((wanted, numbers))
    }

    /// Memory for the planes.
    fn planes(&mut self) -> Result<MapPart, String> {
        let fused = Fused {
            residual: None,
            relu: false,
            value: self.graph.input,
            nodes: Vec::new(),
        };
        if self.wanted(fused.value)?.0.is_some() {
            return Err("its input is rounded".to_owned());
        }
        self.target(std::iter::once(&fused))?;
        self.results.numbers(self.graph.input)
    }
}

/// Kernels of 3x3 in frequencies.
fn frequencies(weights: &[f32]) -> Vec<f32> {
    weights
        .chunks_exact(9)
        .flat_map(kernel_frequencies)
        .collect()
}

fn floor(relu: bool) -> f32 {
    if relu { 0.0 } else { f32::NEG_INFINITY }
}

/// Scale, bias and floor of each block.
fn epilogue(parts: &[(&Conv, Fused)]) -> [Vec<Line<f32>>; 3] {
    let mut lines = [const { Vec::new() }; 3];
    for (conv, fused) in parts {
        let (scale, bias) = scale_and_bias(conv);
        lines[0].extend(line_up(&scale));
        lines[1].extend(line_up(&bias));
        lines[2].extend(line_up(&vec![floor(fused.relu); bias.len()]));
    }
    lines
}

/// Whether two convolutions of the same input can be computed together.
fn alike(a: &Conv, b: &Conv) -> bool {
    let same = matches!(
        (&a.weights, &b.weights),
        (Weights::Float(_), Weights::Float(_)) | (Weights::Integer { .. }, Weights::Integer { .. })
    );
    same && a.kernel == b.kernel
}
