//! The network computed with Burn.

use burn::backend::Dispatch;
use burn::tensor::{Device, Gradients, Tensor, TensorData, activation};

use super::extension::Boards;
use super::kernel::{Sizes, points};
use super::{AREA_UNIT, Conv, Layers, NORM_EPSILON, Pooling, Role, Weights};

/// Each tensor of weights begins at a multiple of this many numbers (256 bytes): libraries have slower
/// kernels for others.
const ALIGNMENT: usize = 64;

/// The points of all boards, size after size, with their channels. What concerns each point alone is computed for
/// all of them at once; only convolutions and pools see where a board ends.
#[derive(Debug, Clone)]
pub struct Maps {
    /// `[points, channels]`.
    points: Tensor<2>,
    /// Whose points they are.
    sizes: Sizes,
}

impl Maps {
    /// Boards `[boards, height, width, channels]` of each size.
    pub fn of(maps: Vec<Tensor<4>>) -> Maps {
        let (mut sizes, mut flat) = (Vec::new(), Vec::<Tensor<2>>::new());
        for map in maps {
            let [boards, height, width, channels] = map.dims();
            sizes.push([boards, height, width]);
            flat.push(map.reshape([points([boards, height, width]), channels]));
        }
        let points = match flat.len() {
            1 => flat.remove(0),
            _ => Tensor::cat(flat, 0),
        };
        Maps { points, sizes }
    }

    /// The boards of each size, `[boards, height, width, channels]`.
    pub(super) fn parts(&self) -> Vec<Tensor<4>> {
        let channels = self.points.dims()[1];
        let mut start = 0;
        let part = |&[boards, height, width]: &[usize; 3]| {
            let count = points([boards, height, width]);
            let points = match self.sizes.len() {
                1 => self.points.clone(),
                _ => self.points.clone().narrow(0, start, count),
            };
            start += count;
            points.reshape([boards, height, width, channels])
        };
        self.sizes.iter().map(part).collect()
    }

    /// Other numbers for the same points.
    fn with(&self, points: Tensor<2>) -> Maps {
        Maps {
            points,
            sizes: self.sizes.clone(),
        }
    }
}

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
    pub fn new(weights: &'a Weights, device: &Device, mode: Mode) -> Forward<'a> {
        // One transfer: each costs a GPU as much time as a layer.
        let aligned = |len: usize| len.next_multiple_of(ALIGNMENT);
        let mut numbers = Vec::new();
        for weight in weights.tensors() {
            numbers.extend_from_slice(&weight.values);
            numbers.resize(aligned(numbers.len()), 0.0);
        }
        let count = numbers.len();
        let all = Tensor::<1>::from_data(TensorData::new(numbers, [count]), device);
        let mut start = 0;
        let leaf = |weight: &super::WeightTensor| {
            let len = weight.values.len();
            let tensor = all.clone().narrow(0, start, len);
            start += aligned(len);
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
    pub fn gradients(&self, gradients: &Gradients) -> Vec<Vec<f32>> {
        let gradient = |leaf: &Tensor<1>| leaf.grad(gradients);
        let found: Vec<Option<Tensor<1>>> = self.leaves.iter().map(gradient).collect();
        let mut known = separate_numbers(found.iter().flatten().cloned().collect()).into_iter();
        let of_leaf = |gradient: Option<_>| gradient.and_then(|_| known.next()).unwrap_or_default();
        found.into_iter().map(of_leaf).collect()
    }

    /// Batch statistics from [`Mode::Fit`]: index in the weights, and values.
    pub fn into_statistics(self) -> Vec<(usize, Vec<f32>)> {
        let (places, tensors): (Vec<usize>, _) = self.statistics.into_iter().unzip();
        places.into_iter().zip(separate_numbers(tensors)).collect()
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

    fn convolved(&self, name: &str, x: &Maps, depthwise: bool) -> Maps {
        let factors: Tensor<4> = self.factors(name);
        let (points, factors) = (x.points.clone().into_dispatch(), factors.into_dispatch());
        let sizes = x.sizes.clone();
        let y = <Dispatch as Boards>::board_conv(points, factors, sizes, depthwise, false);
        x.with(Tensor::from_dispatch(y))
    }

    /// Batch norm, of the points of all boards together, and a ReLU if `relu`.
    fn batch_norm(&mut self, name: &str, x: &Maps, relu: bool) -> Maps {
        let [gamma, beta] = ["gamma", "beta"].map(|part| self.vector(name, part));
        if self.mode == Mode::Infer {
            let [mean, variance] = ["mean", "variance"].map(|part| self.vector(name, part));
            let scale = gamma / (variance + NORM_EPSILON).sqrt();
            let shift = beta - mean * scale.clone();
            let y = x.points.clone() * scale.unsqueeze() + shift.unsqueeze();
            return x.with(if relu { activation::relu(y) } else { y });
        }
        let [gamma, beta] = [gamma, beta].map(Tensor::into_dispatch);
        let points = x.points.clone().into_dispatch();
        let (y, mean, variance) = <Dispatch as Boards>::board_norm(points, gamma, beta, relu);
        for (part, seen) in [("mean", mean), ("variance", variance)] {
            let place = self.weights.position(&format!("{name}.{part}"));
            self.statistics.push((place, Tensor::from_dispatch(seen)));
        }
        x.with(Tensor::from_dispatch(y))
    }
}

/// The numbers of the boards of each size on the host, one after the other.
pub(crate) fn all_numbers(vectors: Vec<Tensor<2>>) -> Vec<f32> {
    vectors.into_iter().flat_map(numbers).collect()
}

/// The numbers of each vector on the host, by one transfer.
fn separate_numbers(vectors: Vec<Tensor<1>>) -> Vec<Vec<f32>> {
    if vectors.is_empty() {
        return Vec::new();
    }
    let lens: Vec<usize> = vectors.iter().map(|vector| vector.dims()[0]).collect();
    let all = numbers(Tensor::cat(vectors, 0));
    let mut rest = all.as_slice();
    let part = |len| {
        let (own, later) = rest.split_at(len);
        rest = later;
        own.to_vec()
    };
    lens.into_iter().map(part).collect()
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

impl Layers for Forward<'_> {
    type Map = Maps;
    /// For the boards of each size.
    type Vector = Vec<Tensor<2>>;

    fn conv_norm(&mut self, name: &str, x: &Maps, _conv: Conv) -> Maps {
        let x = self.convolved(name, x, false);
        self.batch_norm(name, &x, false)
    }

    fn conv_norm_relu(&mut self, name: &str, x: &Maps, _conv: Conv) -> Maps {
        let x = self.convolved(name, x, false);
        self.batch_norm(name, &x, true)
    }

    fn depthwise_norm_relu(&mut self, name: &str, x: &Maps) -> Maps {
        let x = self.convolved(name, x, true);
        self.batch_norm(name, &x, true)
    }

    fn norm(&mut self, name: &str, x: &Maps) -> Maps {
        self.batch_norm(name, x, false)
    }

    fn conv(&mut self, name: &str, x: &Maps, conv: Conv) -> Maps {
        let bias = self.vector(name, "bias").reshape([1, conv.channels]);
        let y = self.convolved(name, x, false);
        y.with(y.points.clone() + bias)
    }

    fn linear(&mut self, name: &str, x: &Self::Vector, len: usize) -> Self::Vector {
        let factors = self.factors(name);
        let bias = self.vector(name, "bias").reshape([1, len]);
        each(x, |x| x.clone().matmul(factors.clone()) + bias.clone())
    }

    fn relu(&mut self, x: &Maps) -> Maps {
        x.with(activation::relu(x.points.clone()))
    }

    fn relu_vector(&mut self, x: &Self::Vector) -> Self::Vector {
        each(x, |x| activation::relu(x.clone()))
    }

    fn add(&mut self, a: &Maps, b: &Maps) -> Maps {
        a.with(a.points.clone() + b.points.clone())
    }

    fn add_per_channel(&mut self, x: &Maps, bias: &Self::Vector) -> Maps {
        let bias = Tensor::cat(bias.clone(), 0).into_dispatch();
        let points = x.points.clone().into_dispatch();
        let y = <Dispatch as Boards>::add_by_board(points, bias, x.sizes.clone());
        x.with(Tensor::from_dispatch(y))
    }

    fn pool(&mut self, x: &Maps, pooling: Pooling) -> Self::Vector {
        each(&x.parts(), |x| {
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

    fn flatten(&mut self, x: &Maps) -> Self::Vector {
        each(&x.parts(), |x| {
            let [batch, height, width, channels] = x.dims();
            let planes = x.clone().permute([0, 3, 1, 2]);
            planes.reshape([batch, channels * height * width])
        })
    }

    fn concat(&mut self, a: &Self::Vector, b: &Self::Vector) -> Self::Vector {
        let pairs = a.iter().zip(b);
        pairs
            .map(|(a, b)| Tensor::cat(vec![a.clone(), b.clone()], 1))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{self, lively_weights};
    use super::*;
    use crate::network::architecture::{Architecture, GameShape, Outputs};
    use tengen::game::BoardSize;

    const PLANES: usize = 6;

    /// Export tests compare boards of one size with other implementations.
    #[test]
    fn a_board_is_answered_as_without_those_of_another_size() {
        for name in [
            "tengen+area-2b8c",
            "tengen-2b8c",
            "az+garb-2b8c",
            "mobile-2b8c",
            "golois-2b8c",
        ] {
            let network: Architecture = name.parse().unwrap();
            let sizes = [BoardSize::new(4, 3), BoardSize::square(7)];
            let shape = |size| GameShape {
                size,
                outcomes: 3,
                passes: true,
                scored: true,
            };
            let weights = lively_weights(network, PLANES, shape(sizes[1]));
            let device = Device::flex();
            let planes = |&size: &BoardSize| {
                let dims = [1, size.height.into(), size.width.into(), PLANES];
                let numbers = testing::numbers(size.area() * PLANES, 1);
                Tensor::<4>::from_data(TensorData::new(numbers, dims), &device)
            };
            let answers = |sizes: &[BoardSize]| {
                let maps = Maps::of(sizes.iter().map(planes).collect());
                let mut forward = Forward::new(&weights, &device, Mode::Infer);
                network
                    .describe(&mut forward, &maps, shape(sizes[0]), Outputs::All)
                    .by_size()
            };
            let alone = sizes.map(|size| answers(&[size]).remove(0));
            for (both, alone) in answers(&sizes).into_iter().zip(alone) {
                let mut pairs = vec![(both.policy, alone.policy), (both.value, alone.value)];
                let aux = both.aux.into_iter().zip(alone.aux);
                pairs.extend(aux.map(|(both, alone)| (both.1, alone.1)));
                for (both, alone) in pairs {
                    let (both, alone) = (numbers(both), numbers(alone));
                    assert_eq!(both.len(), alone.len());
                    let mut pairs = both.iter().zip(&alone);
                    assert!(
                        pairs.all(|(a, b)| (a - b).abs() < 1e-4),
                        "{name}: {both:?} {alone:?}"
                    );
                }
            }
        }
    }
}
