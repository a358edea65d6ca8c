//! Runs a plan: one position at a time, in memory that one evaluator owns.

mod tokens;

use std::mem::take;

use super::grid::{Grid, Layout};
use super::kernels::simd::Job;
use super::kernels::{
    Arithmetic, AttentionRoom, Bytes, Combine, ConvTask, Dense, DepthwiseTask, Epilogue, Float,
    Frequencies, Integer, LANES, Lanes, Level, MatrixTask, Pool, RootMeanSquares, Rounded,
    Rounding, WIDEST, WinogradTask, Word, Words, Workspace,
};
use super::plan::{ConvKind, ConvStep, MapPart, Plan, Step, Target, VectorOp, VectorPart};

/// The memory of an evaluator. Borders are written once.
#[derive(Debug)]
pub(super) struct Memory {
    numbers: Vec<Vec<Lanes<f32>>>,
    bytes: Vec<Vec<Bytes>>,
    vectors: Vec<Vec<Lanes<f32>>>,
    float_sums: Vec<Lanes<f32>>,
    integer_sums: Vec<Lanes<i32>>,
    float_room: Workspace<Float>,
    word_room: Workspace<Word>,
    float_heads: AttentionRoom<Float>,
    word_heads: AttentionRoom<Word>,
    /// The input of a product in words.
    words: Vec<Words>,
    /// A number for each point of a row.
    factors: Vec<f32>,
}

impl Memory {
    pub(super) fn new(plan: &Plan) -> Memory {
        let (len, layout) = (plan.board.len, &plan.layout);
        let most = len.max(plan.row.len);
        let blocks = |kind| plan.most_blocks(kind);
        let bytes = |borders: &Vec<u8>| {
            let lines = borders.iter();
            lines
                .flat_map(|&border| std::iter::repeat_n(Bytes([[border; 4]; LANES / 4]), len))
                .collect()
        };
        Memory {
            numbers: layout
                .numbers
                .iter()
                .map(|&(blocks, layout)| vec![Lanes::default(); blocks * plan.grid(layout).len])
                .collect(),
            bytes: layout.bytes.iter().map(bytes).collect(),
            vectors: layout
                .vectors
                .iter()
                .map(|&lines| vec![Lanes::default(); lines])
                .collect(),
            float_sums: vec![Lanes::default(); WIDEST * most],
            integer_sums: vec![Lanes::default(); WIDEST * most],
            float_room: Workspace::new(&plan.board, blocks(ConvKind::Winograd)),
            word_room: Workspace::new(&plan.board, blocks(ConvKind::WinogradOfWords)),
            float_heads: AttentionRoom::default(),
            word_heads: AttentionRoom::default(),
            words: vec![Words::default(); blocks(ConvKind::Words) * plan.row.len],
            factors: vec![0.0; plan.row.len],
        }
    }

    /// A map in f32, from its first block on; the same below. `len` is the number of points of a block.
    fn numbers(&self, len: usize, part: MapPart) -> &[Lanes<f32>] {
        &self.numbers[part.slot][part.first_block * len..]
    }

    fn bytes(&self, len: usize, part: MapPart) -> &[Bytes] {
        &self.bytes[part.slot][part.first_block * len..]
    }

    /// What was rounded last.
    fn words(&self, _len: usize, _part: MapPart) -> &[Words] {
        &self.words
    }

    fn lines(&self, part: VectorPart) -> &[Lanes<f32>] {
        &self.vectors[part.slot]
    }

    /// The numbers of a vector.
    pub(super) fn copy_vector(&self, part: VectorPart, to: &mut [f32]) {
        for (to, line) in to.chunks_mut(LANES).zip(self.lines(part)) {
            to.copy_from_slice(&line.0[..to.len()]);
        }
    }

    /// Writes the input planes row by row.
    fn write_planes(&mut self, plan: &Plan, row: &[f32]) {
        let grid = plan.board;
        let map = &mut self.numbers[plan.planes.slot];
        let planes = row.chunks_exact(grid.width * grid.height);
        for (channel, plane) in planes.enumerate() {
            let block = &mut map[channel / LANES * grid.len..];
            for (y, points) in plane.chunks_exact(grid.width).enumerate() {
                for (line, &point) in block[grid.at(y, 0)..].iter_mut().zip(points) {
                    line.0[channel % LANES] = point;
                }
            }
        }
    }
}

/// Computes the network for one row of planes; policy and value are then in their vectors.
pub(super) fn run(plan: &Plan, level: Level, memory: &mut Memory, row: &[f32]) {
    memory.write_planes(plan, row);
    let mut run = Run {
        plan,
        level,
        memory,
    };
    for step in &plan.steps {
        run.step(step);
    }
}

/// The steps of a plan at work.
struct Run<'a> {
    plan: &'a Plan,
    level: Level,
    memory: &'a mut Memory,
}

impl Run<'_> {
    fn step(&mut self, step: &Step) {
        let (plan, level) = (self.plan, self.level);
        match step {
            Step::Conv(step) => self.conv(step),
            Step::Combine {
                first,
                second,
                bias,
                activation,
                target,
            } => {
                let grid = plan.grid(first.layout);
                self.write_maps(target, |memory, output| {
                    let OutputMaps { numbers, bytes } = output;
                    level.enter(Combine {
                        grid,
                        blocks: first.channels.div_ceil(LANES),
                        first: memory.numbers(grid.len, *first),
                        second: second.map(|part| memory.numbers(grid.len, part)),
                        bias: bias.map(|part| memory.lines(part)),
                        activation: *activation,
                        out: numbers.as_deref_mut(),
                        rounding: rounding(target, bytes.as_deref_mut()),
                    });
                });
            }
            Step::Vector { op, out } => self.vector(op, *out),
            Step::Tokens { op, inputs, target } => self.tokens(op, inputs, target),
        }
    }

    fn conv(&mut self, step: &ConvStep) {
        let plan = self.plan;
        match step.kind {
            ConvKind::Float => {
                if let Some(epsilon) = step.norm {
                    self.find_factors(step.input, epsilon);
                }
                self.convolve::<Float>(step, &plan.floats, Memory::numbers, |memory| {
                    &mut memory.float_sums
                });
            }
            ConvKind::Integer => {
                self.convolve::<Integer>(step, &plan.integers, Memory::bytes, |memory| {
                    &mut memory.integer_sums
                });
            }
            ConvKind::Words => {
                self.round(step);
                self.convolve::<Word>(step, &plan.integers, Memory::words, |memory| {
                    &mut memory.integer_sums
                });
            }
            ConvKind::Winograd => {
                self.convolve_in_frequencies(step, &plan.floats, Memory::numbers, |memory| {
                    &mut memory.float_room
                });
            }
            ConvKind::WinogradOfWords => {
                self.convolve_in_frequencies(step, &plan.integers, Memory::bytes, |memory| {
                    &mut memory.word_room
                });
            }
            ConvKind::Depthwise => self.convolve_depthwise(step),
        }
    }

    /// Writes a vector while the rest of the memory is read.
    fn vector(&mut self, op: &VectorOp, out: usize) {
        let (plan, level) = (self.plan, self.level);
        let (mut vector, memory) = (take(&mut self.memory.vectors[out]), &*self.memory);
        let to = &mut vector[..];
        match op {
            VectorOp::Pool(kind, input) => {
                let grid = plan.grid(input.layout);
                level.enter(Pool {
                    grid,
                    kind: *kind,
                    input: memory.numbers(grid.len, *input),
                    out: to,
                });
            }
            VectorOp::Dense {
                input,
                weights,
                bias,
                activation,
            } => level.enter(Dense {
                input: memory.lines(*input),
                weights,
                bias,
                activation: *activation,
                out: to,
            }),
            VectorOp::Activate(activation, input) => level.enter(Combine {
                grid: Grid::row(1),
                blocks: to.len(),
                first: memory.lines(*input),
                second: None,
                bias: None,
                activation: *activation,
                out: Some(to),
                rounding: None,
            }),
            VectorOp::Scale(factor, input) => {
                for (out, line) in to.iter_mut().zip(memory.lines(*input)) {
                    *out = Lanes(line.0.map(|x| x * factor));
                }
            }
            VectorOp::Concat(inputs) => {
                let mut at = 0;
                for input in inputs {
                    let lines = memory.lines(*input);
                    for i in 0..input.len {
                        to[(at + i) / LANES].0[(at + i) % LANES] = lines[i / LANES].0[i % LANES];
                    }
                    at += input.len;
                }
            }
            VectorOp::Flatten(input) => flatten(memory, &plan.grid(input.layout), *input, to),
        }
        self.memory.vectors[out] = vector;
    }

    /// Writes maps while the rest of the memory is read.
    fn write_maps(&mut self, target: &Target, write: impl FnOnce(&Memory, &mut OutputMaps)) {
        let (memory, rounded) = (&mut *self.memory, target.rounded.as_ref());
        let mut output = OutputMaps {
            numbers: target.numbers.map(|slot| take(&mut memory.numbers[slot])),
            bytes: rounded.map(|rounded| take(&mut memory.bytes[rounded.slot])),
        };
        write(memory, &mut output);
        if let (Some(slot), Some(numbers)) = (target.numbers, output.numbers) {
            memory.numbers[slot] = numbers;
        }
        if let (Some(rounded), Some(bytes)) = (rounded, output.bytes) {
            memory.bytes[rounded.slot] = bytes;
        }
    }

    /// A convolution whose sums wait in a buffer of their own.
    fn convolve<A: Arithmetic>(
        &mut self,
        step: &ConvStep,
        weights: &[A::Line],
        input: fn(&Memory, usize, MapPart) -> &[A::Input],
        buffer: fn(&mut Memory) -> &mut Vec<A::Line>,
    ) {
        let (grid, level) = (self.plan.grid(step.input.layout), self.level);
        let mut sums = take(buffer(self.memory));
        self.write_maps(&step.target, |memory, output| {
            let task = ConvTask::<A> {
                grid,
                taps: &step.taps,
                input: input(memory, grid.len, step.input),
                channels: step.input.channels,
                chunk: step.chunk,
                groups: &step.groups,
                weights: &weights[step.weights..],
                sums: &mut sums,
                epilogue: output.epilogue(step, memory, &grid),
            };
            match step.input.layout {
                Layout::Board => level.enter(task),
                Layout::Row => level.enter(MatrixTask(task)),
            }
        });
        *buffer(self.memory) = sums;
    }

    fn convolve_in_frequencies<A: Frequencies + Default>(
        &mut self,
        step: &ConvStep,
        weights: &[A::Line],
        input: fn(&Memory, usize, MapPart) -> &[A::Point],
        workspace: fn(&mut Memory) -> &mut Workspace<A>,
    ) where
        for<'a> WinogradTask<'a, A>: Job<Output = ()>,
    {
        let (grid, level) = (self.plan.board, self.level);
        let mut room = take(workspace(self.memory));
        self.write_maps(&step.target, |memory, output| {
            level.enter(WinogradTask::<A> {
                grid,
                input: input(memory, grid.len, step.input),
                channels: step.input.channels,
                groups: &step.groups,
                weights: &weights[step.weights..],
                factors: &step.factors,
                room: &mut room,
                epilogue: output.epilogue(step, memory, &grid),
            });
        });
        *workspace(self.memory) = room;
    }

    fn convolve_depthwise(&mut self, step: &ConvStep) {
        let (plan, level, grid) = (self.plan, self.level, self.plan.grid(step.input.layout));
        let mut sums = take(&mut self.memory.float_sums);
        self.write_maps(&step.target, |memory, output| {
            level.enter(DepthwiseTask {
                grid,
                taps: &step.taps,
                input: memory.numbers(grid.len, step.input),
                blocks: step.groups.len(),
                weights: &plan.floats[step.weights..],
                sums: &mut sums,
                epilogue: output.epilogue(step, memory, &grid),
            });
        });
        self.memory.float_sums = sums;
    }

    /// Finds what each point is multiplied by for its mean square to be 1.
    fn find_factors(&mut self, input: MapPart, epsilon: f32) {
        let mut factors = take(&mut self.memory.factors);
        self.level.enter(RootMeanSquares {
            input: self.memory.numbers(self.plan.row.len, input),
            channels: input.channels,
            epsilon,
            out: &mut factors,
        });
        self.memory.factors = factors;
    }

    /// The input of a product in words, and the value of a word at each point.
    fn round(&mut self, step: &ConvStep) {
        let memory = &mut *self.memory;
        let (mut words, mut factors) = (take(&mut memory.words), take(&mut memory.factors));
        let row = self.plan.row.len;
        self.level.enter(Rounded {
            input: memory.numbers(row, step.input),
            gate: step.gate.map(|gate| memory.numbers(row, gate)),
            channels: step.input.channels,
            norm: step.norm,
            words: &mut words,
            factors: &mut factors,
        });
        memory.words = words;
        memory.factors = factors;
    }
}

/// A map as a vector: channel after channel, row after row.
fn flatten(memory: &Memory, grid: &Grid, input: MapPart, out: &mut [Lanes<f32>]) {
    let map = memory.numbers(grid.len, input);
    let mut at = 0;
    for channel in 0..input.channels {
        let block = &map[channel / LANES * grid.len..];
        for row in 0..grid.height {
            for line in &block[grid.at(row, 0)..][..grid.width] {
                out[at / LANES].0[at % LANES] = line.0[channel % LANES];
                at += 1;
            }
        }
    }
}

/// The maps that a step writes, taken out of an evaluator's memory while the rest of it is read.
struct OutputMaps {
    numbers: Option<Vec<Lanes<f32>>>,
    bytes: Option<Vec<Bytes>>,
}

impl OutputMaps {
    fn epilogue<'a>(
        &'a mut self,
        step: &'a ConvStep,
        memory: &'a Memory,
        grid: &Grid,
    ) -> Epilogue<'a> {
        let has_factors = step.norm.is_some() || step.kind == ConvKind::Words;
        Epilogue {
            scale: &step.scale,
            bias: &step.bias,
            factors: has_factors.then_some(&memory.factors[..]),
            activations: &step.activations,
            residual: step.residual.map(|part| memory.numbers(grid.len, part)),
            out: self.numbers.as_deref_mut(),
            rounding: rounding(&step.target, self.bytes.as_deref_mut()),
        }
    }
}

fn rounding<'a>(target: &'a Target, bytes: Option<&'a mut [Bytes]>) -> Option<Rounding<'a>> {
    let rounded = target.rounded.as_ref();
    rounded.zip(bytes).map(|(rounded, out)| Rounding {
        out,
        inverse: &rounded.inverse,
        zero: &rounded.zero,
    })
}
