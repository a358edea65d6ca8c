//! Blocks of trunks.
//!
//! AlphaZero's residual block: two 3x3 convolutions, norm after each, ReLU after the sum. Norms come after
//! convolutions (and not before, as in a pre-activation block) so that each folds into its convolution and costs
//! nothing in play.
//!
//! NoGoZero+'s global attention residual block (GARB; Gao & Wu 2021, 3.2.1): part of the channels is pooled over the
//! whole board and added to the others as a bias. Two corrections. The paper normalises before each convolution; here
//! norms come after, as above. And C/3 of its channels is not an integer for 32, 64 or 128 channels; see [`Split`].

use crate::network::net::{Conv, Layers, Pooling};

/// relu(x + norm(conv(relu(norm(conv(x))))))
pub(super) fn residual<L: Layers>(
    layers: &mut L,
    name: &str,
    x: &L::Map,
    channels: usize,
) -> L::Map {
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

/// How many of a trunk's channels are pooled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Split {
    /// C/3, rounded: as in the paper.
    Third,
    /// C/3, rounded to whole vector registers of 16, which is fast.
    Registers,
}

impl Split {
    /// Numbers of channels that are kept, and that are pooled.
    pub(super) fn of(self, channels: usize) -> [usize; 2] {
        let third = (channels + 1) / 3;
        let pooled = match self {
            Split::Registers if channels >= 32 => ((third + 8) / 16 * 16).max(16),
            _ => third.max(1),
        };
        [channels - pooled, pooled]
    }
}

/// relu(x + norm(conv(pooled(x)))), with `pooled` as in [`pooled`].
pub(super) fn pooling<L: Layers>(
    layers: &mut L,
    name: &str,
    x: &L::Map,
    channels: usize,
    split: Split,
    pooling: Pooling,
) -> L::Map {
    let inner = pooled(layers, name, x, split.of(channels), 3, pooling);
    let inner = layers.conv_norm(&format!("{name}.b"), &inner, Conv::wide(channels));
    let sum = layers.add(x, &inner);
    layers.relu(&sum)
}

/// The global pooling structure: relu(norm(conv(x)) + linear(pool(relu(norm(conv(x)))))). Its
/// result has as many channels as are kept; `kernel` is the side of both convolutions.
pub(super) fn pooled<L: Layers>(
    layers: &mut L,
    name: &str,
    x: &L::Map,
    [local, global]: [usize; 2],
    kernel: usize,
    pooling: Pooling,
) -> L::Map {
    let conv = |channels| Conv { channels, kernel };
    let here = layers.conv_norm(&format!("{name}.local"), x, conv(local));
    let there = layers.conv_norm_relu(&format!("{name}.global"), x, conv(global));
    let pooled = layers.pool(&there, pooling);
    let bias = layers.linear(&format!("{name}.bias"), &pooled, local);
    let joined = layers.add_per_channel(&here, &bias);
    layers.relu(&joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn about_a_third_is_pooled() {
        assert_eq!(
            [32, 64, 128, 48].map(|c| Split::Third.of(c)[1]),
            [11, 21, 43, 16]
        );
        assert_eq!(
            [32, 48, 64, 96, 128].map(|c| Split::Registers.of(c)),
            [[16, 16], [32, 16], [48, 16], [64, 32], [80, 48]]
        );
        assert_eq!(Split::Registers.of(8), [5, 3]);
    }
}
