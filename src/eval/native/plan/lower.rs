//! Takes operations together and gives every result its place.

use super::super::graph::{Conv, Graph, Node, Op, Shape, Steps, ValueId, Weights};
use super::super::grid::Grid;
use super::super::kernels::{LANES, Level, Line};
use super::pack::{Kernels, line_up};
use super::{ConvStep, MapPart, Plan, Room, Rounded, Step, Target, VectorPart};

/// Weights of a chunk of input channels, in bytes: half of the smallest first-level caches, so that
/// they stay there while the board passes by.
const CHUNK_BYTES: usize = 20 << 10;

/// An evaluator's memory, in bytes: networks beyond are not for this backend.
const MOST_MEMORY: usize = 256 << 20;

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
            Op::Conv(conv) => Some(conv.kernel[0].max(conv.kernel[1]) / 2),
            _ => None,
        });
        let mut lowering = Lowering {
            graph,
            grid: Grid::new(size[0], size[1], kernels.max().unwrap_or(0)),
            level,
            readers: readers(graph),
            done: vec![false; graph.nodes.len()],
            places: vec![None; graph.values.len()],
            buffers: Vec::new(),
            room: Room::default(),
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
        let policy = lowering.vector(graph.policy)?;
        let value = lowering.vector(graph.value)?;
        Ok(Plan {
            grid: lowering.grid,
            steps: lowering.steps,
            floats: lowering.floats,
            integers: lowering.integers,
            products: products(graph, size[0] * size[1]),
            room: lowering.room,
            planes,
            policy,
            value,
        })
    }
}

fn products(graph: &Graph, area: usize) -> u64 {
    let products = graph.nodes.iter().map(|node| match &node.op {
        Op::Conv(conv) => area * conv.kernel[0] * conv.kernel[1] * conv.inputs * conv.bias.len(),
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

/// Where a value is.
#[derive(Debug, Clone, Copy)]
enum Place {
    Map {
        buffer: usize,
        first_block: usize,
        channels: usize,
    },
    Vector(VectorPart),
}

/// Maps that were made together.
#[derive(Debug)]
struct Buffer {
    numbers: Option<usize>,
    bytes: Option<usize>,
    /// Reads that are still to come.
    left: usize,
}

struct Lowering<'a> {
    graph: &'a Graph,
    grid: Grid,
    level: Level,
    readers: Vec<Vec<usize>>,
    done: Vec<bool>,
    places: Vec<Option<Place>>,
    buffers: Vec<Buffer>,
    room: Room,
    steps: Vec<Step>,
    floats: Vec<Line<f32>>,
    integers: Vec<Line<[i8; 4]>>,
}

/// What a convolution takes in of the operations behind it.
struct Tail {
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
            Op::Conv(conv) => self.convolutions(index, conv),
            Op::Relu | Op::Add => self.combine(index, node),
            Op::Pool(kind) => {
                let input = self.numbers(node.inputs[0])?;
                let out = self.new_vector(node.output, input.channels);
                self.steps.push(Step::Pool {
                    kind: *kind,
                    input,
                    out,
                });
                self.release(node.inputs[0]);
                Ok(())
            }
            Op::Dense(dense) => {
                let input = self.vector(node.inputs[0])?;
                let tail = self.tail(index, false);
                let outputs = dense.bias.len();
                let rows = dense.weights.chunks(outputs).flat_map(line_up);
                let mut weights: Vec<_> = rows.collect();
                let lines = outputs.div_ceil(LANES);
                weights.resize(input.len.div_ceil(LANES) * LANES * lines, Line::default());
                let bias = line_up(&dense.bias);
                let out = self.new_vector(tail.value, outputs);
                let floor = floor(tail.relu);
                self.steps.push(Step::Dense {
                    input,
                    weights,
                    bias,
                    floor,
                    out,
                });
                self.finish(&tail);
                Ok(())
            }
            Op::Concat => {
                let inputs = node.inputs.iter().map(|&input| self.vector(input));
                let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
                let len = inputs.iter().map(|input| input.len).sum();
                let out = self.new_vector(node.output, len);
                self.steps.push(Step::Concat { inputs, out });
                Ok(())
            }
            Op::Flatten => {
                let input = self.numbers(node.inputs[0])?;
                let area = self.grid.width * self.grid.height;
                let out = self.new_vector(node.output, input.channels * area);
                self.steps.push(Step::Flatten { input, out });
                self.release(node.inputs[0]);
                Ok(())
            }
        }
    }

    /// The nodes behind a node that can be computed with it.
    fn tail(&self, index: usize, with_residual: bool) -> Tail {
        let mut tail = Tail {
            residual: None,
            relu: false,
            value: self.graph.nodes[index].output,
            nodes: vec![index],
        };
        while let (&[reader], false) = (&self.readers[tail.value][..], tail.relu) {
            let node = &self.graph.nodes[reader];
            match node.op {
                Op::Relu => tail.relu = true,
                Op::Add if with_residual && tail.residual.is_none() => {
                    let others = node.inputs.iter().find(|&&input| input != tail.value);
                    let is_map =
                        |other: &&ValueId| matches!(self.places[**other], Some(Place::Map { .. }));
                    let Some(&other) = others.filter(is_map) else {
                        break;
                    };
                    tail.residual = Some(other);
                }
                _ => break,
            }
            tail.value = node.output;
            tail.nodes.push(reader);
        }
        tail
    }

    fn finish(&mut self, tail: &Tail) {
        for &node in &tail.nodes {
            self.done[node] = true;
        }
    }

    /// A convolution, with all others of the same input that can be computed with it.
    fn convolutions(&mut self, index: usize, conv: &'a Conv) -> Result<(), String> {
        let input = self.graph.nodes[index].inputs[0];
        let parts = self.parts(index, conv);
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
        let [scale, bias, floor] = epilogue(&parts);
        let step = ConvStep {
            input: if is_integer {
                self.bytes(input)?
            } else {
                self.numbers(input)?
            },
            chunk: (CHUNK_BYTES / bytes).max(1),
            weights: self.pack(&parts, &groups),
            residual: residual.map(|value| self.numbers(value)).transpose()?,
            target: self.target(parts.iter().map(|(_, tail)| tail))?,
            taps,
            groups,
            scale,
            bias,
            floor,
        };
        self.steps.push(if is_integer {
            Step::Integer(step)
        } else {
            Step::Float(step)
        });
        for (_, tail) in &parts {
            self.finish(tail);
            self.release(input);
        }
        if let Some(residual) = residual {
            self.release(residual);
        }
        Ok(())
    }

    /// A convolution and those that can be computed with it.
    fn parts(&self, index: usize, conv: &'a Conv) -> Vec<(&'a Conv, Tail)> {
        let first = self.tail(index, true);
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
                parts.push((second, self.tail(other, false)));
            }
        }
        parts
    }

    /// Puts the weights of convolutions behind all others, and says where they begin.
    fn pack(&mut self, parts: &[(&Conv, Tail)], groups: &[usize]) -> usize {
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
            let input = self.vector(node.inputs[0])?;
            let out = self.new_vector(node.output, len);
            self.steps.push(Step::Relu { input, out });
            return Ok(());
        }
        let first = self.numbers(node.inputs[0])?;
        let (mut second, mut bias) = (None, None);
        match node.inputs.get(1) {
            Some(&input) if matches!(self.graph.values[input], Shape::Vector(_)) => {
                bias = Some(self.vector(input)?);
            }
            Some(&input) => second = Some(self.numbers(input)?),
            None => {}
        }
        let tail = self.tail(index, false);
        let floor = floor(is_relu || tail.relu);
        let target = self.target(std::iter::once(&tail))?;
        self.steps.push(Step::Combine {
            first,
            second,
            bias,
            floor,
            target,
        });
        self.finish(&tail);
        for &input in &node.inputs {
            self.release(input);
        }
        Ok(())
    }

    /// Room for maps that are made together, as their readers want them.
    fn target<'t>(&mut self, tails: impl Iterator<Item = &'t Tail>) -> Result<Target, String> {
        let (mut borders, mut left, mut wants_numbers) = (Vec::new(), 0, false);
        let (mut inverse, mut zero) = (Vec::new(), Vec::new());
        let buffer = self.buffers.len();
        let mut is_rounded = false;
        for tail in tails {
            let Shape::Map(channels) = self.graph.values[tail.value] else {
                return Err("a vector is made like a map".to_owned());
            };
            let (steps, reads_numbers) = self.wanted(tail.value)?;
            wants_numbers |= reads_numbers;
            is_rounded |= steps.is_some();
            left += self.readers[tail.value].len();
            let place = Place::Map {
                buffer,
                first_block: borders.len(),
                channels,
            };
            self.places[tail.value] = Some(place);
            let steps = steps.map_or((0.0, 0), |steps| (1.0 / steps.scale, steps.zero));
            for _ in 0..channels.div_ceil(LANES) {
                borders.push(steps.1);
                inverse.push(Line([steps.0; LANES]));
                zero.push(Line([steps.1.into(); LANES]));
            }
        }
        let blocks = borders.len();
        let numbers = wants_numbers.then(|| self.room.take_numbers(blocks));
        let bytes = is_rounded.then(|| self.room.take_bytes(borders));
        self.buffers.push(Buffer {
            numbers,
            bytes,
            left,
        });
        self.check_memory()?;
        Ok(Target {
            numbers,
            rounded: bytes.map(|slot| Rounded {
                slot,
                inverse,
                zero,
            }),
        })
    }

    fn check_memory(&self) -> Result<(), String> {
        let lines: usize = self.room.numbers.iter().sum();
        let bytes: usize = self.room.bytes.iter().map(Vec::len).sum();
        let needed = self.grid.len.saturating_mul(lines * 64 + bytes * 16);
        if needed > MOST_MEMORY {
            return Err(format!("it needs {} MiB a thread", needed >> 20));
        }
        Ok(())
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

    /// Room for the planes.
    fn planes(&mut self) -> Result<MapPart, String> {
        let tail = Tail {
            residual: None,
            relu: false,
            value: self.graph.input,
            nodes: Vec::new(),
        };
        if self.wanted(tail.value)?.0.is_some() {
            return Err("its input is rounded".to_owned());
        }
        self.target(std::iter::once(&tail))?;
        self.numbers(self.graph.input)
    }

    fn new_vector(&mut self, value: ValueId, len: usize) -> usize {
        let slot = self.room.take_vector(len);
        self.places[value] = Some(Place::Vector(VectorPart { slot, len }));
        slot
    }

    fn vector(&self, value: ValueId) -> Result<VectorPart, String> {
        match self.places[value] {
            Some(Place::Vector(part)) => Ok(part),
            _ => Err("a map is read as a vector".to_owned()),
        }
    }

    /// A map in f32.
    fn numbers(&self, value: ValueId) -> Result<MapPart, String> {
        self.map(value, |buffer| buffer.numbers)
    }

    /// A map in bytes.
    fn bytes(&self, value: ValueId) -> Result<MapPart, String> {
        self.map(value, |buffer| buffer.bytes)
    }

    fn map(&self, value: ValueId, slot: fn(&Buffer) -> Option<usize>) -> Result<MapPart, String> {
        if let Some(Place::Map {
            buffer,
            first_block,
            channels,
        }) = self.places[value]
            && let Some(slot) = slot(&self.buffers[buffer])
        {
            return Ok(MapPart {
                slot,
                first_block,
                channels,
            });
        }
        Err("a map is read that is not there".to_owned())
    }

    /// One reader of a map has read it.
    fn release(&mut self, value: ValueId) {
        if let Some(Place::Map { buffer, .. }) = self.places[value] {
            let buffer = &mut self.buffers[buffer];
            buffer.left -= 1;
            if buffer.left == 0 {
                if let Some(slot) = buffer.numbers {
                    self.room.free_numbers(slot);
                }
                if let Some(slot) = buffer.bytes {
                    self.room.free_bytes(slot);
                }
            }
        }
    }
}

fn floor(relu: bool) -> f32 {
    if relu { 0.0 } else { f32::NEG_INFINITY }
}

/// Scale, bias and floor of each block.
fn epilogue(parts: &[(&Conv, Tail)]) -> [Vec<Line<f32>>; 3] {
    let mut lines = [const { Vec::new() }; 3];
    for (conv, tail) in parts {
        let (scale, bias) = scale_and_bias(conv);
        lines[0].extend(line_up(&scale));
        lines[1].extend(line_up(&bias));
        lines[2].extend(line_up(&vec![floor(tail.relu); bias.len()]));
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

/// What a sum of products is worth, and what is added: with a zero of its own, an input says more
/// than it should by zero times all weights, and so does the border, which is filled with it.
fn scale_and_bias(conv: &Conv) -> (Vec<f32>, Vec<f32>) {
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
