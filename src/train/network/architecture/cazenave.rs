//! The networks of "Mobile Networks for Computer Go" (Cazenave 2020, IV and the appendix).
//!
//! Three changes. Logits of the policy have no ReLU: it would forbid the network to call a move bad. The value is a
//! softmax over the results instead of a sigmoid. And a pass, which the paper leaves out, has a logit, from the
//! mean of each channel.

use super::blocks;
use super::heads::{GameShape, move_logits};
use crate::network::net::{Conv, Heads, Layers, Pooling};

/// Numbers before the value.
const VALUE_HIDDEN: usize = 50;

/// Trunk and policy of a network; the value is that of average pooling in all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mobile {
    /// Blocks.
    pub block: MobileBlock,
    /// Whether the policy comes from a fully connected layer, as AlphaGo Zero's, and not from a convolution.
    pub dense: bool,
}

/// Blocks that the paper compares.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MobileBlock {
    /// Inverted residual blocks of depthwise convolutions (Sandler et al. 2018).
    Mobile,
    /// AlphaGo Zero's residual blocks.
    Residual,
    /// Golois' residual blocks, with one norm, behind the sum (Cazenave 2018).
    Golois,
}

/// Blocks of a trunk, their channels, and the channels within a block of [`MobileBlock::Mobile`].
#[derive(Debug, Clone, Copy)]
pub(super) struct TrunkSize {
    pub(super) blocks: usize,
    pub(super) channels: usize,
    pub(super) inner: usize,
}

/// Policy and value.
pub(super) fn network<L: Layers>(
    layers: &mut L,
    planes: &L::Map,
    network: Mobile,
    size: TrunkSize,
    shape: GameShape,
) -> Heads<L::Vector> {
    let channels = size.channels;
    let mut trunk = layers.conv_norm_relu("stem", planes, Conv::point(channels));
    for index in 0..size.blocks {
        let name = format!("block{index}");
        trunk = match network.block {
            MobileBlock::Mobile => mobile(layers, &name, &trunk, size),
            MobileBlock::Residual => blocks::residual(layers, &name, &trunk, channels),
            MobileBlock::Golois => golois(layers, &name, &trunk, channels),
        };
    }
    let pooled = layers.pool(&trunk, Pooling::Mean);
    let policy = if network.dense {
        let planes = layers.conv_norm_relu("policy.planes", &trunk, Conv::point(2));
        let flat = layers.flatten(&planes);
        layers.linear("policy.logits", &flat, shape.policy_len())
    } else {
        move_logits(layers, "policy", &trunk, shape.passes.then_some(&pooled))
    };
    let hidden = layers.linear("value.hidden", &pooled, VALUE_HIDDEN);
    let hidden = layers.relu_vector(&hidden);
    Heads {
        policy,
        value: layers.linear("value.logits", &hidden, shape.outcomes),
        aux: Vec::new(),
    }
}

/// x + norm(conv(relu(norm(depthwise(relu(norm(conv(x)))))))): no ReLU behind the sum.
fn mobile<L: Layers>(layers: &mut L, name: &str, x: &L::Map, size: TrunkSize) -> L::Map {
    let wide = layers.conv_norm_relu(&format!("{name}.expand"), x, Conv::point(size.inner));
    let wide = layers.depthwise_norm_relu(&format!("{name}.depthwise"), &wide);
    let squeeze = Conv::point(size.channels);
    let narrow = layers.conv_norm(&format!("{name}.squeeze"), &wide, squeeze);
    layers.add(x, &narrow)
}

/// norm(x + relu(conv(relu(conv(x))))), convolutions with bias.
fn golois<L: Layers>(layers: &mut L, name: &str, x: &L::Map, channels: usize) -> L::Map {
    let inner = layers.conv(&format!("{name}.a"), x, Conv::wide(channels));
    let inner = layers.relu(&inner);
    let inner = layers.conv(&format!("{name}.b"), &inner, Conv::wide(channels));
    let inner = layers.relu(&inner);
    let sum = layers.add(x, &inner);
    layers.norm(&format!("{name}.norm"), &sum)
}
