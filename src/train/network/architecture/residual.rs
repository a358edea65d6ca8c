//! AlphaZero's residual block: two 3x3 convolutions, norm after each, ReLU after the sum.
//!
//! Norms come after convolutions (and not before, as in a pre-activation block) so that each folds
//! into its convolution and costs nothing in play.

use crate::network::net::{Conv, Layers};

/// relu(x + norm(conv(relu(norm(conv(x))))))
pub(super) fn block<L: Layers>(layers: &mut L, name: &str, x: &L::Map, channels: usize) -> L::Map {
    let inner = two_convolutions(layers, name, x, channels);
    let sum = layers.add(x, &inner);
    layers.relu(&sum)
}

/// relu(norm(conv(relu(norm(conv(x)))))): a residual block without the sum, for comparison.
pub(super) fn without_sum<L: Layers>(
    layers: &mut L,
    name: &str,
    x: &L::Map,
    channels: usize,
) -> L::Map {
    let inner = two_convolutions(layers, name, x, channels);
    layers.relu(&inner)
}

fn two_convolutions<L: Layers>(layers: &mut L, name: &str, x: &L::Map, channels: usize) -> L::Map {
    let inner = layers.conv_norm_relu(&format!("{name}.a"), x, Conv::wide(channels));
    layers.conv_norm(&format!("{name}.b"), &inner, Conv::wide(channels))
}
