//! The operations of [`super::kernel`] as Burn operations, on channels-last boards.
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
use crate::eval::native::Level;

/// Layers of boards `[batch, height, width, channels]`.
#[backend_extension(Flex, LibTorch: cfg(feature = "libtorch"), Autodiff)]
pub(super) trait Boards: Backend {
    /// Stride-1 convolution that keeps the board's size, its factors `[out, in, kernel, kernel]`; with
    /// `[channels, 1, kernel, kernel]` of each channel separately (depthwise).
    fn board_conv(x: FloatTensor<Self>, factors: FloatTensor<Self>) -> FloatTensor<Self> {
        let options = options(&x, &factors);
        channels_last::<Self>(Self::conv2d(
            channels_first::<Self>(x),
            factors,
            None,
            options,
        ))
    }

    /// Gradient of the input.
    fn board_conv_input_gradient(
        x: FloatTensor<Self>,
        factors: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let options = options(&x, &factors);
        let (x, gradient) = (channels_first::<Self>(x), channels_first::<Self>(gradient));
        channels_last::<Self>(Self::conv2d_x_backward(x, factors, gradient, options))
    }

    /// Gradient of the factors.
    fn board_conv_weight_gradient(
        x: FloatTensor<Self>,
        factors: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let options = options(&x, &factors);
        let (x, gradient) = (channels_first::<Self>(x), channels_first::<Self>(gradient));
        Self::conv2d_weight_backward(x, factors, gradient, options)
    }

    /// The mean and the variance of each channel. They have no gradient of their own: the gradient
    /// of a norm by its input's moments is included in the norm's.
    fn board_moments(x: FloatTensor<Self>) -> (FloatTensor<Self>, FloatTensor<Self>) {
        let [.., channels] = x.shape().dims::<4>();
        let rows = Shape::new([x.shape().num_elements() / channels, channels]);
        let x = Self::float_reshape(x, rows);
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
        let x = channels_first::<Self>(x);
        let y = Self::batch_norm(x, gamma, beta, mean, variance, f64::from(NORM_EPSILON));
        let y = if relu { Self::relu(y) } else { y };
        channels_last::<Self>(y)
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
        let (x, gradient) = (channels_first::<Self>(x), channels_first::<Self>(gradient));
        let epsilon = f64::from(NORM_EPSILON);
        let found = Self::batch_norm_train_backward(x, gamma, mean, variance, epsilon, gradient);
        let to_x = channels_last::<Self>(found.x_grad);
        (to_x, found.gamma_grad, found.beta_grad)
    }
}

fn channels_first<B: Backend>(x: FloatTensor<B>) -> FloatTensor<B> {
    B::float_permute(x, &[0, 3, 1, 2])
}

fn channels_last<B: Backend>(x: FloatTensor<B>) -> FloatTensor<B> {
    B::float_permute(x, &[0, 2, 3, 1])
}

fn options<T: TensorMetadata>(x: &T, factors: &T) -> ConvOptions<2> {
    let [.., channels] = x.shape().dims::<4>();
    let [_, inputs, kernel, _] = factors.shape().dims::<4>();
    let rim = kernel / 2;
    ConvOptions::new([1, 1], [rim, rim], [1, 1], channels / inputs)
}

/// The convolution of tensors on any device.
pub(super) fn board_conv(x: Tensor<4>, factors: Tensor<4>) -> Tensor<4> {
    let y = <Dispatch as Boards>::board_conv(x.into_dispatch(), factors.into_dispatch());
    Tensor::from_dispatch(y)
}

/// The mean and the variance of each channel, on any device.
pub(super) fn board_moments(x: Tensor<4>) -> (Tensor<1>, Tensor<1>) {
    let (mean, variance) = <Dispatch as Boards>::board_moments(x.into_dispatch());
    (Tensor::from_dispatch(mean), Tensor::from_dispatch(variance))
}

/// Batch norm of tensors on any device: `[gamma, beta, mean, variance]`, then a ReLU if `relu`.
pub(super) fn board_norm(x: Tensor<4>, factors: [Tensor<1>; 4], relu: bool) -> Tensor<4> {
    let [gamma, beta, mean, variance] = factors.map(Tensor::into_dispatch);
    let y = <Dispatch as Boards>::board_norm(x.into_dispatch(), gamma, beta, mean, variance, relu);
    Tensor::from_dispatch(y)
}

fn shape(x: &FloatTensor<Flex>, factors: &FloatTensor<Flex>) -> kernel::Shape {
    let [_, height, width, inputs] = x.shape().dims();
    let [outputs, seen, kernel, _] = factors.shape().dims();
    kernel::Shape {
        level: Level::best(),
        depthwise: seen < inputs,
        inputs,
        outputs,
        kernel,
        height,
        width,
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
    fn board_conv(x: FloatTensor<Self>, factors: FloatTensor<Self>) -> FloatTensor<Self> {
        let shape = shape(&x, &factors);
        let [batch, ..] = x.shape().dims::<4>();
        let y = with_numbers([x, factors], |[x, f]| kernel::forward(shape, x, f));
        let dims = [batch, shape.height, shape.width, shape.outputs];
        tensor(y, Shape::new(dims))
    }

    fn board_conv_input_gradient(
        x: FloatTensor<Self>,
        factors: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let (shape, dims) = (shape(&x, &factors), x.shape());
        let to_x = with_numbers([factors, gradient], |[f, g]| {
            kernel::input_gradient(shape, f, g)
        });
        tensor(to_x, dims)
    }

    fn board_conv_weight_gradient(
        x: FloatTensor<Self>,
        factors: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let (shape, dims) = (shape(&x, &factors), factors.shape());
        let to_factors = with_numbers([x, gradient], |[x, g]| kernel::weight_gradient(shape, x, g));
        tensor(to_factors, dims)
    }

    fn board_moments(x: FloatTensor<Self>) -> (FloatTensor<Self>, FloatTensor<Self>) {
        let [.., channels] = x.shape().dims::<4>();
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
