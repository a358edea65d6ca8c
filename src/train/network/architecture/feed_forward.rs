//! A network of fully connected layers only, compared with convolutions in AlphaGobangZero's Figure
//! 14.

use super::heads::DENSE_VALUE;
use crate::train::network::net::{Heads, Layers};

/// Layers of equal width, each followed by a ReLU, from the planes to policy and value; the value
/// has another layer before it, as in [`super::heads::dense`].
pub(super) fn network<L: Layers>(
    layers: &mut L,
    planes: &L::Map,
    (depth, width): (usize, usize),
    (policy_len, outcomes): (usize, usize),
) -> Heads<L::Vector> {
    let mut trunk = layers.flatten(planes);
    for index in 0..depth {
        let next = layers.linear(&format!("layer{index}"), &trunk, width);
        trunk = layers.relu_vector(&next);
    }
    let hidden = layers.linear("value.hidden", &trunk, DENSE_VALUE);
    let hidden = layers.relu_vector(&hidden);
    Heads {
        policy: layers.linear("policy.logits", &trunk, policy_len),
        value: layers.linear("value.logits", &hidden, outcomes),
        aux: Vec::new(),
    }
}
