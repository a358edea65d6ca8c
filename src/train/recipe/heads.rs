//! The heads: convolutional, with global pooling, as KataGo's (methods §1.1 and §3.3).

use crate::train::net::{Conv, Layers};

/// Policy logits: a logit a point, from its own channels and from what the whole board says.
pub(super) fn policy<L: Layers>(layers: &mut L, trunk: &L::Map, channels: usize) -> L::Vector {
    let inner = channels / 2;
    let local = layers.conv_norm("policy.local", trunk, Conv::point(inner));
    let global = layers.conv_norm("policy.global", trunk, Conv::point(inner));
    let global = layers.relu(&global);
    let pooled = layers.pool(&global);
    let bias = layers.linear("policy.bias", &pooled, inner);
    let joined = layers.add_per_channel(&local, &bias);
    let joined = layers.relu(&joined);
    let logits = layers.conv("policy.logits", &joined, Conv::point(1));
    layers.flatten(&logits)
}

/// Value logits: win, loss.
pub(super) fn value<L: Layers>(layers: &mut L, trunk: &L::Map, channels: usize) -> L::Vector {
    let features = layers.conv_norm("value.features", trunk, Conv::point(channels));
    let features = layers.relu(&features);
    let pooled = layers.pool(&features);
    let hidden = layers.linear("value.hidden", &pooled, channels);
    let hidden = layers.relu_vector(&hidden);
    layers.linear("value.logits", &hidden, 2)
}
