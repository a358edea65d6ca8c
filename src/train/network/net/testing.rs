//! Weights and numbers for tests.

use super::{Role, Weights};
use crate::network::architecture::{Architecture, GameShape};

/// Initial weights with non-trivial norms and biases.
pub(super) fn lively_weights(network: Architecture, planes: usize, shape: GameShape) -> Weights {
    let (mut weights, _) = network.declare(planes, shape, 3);
    for weight in weights.tensors_mut() {
        if weight.role != Role::Weight {
            let values = weight.values.iter_mut().enumerate();
            values.for_each(|(index, value)| *value = 0.5 + (index % 5) as f32 / 5.0);
        }
    }
    weights
}

/// Numbers from -1 to 1 that depend on `seed`.
pub(super) fn numbers(len: usize, seed: usize) -> Vec<f32> {
    (0..len)
        .map(|at| ((at * 7919 + seed * 104_729) % 201) as f32 / 100.0 - 1.0)
        .collect()
}
