//! Fuses operations: from the nodes of a graph to the steps of a plan.

mod convolutions;
mod tokens;

use super::super::graph::{Conv, Graph, Node, Op, Shape, Steps, ValueId, Weights};
use super::super::grid::{Grid, Layout};
use super::super::kernels::{Activation, LANES, Lanes, Level};
use super::pack::line_up;
use super::results::{NewMap, Results};
use super::{MapPart, Plan, Step, Target, VectorOp};

impl Plan {
    /// The plan for a board of this width and height, on this kind of processor; with matrices in words
    /// where these are wanted and faster.
    ///
    /// # Errors
    /// A message, when the network is too large for this backend.
    pub(in super::super) fn new(
        graph: &Graph,
        size: [usize; 2],
        level: Level,
        words_are_wanted: bool,
    ) -> Result<Plan, String> {
        let kernels = graph.nodes.iter().filter_map(|node| match &node.op {
            Op::Conv(conv) | Op::Depthwise(conv) => Some(conv.kernel[0].max(conv.kernel[1]) / 2),
            _ => None,
        });
        let board = Grid::new(size[0], size[1], kernels.max().unwrap_or(0));
        let row = Grid::row(size[0] * size[1]);
        let mut lowering = Lowering {
            graph,
            board,
            row,
            level,
            words_are_wanted,
            readers: readers(graph),
            done: vec![false; graph.nodes.len()],
            results: Results::new(graph.values.len(), board.len.max(row.len)),
            norms: vec![None; graph.values.len()],
            gates: vec![None; graph.values.len()],
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
            board,
            row,
            has_words: lowering.has_words(row),
            steps: lowering.steps,
            floats: lowering.floats,
            integers: lowering.integers,
            layout: lowering.results.layout,
            planes,
            outputs,
        })
    }
}

/// The readers of each value; a node that reads it twice is listed twice.
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
    board: Grid,
    row: Grid,
    level: Level,
    words_are_wanted: bool,
    readers: Vec<Vec<usize>>,
    done: Vec<bool>,
    results: Results,
    /// Of values that their readers normalise: the number that is added to the mean square.
    norms: Vec<Option<f32>>,
    /// Of values that their readers multiply: what with.
    gates: Vec<Option<ValueId>>,
    steps: Vec<Step>,
    floats: Vec<Lanes<f32>>,
    integers: Vec<Lanes<i32>>,
}

/// Operations fused into a convolution.
struct Fused {
    residual: Option<ValueId>,
    activation: Activation,
    /// The resulting value.
    value: ValueId,
    /// The fused nodes.
    nodes: Vec<usize>,
}

impl Fused {
    fn new(value: ValueId, nodes: Vec<usize>) -> Fused {
        Fused {
            residual: None,
            activation: Activation::Identity,
            value,
            nodes,
        }
    }
}

impl Lowering<'_> {
    fn node(&mut self, index: usize) -> Result<(), String> {
        let node = &self.graph.nodes[index];
        match &node.op {
            Op::Conv(conv) => {
                let parts = self.parts(index, conv);
                self.convolutions(node.inputs[0], &parts, false)
            }
            Op::Depthwise(conv) => {
                let fused = self.fused(index, true);
                self.convolutions(node.inputs[0], &[(conv, fused)], true)
            }
            Op::Activate(_) | Op::Add => self.combine(index, node),
            Op::Pool(_) | Op::Flatten => {
                let input = self.results.numbers(node.inputs[0])?;
                let (len, op) = match node.op {
                    Op::Pool(kind) => (input.channels, VectorOp::Pool(kind, input)),
                    _ => (input.channels * self.row.len, VectorOp::Flatten(input)),
                };
                self.vector(node.output, len, op)?;
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
                weights.resize(input.len.div_ceil(LANES) * LANES * lines, Lanes::default());
                let bias = line_up(&dense.bias);
                let op = VectorOp::Dense {
                    input,
                    weights,
                    bias,
                    activation: fused.activation,
                };
                self.finish(&fused);
                self.vector(fused.value, outputs, op)
            }
            Op::Concat => {
                let inputs = node.inputs.iter().map(|&input| self.results.vector(input));
                let inputs = inputs.collect::<Result<Vec<_>, _>>()?;
                let len = inputs.iter().map(|input| input.len).sum();
                self.vector(node.output, len, VectorOp::Concat(inputs))
            }
            Op::Scale(factor) => {
                let input = self.results.vector(node.inputs[0])?;
                self.vector(node.output, input.len, VectorOp::Scale(*factor, input))
            }
            Op::Tokens(op) => self.tokens(index, node, op),
        }
    }

    /// A step that makes a value a vector of `len` numbers.
    fn vector(&mut self, value: ValueId, len: usize, op: VectorOp) -> Result<(), String> {
        let out = self.results.new_vector(value, len)?;
        self.steps.push(Step::Vector { op, out });
        Ok(())
    }

    /// The nodes behind a node that can be fused with it.
    fn fused(&self, index: usize, with_residual: bool) -> Fused {
        let mut fused = self.alone(index);
        while let (&[reader], Activation::Identity) =
            (&self.readers[fused.value][..], fused.activation)
        {
            let node = &self.graph.nodes[reader];
            match node.op {
                Op::Activate(activation) => fused.activation = activation,
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

    /// A node with nothing behind it.
    fn alone(&self, index: usize) -> Fused {
        Fused::new(self.graph.nodes[index].output, vec![index])
    }

    fn finish(&mut self, fused: &Fused) {
        for &node in &fused.nodes {
            self.done[node] = true;
        }
    }

    /// Sums of maps and vectors, and remaining ReLUs.
    fn combine(&mut self, index: usize, node: &Node) -> Result<(), String> {
        let own = match node.op {
            Op::Activate(activation) => activation,
            _ => Activation::Identity,
        };
        let has_points = |input: ValueId| self.graph.values[input].layout().is_some();
        if own != Activation::Identity && !has_points(node.inputs[0]) {
            let input = self.results.vector(node.inputs[0])?;
            return self.vector(node.output, input.len, VectorOp::Activate(own, input));
        }
        let first = self.results.numbers(node.inputs[0])?;
        let (mut second, mut bias) = (None, None);
        match node.inputs.get(1) {
            Some(&input) if !has_points(input) => {
                bias = Some(self.results.vector(input)?);
            }
            Some(&input) => second = Some(self.results.numbers(input)?),
            None => {}
        }
        let fused = match own {
            Activation::Identity => self.fused(index, false),
            activation => Fused {
                activation,
                ..self.alone(index)
            },
        };
        let target = self.target(std::iter::once(&fused))?;
        self.steps.push(Step::Combine {
            first,
            second,
            bias,
            activation: fused.activation,
            target,
        });
        self.finish(&fused);
        for &input in &node.inputs {
            self.results.release(input);
        }
        Ok(())
    }

    /// Memory for maps that are made together, in the formats that their readers need.
    fn target<'t>(&mut self, tails: impl Iterator<Item = &'t Fused>) -> Result<Target, String> {
        let new_map = |fused: &Fused| {
            let shape = self.graph.values[fused.value];
            let (Shape::Map(channels) | Shape::Tokens(channels)) = shape else {
                return Err("a vector is made like a map".to_owned());
            };
            let layout = shape.layout().unwrap_or(Layout::Board);
            let (steps, reads_numbers) = self.wanted(fused.value)?;
            Ok(NewMap {
                value: fused.value,
                channels,
                layout,
                steps,
                reads_numbers,
                readers: self.readers[fused.value].len(),
            })
        };
        let maps = tails.map(new_map).collect::<Result<Vec<_>, String>>()?;
        self.results.new_maps(&maps)
    }

    /// The quantisation steps in which integer convolutions read a value, and whether its f32 form
    /// is read.
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

    /// Memory for the input planes.
    fn planes(&mut self) -> Result<MapPart, String> {
        let fused = Fused::new(self.graph.input, Vec::new());
        if self.wanted(fused.value)?.0.is_some() {
            return Err("its input is rounded".to_owned());
        }
        self.target(std::iter::once(&fused))?;
        // A read that never comes: rows of planes leave the lanes behind the last plane as they are.
        self.results.alias(fused.value, fused.value, 1);
        self.results.numbers(self.graph.input)
    }
}
