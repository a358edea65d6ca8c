//! Runs a plan: one position at a time, through memory that one evaluator owns.

use super::grid::Grid;
use super::kernels::{
    Bytes, Combine, ConvTask, Dense, Epilogue, Float, Integer, LANES, Level, Line, Pool, Rounding,
};
use super::plan::{ConvStep, MapPart, Plan, Step, Target, VectorPart};

/// The memory of an evaluator. Borders are written once.
#[derive(Debug)]
pub(super) struct Memory {
    numbers: Vec<Vec<Line<f32>>>,
    bytes: Vec<Vec<Bytes>>,
    vectors: Vec<Vec<Line<f32>>>,
    float_sums: Vec<Line<f32>>,
    integer_sums: Vec<Line<i32>>,
}

/// The most blocks that are computed together, on any processor.
const WIDEST: usize = 3;

impl Memory {
    pub(super) fn new(plan: &Plan) -> Memory {
        let (len, room) = (plan.grid.len, &plan.room);
        let bytes = |borders: &Vec<u8>| {
            let blocks = borders.iter();
            blocks
                .flat_map(|&border| std::iter::repeat_n(Bytes([[border; 4]; LANES / 4]), len))
                .collect()
        };
        Memory {
            numbers: room
                .numbers
                .iter()
                .map(|blocks| vec![Line::default(); blocks * len])
                .collect(),
            bytes: room.bytes.iter().map(bytes).collect(),
            vectors: room
                .vectors
                .iter()
                .map(|&lines| vec![Line::default(); lines])
                .collect(),
            float_sums: vec![Line::default(); WIDEST * len],
            integer_sums: vec![Line::default(); WIDEST * len],
        }
    }

    fn part<'a>(&'a self, grid: &Grid, part: MapPart) -> &'a [Line<f32>] {
        &self.numbers[part.slot][part.first_block * grid.len..]
    }

    fn lines(&self, part: VectorPart) -> &[Line<f32>] {
        &self.vectors[part.slot]
    }

    /// The numbers of a vector.
    pub(super) fn copy_vector(&self, part: VectorPart, to: &mut [f32]) {
        for (to, line) in to.chunks_mut(LANES).zip(self.lines(part)) {
            to.copy_from_slice(&line.0[..to.len()]);
        }
    }

    /// Writes input planes, each row by row.
    fn write_planes(&mut self, plan: &Plan, row: &[f32]) {
        let grid = plan.grid;
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
    for step in &plan.steps {
        run_step(plan, level, memory, step);
    }
}

fn run_step(plan: &Plan, level: Level, memory: &mut Memory, step: &Step) {
    let grid = plan.grid;
    match step {
        Step::Float(step) => {
            let mut sums = std::mem::take(&mut memory.float_sums);
            let mut target = Taken::take(memory, &step.target);
            let input = memory.part(&grid, step.input);
            level.enter(ConvTask::<Float> {
                grid,
                taps: &step.taps,
                input,
                channels: step.input.channels,
                chunk: step.chunk,
                groups: &step.groups,
                weights: &plan.floats[step.weights..],
                sums: &mut sums,
                epilogue: target.epilogue(step, memory, &grid),
            });
            target.put_back(memory, &step.target);
            memory.float_sums = sums;
        }
        Step::Integer(step) => integer_convolution(plan, level, memory, step),
        Step::Combine {
            first,
            second,
            bias,
            floor,
            target: way,
        } => {
            let mut target = Taken::take(memory, way);
            let Taken { numbers, bytes } = &mut target;
            level.enter(Combine {
                grid,
                blocks: first.channels.div_ceil(LANES),
                first: memory.part(&grid, *first),
                second: second.map(|part| memory.part(&grid, part)),
                bias: bias.map(|part| memory.lines(part)),
                floor: *floor,
                out: numbers.as_deref_mut(),
                rounding: rounding(way, bytes.as_deref_mut()),
            });
            target.put_back(memory, way);
        }
        Step::Pool { kind, input, out } => {
            let mut vector = std::mem::take(&mut memory.vectors[*out]);
            level.enter(Pool {
                grid,
                kind: *kind,
                input: memory.part(&grid, *input),
                out: &mut vector,
            });
            memory.vectors[*out] = vector;
        }
        Step::Dense {
            input,
            weights,
            bias,
            floor,
            out,
        } => {
            let mut vector = std::mem::take(&mut memory.vectors[*out]);
            level.enter(Dense {
                input: memory.lines(*input),
                weights,
                bias,
                floor: *floor,
                out: &mut vector,
            });
            memory.vectors[*out] = vector;
        }
        Step::Concat { .. } | Step::Flatten { .. } | Step::Relu { .. } => {
            rearrange(grid, memory, step)
        }
    }
}

/// A convolution of bytes.
fn integer_convolution(plan: &Plan, level: Level, memory: &mut Memory, step: &ConvStep) {
    let grid = plan.grid;
    let mut sums = std::mem::take(&mut memory.integer_sums);
    let mut target = Taken::take(memory, &step.target);
    let input = &memory.bytes[step.input.slot][step.input.first_block * grid.len..];
    level.enter(ConvTask::<Integer> {
        grid,
        taps: &step.taps,
        input,
        channels: step.input.channels,
        chunk: step.chunk,
        groups: &step.groups,
        weights: &plan.integers[step.weights..],
        sums: &mut sums,
        epilogue: target.epilogue(step, memory, &grid),
    });
    target.put_back(memory, &step.target);
    memory.integer_sums = sums;
}

/// The steps that compute nothing worth a kernel.
fn rearrange(grid: Grid, memory: &mut Memory, step: &Step) {
    match step {
        Step::Concat { inputs, out } => {
            let mut vector = std::mem::take(&mut memory.vectors[*out]);
            let mut at = 0;
            for input in inputs {
                let lines = memory.lines(*input);
                for i in 0..input.len {
                    vector[(at + i) / LANES].0[(at + i) % LANES] = lines[i / LANES].0[i % LANES];
                }
                at += input.len;
            }
            memory.vectors[*out] = vector;
        }
        Step::Flatten { input, out } => {
            let mut vector = std::mem::take(&mut memory.vectors[*out]);
            let map = memory.part(&grid, *input);
            let mut at = 0;
            for channel in 0..input.channels {
                let block = &map[channel / LANES * grid.len..];
                for row in 0..grid.height {
                    for line in &block[grid.at(row, 0)..][..grid.width] {
                        vector[at / LANES].0[at % LANES] = line.0[channel % LANES];
                        at += 1;
                    }
                }
            }
            memory.vectors[*out] = vector;
        }
        Step::Relu { input, out } => {
            let mut vector = memory.vectors[input.slot].clone();
            let numbers = vector.iter_mut().flat_map(|line| &mut line.0);
            numbers.for_each(|x| *x = x.max(0.0));
            memory.vectors[*out] = vector;
        }
        _ => {}
    }
}

/// The memory of an answer, taken out of an evaluator's while the rest of it is read.
struct Taken {
    numbers: Option<Vec<Line<f32>>>,
    bytes: Option<Vec<Bytes>>,
}

impl Taken {
    fn take(memory: &mut Memory, target: &Target) -> Taken {
        let rounded = target.rounded.as_ref();
        Taken {
            numbers: target
                .numbers
                .map(|slot| std::mem::take(&mut memory.numbers[slot])),
            bytes: rounded.map(|rounded| std::mem::take(&mut memory.bytes[rounded.slot])),
        }
    }

    fn put_back(self, memory: &mut Memory, target: &Target) {
        if let (Some(slot), Some(numbers)) = (target.numbers, self.numbers) {
            memory.numbers[slot] = numbers;
        }
        if let (Some(rounded), Some(bytes)) = (&target.rounded, self.bytes) {
            memory.bytes[rounded.slot] = bytes;
        }
    }

    fn epilogue<'a>(
        &'a mut self,
        step: &'a ConvStep,
        memory: &'a Memory,
        grid: &Grid,
    ) -> Epilogue<'a> {
        Epilogue {
            scale: &step.scale,
            bias: &step.bias,
            floor: &step.floor,
            residual: step.residual.map(|part| memory.part(grid, part)),
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
