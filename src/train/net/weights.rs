//! The numbers of a network: plain `f32`, in the order in which the recipe declares them.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

/// What a tensor is for, which decides how the optimiser treats it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    /// Factors of a convolution or a fully connected layer; weight decay applies.
    Factor,
    /// Biases, and scale and shift of a batch norm; no weight decay.
    Offset,
    /// Running mean or variance of a batch norm; not fitted by gradients.
    Statistic,
}

/// One tensor.
#[derive(Debug, Clone, PartialEq)]
pub struct Weight {
    /// Unique name, such as `block0.a.weight`.
    pub name: String,
    /// Shape.
    pub dims: Vec<usize>,
    /// What it is for.
    pub role: Role,
    /// The numbers, row-major.
    pub values: Vec<f32>,
}

/// All tensors of a network.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Weights {
    tensors: Vec<Weight>,
    index: HashMap<String, usize>,
}

impl Weights {
    /// Adds a tensor under a name not used before.
    pub fn push(&mut self, weight: Weight) {
        self.index.insert(weight.name.clone(), self.tensors.len());
        self.tensors.push(weight);
    }

    /// The tensors in order.
    #[must_use]
    pub fn tensors(&self) -> &[Weight] {
        &self.tensors
    }

    /// The tensors in order, to be changed.
    pub fn tensors_mut(&mut self) -> &mut [Weight] {
        &mut self.tensors
    }

    /// The place of a tensor in [`Weights::tensors`].
    ///
    /// # Panics
    /// When no tensor has this name; only the recipe that declared the weights may ask.
    #[must_use]
    pub fn position(&self, name: &str) -> usize {
        self.index[name]
    }

    /// A tensor by name.
    ///
    /// # Panics
    /// As [`Weights::position`].
    #[must_use]
    pub fn get(&self, name: &str) -> &Weight {
        &self.tensors[self.position(name)]
    }

    /// Whether both have the same names, shapes and roles in the same order.
    #[must_use]
    pub fn same_shape(&self, other: &Weights) -> bool {
        let key = |weight: &Weight| (weight.name.clone(), weight.dims.clone(), weight.role);
        self.tensors
            .iter()
            .map(key)
            .eq(other.tensors.iter().map(key))
    }
}
