//! Weights in the order in which the kernels read them, and sums of their gradients in that of a tensor.

use super::shape::Shape;
use crate::eval::native::kernels::conv::UNROLLED;
use crate::eval::native::kernels::{LANES, Lanes, winograd::transforms::kernel_rows};

/// A kernel `[3, 3]` of sixteen outputs.
type Kernel = [[[f32; LANES]; 3]; 3];

/// A line of `LANES` outputs for each group and, in the order of use, tap (or frequency), input and block of the
/// group; `weight` has output, input and tap.
pub(super) fn pack(
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
    let tile = shape.grid().tile;
    let blocks = (0..inputs).step_by(LANES);
    let mut order = Vec::new();
    let count = if shape.in_frequencies() {
        let rows = kernel_rows(tile);
        lines = lines
            .as_chunks::<9>()
            .0
            .iter()
            .flat_map(|kernel| to_frequencies(kernel, &rows))
            .collect();
        let frequencies = rows.len() * rows.len();
        for frequency in 0..frequencies {
            order.extend(blocks.clone().map(|block| (block, frequency)));
        }
        frequencies
    } else {
        for block in blocks {
            order.extend((0..taps).map(|tap| (block, tap)));
        }
        taps
    };
    let mut packed = Vec::new();
    let mut first = 0;
    for &group in groups {
        for &(start, tap) in &order {
            let end = inputs.min(start + LANES);
            for input in start..start + (end - start).next_multiple_of(UNROLLED) {
                for block in first..first + group {
                    let line = (input < end).then(|| lines[(block * inputs + input) * count + tap]);
                    packed.push(line.unwrap_or_default());
                }
            }
        }
        first += group;
    }
    packed
}

/// G g G' of sixteen kernels.
fn to_frequencies(kernel: &[Lanes<f32>; 9], rows: &[[f64; 3]]) -> Vec<Lanes<f32>> {
    let half = rows.iter().map(|row| {
        let column = |j: usize| weighted([kernel[j].0, kernel[3 + j].0, kernel[6 + j].0], *row);
        std::array::from_fn(column)
    });
    let half: Vec<[[f32; LANES]; 3]> = half.collect();
    let line = |half: [[f32; LANES]; 3]| rows.iter().map(move |row| Lanes(weighted(half, *row)));
    half.into_iter().flat_map(line).collect()
}

/// The sum of three lines times three numbers.
fn weighted(lines: [[f32; LANES]; 3], by: [f64; 3]) -> [f32; LANES] {
    let by = by.map(|number| number as f32);
    std::array::from_fn(|lane| {
        lines[0][lane] * by[0] + lines[1][lane] * by[1] + lines[2][lane] * by[2]
    })
}

/// Gradients by frequencies to gradients of a kernel: G' u G.
pub(super) fn from_frequencies(spectrum: &[Lanes<f32>], rows: &[[f64; 3]]) -> Kernel {
    let mut kernel = [[[0.0; LANES]; 3]; 3];
    for (row, line) in rows.iter().zip(spectrum.chunks_exact(rows.len())) {
        let mut half = [[0.0; LANES]; 3];
        for (column, number) in rows.iter().zip(line) {
            for (half, by) in half.iter_mut().zip(column) {
                add(half, &number.0, *by as f32);
            }
        }
        for (sums, by) in kernel.iter_mut().zip(row) {
            for (sum, half) in sums.iter_mut().zip(&half) {
                add(sum, half, *by as f32);
            }
        }
    }
    kernel
}

fn add(sum: &mut [f32; LANES], numbers: &[f32; LANES], by: f32) {
    for (sum, number) in sum.iter_mut().zip(numbers) {
        *sum += number * by;
    }
}
