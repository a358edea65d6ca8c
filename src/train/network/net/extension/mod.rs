//! The layers of a network as Burn operations, on the points of boards ([`super::Maps`]).
//!
//! Burn's own CPU backend, `flex`, computes them with our kernels, libtorch on a GPU with its own and with what Burn
//! composes of them. Gradients are in [`super::backward`].

#![cfg_attr(
    feature = "libtorch",
    allow(deprecated, reason = "see `crate::network::device`")
)]

mod composed;
mod flex;
#[cfg(feature = "libtorch")]
mod libtorch;
#[cfg(test)]
mod tests;

use burn::backend::tensor::FloatTensor;
use burn::backend::{Backend, backend_extension};

use super::kernel::Sizes;

/// Layers of boards of one or several sizes, `[points, channels]`.
#[backend_extension(Flex, LibTorch: cfg(feature = "libtorch"), Autodiff)]
pub(in crate::network::net) trait Boards: Backend {
    /// Stride-1 convolution that keeps the boards' sizes, its factors `[out, in, kernel, kernel]`, or of each channel
    /// separately (depthwise) `[channels, 1, kernel, kernel]`. `backward` it takes gradients of the outputs to those of
    /// the inputs.
    fn board_conv(
        x: FloatTensor<Self>,
        factors: FloatTensor<Self>,
        sizes: Sizes,
        depthwise: bool,
        backward: bool,
    ) -> FloatTensor<Self> {
        composed::conv::<Self>(x, factors, sizes, depthwise, backward)
    }

    /// Adds a number for each board and channel, `[boards, channels]`.
    fn add_by_board(
        x: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        sizes: Sizes,
    ) -> FloatTensor<Self> {
        composed::add_by_board::<Self>(x, bias, sizes)
    }

    /// Batch norm, gamma and beta `[channels]`, then a ReLU if `relu`; also the mean and the variance of each channel,
    /// which have no gradient of their own: that of a norm by its input's moments is included in the norm's.
    fn board_norm(
        x: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        relu: bool,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>);
}

/// Gradients of these layers, on a backend that does not record them itself.
pub(in crate::network::net) trait BoardGradients: Boards {
    /// Gradient of the factors.
    fn board_conv_weight_gradient(
        x: FloatTensor<Self>,
        factors: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        sizes: Sizes,
        depthwise: bool,
    ) -> FloatTensor<Self> {
        composed::conv_weight_gradient::<Self>(x, factors, gradient, sizes, depthwise)
    }

    /// The sum over each board of each channel, `[boards, channels]`.
    fn sums_by_board(x: FloatTensor<Self>, sizes: Sizes) -> FloatTensor<Self> {
        composed::sums_by_board::<Self>(x, sizes)
    }

    /// Gradients of `x`, gamma and beta, when the moments are those of `x`; `factors` are gamma, beta, mean, variance.
    fn board_norm_gradients(
        x: FloatTensor<Self>,
        factors: [FloatTensor<Self>; 4],
        gradient: FloatTensor<Self>,
        relu: bool,
    ) -> [FloatTensor<Self>; 3];
}
