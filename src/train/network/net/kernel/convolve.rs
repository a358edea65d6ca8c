//! Convolution of boards, forward and backward.

use rayon::prelude::*;

use super::shape::{Part, Shape, copy_out, empty_map, lay_out};
use tengen_nn::eval::native::grid::Grid;
use tengen_nn::eval::native::kernels::{
    Activation, ConvTask, Epilogue, Float, LANES, Lanes, WIDEST, WeightOrder, WinogradTask,
    Workspace, chunk_blocks, winograd::transforms::kernel_rows,
};

/// Boards with the channels of the inputs to boards with those of the outputs; `backward` as in [`super::convolve()`].
pub(super) fn convolve(parts: Vec<Part<'_>>, weights: &[f32], backward: bool) {
    // Sizes with the same tiles share their weights.
    let mut packed: Option<(usize, Vec<Lanes<f32>>)> = None;
    for Part { shape, x, y } in parts {
        let (grid, blocks_out) = (shape.grid(), shape.blocks()[1]);
        let groups = shape.level.groups(blocks_out);
        let pack = || {
            let taps = shape.taps();
            pack(shape, &groups, |output, input, tap| match backward {
                false => weights[(output * shape.inputs + input) * taps + tap],
                true => weights[(input * shape.outputs + output) * taps + taps - 1 - tap],
            })
        };
        let same = packed.take().filter(|(tile, _)| *tile == grid.tile);
        let plan = Plan {
            shape,
            grid,
            taps: grid.taps([shape.kernel, shape.kernel]),
            weights: same.map_or_else(pack, |(_, weights)| weights),
            groups,
            bias: vec![Lanes::default(); blocks_out],
            activations: vec![Activation::Identity; blocks_out],
        };
        plan.boards(x, y);
        packed = Some((grid.tile, plan.weights));
    }
}

/// A convolution with its weights.
struct Plan {
    shape: Shape,
    grid: Grid,
    taps: Vec<usize>,
    groups: Vec<usize>,
    weights: Vec<Lanes<f32>>,
    bias: Vec<Lanes<f32>>,
    activations: Vec<Activation>,
}

/// What a thread computes in.
struct Memory {
    input: Vec<Lanes<f32>>,
    output: Vec<Lanes<f32>>,
    sums: Vec<Lanes<f32>>,
    room: Workspace<Float>,
}

impl Plan {
    /// Convolves each board.
    fn boards(&self, x: &[f32], y: &mut [f32]) {
        let (shape, grid, [blocks_in, blocks_out]) = (self.shape, self.grid, self.shape.blocks());
        let (board_in, board_out) = (shape.inputs * shape.area(), shape.outputs * shape.area());
        y.par_chunks_exact_mut(board_out)
            .zip(x.par_chunks_exact(board_in))
            .for_each_init(
                || Memory {
                    input: empty_map(&grid, blocks_in),
                    output: empty_map(&grid, blocks_out),
                    sums: empty_map(&grid, WIDEST),
                    room: match shape.in_frequencies() {
                        true => Workspace::new(&grid, blocks_in),
                        false => Workspace::default(),
                    },
                },
                |memory, (y, x)| {
                    lay_out(&grid, shape.inputs, x, &mut memory.input);
                    self.run(memory);
                    copy_out(&grid, shape.outputs, &memory.output, y);
                },
            );
    }

    fn run(&self, memory: &mut Memory) {
        let epilogue = Epilogue {
            scale: &self.bias,
            bias: &self.bias,
            factors: None,
            activations: &self.activations,
            residual: None,
            out: Some(&mut memory.output),
            rounding: None,
        };
        if self.shape.in_frequencies() {
            self.shape.level.enter(WinogradTask::<Float> {
                grid: self.grid,
                input: &memory.input,
                channels: self.shape.inputs,
                groups: &self.groups,
                weights: &self.weights,
                factors: &[],
                room: &mut memory.room,
                epilogue,
            });
            return;
        }
        self.shape.level.enter(ConvTask::<Float, false> {
            grid: self.grid,
            taps: &self.taps,
            input: &memory.input,
            channels: self.shape.inputs,
            chunk: chunk_blocks(
                self.shape.inputs.div_ceil(LANES),
                self.taps.len(),
                LANES,
                &self.groups,
            ),
            groups: &self.groups,
            weights: &self.weights,
            sums: &mut memory.sums,
            epilogue,
        });
    }
}

/// The lines of weights in the order of use; `weight` has output, input and tap.
fn pack(
    shape: Shape,
    groups: &[usize],
    weight: impl Fn(usize, usize, usize) -> f32,
) -> Vec<Lanes<f32>> {
    let (taps, inputs) = (shape.taps(), shape.inputs);
    let mut lines = vec![Lanes::default(); shape.blocks()[1] * inputs * taps];
    for output in 0..shape.outputs {
        for input in 0..inputs {
            for tap in 0..taps {
                let line = (output / LANES * inputs + input) * taps + tap;
                lines[line].0[output % LANES] = weight(output, input, tap);
            }
        }
    }
    let by_tap = shape.in_frequencies();
    let mut count = taps;
    if by_tap {
        let rows = kernel_rows(shape.grid().tile);
        count = rows.len() * rows.len();
        let kernels = lines.as_chunks::<9>().0;
        let mut spectra = vec![Lanes::default(); kernels.len() * count];
        for (kernel, spectrum) in kernels.iter().zip(spectra.chunks_exact_mut(count)) {
            to_frequencies(kernel, &rows, spectrum);
        }
        lines = spectra;
    }
    let order = WeightOrder {
        groups,
        inputs,
        taps: count,
        channels: 1,
        by_tap,
    };
    let mut packed = Vec::with_capacity(order.lines());
    order.each(|block, input, tap| {
        let line = (input < inputs).then(|| lines[(block * inputs + input) * count + tap]);
        packed.push(line.unwrap_or_default());
    });
    packed
}

/// G g G' of sixteen kernels.
fn to_frequencies(kernel: &[Lanes<f32>; 9], rows: &[[f64; 3]], spectrum: &mut [Lanes<f32>]) {
    for (row, spectrum) in rows.iter().zip(spectrum.chunks_exact_mut(rows.len())) {
        let half =
            [0, 1, 2].map(|j| weighted([kernel[j].0, kernel[3 + j].0, kernel[6 + j].0], *row));
        for (by, line) in rows.iter().zip(spectrum) {
            line.0 = weighted(half, *by);
        }
    }
}

/// The sum of three lines times three numbers.
fn weighted(lines: [[f32; LANES]; 3], by: [f64; 3]) -> [f32; LANES] {
    let by = by.map(|number| number as f32);
    std::array::from_fn(|lane| {
        lines[0][lane] * by[0] + lines[1][lane] * by[1] + lines[2][lane] * by[2]
    })
}
