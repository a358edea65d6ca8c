//! The operations composed of Burn's own, for any backend: convolutions with channels first, the rest on points.

use burn::backend::ops::ConvOptions;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Backend, TensorMetadata};
use burn::tensor::Shape;

use super::super::NORM_EPSILON;
use super::super::kernel::{Sizes, points};

/// [`super::Boards::board_conv`].
pub(super) fn conv<B: Backend>(
    x: FloatTensor<B>,
    factors: FloatTensor<B>,
    sizes: Sizes,
) -> FloatTensor<B> {
    let options = options(&x, &factors);
    let conv = |x| B::conv2d(x, factors.clone(), None, options.clone());
    joined::<B>(parts::<B>(x, &sizes).into_iter().map(conv).collect())
}

/// [`super::Boards::board_conv_input_gradient`].
pub(super) fn conv_input_gradient<B: Backend>(
    x: FloatTensor<B>,
    factors: FloatTensor<B>,
    gradient: FloatTensor<B>,
    sizes: Sizes,
) -> FloatTensor<B> {
    let options = options(&x, &factors);
    if is_depthwise(&factors, &options) {
        let factors = B::float_flip(factors, &[2, 3]);
        return conv::<B>(gradient, factors, sizes);
    }
    let part = |(x, gradient)| B::conv2d_x_backward(x, factors.clone(), gradient, options.clone());
    joined::<B>(pairs::<B>(x, gradient, &sizes).map(part).collect())
}

/// [`super::Boards::board_conv_weight_gradient`].
pub(super) fn conv_weight_gradient<B: Backend>(
    x: FloatTensor<B>,
    factors: FloatTensor<B>,
    gradient: FloatTensor<B>,
    sizes: Sizes,
) -> FloatTensor<B> {
    let options = options(&x, &factors);
    let zeros = B::float_zeros(factors.shape(), &factors.device(), factors.dtype().into());
    pairs::<B>(x, gradient, &sizes).fold(zeros, |sum, (x, gradient)| {
        let part = match is_depthwise(&factors, &options) {
            true => depthwise_weight_gradient::<B>(x, gradient, options.padding_begin()),
            false => weight_gradient::<B>(x, gradient, options.padding_begin()[0]),
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

/// [`super::Boards::board_moments`].
pub(super) fn moments<B: Backend>(x: FloatTensor<B>) -> (FloatTensor<B>, FloatTensor<B>) {
    let [points, channels] = x.shape().dims();
    let of_points = |sums| B::float_div_scalar(sums, (points as f32).into());
    let mean = of_points(column_sums::<B>(x.clone()));
    let centred = B::float_sub(x, mean.clone());
    let squares = B::float_mul(centred.clone(), centred);
    let variance = of_points(column_sums::<B>(squares));
    let flat = |numbers| B::float_reshape(numbers, Shape::new([channels]));
    (flat(mean), flat(variance))
}

/// [`super::Boards::board_norm`].
pub(super) fn norm<B: Backend>(
    x: FloatTensor<B>,
    gamma: FloatTensor<B>,
    beta: FloatTensor<B>,
    mean: FloatTensor<B>,
    variance: FloatTensor<B>,
    relu: bool,
) -> FloatTensor<B> {
    let [gamma, beta, mean] = [gamma, beta, mean].map(row::<B>);
    let scale = B::float_mul(gamma, reciprocal_deviation::<B>(row::<B>(variance)));
    let shift = B::float_sub(beta, B::float_mul(mean, scale.clone()));
    let y = B::float_add(B::float_mul(x, scale), shift);
    if relu { B::relu(y) } else { y }
}

/// [`super::Boards::board_norm_gradients`].
#[allow(clippy::too_many_arguments, reason = "as the operation")]
pub(super) fn norm_gradients<B: Backend>(
    x: FloatTensor<B>,
    gamma: FloatTensor<B>,
    beta: FloatTensor<B>,
    mean: FloatTensor<B>,
    variance: FloatTensor<B>,
    gradient: FloatTensor<B>,
    relu: bool,
) -> (FloatTensor<B>, FloatTensor<B>, FloatTensor<B>) {
    let (shape, points) = (gamma.shape(), x.shape()[0]);
    let gradient = match relu {
        false => gradient,
        true => {
            let (gamma, mean, variance) = (gamma.clone(), mean.clone(), variance.clone());
            let y = norm::<B>(x.clone(), gamma, beta, mean, variance, true);
            B::relu_backward(y, gradient)
        }
    };
    let [gamma, mean, variance] = [gamma, mean, variance].map(row::<B>);
    let inverse = reciprocal_deviation::<B>(variance);
    // With n points: x' = (x - mean) / deviation, to x: gamma / deviation (g - sum(g) / n - x' sum(g x') / n).
    let to_beta = column_sums::<B>(gradient.clone());
    let product = column_sums::<B>(B::float_mul(gradient.clone(), x.clone()));
    let centred = B::float_sub(product, B::float_mul(mean.clone(), to_beta.clone()));
    let to_gamma = B::float_mul(centred, inverse.clone());
    let scale = B::float_mul(gamma, inverse.clone());
    let of_points =
        |sums| B::float_div_scalar(B::float_mul(sums, scale.clone()), (points as f32).into());
    let slope = B::float_mul(of_points(to_gamma.clone()), inverse);
    let offset = B::float_sub(
        of_points(to_beta.clone()),
        B::float_mul(mean, slope.clone()),
    );
    let by_moments = B::float_add(B::float_mul(x, slope), offset);
    let to_x = B::float_sub(B::float_mul(gradient, scale), by_moments);
    let flat = |numbers| B::float_reshape(numbers, shape.clone());
    (to_x, flat(to_gamma), flat(to_beta))
}

/// The sum of each channel over all points, `[1, channels]`: by a matrix product, as reductions over
/// the first of two dimensions are slow on GPUs.
fn column_sums<B: Backend>(x: FloatTensor<B>) -> FloatTensor<B> {
    let ones = B::float_ones(Shape::new([1, x.shape()[0]]), &x.device(), x.dtype().into());
    B::float_matmul(ones, x)
}

/// `[channels]` as `[1, channels]`.
fn row<B: Backend>(numbers: FloatTensor<B>) -> FloatTensor<B> {
    let channels = numbers.shape()[0];
    B::float_reshape(numbers, Shape::new([1, channels]))
}

fn reciprocal_deviation<B: Backend>(variance: FloatTensor<B>) -> FloatTensor<B> {
    B::float_recip(B::float_sqrt(B::float_add_scalar(
        variance,
        NORM_EPSILON.into(),
    )))
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

/// [`parts`] of the input with those of the output's gradient.
fn pairs<B: Backend>(
    x: FloatTensor<B>,
    gradient: FloatTensor<B>,
    sizes: &Sizes,
) -> impl Iterator<Item = (FloatTensor<B>, FloatTensor<B>)> {
    let gradients = parts::<B>(gradient, sizes);
    parts::<B>(x, sizes).into_iter().zip(gradients)
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

fn options<T: TensorMetadata>(x: &T, factors: &T) -> ConvOptions<2> {
    let [_, channels] = x.shape().dims::<2>();
    let [_, inputs, kernel, _] = factors.shape().dims::<4>();
    let rim = kernel / 2;
    ConvOptions::new([1, 1], [rim, rim], [1, 1], channels / inputs)
}

fn is_depthwise<T: TensorMetadata>(factors: &T, options: &ConvOptions<2>) -> bool {
    let [_, inputs, _, _] = factors.shape().dims::<4>();
    options.groups > 1 && inputs == 1
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
    rim: [usize; 2],
) -> FloatTensor<B> {
    let [boards, channels, height, width] = x.shape().dims();
    let maps = boards * channels;
    let x = B::float_reshape(x, Shape::new([1, maps, height, width]));
    let gradient = B::float_reshape(gradient, Shape::new([maps, 1, height, width]));
    let options = ConvOptions::new([1, 1], rim, [1, 1], maps);
    let of_maps = B::conv2d(x, gradient, None, options);
    let [_, _, kernel_height, kernel_width] = of_maps.shape().dims();
    let each = Shape::new([boards, channels, kernel_height * kernel_width]);
    let sum = B::float_sum_dim(B::float_reshape(of_maps, each), 0);
    B::float_reshape(sum, Shape::new([channels, 1, kernel_height, kernel_width]))
}
