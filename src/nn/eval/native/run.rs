//! Runs a plan: one position at a time, in memory that one evaluator owns.

mod tokens;

use std::mem::take;

use super::grid::{Grid, Layout};
use super::kernels::simd::Job;
use super::kernels::{
    Arithmetic, AttentionRoom, Bytes, Combine, ConvTask, Dense, DepthwiseTask, Epilogue, Float,
    Frequencies, Integer, LANES, Lanes, Level, Pool, RootMeanSquares, Rounded, Rounding, WIDEST,
    WinogradTask, Word, Words, Workspace,
};
use super::plan::{ConvKind, ConvStep, MapPart, Plan, Step, Target, VectorOp, VectorPart};

/// The memory of an evaluator.
#[derive(Debug)]
pub(super) struct Memory {
    values: Values,
    rooms: Rooms,
}

/// What steps make and read. Borders are written once.
#[derive(Debug)]
struct Values {
    numbers: Vec<Vec<Lanes<f32>>>,
    bytes: Vec<Vec<Bytes>>,
    vectors: Vec<Vec<Lanes<f32>>>,
    /// The input of a product in words.
    words: Vec<Words>,
    /// A number for each point of a row.
    factors: Vec<f32>,
}

/// What a step computes in.
#[derive(Debug)]
struct Rooms {
    float_sums: Vec<Lanes<f32>>,
    integer_sums: Vec<Lanes<i32>>,
    float_room: Workspace<Float>,
    word_room: Workspace<Word>,
    float_heads: AttentionRoom<Float>,
    word_heads: AttentionRoom<Word>,
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
        let values = Values {
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
            words: vec![Words::default(); blocks(ConvKind::Words) * plan.row.len],
            factors: vec![0.0; plan.row.len],
        };
        let rooms = Rooms {
            float_sums: vec![Lanes::default(); WIDEST * most],
            integer_sums: vec![Lanes::default(); WIDEST * most],
            float_room: Workspace::new(&plan.board, blocks(ConvKind::Winograd)),
            word_room: Workspace::new(&plan.board, blocks(ConvKind::WinogradOfWords)),
            float_heads: AttentionRoom::default(),
            word_heads: AttentionRoom::default(),
        };
        Memory { values, rooms }
    }

    /// Fills rows of points, which are written before they are read, with what no step may read.
    #[cfg(test)]
    pub(super) fn spoil(&mut self, plan: &Plan) {
        let maps = self.values.numbers.iter_mut().zip(&plan.layout.numbers);
        for (map, _) in maps.filter(|(_, (_, layout))| *layout == Layout::Row) {
            map.fill(Lanes([f32::INFINITY; LANES]));
        }
    }

    /// The numbers of a vector.
    pub(super) fn copy_vector(&self, part: VectorPart, to: &mut [f32]) {
        for (to, line) in to.chunks_mut(LANES).zip(self.values.lines(part)) {
            to.copy_from_slice(&line.0[..to.len()]);
        }
    }
}

impl Values {
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
    let Memory { values, rooms } = memory;
    values.write_planes(plan, row);
    let mut run = Run {
        plan,
        level,
        values,
    };
    for step in &plan.steps {
        run.step(step, rooms);
    }
}

/// The steps of a plan at work.
struct Run<'a> {
    plan: &'a Plan,
    level: Level,
    values: &'a mut Values,
}

impl Run<'_> {
    fn step(&mut self, step: &Step, rooms: &mut Rooms) {
        let (plan, level) = (self.plan, self.level);
        match step {
            Step::Conv(step) => self.conv(step, rooms),
            Step::Combine {
                first,
                second,
                bias,
                activation,
                target,
            } => {
                let grid = plan.grid(first.layout);
                self.write_maps(target, |values, output| {
                    let OutputMaps { numbers, bytes } = output;
                    level.enter(Combine {
                        grid,
                        blocks: first.channels.div_ceil(LANES),
                        first: values.numbers(grid.len, *first),
                        second: second.map(|part| values.numbers(grid.len, part)),
                        bias: bias.map(|part| values.lines(part)),
                        activation: *activation,
                        out: numbers.as_deref_mut(),
                        rounding: rounding(target, bytes.as_deref_mut()),
                    });
                });
            }
            Step::Vector { op, out } => self.vector(op, *out),
            Step::Tokens { op, inputs, target } => self.tokens(op, inputs, target, rooms),
        }
    }

    fn conv(&mut self, step: &ConvStep, rooms: &mut Rooms) {
        let plan = self.plan;
        match step.kind {
            ConvKind::Float => {
                if let Some(epsilon) = step.norm {
                    self.find_factors(step.input, epsilon);
                }
                let sums = &mut rooms.float_sums;
                match step.input.layout {
                    Layout::Board => {
                        self.convolve::<Float, false>(step, &plan.floats, Values::numbers, sums);
                    }
                    Layout::Row => {
                        self.convolve::<Float, true>(step, &plan.floats, Values::numbers, sums);
                    }
                }
            }
            ConvKind::Integer => {
                let sums = &mut rooms.integer_sums;
                self.convolve::<Integer, false>(step, &plan.integers, Values::bytes, sums);
            }
            ConvKind::Words => {
                self.round(step);
                let sums = &mut rooms.integer_sums;
                self.convolve::<Word, true>(step, &plan.integers, Values::words, sums);
            }
            ConvKind::Winograd => {
                let room = &mut rooms.float_room;
                self.convolve_in_frequencies(step, &plan.floats, Values::numbers, room);
            }
            ConvKind::WinogradOfWords => {
                let room = &mut rooms.word_room;
                self.convolve_in_frequencies(step, &plan.integers, Values::bytes, room);
            }
            ConvKind::Depthwise => self.convolve_depthwise(step, &mut rooms.float_sums),
        }
    }

    /// Writes a vector while the rest of the memory is read.
    fn vector(&mut self, op: &VectorOp, out: usize) {
        let (plan, level) = (self.plan, self.level);
        let (mut vector, values) = (take(&mut self.values.vectors[out]), &*self.values);
        let to = &mut vector[..];
        match op {
            VectorOp::Pool(kind, input) => {
                let grid = plan.grid(input.layout);
                level.enter(Pool {
                    grid,
                    kind: *kind,
                    input: values.numbers(grid.len, *input),
                    out: to,
                });
            }
            VectorOp::Dense {
                input,
                weights,
                bias,
                activation,
            } => level.enter(Dense {
                input: values.lines(*input),
                weights,
                bias,
                activation: *activation,
                out: to,
            }),
            VectorOp::Activate(activation, input) => level.enter(Combine {
                grid: Grid::row(1),
                blocks: to.len(),
                first: values.lines(*input),
                second: None,
                bias: None,
                activation: *activation,
                out: Some(to),
                rounding: None,
            }),
            VectorOp::Scale(factor, input) => {
                for (out, line) in to.iter_mut().zip(values.lines(*input)) {
                    *out = Lanes(line.0.map(|x| x * factor));
                }
            }
            VectorOp::Concat(inputs) => {
                let mut at = 0;
                for input in inputs {
                    let lines = values.lines(*input);
                    for i in 0..input.len {
                        to[(at + i) / LANES].0[(at + i) % LANES] = lines[i / LANES].0[i % LANES];
                    }
                    at += input.len;
                }
            }
            VectorOp::Flatten(input) => flatten(values, &plan.grid(input.layout), *input, to),
        }
        self.values.vectors[out] = vector;
    }

    /// Writes maps while the rest of the memory is read.
    fn write_maps(&mut self, target: &Target, write: impl FnOnce(&Values, &mut OutputMaps)) {
        let (values, rounded) = (&mut *self.values, target.rounded.as_ref());
        let mut output = OutputMaps {
            numbers: target.numbers.map(|slot| take(&mut values.numbers[slot])),
            bytes: rounded.map(|rounded| take(&mut values.bytes[rounded.slot])),
        };
        write(values, &mut output);
        if let (Some(slot), Some(numbers)) = (target.numbers, output.numbers) {
            values.numbers[slot] = numbers;
        }
        if let (Some(rounded), Some(bytes)) = (rounded, output.bytes) {
            values.bytes[rounded.slot] = bytes;
        }
    }

    /// A convolution whose sums wait in a buffer of their own.
    fn convolve<A: Arithmetic, const ROW: bool>(
        &mut self,
        step: &ConvStep,
        weights: &[A::Line],
        input: fn(&Values, usize, MapPart) -> &[A::Input],
        sums: &mut [A::Line],
    ) {
        let (grid, level) = (self.plan.grid(step.input.layout), self.level);
        self.write_maps(&step.target, |values, output| {
            level.enter(ConvTask::<A, ROW> {
                grid,
                taps: &step.taps,
                input: input(values, grid.len, step.input),
                channels: step.input.channels,
                chunk: step.chunk,
                groups: &step.groups,
                weights: &weights[step.weights..],
                sums,
                epilogue: output.epilogue(step, values, &grid),
            });
        });
    }

    fn convolve_in_frequencies<A: Frequencies>(
        &mut self,
        step: &ConvStep,
        weights: &[A::Line],
        input: fn(&Values, usize, MapPart) -> &[A::Point],
        room: &mut Workspace<A>,
    ) where
        for<'a> WinogradTask<'a, A>: Job<Output = ()>,
    {
        let (grid, level) = (self.plan.board, self.level);
        self.write_maps(&step.target, |values, output| {
            level.enter(WinogradTask::<A> {
                grid,
                input: input(values, grid.len, step.input),
                channels: step.input.channels,
                groups: &step.groups,
                weights: &weights[step.weights..],
                factors: &step.factors,
                room,
                epilogue: output.epilogue(step, values, &grid),
            });
        });
    }

    fn convolve_depthwise(&mut self, step: &ConvStep, sums: &mut [Lanes<f32>]) {
        let (plan, level, grid) = (self.plan, self.level, self.plan.grid(step.input.layout));
        self.write_maps(&step.target, |values, output| {
            level.enter(DepthwiseTask {
                grid,
                taps: &step.taps,
                input: values.numbers(grid.len, step.input),
                blocks: step.groups.len(),
                weights: &plan.floats[step.weights..],
                sums,
                epilogue: output.epilogue(step, values, &grid),
            });
        });
    }

    /// Finds what each point is multiplied by for its mean square to be 1.
    fn find_factors(&mut self, input: MapPart, epsilon: f32) {
        let mut factors = take(&mut self.values.factors);
        self.level.enter(RootMeanSquares {
            input: self.values.numbers(self.plan.row.len, input),
            channels: input.channels,
            epsilon,
            out: &mut factors,
        });
        self.values.factors = factors;
    }

    /// The input of a product in words, and the value of a word at each point.
    fn round(&mut self, step: &ConvStep) {
        let values = &mut *self.values;
        let (mut words, mut factors) = (take(&mut values.words), take(&mut values.factors));
        let row = self.plan.row.len;
        self.level.enter(Rounded {
            input: values.numbers(row, step.input),
            gate: step.gate.map(|gate| values.numbers(row, gate)),
            channels: step.input.channels,
            norm: step.norm,
            words: &mut words,
            factors: &mut factors,
        });
        values.words = words;
        values.factors = factors;
    }
}

/// A map as a vector: channel after channel, row after row.
fn flatten(values: &Values, grid: &Grid, input: MapPart, out: &mut [Lanes<f32>]) {
    let map = values.numbers(grid.len, input);
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
        values: &'a Values,
        grid: &Grid,
    ) -> Epilogue<'a> {
        let has_factors = step.norm.is_some() || step.kind == ConvKind::Words;
        Epilogue {
            scale: &step.scale,
            bias: &step.bias,
            factors: has_factors.then_some(&values.factors[..]),
            activations: &step.activations,
            residual: step.residual.map(|part| values.numbers(grid.len, part)),
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
