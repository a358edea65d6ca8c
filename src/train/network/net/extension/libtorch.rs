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
    fn board_moments(x: FloatTensor<Self>) -> (FloatTensor<Self>, FloatTensor<Self>) {
        let (mean, inverse) = as_map(&x.tensor).batch_norm_stats(EPSILON);
        let variance = inverse.pow_tensor_scalar(-2.0) - EPSILON;
        (TchTensor::new(mean), TchTensor::new(variance))
    }

    fn board_norm(
        x: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        mean: FloatTensor<Self>,
        variance: FloatTensor<Self>,
        relu: bool,
    ) -> FloatTensor<Self> {
        let inverse = reciprocal_deviation(&variance.tensor);
        let map = as_map(&x.tensor);
        let mut y = normed(&map, &gamma, &beta, &mean, &inverse);
        TchTensor::new(as_points(&if relu { y.relu_() } else { y }))
    }
}

impl BoardGradients for LibTorch {
    fn board_norm_gradients(
        x: FloatTensor<Self>,
        [gamma, beta, mean, variance]: [FloatTensor<Self>; 4],
        gradient: FloatTensor<Self>,
        relu: bool,
    ) -> [FloatTensor<Self>; 3] {
        let inverse = reciprocal_deviation(&variance.tensor);
        let (map, mut gradient) = (as_map(&x.tensor), as_map(&gradient.tensor));
        if relu {
            let y = normed(&map, &gamma, &beta, &mean, &inverse);
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

fn reciprocal_deviation(variance: &Tensor) -> Tensor {
    (variance + EPSILON).rsqrt()
}

fn normed(
    map: &Tensor,
    gamma: &TchTensor,
    beta: &TchTensor,
    mean: &TchTensor,
    inverse: &Tensor,
) -> Tensor {
    let (gamma, beta) = (Some(&gamma.tensor), Some(&beta.tensor));
    map.batch_norm_elemt(gamma, beta, &mean.tensor, inverse, EPSILON)
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
