//! CPU kernels for many small boards, forward and backward, on plain slices: the points of all boards, size after
//! size, `[points, channels]`, with their sizes `[boards, height, width]`.
//!
//! Convolutions are those with which networks are played ([`tengen_nn::eval::native`]): one text, generic
//! over the processor's vectors and compiled for each kind of them, 3x3 by Winograd's algorithm. Each board is
//! copied into the blocks of sixteen channels that they read (`shape`), which costs little beside its products.
//! Gradients of weights are sums of outer products in the same layout (`weight_gradient`).
//!
//! Products are of f32. Products of bf16 were measured and left out: where Winograd needs 900 products on 19x19 a
//! plain convolution needs 3,249, bf16 is too coarse for Winograd's sums, and an Emerald Rapids without AMX makes
//! 0.6 times as many of them a second as in f32.
//!
//! Boards are distributed over threads in fixed groups, so that sums are added in the same order for
//! any thread count.

mod convolve;
mod depthwise;
mod norm;
mod products;
mod shape;
mod weight_gradient;

use shape::{Shape, by_size, parts};

pub(crate) use norm::norm_as_line;
pub(super) use norm::{moments, norm, norm_gradient};
pub(super) use shape::{Layer, Sizes, points};

/// `[points, inputs]` to `[points, outputs]` with weights `[outputs, inputs, kernel, kernel]`, or of a depthwise
/// convolution `[outputs, 1, kernel, kernel]`. A layer that is [transposed](Layer::transposed) goes `backward`, from
/// gradients of outputs to gradients of inputs: each weight is applied in the opposite direction.
pub(super) fn convolve(
    layer: Layer,
    sizes: &[[usize; 3]],
    x: &[f32],
    weights: &[f32],
    backward: bool,
) -> Vec<f32> {
    let mut y = vec![0.0; x.len() / layer.inputs * layer.outputs];
    let parts = parts(layer, sizes, x, &mut y);
    match layer.depthwise {
        true => depthwise::convolve(parts, weights, backward),
        false => convolve::convolve(parts, weights, backward),
    }
    y
}

/// Gradients of the outputs, and the inputs, to gradients of the weights.
pub(super) fn weight_gradient(
    layer: Layer,
    sizes: &[[usize; 3]],
    x: &[f32],
    gradient: &[f32],
) -> Vec<f32> {
    let of_size = match layer.depthwise {
        true => depthwise::weight_gradient,
        false => weight_gradient::weight_gradient,
    };
    let [x, gradient] = [(layer.inputs, x), (layer.outputs, gradient)]
        .map(|(channels, numbers)| by_size(sizes, channels, numbers));
    let parts = sizes.iter().zip(x.zip(gradient));
    let parts = parts.map(|(&size, (x, gradient))| of_size(Shape::new(layer, size), x, gradient));
    let add = |mut sums: Vec<f32>, part: Vec<f32>| {
        sums.iter_mut()
            .zip(part)
            .for_each(|(sum, part)| *sum += part);
        sums
    };
    parts.reduce(add).unwrap_or_default()
}

/// Numbers `[n, rows, columns]` as `[n, columns, rows]`: with `[channels, area]` planes to channels
/// last, with `[area, channels]` back.
pub(crate) fn transpose(numbers: &[f32], rows: usize, columns: usize) -> Vec<f32> {
    let mut turned = Vec::with_capacity(numbers.len());
    for board in numbers.chunks_exact((rows * columns).max(1)) {
        for column in 0..columns {
            turned.extend(board[column..].iter().step_by(columns));
        }
    }
    turned
}

/// Adds `[boards, channels]` to all points of each board.
pub(in crate::network::net) fn add_by_board(
    channels: usize,
    sizes: &[[usize; 3]],
    x: &[f32],
    bias: &[f32],
) -> Vec<f32> {
    let mut sum = Vec::with_capacity(x.len());
    for (board, bias) in boards(channels, sizes, x).zip(bias.chunks_exact(channels)) {
        for point in board.chunks_exact(channels) {
            sum.extend(point.iter().zip(bias).map(|(x, bias)| x + bias));
        }
    }
    sum
}

/// The sum over the points of each board, `[boards, channels]`.
pub(in crate::network::net) fn sums_by_board(
    channels: usize,
    sizes: &[[usize; 3]],
    x: &[f32],
) -> Vec<f32> {
    let mut sums = vec![0.0; sizes.iter().map(|size| size[0]).sum::<usize>() * channels];
    for (board, sums) in boards(channels, sizes, x).zip(sums.chunks_exact_mut(channels)) {
        for point in board.chunks_exact(channels) {
            sums.iter_mut().zip(point).for_each(|(sum, x)| *sum += x);
        }
    }
    sums
}

/// The numbers of each board.
fn boards<'a>(
    channels: usize,
    sizes: &'a [[usize; 3]],
    x: &'a [f32],
) -> impl Iterator<Item = &'a [f32]> {
    let boards = sizes.iter().zip(by_size(sizes, channels, x));
    boards.flat_map(move |(&[_, height, width], x)| x.chunks_exact(height * width * channels))
}

#[cfg(test)]
mod tests;
