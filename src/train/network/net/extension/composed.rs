//! The operations composed of Burn's own, for any backend: convolutions with channels first, the rest on points.

use burn::backend::ops::ConvOptions;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Backend, TensorMetadata};
use burn::tensor::Shape;

use super::super::kernel::{Sizes, points};

/// [`super::Boards::board_conv`].
pub(super) fn conv<B: Backend>(
    x: FloatTensor<B>,
    factors: FloatTensor<B>,
    sizes: Sizes,
    depthwise: bool,
    backward: bool,
) -> FloatTensor<B> {
    // Backward each weight is applied in the opposite direction.
    let factors = match (backward, depthwise) {
        (false, _) => factors,
        (true, true) => B::float_flip(factors, &[2, 3]),
        (true, false) => B::float_flip(B::float_permute(factors, &[1, 0, 2, 3]), &[2, 3]),
    };
    let [outputs, _, kernel, _] = factors.shape().dims::<4>();
    let groups = if depthwise { outputs } else { 1 };
    let options = ConvOptions::new([1, 1], [kernel / 2; 2], [1, 1], groups);
    let conv = |x| B::conv2d(x, factors.clone(), None, options.clone());
    joined::<B>(parts::<B>(x, &sizes).into_iter().map(conv).collect())
}

/// [`super::Boards::board_conv_weight_gradient`].
pub(super) fn conv_weight_gradient<B: Backend>(
    x: FloatTensor<B>,
    factors: FloatTensor<B>,
    gradient: FloatTensor<B>,
    sizes: Sizes,
    depthwise: bool,
) -> FloatTensor<B> {
    let rim = factors.shape()[2] / 2;
    let zeros = B::float_zeros(factors.shape(), &factors.device(), factors.dtype().into());
    let gradients = parts::<B>(gradient, &sizes);
    let pairs = parts::<B>(x, &sizes).into_iter().zip(gradients);
    pairs.fold(zeros, |sum, (x, gradient)| {
        let part = match depthwise {
            true => depthwise_weight_gradient::<B>(x, gradient, rim),
            false => weight_gradient::<B>(x, gradient, rim),
        };
        B::float_add(sum, part)
    })
}

/// [`super::Boards::add_by_board`].
pub(super) fn add_by_board<B: Backend>(
    x: FloatTensor<B>,
    bias: FloatTensor<B>,
    sizes: Sizes,
) -> FloatTensor<B> {
    let channels = x.shape()[1];
    let own = split::<B>(&bias, sizes.iter().map(|size| size[0]));
    let of_size = |(own, &[boards, height, width]): (_, &[usize; 3])| {
        let own = B::float_reshape(own, Shape::new([boards, 1, channels]));
        let own = B::float_expand(own, Shape::new([boards, height * width, channels]));
        let points = points([boards, height, width]);
        B::float_reshape(own, Shape::new([points, channels]))
    };
    let bias = B::float_cat(own.into_iter().zip(&sizes).map(of_size).collect(), 0);
    B::float_add(x, bias)
}

/// [`super::Boards::sums_by_board`].
pub(super) fn sums_by_board<B: Backend>(x: FloatTensor<B>, sizes: Sizes) -> FloatTensor<B> {
    let channels = x.shape()[1];
    let own = split::<B>(&x, sizes.iter().map(|&size| points(size)));
    let of_size = |(own, &[boards, height, width]): (_, &[usize; 3])| {
        let own = B::float_reshape(own, Shape::new([boards, height * width, channels]));
        let sums = B::float_sum_dim(own, 1);
        B::float_reshape(sums, Shape::new([boards, channels]))
    };
    B::float_cat(own.into_iter().zip(&sizes).map(of_size).collect(), 0)
}

/// `[rows, columns]` as parts of these numbers of rows.
fn split<B: Backend>(
    x: &FloatTensor<B>,
    counts: impl Iterator<Item = usize>,
) -> Vec<FloatTensor<B>> {
    let columns = x.shape()[1];
    let mut first = 0;
    let part = |count| {
        let rows = first..first + count;
        first += count;
        B::float_slice(x.clone(), &[rows.into(), (0..columns).into()])
    };
    counts.map(part).collect()
}

/// The boards of each size, channels first.
fn parts<B: Backend>(x: FloatTensor<B>, sizes: &Sizes) -> Vec<FloatTensor<B>> {
    let channels = x.shape()[1];
    let part = |(part, &[boards, height, width]): (_, &[usize; 3])| {
        let part = B::float_reshape(part, Shape::new([boards, height, width, channels]));
        B::float_permute(part, &[0, 3, 1, 2])
    };
    let split = split::<B>(&x, sizes.iter().map(|&size| points(size)));
    split.into_iter().zip(sizes).map(part).collect()
}

/// The points of boards, channels first, of each size.
fn joined<B: Backend>(parts: Vec<FloatTensor<B>>) -> FloatTensor<B> {
    let flat = |part: FloatTensor<B>| {
        let [boards, channels, height, width] = part.shape().dims();
        let part = B::float_permute(part, &[0, 2, 3, 1]);
        B::float_reshape(
            part,
            Shape::new([points([boards, height, width]), channels]),
        )
    };
    let mut flat: Vec<_> = parts.into_iter().map(flat).collect();
    match flat.len() {
        // Without a copy.
        1 => flat.remove(0),
        _ => B::float_cat(flat, 0),
    }
}

/// Gradient of the factors of a convolution of boards, channels first, by one matrix product. Burn's own
/// takes a board as a kernel and a channel as a board, a shape for which libraries have no fast kernel.
fn weight_gradient<B: Backend>(
    x: FloatTensor<B>,
    gradient: FloatTensor<B>,
    rim: usize,
) -> FloatTensor<B> {
    let [boards, inputs, height, width] = x.shape().dims();
    let [_, outputs, _, _] = gradient.shape().dims();
    let (side, points) = (2 * rim + 1, points([boards, height, width]));
    let x = B::float_permute(x, &[0, 2, 3, 1]);
    let padded = Shape::new([boards, height + 2 * rim, width + 2 * rim, inputs]);
    let padded = B::float_zeros(padded, &x.device(), x.dtype().into());
    let inner = [0..boards, rim..rim + height, rim..rim + width, 0..inputs];
    let padded = B::float_slice_assign(padded, &inner.map(Into::into), x);
    let shifted = |tap: usize| {
        let (row, column) = (tap / side, tap % side);
        let seen = [
            0..boards,
            row..row + height,
            column..column + width,
            0..inputs,
        ];
        let seen = B::float_slice(padded.clone(), &seen.map(Into::into));
        B::float_reshape(seen, Shape::new([points, inputs]))
    };
    let columns = B::float_cat((0..side * side).map(shifted).collect(), 1);
    let gradient = B::float_permute(gradient, &[1, 0, 2, 3]);
    let gradient = B::float_reshape(gradient, Shape::new([outputs, points]));
    let product = B::float_matmul(gradient, columns);
    let product = B::float_reshape(product, Shape::new([outputs, side, side, inputs]));
    B::float_permute(product, &[0, 3, 1, 2])
}

/// The same where each channel is convolved separately: each map is convolved with the gradient of that
/// map. Burn's own is a loop over channels.
fn depthwise_weight_gradient<B: Backend>(
    x: FloatTensor<B>,
    gradient: FloatTensor<B>,
    rim: usize,
) -> FloatTensor<B> {
    let [boards, channels, height, width] = x.shape().dims();
    let maps = boards * channels;
    let x = B::float_reshape(x, Shape::new([1, maps, height, width]));
    let gradient = B::float_reshape(gradient, Shape::new([maps, 1, height, width]));
    let options = ConvOptions::new([1, 1], [rim, rim], [1, 1], maps);
    let of_maps = B::conv2d(x, gradient, None, options);
    let [_, _, kernel_height, kernel_width] = of_maps.shape().dims();
    let each = Shape::new([boards, channels, kernel_height * kernel_width]);
    let sum = B::float_sum_dim(B::float_reshape(of_maps, each), 0);
    B::float_reshape(sum, Shape::new([channels, 1, kernel_height, kernel_width]))
}
