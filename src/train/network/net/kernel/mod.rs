//! CPU kernels for many small boards, forward and backward, on plain slices. Boards are channels
//! last, `[boards, height, width, channels]`.
//!
//! Convolutions are those with which networks are played ([`crate::eval::native`]): one text, generic
//! over the processor's vectors and compiled for each kind of them, 3x3 by Winograd's algorithm. Each board is
//! copied into the blocks of sixteen channels that they read (`layout`), which costs little beside its products.
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
mod frequencies;
mod layout;
mod norm;
mod products;
mod shape;
mod weight_gradient;
mod weights;

pub(super) use norm::{moments, norm, norm_gradient};
pub(super) use shape::Shape;

/// `[boards, height, width, inputs]` to `[boards, height, width, outputs]` with weights
/// `[outputs, inputs, kernel, kernel]`, or of a depthwise convolution `[outputs, 1, kernel, kernel]`.
pub(super) fn forward(shape: Shape, x: &[f32], weights: &[f32]) -> Vec<f32> {
    match shape.depthwise {
        true => depthwise::forward(shape, x, weights),
        false => convolve::forward(shape, x, weights),
    }
}

/// Gradients of the outputs to gradients of the inputs.
pub(super) fn input_gradient(shape: Shape, weights: &[f32], gradient: &[f32]) -> Vec<f32> {
    match shape.depthwise {
        true => depthwise::input_gradient(shape, weights, gradient),
        false => convolve::input_gradient(shape, weights, gradient),
    }
}

/// Gradients of the outputs, and the inputs, to gradients of the weights.
pub(super) fn weight_gradient(shape: Shape, x: &[f32], gradient: &[f32]) -> Vec<f32> {
    match shape.depthwise {
        true => depthwise::weight_gradient(shape, x, gradient),
        false => weight_gradient::weight_gradient(shape, x, gradient),
    }
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

#[cfg(test)]
mod tests;
