//! The operations on Burn's CPU backend, by the kernels of [`super::super::kernel`].

use burn::backend::tensor::FloatTensor;
use burn::backend::{Flex, TensorMetadata};
use burn::tensor::{Shape, TensorData};

use super::super::NORM_EPSILON;
use super::super::kernel;
use super::super::kernel::Sizes;
use super::{BoardGradients, Boards};
use tengen_nn::eval::native::Level;

fn layer(factors: &FloatTensor<Flex>, depthwise: bool) -> kernel::Layer {
    let [outputs, seen, kernel, _] = factors.shape().dims();
    kernel::Layer {
        level: Level::best(),
        depthwise,
        inputs: if depthwise { outputs } else { seen },
        outputs,
        kernel,
    }
}

/// Calls `with` with the numbers of tensors, copied only if they are not contiguous.
pub(super) fn with_numbers<R, const N: usize>(
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

pub(super) fn tensor(numbers: Vec<f32>, shape: Shape) -> FloatTensor<Flex> {
    FloatTensor::<Flex>::from_data(TensorData::new(numbers, shape))
}

impl Boards for Flex {
    fn board_conv(
        x: FloatTensor<Self>,
        factors: FloatTensor<Self>,
        sizes: Sizes,
        depthwise: bool,
        backward: bool,
    ) -> FloatTensor<Self> {
        let layer = match backward {
            true => layer(&factors, depthwise).transposed(),
            false => layer(&factors, depthwise),
        };
        let dims = Shape::new([x.shape()[0], layer.outputs]);
        let y = with_numbers([x, factors], |[x, f]| {
            kernel::convolve(layer, &sizes, x, f, backward)
        });
        tensor(y, dims)
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

    fn board_norm(
        x: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        relu: bool,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
        let (dims, channels) = (x.shape(), gamma.shape());
        let (y, mean, variance) = with_numbers([x, gamma, beta], |[x, gamma, beta]| {
            let [mean, variance] = kernel::moments(x, gamma.len());
            let y = kernel::norm(x, [gamma, beta, &mean, &variance], NORM_EPSILON, relu);
            (y, mean, variance)
        });
        let flat = |numbers| tensor(numbers, channels.clone());
        (tensor(y, dims), flat(mean), flat(variance))
    }
}

impl BoardGradients for Flex {
    fn board_conv_weight_gradient(
        x: FloatTensor<Self>,
        factors: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
        sizes: Sizes,
        depthwise: bool,
    ) -> FloatTensor<Self> {
        let (layer, dims) = (layer(&factors, depthwise), factors.shape());
        let to_factors = with_numbers([x, gradient], |[x, g]| {
            kernel::weight_gradient(layer, &sizes, x, g)
        });
        tensor(to_factors, dims)
    }

    fn sums_by_board(x: FloatTensor<Self>, sizes: Sizes) -> FloatTensor<Self> {
        let channels = x.shape()[1];
        let boards = sizes.iter().map(|size| size[0]).sum();
        let sums = with_numbers([x], |[x]| kernel::sums_by_board(channels, &sizes, x));
        tensor(sums, Shape::new([boards, channels]))
    }

    fn board_norm_gradients(
        x: FloatTensor<Self>,
        [gamma, beta, mean, variance]: [FloatTensor<Self>; 4],
        gradient: FloatTensor<Self>,
        relu: bool,
    ) -> [FloatTensor<Self>; 3] {
        let (dims, channels) = (x.shape(), gamma.shape());
        let tensors = [x, gradient, gamma, beta, mean, variance];
        let [to_x, to_gamma, to_beta] = with_numbers(tensors, |[x, gradient, factors @ ..]| {
            kernel::norm_gradient(x, gradient, factors, NORM_EPSILON, relu)
        });
        let flat = |numbers| tensor(numbers, channels.clone());
        [tensor(to_x, dims), flat(to_gamma), flat(to_beta)]
    }
}
