//! The network computed with Burn.

use burn::tensor::{Device, Gradients, Tensor, TensorData, activation};

use super::extension::{board_conv, board_moments, board_norm};
use super::{AREA_UNIT, Conv, Layers, Pooling, Role, Weights};

/// How batch norms behave, and whether gradients are recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Norms use the batch's own statistics and report them; the device must record gradients.
    Fit,
    /// As [`Mode::Fit`], on a device that records no gradients: for validation in training mode.
    Probe,
    /// Norms use the running statistics.
    Infer,
}

/// One computation with the current weights.
pub struct Forward<'a> {
    weights: &'a Weights,
    /// The weights as flat tensors, in the same order.
    leaves: Vec<Tensor<1>>,
    mode: Mode,
    /// Places and new values of batch statistics that this computation has seen.
    statistics: Vec<(usize, Tensor<1>)>,
}

impl<'a> Forward<'a> {
    /// Puts the weights on a device.
    #[must_use]
    pub fn new(weights: &'a Weights, device: &Device, mode: Mode) -> Forward<'a> {
        let leaf = |weight: &super::WeightTensor| {
            let data = TensorData::new(weight.values.clone(), [weight.values.len()]);
            let tensor = Tensor::from_data(data, device);
            if mode == Mode::Fit && weight.role != Role::Buffer {
                tensor.require_grad()
            } else {
                tensor
            }
        };
        Forward {
            weights,
            leaves: weights.tensors().iter().map(leaf).collect(),
            mode,
            statistics: Vec::new(),
        }
    }

    /// The gradient of each tensor, in the weights' order; empty if there is none.
    #[must_use]
    pub fn gradients(&self, gradients: &Gradients) -> Vec<Vec<f32>> {
        let gradient = |leaf: &Tensor<1>| leaf.grad(gradients).map(numbers).unwrap_or_default();
        self.leaves.iter().map(gradient).collect()
    }

    /// Batch statistics from [`Mode::Fit`]: index in the weights, and values.
    #[must_use]
    pub fn into_statistics(self) -> Vec<(usize, Vec<f32>)> {
        let statistics = self.statistics.into_iter();
        statistics
            .map(|(place, tensor)| (place, numbers(tensor)))
            .collect()
    }

    fn vector(&self, name: &str, part: &str) -> Tensor<1> {
        self.leaves[self.weights.position(&format!("{name}.{part}"))].clone()
    }

    fn factors<const D: usize>(&self, name: &str) -> Tensor<D> {
        let place = self.weights.position(&format!("{name}.weight"));
        let mut dims = [0; D];
        dims.copy_from_slice(&self.weights.tensors()[place].dims);
        self.leaves[place].clone().reshape(dims)
    }

    fn convolved(&self, name: &str, x: &[Tensor<4>]) -> Vec<Tensor<4>> {
        let factors = self.factors(name);
        each(x, |x| board_conv(x.clone(), factors.clone()))
    }

    /// Batch norm, of the points of all boards together, and a ReLU if `relu`.
    fn batch_norm(&mut self, name: &str, x: Vec<Tensor<4>>, relu: bool) -> Vec<Tensor<4>> {
        let shapes: Vec<[usize; 4]> = x.iter().map(Tensor::dims).collect();
        let x = joined(x);
        let [mean, variance] = match self.mode {
            Mode::Fit | Mode::Probe => {
                let (mean, variance) = board_moments(x.clone());
                for (part, seen) in [("mean", &mean), ("variance", &variance)] {
                    let place = self.weights.position(&format!("{name}.{part}"));
                    self.statistics.push((place, seen.clone()));
                }
                [mean, variance]
            }
            Mode::Infer => ["mean", "variance"].map(|part| self.vector(name, part)),
        };
        let [gamma, beta] = ["gamma", "beta"].map(|part| self.vector(name, part));
        let factors = [gamma, beta, mean, variance];
        parted(board_norm(x, factors, relu), &shapes)
    }
}

/// Boards of several sizes as one of a single column, for pointwise operations.
fn joined(mut maps: Vec<Tensor<4>>) -> Tensor<4> {
    if maps.len() == 1 {
        return maps.remove(0);
    }
    let column = |map: Tensor<4>| {
        let [batch, height, width, channels] = map.dims();
        map.reshape([1, batch * height * width, 1, channels])
    };
    Tensor::cat(maps.into_iter().map(column).collect(), 1)
}

/// The boards of these shapes that were [`joined`].
fn parted(map: Tensor<4>, shapes: &[[usize; 4]]) -> Vec<Tensor<4>> {
    if shapes.len() == 1 {
        return vec![map];
    }
    let mut start = 0;
    let part = |&shape: &[usize; 4]| {
        let points = shape[0] * shape[1] * shape[2];
        let part = map.clone().narrow(1, start, points).reshape(shape);
        start += points;
        part
    };
    shapes.iter().map(part).collect()
}

/// The numbers of the boards of each size on the host, one after the other.
pub(crate) fn all_numbers(vectors: Vec<Tensor<2>>) -> Vec<f32> {
    vectors.into_iter().flat_map(numbers).collect()
}

/// The numbers of a tensor on the host.
pub(crate) fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    // Every tensor here is f32 by construction, so this cannot fail.
    tensor
        .into_data()
        .as_slice()
        .map(<[f32]>::to_vec)
        .unwrap_or_default()
}

/// The same for the boards of each size.
fn each<T, U>(x: &[T], of: impl FnMut(&T) -> U) -> Vec<U> {
    x.iter().map(of).collect()
}

/// The same for the boards of each size, of two.
fn both<T, S, U>(a: &[T], b: &[S], mut of: impl FnMut(&T, &S) -> U) -> Vec<U> {
    a.iter().zip(b).map(|(a, b)| of(a, b)).collect()
}

/// A batch may have boards of several sizes: each size is computed separately, and only norms
/// combine them.
impl Layers for Forward<'_> {
    /// For each size, channels last: `[batch, height, width, channels]`.
    type Map = Vec<Tensor<4>>;
    type Vector = Vec<Tensor<2>>;

    fn conv_norm(&mut self, name: &str, x: &Self::Map, _conv: Conv) -> Self::Map {
        let x = self.convolved(name, x);
        self.batch_norm(name, x, false)
    }

    fn conv_norm_relu(&mut self, name: &str, x: &Self::Map, _conv: Conv) -> Self::Map {
        let x = self.convolved(name, x);
        self.batch_norm(name, x, true)
    }

    fn depthwise_norm_relu(&mut self, name: &str, x: &Self::Map, _kernel: usize) -> Self::Map {
        // The factors' shape tells that each channel is separate.
        let x = self.convolved(name, x);
        self.batch_norm(name, x, true)
    }

    fn norm(&mut self, name: &str, x: &Self::Map) -> Self::Map {
        self.batch_norm(name, x.clone(), false)
    }

    fn conv(&mut self, name: &str, x: &Self::Map, conv: Conv) -> Self::Map {
        let (factors, bias) = (self.factors(name), self.vector(name, "bias"));
        let bias = bias.reshape([1, 1, 1, conv.channels]);
        each(x, |x| board_conv(x.clone(), factors.clone()) + bias.clone())
    }

    fn linear(&mut self, name: &str, x: &Self::Vector, len: usize) -> Self::Vector {
        let factors = self.factors(name);
        let bias = self.vector(name, "bias").reshape([1, len]);
        each(x, |x| x.clone().matmul(factors.clone()) + bias.clone())
    }

    fn relu(&mut self, x: &Self::Map) -> Self::Map {
        each(x, |x| activation::relu(x.clone()))
    }

    fn relu_vector(&mut self, x: &Self::Vector) -> Self::Vector {
        each(x, |x| activation::relu(x.clone()))
    }

    fn add(&mut self, a: &Self::Map, b: &Self::Map) -> Self::Map {
        both(a, b, |a, b| a.clone() + b.clone())
    }

    fn add_per_channel(&mut self, x: &Self::Map, bias: &Self::Vector) -> Self::Map {
        both(x, bias, |x, bias| {
            let [batch, .., channels] = x.dims();
            x.clone() + bias.clone().reshape([batch, 1, 1, channels])
        })
    }

    fn pool(&mut self, x: &Self::Map, pooling: Pooling) -> Self::Vector {
        each(x, |x| {
            let [batch, height, width, channels] = x.dims();
            let points = x.clone().reshape([batch, height * width, channels]);
            let mean = points.clone().mean_dim(1).reshape([batch, channels]);
            if pooling == Pooling::Mean {
                return mean;
            }
            let max = points.max_dim(1).reshape([batch, channels]);
            let area = (height * width) as f32 / AREA_UNIT;
            let sum = (pooling == Pooling::MeanMaxSum).then(|| mean.clone() * area);
            Tensor::cat([mean, max].into_iter().chain(sum).collect(), 1)
        })
    }

    fn flatten(&mut self, x: &Self::Map) -> Self::Vector {
        each(x, |x| {
            let [batch, height, width, channels] = x.dims();
            let planes = x.clone().permute([0, 3, 1, 2]);
            planes.reshape([batch, channels * height * width])
        })
    }

    fn concat(&mut self, a: &Self::Vector, b: &Self::Vector) -> Self::Vector {
        both(a, b, |a, b| Tensor::cat(vec![a.clone(), b.clone()], 1))
    }
}
