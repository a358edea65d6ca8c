//! Runs a plan: one position at a time, in memory that one evaluator owns.

mod tokens;

use super::grid::{Grid, Layout};
use super::kernels::simd::Job;
use super::kernels::{
    Activate, Arithmetic, AttentionRoom, Bytes, Combine, ConvTask, Dense, DepthwiseTask, Epilogue,
    Float, Frequencies, Integer, LANES, Lanes, Level, MatrixTask, Pool, RootMeanSquares, Rounded,
    Rounding, WIDEST, WinogradTask, Word, Words, Workspace,
};
use super::plan::{ConvStep, MapPart, Plan, Step, Target, VectorPart};

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
        let [float_blocks, word_blocks] = plan.winograd_blocks();
        let bytes = |borders: &Vec<u8>| {
            let blocks = borders.iter();
            blocks
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
            float_room: Workspace::new(&plan.board, float_blocks, WIDEST),
            word_room: Workspace::new(&plan.board, word_blocks, WIDEST),
            float_heads: AttentionRoom::default(),
            word_heads: AttentionRoom::default(),
            words: vec![Words::default(); plan.word_blocks() * plan.row.len],
            factors: vec![0.0; plan.row.len],
        }
    }

    fn part<'a>(&'a self, grid: &Grid, part: MapPart) -> &'a [Lanes<f32>] {
        &self.numbers[part.slot][part.first_block * grid.len..]
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

    /// Computes a vector from another, number by number.
    fn map_vector(&mut self, input: VectorPart, out: usize, to: impl Fn(f32) -> f32) {
        let mut vector = self.vectors[input.slot].clone();
        let numbers = vector.iter_mut().flat_map(|line| &mut line.0);
        numbers.for_each(|x| *x = to(*x));
        self.vectors[out] = vector;
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
    for step in &plan.steps {
        run_step(plan, level, memory, step);
    }
}

fn run_step(plan: &Plan, level: Level, memory: &mut Memory, step: &Step) {
    match step {
        Step::Float(step) => convolve_normalised(plan, level, memory, step),
        Step::Winograd(step) => convolve_in_frequencies::<Float>(plan, level, memory, step),
        Step::WinogradOfWords(step) => convolve_in_frequencies::<Word>(plan, level, memory, step),
        Step::Depthwise(step) => convolve_depthwise(plan, level, memory, step),
        Step::Integer(step) => convolve::<Integer>(plan, level, memory, step),
        Step::Words(step) => convolve_rounded(plan, level, memory, step),
        Step::Combine {
            first,
            second,
            bias,
            activation,
            target,
        } => {
            let grid = plan.grid(first.layout);
            let mut output = OutputMaps::take(memory, target);
            let OutputMaps { numbers, bytes } = &mut output;
            level.enter(Combine {
                grid,
                blocks: first.channels.div_ceil(LANES),
                first: memory.part(&grid, *first),
                second: second.map(|part| memory.part(&grid, part)),
                bias: bias.map(|part| memory.lines(part)),
                activation: *activation,
                out: numbers.as_deref_mut(),
                rounding: rounding(target, bytes.as_deref_mut()),
            });
            output.put_back(memory, target);
        }
        Step::Pool { kind, input, out } => {
            let grid = plan.grid(input.layout);
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
            activation,
            out,
        } => {
            let mut vector = std::mem::take(&mut memory.vectors[*out]);
            level.enter(Dense {
                input: memory.lines(*input),
                weights,
                bias,
                activation: *activation,
                out: &mut vector,
            });
            memory.vectors[*out] = vector;
        }
        Step::Activate {
            input,
            activation,
            out,
        } => {
            let mut vector = memory.vectors[input.slot].clone();
            level.enter(Activate {
                activation: *activation,
                numbers: &mut vector,
            });
            memory.vectors[*out] = vector;
        }
        Step::Concat { .. } | Step::Flatten { .. } | Step::Scale { .. } => {
            rearrange(plan, memory, step)
        }
        _ => memory.run_tokens(plan, level, step),
    }
}

/// An arithmetic, and where its convolutions find their data.
trait Convolution: Arithmetic {
    fn packed_weights(plan: &Plan) -> &[Self::Weights];
    /// What it reads, from its first block on.
    fn input<'a>(memory: &'a Memory, grid: &Grid, part: MapPart) -> &'a [Self::Input];
    /// Buffer for the sums of a group of blocks.
    fn sums(memory: &mut Memory) -> &mut Vec<Self::Sums>;
}

impl Convolution for Float {
    fn packed_weights(plan: &Plan) -> &[Lanes<f32>] {
        &plan.floats
    }

    fn input<'a>(memory: &'a Memory, grid: &Grid, part: MapPart) -> &'a [Lanes<f32>] {
        memory.part(grid, part)
    }

    fn sums(memory: &mut Memory) -> &mut Vec<Lanes<f32>> {
        &mut memory.float_sums
    }
}

impl Convolution for Integer {
    fn packed_weights(plan: &Plan) -> &[Lanes<[i8; 4]>] {
        &plan.integers
    }

    fn input<'a>(memory: &'a Memory, grid: &Grid, part: MapPart) -> &'a [Bytes] {
        &memory.bytes[part.slot][part.first_block * grid.len..]
    }

    fn sums(memory: &mut Memory) -> &mut Vec<Lanes<i32>> {
        &mut memory.integer_sums
    }
}

impl Convolution for Word {
    fn packed_weights(plan: &Plan) -> &[Lanes<[i16; 2]>] {
        &plan.words
    }

    /// What was rounded last.
    fn input<'a>(memory: &'a Memory, _grid: &Grid, _part: MapPart) -> &'a [Words] {
        &memory.words
    }

    fn sums(memory: &mut Memory) -> &mut Vec<Lanes<i32>> {
        &mut memory.integer_sums
    }
}

fn convolve<A: Convolution>(plan: &Plan, level: Level, memory: &mut Memory, step: &ConvStep) {
    let grid = plan.grid(step.input.layout);
    let mut sums = std::mem::take(A::sums(memory));
    let mut output = OutputMaps::take(memory, &step.target);
    let input = A::input(memory, &grid, step.input);
    let weights = &A::packed_weights(plan)[step.weights..];
    let epilogue = output.epilogue(step, memory, &grid);
    match step.input.layout {
        Layout::Board => level.enter(ConvTask::<A> {
            grid,
            taps: &step.taps,
            input,
            channels: step.input.channels,
            chunk: step.chunk,
            groups: &step.groups,
            weights,
            sums: &mut sums,
            epilogue,
        }),
        Layout::Row => level.enter(MatrixTask::<A> {
            points: grid.len,
            input,
            channels: step.input.channels,
            chunk: step.chunk,
            groups: &step.groups,
            weights,
            sums: &mut sums,
            epilogue,
        }),
    }
    output.put_back(memory, &step.target);
    *A::sums(memory) = sums;
}

/// The same of convolutions in frequencies.
trait FrequencyConvolution: Frequencies {
    fn packed_weights(plan: &Plan) -> &[Self::Weights];
    fn map<'a>(memory: &'a Memory, grid: &Grid, part: MapPart) -> &'a [Self::Point];
    fn room(memory: &mut Memory) -> &mut Workspace<Self>
    where
        Self: Sized;
}

impl FrequencyConvolution for Float {
    fn packed_weights(plan: &Plan) -> &[Lanes<f32>] {
        &plan.floats
    }

    fn map<'a>(memory: &'a Memory, grid: &Grid, part: MapPart) -> &'a [Lanes<f32>] {
        memory.part(grid, part)
    }

    fn room(memory: &mut Memory) -> &mut Workspace<Float> {
        &mut memory.float_room
    }
}

impl FrequencyConvolution for Word {
    fn packed_weights(plan: &Plan) -> &[Lanes<[i16; 2]>] {
        &plan.words
    }

    fn map<'a>(memory: &'a Memory, grid: &Grid, part: MapPart) -> &'a [Bytes] {
        &memory.bytes[part.slot][part.first_block * grid.len..]
    }

    fn room(memory: &mut Memory) -> &mut Workspace<Word> {
        &mut memory.word_room
    }
}

fn convolve_in_frequencies<A: FrequencyConvolution + Default>(
    plan: &Plan,
    level: Level,
    memory: &mut Memory,
    step: &ConvStep,
) where
    for<'a> WinogradTask<'a, A>: Job<Output = ()>,
{
    let grid = plan.board;
    let mut room = std::mem::take(A::room(memory));
    let mut output = OutputMaps::take(memory, &step.target);
    level.enter(WinogradTask::<A> {
        grid,
        input: A::map(memory, &grid, step.input),
        channels: step.input.channels,
        groups: &step.groups,
        weights: &A::packed_weights(plan)[step.weights..],
        factors: &step.factors,
        room: &mut room,
        epilogue: output.epilogue(step, memory, &grid),
    });
    output.put_back(memory, &step.target);
    *A::room(memory) = room;
}

/// In f32, with the normalisation of its input, if any.
fn convolve_normalised(plan: &Plan, level: Level, memory: &mut Memory, step: &ConvStep) {
    if let Some(epsilon) = step.norm {
        find_factors(plan, level, memory, step.input, epsilon);
    }
    convolve::<Float>(plan, level, memory, step);
}

/// In words, to which its input is rounded first.
fn convolve_rounded(plan: &Plan, level: Level, memory: &mut Memory, step: &ConvStep) {
    round(plan, level, memory, step);
    convolve::<Word>(plan, level, memory, step);
}

/// Finds what each point is multiplied by for its mean square to be 1.
fn find_factors(plan: &Plan, level: Level, memory: &mut Memory, input: MapPart, epsilon: f32) {
    let mut factors = std::mem::take(&mut memory.factors);
    level.enter(RootMeanSquares {
        input: memory.part(&plan.row, input),
        channels: input.channels,
        epsilon,
        out: &mut factors,
    });
    memory.factors = factors;
}

/// The input of a product in words, and the value of a word at each point.
fn round(plan: &Plan, level: Level, memory: &mut Memory, step: &ConvStep) {
    let mut words = std::mem::take(&mut memory.words);
    let mut factors = std::mem::take(&mut memory.factors);
    level.enter(Rounded {
        input: memory.part(&plan.row, step.input),
        gate: step.gate.map(|gate| memory.part(&plan.row, gate)),
        channels: step.input.channels,
        norm: step.norm,
        words: &mut words,
        factors: &mut factors,
    });
    memory.words = words;
    memory.factors = factors;
}

fn convolve_depthwise(plan: &Plan, level: Level, memory: &mut Memory, step: &ConvStep) {
    let grid = plan.grid(step.input.layout);
    let mut sums = std::mem::take(&mut memory.float_sums);
    let mut output = OutputMaps::take(memory, &step.target);
    level.enter(DepthwiseTask {
        grid,
        taps: &step.taps,
        input: memory.part(&grid, step.input),
        blocks: step.groups.len(),
        weights: &plan.floats[step.weights..],
        sums: &mut sums,
        epilogue: output.epilogue(step, memory, &grid),
    });
    output.put_back(memory, &step.target);
    memory.float_sums = sums;
}

/// Steps that need no kernel.
fn rearrange(plan: &Plan, memory: &mut Memory, step: &Step) {
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
            let grid = plan.grid(input.layout);
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
        Step::Scale { input, factor, out } => {
            memory.map_vector(*input, *out, |x| x * factor);
        }
        _ => {}
    }
}

/// The maps that a step writes, taken out of an evaluator's memory while the rest of it is read.
struct OutputMaps {
    numbers: Option<Vec<Lanes<f32>>>,
    bytes: Option<Vec<Bytes>>,
}

impl OutputMaps {
    fn take(memory: &mut Memory, target: &Target) -> OutputMaps {
        let rounded = target.rounded.as_ref();
        OutputMaps {
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
            factors: step.has_factors.then_some(&memory.factors[..]),
            activations: &step.activations,
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
