//! The operations of [`super::kernel`] as Burn operations, on the points of boards ([`super::maps`]).
//!
//! Burn's own CPU backend, `flex`, uses those kernels; libtorch uses its own operations, which need
//! channels first, through the default bodies. Gradients are in [`super::backward`].

#![cfg_attr(
    feature = "libtorch",
    allow(deprecated, reason = "see `crate::train::network::device`")
)]

use burn::backend::ops::ConvOptions;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Backend, Dispatch, Flex, TensorMetadata, backend_extension};
use burn::tensor::{Shape, Tensor, TensorData};

use super::NORM_EPSILON;
use super::kernel;
use super::maps::{Sizes, points};
use crate::eval::native::Level;

/// Layers of boards of one or several sizes, `[points, channels]`.
#[backend_extension(Flex, LibTorch: cfg(feature = "libtorch"), Autodiff)]
pub(super) trait Boards: Backend {
    /// Stride-1 convolution that keeps the boards' sizes, its factors `[out, in, kernel, kernel]`; with
    /// `[channels, 1, kernel, kernel]` of each channel separately (depthwise).
    fn board_conv(
        x: FloatTensor<Self>,
        factors: FloatTensor<Self>,
        sizes: Sizes,
    ) -> FloatTensor<Self> {
        let options = options(&x, &factors);
        let conv = |x| Self::conv2d(x, factors.clone(), None, options.clone());
        joined::<Self>(parts::<Self>(x, &sizes).into_iter().map(conv).collect())
    }

    /// Gradient of the input.
    fn board_conv_input_gradient(
        x: FloatTensor<Self>,
        factors: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        sizes: Sizes,
    ) -> FloatTensor<Self> {
        let options = options(&x, &factors);
        if is_depthwise(&factors, &options) {
            let factors = Self::float_flip(factors, &[2, 3]);
            return Self::board_conv(gradient, factors, sizes);
        }
        let pairs = parts::<Self>(x, &sizes);
        let pairs = pairs.into_iter().zip(parts::<Self>(gradient, &sizes));
        let part =
            |(x, gradient)| Self::conv2d_x_backward(x, factors.clone(), gradient, options.clone());
        joined::<Self>(pairs.map(part).collect())
    }

    /// Gradient of the factors.
    fn board_conv_weight_gradient(
        x: FloatTensor<Self>,
        factors: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        sizes: Sizes,
    ) -> FloatTensor<Self> {
        let options = options(&x, &factors);
        let zeros = Self::float_zeros(factors.shape(), &factors.device(), factors.dtype().into());
        let pairs = parts::<Self>(x, &sizes);
        let pairs = pairs.into_iter().zip(parts::<Self>(gradient, &sizes));
        pairs.fold(zeros, |sum, (x, gradient)| {
            let part = match is_depthwise(&factors, &options) {
                true => depthwise_weight_gradient::<Self>(x, gradient, options.padding_begin()),
                false => weight_gradient::<Self>(x, gradient, options.padding_begin()[0]),
            };
            Self::float_add(sum, part)
        })
    }

    /// Adds a number for each board and channel, `[boards, channels]`.
    fn add_by_board(
        x: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        sizes: Sizes,
    ) -> FloatTensor<Self> {
        let channels = x.shape()[1];
        let own = split::<Self>(&bias, sizes.iter().map(|size| size[0]));
        let of_size = |(own, &[boards, height, width]): (_, &[usize; 3])| {
            let own = Self::float_reshape(own, Shape::new([boards, 1, channels]));
            let own = Self::float_expand(own, Shape::new([boards, height * width, channels]));
            let points = points([boards, height, width]);
            Self::float_reshape(own, Shape::new([points, channels]))
        };
        let bias = Self::float_cat(own.into_iter().zip(&sizes).map(of_size).collect(), 0);
        Self::float_add(x, bias)
    }

    /// The sum over each board of each channel, `[boards, channels]`.
    fn sums_by_board(x: FloatTensor<Self>, sizes: Sizes) -> FloatTensor<Self> {
        let channels = x.shape()[1];
        let own = split::<Self>(&x, sizes.iter().map(|&size| points(size)));
        let of_size = |(own, &[boards, height, width]): (_, &[usize; 3])| {
            let own = Self::float_reshape(own, Shape::new([boards, height * width, channels]));
            let sums = Self::float_sum_dim(own, 1);
            Self::float_reshape(sums, Shape::new([boards, channels]))
        };
        Self::float_cat(own.into_iter().zip(&sizes).map(of_size).collect(), 0)
    }

    /// The mean and the variance of each channel. They have no gradient of their own: the gradient
    /// of a norm by its input's moments is included in the norm's.
    fn board_moments(x: FloatTensor<Self>) -> (FloatTensor<Self>, FloatTensor<Self>) {
        let channels = x.shape()[1];
        let mean = Self::float_mean_dim(x.clone(), 0);
        let centred = Self::float_sub(x, mean.clone());
        let variance = Self::float_mean_dim(Self::float_mul(centred.clone(), centred), 0);
        let flat = |numbers| Self::float_reshape(numbers, Shape::new([channels]));
        (flat(mean), flat(variance))
    }

    /// Batch norm by given moments, all but `x` are `[channels]`; with `relu` the answers are at least 0.
    fn board_norm(
        x: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        mean: FloatTensor<Self>,
        variance: FloatTensor<Self>,
        relu: bool,
    ) -> FloatTensor<Self> {
        let dims = x.shape();
        let x = planes_of_one::<Self>(x);
        let y = Self::batch_norm(x, gamma, beta, mean, variance, f64::from(NORM_EPSILON));
        let y = if relu { Self::relu(y) } else { y };
        Self::float_reshape(y, dims)
    }

    /// Gradients of `x`, gamma and beta, when the moments are those of `x`.
    #[allow(
        clippy::too_many_arguments,
        reason = "Burn's macro for operations passes tensors one by one"
    )]
    fn board_norm_gradients(
        x: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        mean: FloatTensor<Self>,
        variance: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        relu: bool,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
        let gradient = match relu {
            false => gradient,
            true => {
                let (gamma, mean, variance) = (gamma.clone(), mean.clone(), variance.clone());
                let y = Self::board_norm(x.clone(), gamma, beta, mean, variance, true);
                Self::relu_backward(y, gradient)
            }
        };
        let dims = x.shape();
        let [x, gradient] = [x, gradient].map(planes_of_one::<Self>);
        let epsilon = f64::from(NORM_EPSILON);
        let found = Self::batch_norm_train_backward(x, gamma, mean, variance, epsilon, gradient);
        let to_x = Self::float_reshape(found.x_grad, dims);
        (to_x, found.gamma_grad, found.beta_grad)
    }
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
    B::float_cat(parts.into_iter().map(flat).collect(), 0)
}

/// Each point as a board of its own, channels first.
fn planes_of_one<B: Backend>(x: FloatTensor<B>) -> FloatTensor<B> {
    let [points, channels] = x.shape().dims();
    B::float_reshape(x, Shape::new([points, channels, 1, 1]))
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

/// The convolution of tensors on any device.
pub(super) fn board_conv(x: Tensor<2>, factors: Tensor<4>, sizes: Sizes) -> Tensor<2> {
    let (x, factors) = (x.into_dispatch(), factors.into_dispatch());
    Tensor::from_dispatch(<Dispatch as Boards>::board_conv(x, factors, sizes))
}

/// Adds `[boards, channels]` to the points of each board, on any device.
pub(super) fn add_by_board(x: Tensor<2>, bias: Tensor<2>, sizes: Sizes) -> Tensor<2> {
    let (x, bias) = (x.into_dispatch(), bias.into_dispatch());
    Tensor::from_dispatch(<Dispatch as Boards>::add_by_board(x, bias, sizes))
}

/// The mean and the variance of each channel, on any device.
pub(super) fn board_moments(x: Tensor<2>) -> (Tensor<1>, Tensor<1>) {
    let (mean, variance) = <Dispatch as Boards>::board_moments(x.into_dispatch());
    (Tensor::from_dispatch(mean), Tensor::from_dispatch(variance))
}

/// Batch norm of tensors on any device: `[gamma, beta, mean, variance]`, then a ReLU if `relu`.
pub(super) fn board_norm(x: Tensor<2>, factors: [Tensor<1>; 4], relu: bool) -> Tensor<2> {
    let [gamma, beta, mean, variance] = factors.map(Tensor::into_dispatch);
    let y = <Dispatch as Boards>::board_norm(x.into_dispatch(), gamma, beta, mean, variance, relu);
    Tensor::from_dispatch(y)
}

fn layer(x: &FloatTensor<Flex>, factors: &FloatTensor<Flex>) -> kernel::Layer {
    let [_, inputs] = x.shape().dims();
    let [outputs, seen, kernel, _] = factors.shape().dims();
    kernel::Layer {
        level: Level::best(),
        depthwise: seen < inputs,
        inputs,
        outputs,
        kernel,
    }
}

/// Calls `with` with the numbers of tensors, copied only if they are not contiguous.
fn with_numbers<R, const N: usize>(
    tensors: [FloatTensor<Flex>; N],
    with: impl FnOnce([&[f32]; N]) -> R,
) -> R {
    let tensors = tensors.map(|tensor| match tensor.as_slice::<f32>() {
        Some(_) => tensor,
        None => tensor.to_contiguous(),
    });
    // Every tensor here is f32 and now contiguous, so its numbers are accessible.
    with(std::array::from_fn(|at| {
        tensors[at].as_slice::<f32>().unwrap_or_default()
    }))
}

fn tensor(numbers: Vec<f32>, shape: Shape) -> FloatTensor<Flex> {
    FloatTensor::<Flex>::from_data(TensorData::new(numbers, shape))
}

#[cfg(feature = "libtorch")]
impl Boards for burn::backend::LibTorch {}

impl Boards for Flex {
    fn board_conv(
        x: FloatTensor<Self>,
        factors: FloatTensor<Self>,
        sizes: Sizes,
    ) -> FloatTensor<Self> {
        let layer = layer(&x, &factors);
        let dims = Shape::new([x.shape()[0], layer.outputs]);
        let y = with_numbers([x, factors], |[x, f]| kernel::forward(layer, &sizes, x, f));
        tensor(y, dims)
    }

    fn board_conv_input_gradient(
        x: FloatTensor<Self>,
        factors: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        sizes: Sizes,
    ) -> FloatTensor<Self> {
        let (layer, dims) = (layer(&x, &factors), x.shape());
        let to_x = with_numbers([factors, gradient], |[f, g]| {
            kernel::input_gradient(layer, &sizes, f, g)
        });
        tensor(to_x, dims)
    }

    fn board_conv_weight_gradient(
        x: FloatTensor<Self>,
        factors: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        sizes: Sizes,
    ) -> FloatTensor<Self> {
        let (layer, dims) = (layer(&x, &factors), factors.shape());
        let to_factors = with_numbers([x, gradient], |[x, g]| {
            kernel::weight_gradient(layer, &sizes, x, g)
        });
        tensor(to_factors, dims)
    }

    fn add_by_board(
        x: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        sizes: Sizes,
    ) -> FloatTensor<Self> {
        let dims = x.shape();
        let sum = with_numbers([x, bias], |[x, bias]| {
            kernel::add_by_board(dims[1], &sizes, x, bias)
        });
        tensor(sum, dims)
    }

    fn sums_by_board(x: FloatTensor<Self>, sizes: Sizes) -> FloatTensor<Self> {
        let channels = x.shape()[1];
        let boards = sizes.iter().map(|size| size[0]).sum();
        let sums = with_numbers([x], |[x]| kernel::sums_by_board(channels, &sizes, x));
        tensor(sums, Shape::new([boards, channels]))
    }

    fn board_moments(x: FloatTensor<Self>) -> (FloatTensor<Self>, FloatTensor<Self>) {
        let channels = x.shape()[1];
        let mut mean = with_numbers([x], |[x]| kernel::moments(x, channels));
        let variance = mean.split_off(channels);
        let flat = |numbers| tensor(numbers, Shape::new([channels]));
        (flat(mean), flat(variance))
    }

    fn board_norm(
        x: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        mean: FloatTensor<Self>,
        variance: FloatTensor<Self>,
        relu: bool,
    ) -> FloatTensor<Self> {
        let dims = x.shape();
        let y = with_numbers([x, gamma, beta, mean, variance], |[x, factors @ ..]| {
            kernel::norm(x, factors, NORM_EPSILON, relu)
        });
        tensor(y, dims)
    }

    fn board_norm_gradients(
        x: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        mean: FloatTensor<Self>,
        variance: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        relu: bool,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
        let (dims, channels) = (x.shape(), gamma.shape());
        let tensors = [x, gradient, gamma, beta, mean, variance];
        let found = with_numbers(tensors, |[x, gradient, factors @ ..]| {
            kernel::norm_gradient(x, gradient, factors, NORM_EPSILON, relu)
        });
        (
            tensor(found.x, dims),
            tensor(found.gamma, channels.clone()),
            tensor(found.beta, channels),
        )
    }
}
