//! Convolution: the sums of a few points times some outputs stay in registers.

use rayon::prelude::*;

use super::{LANES, Lanes, Shape, lanes, multiply_add};

/// Points that share a load of weights. Their sums take twelve of AVX2's sixteen registers: enough
/// to hide the latency of a multiply-add, with room for its operands (measured for 32 to 64
/// channels: 86% to 91% of the peak; four points 81% to 84%).
pub(in crate::train::network::net) const POINTS: usize = 6;

/// `[boards, height, width, inputs]` to `[boards, height, width, outputs]` with weights
/// `[outputs, inputs, kernel, kernel]`.
pub(in crate::train::network::net) fn forward(
    shape: Shape,
    x: &[f32],
    weights: &[f32],
) -> Vec<f32> {
    let packed = pack(shape, |output, input, tap| {
        weights[(output * shape.inputs + input) * shape.taps() + tap]
    });
    convolve(shape, x, &packed)
}

/// Gradients of the outputs to gradients of the inputs.
pub(in crate::train::network::net) fn input_gradient(
    shape: Shape,
    weights: &[f32],
    gradient: &[f32],
) -> Vec<f32> {
    // Each weight is applied in the opposite direction.
    let packed = pack(shape.transposed(), |output, input, tap| {
        weights[(input * shape.inputs + output) * shape.taps() + shape.taps() - 1 - tap]
    });
    convolve(shape.transposed(), gradient, &packed)
}

/// Factors as `[block of outputs, tap, input, output in the block]`.
fn pack(shape: Shape, weight: impl Fn(usize, usize, usize) -> f32) -> Vec<f32> {
    let mut packed = vec![0.0; lanes(shape.outputs) * shape.taps() * shape.inputs];
    for output in 0..shape.outputs {
        for tap in 0..shape.taps() {
            for input in 0..shape.inputs {
                let row = (output / LANES * shape.taps() + tap) * shape.inputs + input;
                packed[row * LANES + output % LANES] = weight(output, input, tap);
            }
        }
    }
    packed
}

fn convolve(shape: Shape, x: &[f32], packed: &[f32]) -> Vec<f32> {
    let (board_in, board_out) = (shape.inputs * shape.area(), shape.outputs * shape.area());
    let mut y = vec![0.0; x.len() / board_in * board_out];
    y.par_chunks_exact_mut(board_out)
        .zip(x.par_chunks_exact(board_in))
        .for_each_init(
            || vec![0.0; shape.padded_area() * shape.inputs],
            |padded, (y, x)| {
                pad(shape, x, padded);
                convolve_board(shape, padded, packed, y);
            },
        );
    y
}

/// Copies a board into the middle of a padded one whose rim stays zero.
fn pad(shape: Shape, x: &[f32], padded: &mut [f32]) {
    let row_len = shape.width * shape.inputs;
    for (y, row) in x.chunks_exact(row_len).enumerate() {
        let start = shape.home(y * shape.width) * shape.inputs;
        padded[start..][..row_len].copy_from_slice(row);
    }
}

fn convolve_board(shape: Shape, padded: &[f32], packed: &[f32], y: &mut [f32]) {
    let area = shape.area();
    let block_len = shape.taps() * shape.inputs * LANES;
    for (block, weights) in packed.chunks_exact(block_len).enumerate() {
        let (first_lane, wanted) = (block * LANES, LANES.min(shape.outputs - block * LANES));
        for first in (0..area).step_by(POINTS) {
            // The last points are repeated at the end of the board.
            let point = |at: usize| (first + at).min(area - 1);
            let cells = std::array::from_fn(|at| shape.cell(point(at), shape.width));
            let sums = sum(shape, padded, weights, cells);
            for (sums, point) in sums.iter().zip(first..area) {
                let channels = &mut y[point * shape.outputs + first_lane..][..wanted];
                match channels.as_mut_array() {
                    Some(channels) => *channels = *sums,
                    None => channels.copy_from_slice(&sums[..wanted]),
                }
            }
        }
    }
}

/// Sums over all taps and inputs, for some points and one block of outputs.
///
/// The innermost loop is written out over arrays of constant length, which the compiler keeps in
/// registers (alternatives measured 4 times slower).
#[inline]
fn sum(shape: Shape, padded: &[f32], weights: &[f32], cells: [usize; POINTS]) -> [Lanes; POINTS] {
    let inputs = shape.inputs;
    let mut sums = [[0.0; LANES]; POINTS];
    for (tap, weights) in weights.chunks_exact(inputs * LANES).enumerate() {
        let offset = shape.cell(tap, shape.kernel);
        let points: [&[f32]; POINTS] =
            std::array::from_fn(|at| &padded[(cells[at] + offset) * inputs..][..inputs]);
        let (weights, _) = weights.as_chunks::<LANES>();
        let mut tile = sums;
        for (input, weight) in weights.iter().enumerate() {
            let weight = *weight;
            for at in 0..POINTS {
                let number = [points[at][input]; LANES];
                tile[at] = std::array::from_fn(|lane| {
                    multiply_add(number[lane], weight[lane], tile[at][lane])
                });
            }
        }
        sums = tile;
    }
    sums
}
