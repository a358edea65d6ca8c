//! Weights of a network: plain `f32`, in the order in which the architecture declares them.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

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
    #[must_use]
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
    #[must_use]
    pub fn position(&self, name: &str) -> usize {
        self.index[name]
    }

    /// A tensor by name.
    ///
    /// # Panics
    /// As [`Weights::position`].
    #[must_use]
    pub fn get(&self, name: &str) -> &WeightTensor {
        &self.tensors[self.position(name)]
    }

    /// A tensor by name, if it exists.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&WeightTensor> {
        self.index
            .get(name)
            .map(|&position| &self.tensors[position])
    }

    /// Whether both have the same names, shapes and roles in the same order.
    #[must_use]
    pub fn same_shape(&self, other: &Weights) -> bool {
        let key = |weight: &WeightTensor| (weight.name.clone(), weight.dims.clone(), weight.role);
        self.tensors
            .iter()
            .map(key)
            .eq(other.tensors.iter().map(key))
    }
}
