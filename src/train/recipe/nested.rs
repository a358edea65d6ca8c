//! The nested bottleneck block (KataGo's since 2023; methods §3.3): down to half the channels, two
//! residual blocks there, and up again. For the price of one 3x3 convolution at full width there
//! are four at half width, and so a wider view.

use super::{garb, residual};
use crate::train::net::{Conv, Layers};

/// relu(x + norm(1x1(inner(relu(norm(1x1(x))))))); of the two inner blocks the second looks at the
/// whole board where `global` is set.
pub(super) fn block<L: Layers>(
    layers: &mut L,
    name: &str,
    x: &L::Map,
    channels: usize,
    global: bool,
) -> L::Map {
    let inner = channels / 2;
    let down = layers.conv_norm(&format!("{name}.down"), x, Conv::point(inner));
    let down = layers.relu(&down);
    let first = residual::block(layers, &format!("{name}.inner0"), &down, inner);
    let second = format!("{name}.inner1");
    let second = if global {
        garb::block(layers, &second, &first, inner, garb::Split::Registers)
    } else {
        residual::block(layers, &second, &first, inner)
    };
    let up = layers.conv_norm(&format!("{name}.up"), &second, Conv::point(channels));
    let sum = layers.add(x, &up);
    layers.relu(&sum)
}
