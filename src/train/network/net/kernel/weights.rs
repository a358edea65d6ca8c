//! Weights in the order in which the kernels read them, and sums of their gradients in that of a tensor.

use super::shape::Shape;
use tengen_nn::eval::native::kernels::{
    LANES, Lanes, WeightOrder, winograd::transforms::kernel_rows,
};

/// A kernel `[3, 3]` of sixteen outputs.
type Kernel = [[[f32; LANES]; 3]; 3];

/// The lines of weights in the order of use; `weight` has output, input and tap.
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
