//! The network computed with Burn.

use burn::tensor::{Device, Gradients, Tensor, TensorData, activation};

use super::extension::{board_conv, board_moments, board_norm};
use super::{Conv, Layers, Role, Weights};

/// How batch norms behave, and whether gradients are recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Norms use the batch's own statistics and report them; the device must record gradients.
    Fit,
    /// As [`Mode::Fit`], on a device that records no gradients: what the fit would see next.
    Probe,
    /// Norms use the running statistics.
    Infer,
}

/// One computation with the weights as they are now.
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

    /// The gradient of each tensor, in the weights' order; empty where there is none.
    #[must_use]
    pub fn gradients(&self, gradients: &Gradients) -> Vec<Vec<f32>> {
        let gradient = |leaf: &Tensor<1>| leaf.grad(gradients).map(numbers).unwrap_or_default();
        self.leaves.iter().map(gradient).collect()
    }

    /// Batch statistics seen in [`Mode::Fit`]: place in the weights, and values.
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

    /// Batch norm.
    fn norm(&mut self, name: &str, x: Tensor<4>) -> Tensor<4> {
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
        board_norm(x, [gamma, beta, mean, variance])
    }
}

/// The numbers of a tensor on the host.
pub(crate) fn numbers<const D: usize>(tensor: Tensor<D>) -> Vec<f32> {
    // Every tensor here is f32 by construction; an empty answer cannot come back.
    tensor
        .into_data()
        .as_slice()
        .map(<[f32]>::to_vec)
        .unwrap_or_default()
}

impl Layers for Forward<'_> {
    /// Channels last: `[batch, height, width, channels]`.
    type Map = Tensor<4>;
    type Vector = Tensor<2>;

    fn conv_norm(&mut self, name: &str, x: &Tensor<4>, _conv: Conv) -> Tensor<4> {
        let x = board_conv(x.clone(), self.factors(name));
        self.norm(name, x)
    }

    fn conv(&mut self, name: &str, x: &Tensor<4>, conv: Conv) -> Tensor<4> {
        let bias = self.vector(name, "bias");
        let bias = bias.reshape([1, 1, 1, conv.channels]);
        board_conv(x.clone(), self.factors(name)) + bias
    }

    fn linear(&mut self, name: &str, x: &Tensor<2>, len: usize) -> Tensor<2> {
        let bias = self.vector(name, "bias").reshape([1, len]);
        x.clone().matmul(self.factors(name)) + bias
    }

    fn relu(&mut self, x: &Tensor<4>) -> Tensor<4> {
        activation::relu(x.clone())
    }

    fn relu_vector(&mut self, x: &Tensor<2>) -> Tensor<2> {
        activation::relu(x.clone())
    }

    fn add(&mut self, a: &Tensor<4>, b: &Tensor<4>) -> Tensor<4> {
        a.clone() + b.clone()
    }

    fn add_per_channel(&mut self, x: &Tensor<4>, bias: &Tensor<2>) -> Tensor<4> {
        let [batch, .., channels] = x.dims();
        x.clone() + bias.clone().reshape([batch, 1, 1, channels])
    }

    fn pool(&mut self, x: &Tensor<4>) -> Tensor<2> {
        let [batch, height, width, channels] = x.dims();
        let points = x.clone().reshape([batch, height * width, channels]);
        let mean = points.clone().mean_dim(1).reshape([batch, channels]);
        let max = points.max_dim(1).reshape([batch, channels]);
        Tensor::cat(vec![mean, max], 1)
    }

    fn flatten(&mut self, x: &Tensor<4>) -> Tensor<2> {
        let [batch, height, width, channels] = x.dims();
        let planes = x.clone().permute([0, 3, 1, 2]);
        planes.reshape([batch, channels * height * width])
    }

    fn concat(&mut self, a: &Tensor<2>, b: &Tensor<2>) -> Tensor<2> {
        Tensor::cat(vec![a.clone(), b.clone()], 1)
    }
}
