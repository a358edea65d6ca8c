//! MobileNetV2's inverted bottleneck (seed S4): wide, a depthwise convolution, narrow again.

use crate::train::net::{Conv, Layers};

/// How much wider the middle is.
const EXPANSION: usize = 4;

/// x + norm(1x1(relu(norm(depthwise(relu(norm(1x1(x))))))))
pub(super) fn block<L: Layers>(layers: &mut L, name: &str, x: &L::Map, channels: usize) -> L::Map {
    let wide = Conv::point(EXPANSION * channels);
    let inner = layers.conv_norm(&format!("{name}.up"), x, wide);
    let inner = layers.relu(&inner);
    let inner = layers.depthwise_norm(&format!("{name}.depthwise"), &inner, 3);
    let inner = layers.relu(&inner);
    let inner = layers.conv_norm(&format!("{name}.down"), &inner, Conv::point(channels));
    layers.add(x, &inner)
}
