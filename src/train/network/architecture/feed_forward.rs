//! A network of fully connected layers only, compared with convolutions in AlphaGobangZero's Figure
//! 14.

use super::game_shape::GameShape;
use super::heads::DENSE_VALUE;
use crate::network::net::{Heads, Layers};

/// Hidden layers of these widths, each followed by a ReLU, from the planes to policy and value; the
/// value has another layer before it, as in [`super::heads::dense`].
pub(super) fn network<L: Layers>(
    layers: &mut L,
    planes: &L::Map,
    widths: &[usize],
    shape: GameShape,
) -> Heads<L::Vector> {
    let mut trunk = layers.flatten(planes);
    for (index, &width) in widths.iter().enumerate() {
        let next = layers.linear(&format!("layer{index}"), &trunk, width);
        trunk = layers.relu_vector(&next);
    }
    let hidden = layers.linear("value.hidden", &trunk, DENSE_VALUE);
    let hidden = layers.relu_vector(&hidden);
    Heads {
        policy: layers.linear("policy.logits", &trunk, shape.policy_len()),
        value: layers.linear("value.logits", &hidden, shape.outcomes),
        aux: Vec::new(),
    }
}
