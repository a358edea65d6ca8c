//! Weights of a network: plain `f32`, in the order in which the architecture declares them; how they begin, and the
//! numbers of parameters and operations.

use std::collections::HashMap;

use rand::{RngExt, SeedableRng};
use rand_distr::StandardNormal;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use super::{Conv, Layers, Pooling};

/// Role of a tensor, which determines its treatment by the optimiser. The serde names are those of
/// checkpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// Weights of a convolution or a fully connected layer; weight decay applies.
    #[serde(rename = "Factor")]
    Weight,
    /// Biases, and scale and shift of a batch norm; no weight decay.
    #[serde(rename = "Offset")]
    Bias,
    /// Running mean or variance of a batch norm; not fitted by gradients.
    #[serde(rename = "Statistic")]
    Buffer,
}

/// One tensor.
#[derive(Debug, Clone, PartialEq)]
pub struct WeightTensor {
    /// Unique name, such as `block0.a.weight`.
    pub name: String,
    /// Shape, outermost dimension first.
    pub dims: Vec<usize>,
    /// Role in the network, which decides weight decay and initial values.
    pub role: Role,
    /// The numbers, row-major.
    pub values: Vec<f32>,
}

/// All tensors of a network.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Weights {
    tensors: Vec<WeightTensor>,
    index: HashMap<String, usize>,
}

impl Weights {
    /// Adds a tensor under a name not used before.
    pub fn push(&mut self, weight: WeightTensor) {
        self.index.insert(weight.name.clone(), self.tensors.len());
        self.tensors.push(weight);
    }

    /// The tensors in order.
    pub fn tensors(&self) -> &[WeightTensor] {
        &self.tensors
    }

    /// The tensors in order, to be changed.
    pub fn tensors_mut(&mut self) -> &mut [WeightTensor] {
        &mut self.tensors
    }

    /// The index of a tensor in [`Weights::tensors`].
    ///
    /// # Panics
    /// If no tensor has this name; only the architecture that declared the weights may ask.
    pub fn position(&self, name: &str) -> usize {
        self.index[name]
    }

    /// A tensor by name.
    ///
    /// # Panics
    /// As [`Weights::position`].
    pub fn get(&self, name: &str) -> &WeightTensor {
        &self.tensors[self.position(name)]
    }

    /// A tensor by name, if it exists.
    pub fn find(&self, name: &str) -> Option<&WeightTensor> {
        self.index
            .get(name)
            .map(|&position| &self.tensors[position])
    }

    /// Whether both have the same names, shapes and roles in the same order.
    pub fn same_shape(&self, other: &Weights) -> bool {
        let key = |weight: &WeightTensor| (weight.name.clone(), weight.dims.clone(), weight.role);
        self.tensors
            .iter()
            .map(key)
            .eq(other.tensors.iter().map(key))
    }
}

/// The size of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Counts {
    /// In play, without auxiliary heads.
    pub played: WalkCounts,
    /// Auxiliary heads included.
    pub fitted: WalkCounts,
}

/// Counts of one walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WalkCounts {
    /// Number of fitted parameters.
    pub parameters: usize,
    /// Multiply-adds per position, batch norms folded.
    pub multiply_adds: usize,
}

/// Walks through a network by shapes; draws the initial weights, if they are wanted.
///
/// Weights are initialised normally with variance 2 / fan-in before a ReLU (He et al. 2015) and 1 /
/// fan-in in the layers with a bias, which mostly end a head.
#[derive(Debug)]
pub struct InitWeights {
    area: usize,
    /// `None` for tensors without numbers.
    rng: Option<Xoshiro256PlusPlus>,
    weights: Weights,
    multiply_adds: usize,
}

impl InitWeights {
    /// A walk on a board of `area` points.
    pub fn new(area: usize, seed: u64) -> InitWeights {
        InitWeights {
            rng: Some(Xoshiro256PlusPlus::seed_from_u64(seed)),
            ..InitWeights::of_shapes(area)
        }
    }

    /// The same, for names, shapes and roles alone: the tensors have no numbers, and need no memory for them.
    pub fn of_shapes(area: usize) -> InitWeights {
        InitWeights {
            area,
            rng: None,
            weights: Weights::default(),
            multiply_adds: 0,
        }
    }

    /// The initial weights and their count, after the walk.
    pub fn finish(self) -> (Weights, WalkCounts) {
        let fitted = |weight: &&WeightTensor| weight.role != Role::Buffer;
        let tensors = self.weights.tensors().iter().filter(fitted);
        let walked = WalkCounts {
            parameters: tensors.map(|weight| weight.values.len()).sum(),
            multiply_adds: self.multiply_adds,
        };
        (self.weights, walked)
    }

    fn factors(&mut self, name: &str, dims: &[usize], fan_in: usize, gain: f32) {
        let deviation = (gain / fan_in as f32).sqrt();
        let len = dims.iter().product();
        let draw = |rng: &mut Xoshiro256PlusPlus| {
            let normal = rng.sample_iter::<f32, _>(StandardNormal);
            normal.take(len).map(|number| deviation * number).collect()
        };
        let values = self.rng.as_mut().map_or_else(Vec::new, draw);
        self.push(name, "weight", dims, Role::Weight, values);
    }

    fn push(&mut self, name: &str, part: &str, dims: &[usize], role: Role, values: Vec<f32>) {
        self.weights.push(WeightTensor {
            name: format!("{name}.{part}"),
            dims: dims.to_vec(),
            role,
            values: match self.rng {
                Some(_) => values,
                None => Vec::new(),
            },
        });
    }

    fn convolution(&mut self, name: &str, channels_in: usize, conv: Conv, gain: f32) {
        let Conv { channels, kernel } = conv;
        let fan_in = channels_in * kernel * kernel;
        self.factors(name, &[channels, channels_in, kernel, kernel], fan_in, gain);
        self.multiply_adds += channels * fan_in * self.area;
    }

    fn bias(&mut self, name: &str, len: usize) {
        self.push(name, "bias", &[len], Role::Bias, vec![0.0; len]);
    }
}

impl Layers for InitWeights {
    /// Number of channels.
    type Map = usize;
    /// Length.
    type Vector = usize;

    fn conv_norm(&mut self, name: &str, x: &usize, conv: Conv) -> usize {
        self.convolution(name, *x, conv, 2.0);
        self.norm(name, &conv.channels)
    }

    fn depthwise_norm_relu(&mut self, name: &str, x: &usize) -> usize {
        self.factors(name, &[*x, 1, 3, 3], 9, 2.0);
        self.multiply_adds += x * 9 * self.area;
        self.norm(name, x)
    }

    fn norm(&mut self, name: &str, x: &usize) -> usize {
        for (part, role, value) in [
            ("gamma", Role::Bias, 1.0),
            ("beta", Role::Bias, 0.0),
            ("mean", Role::Buffer, 0.0),
            ("variance", Role::Buffer, 1.0),
        ] {
            self.push(name, part, &[*x], role, vec![value; *x]);
        }
        *x
    }

    fn conv(&mut self, name: &str, x: &usize, conv: Conv) -> usize {
        self.convolution(name, *x, conv, 1.0);
        self.bias(name, conv.channels);
        conv.channels
    }

    fn linear(&mut self, name: &str, x: &usize, len: usize) -> usize {
        self.factors(name, &[*x, len], *x, 1.0);
        self.bias(name, len);
        self.multiply_adds += x * len;
        len
    }

    fn relu(&mut self, x: &usize) -> usize {
        *x
    }

    fn relu_vector(&mut self, x: &usize) -> usize {
        *x
    }

    fn add(&mut self, a: &usize, _b: &usize) -> usize {
        *a
    }

    fn add_per_channel(&mut self, x: &usize, _bias: &usize) -> usize {
        *x
    }

    fn pool(&mut self, x: &usize, pooling: Pooling) -> usize {
        pooling.parts() * x
    }

    fn flatten(&mut self, x: &usize) -> usize {
        x * self.area
    }

    fn concat(&mut self, a: &usize, b: &usize) -> usize {
        a + b
    }
}
