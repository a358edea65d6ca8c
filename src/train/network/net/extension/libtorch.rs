//! The operations by libtorch on an NVIDIA GPU. Batch norms take more of a step than convolutions where each operation
//! passes over all numbers, so that they are libtorch's own, in two passes forward and two backward.

use burn::backend::LibTorch;
use burn::backend::libtorch::TchTensor;
use burn::backend::tensor::FloatTensor;
use tch::{Kind, Tensor};

use super::super::NORM_EPSILON;
use super::{BoardGradients, Boards};

const EPSILON: f64 = NORM_EPSILON as f64;

impl Boards for LibTorch {
    fn board_norm(
        x: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        relu: bool,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
        let map = as_map(&x.tensor);
        let (mean, inverse) = map.batch_norm_stats(EPSILON);
        let mut y = normed(&map, &gamma, &beta, &mean, &inverse);
        let y = as_points(&if relu { y.relu_() } else { y });
        let variance = inverse.pow_tensor_scalar(-2.0) - EPSILON;
        (
            TchTensor::new(y),
            TchTensor::new(mean),
            TchTensor::new(variance),
        )
    }
}

impl BoardGradients for LibTorch {
    fn board_norm_gradients(
        x: FloatTensor<Self>,
        [gamma, beta, mean, variance]: [FloatTensor<Self>; 4],
        gradient: FloatTensor<Self>,
        relu: bool,
    ) -> [FloatTensor<Self>; 3] {
        let inverse = (&variance.tensor + EPSILON).rsqrt();
        let (map, mut gradient) = (as_map(&x.tensor), as_map(&gradient.tensor));
        if relu {
            let y = normed(&map, &gamma, &beta, &mean.tensor, &inverse);
            gradient = y.threshold_backward(&gradient, 0.0);
        }
        let (mean, weight) = (&mean.tensor, Some(&gamma.tensor));
        let (sum, centred_sum, to_gamma, to_beta) =
            map.batch_norm_backward_reduce(&gradient, mean, &inverse, weight, true, true, true);
        let points = x.tensor.size()[0];
        let count = Tensor::full([1], points, (Kind::Int, x.tensor.device()));
        let to_x = map.batch_norm_backward_elemt(
            &gradient,
            mean,
            &inverse,
            weight,
            &sum,
            &centred_sum,
            &count,
        );
        [as_points(&to_x), to_gamma, to_beta].map(TchTensor::new)
    }
}

fn normed(
    map: &Tensor,
    gamma: &TchTensor,
    beta: &TchTensor,
    mean: &Tensor,
    inverse: &Tensor,
) -> Tensor {
    let (gamma, beta) = (Some(&gamma.tensor), Some(&beta.tensor));
    map.batch_norm_elemt(gamma, beta, mean, inverse, EPSILON)
}

/// `[points, channels]` as one map with channels last, for which libtorch has its fastest kernels.
fn as_map(x: &Tensor) -> Tensor {
    let size = x.size();
    x.reshape([1, size[0], 1, size[1]]).permute([0, 3, 1, 2])
}

/// The points of [`as_map`].
fn as_points(map: &Tensor) -> Tensor {
    let size = map.size();
    map.permute([0, 2, 3, 1]).reshape([size[2], size[1]])
}
