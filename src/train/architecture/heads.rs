//! The heads: convolutional, with global pooling, as KataGo's (docs/methods.md#networks).

use super::garb::{self, Split};
use crate::game::BoardSize;
use crate::train::net::{Conv, Layers};

/// Policy logits: a logit a point, from its own channels and from what the whole board says.
/// With `reply` also logits of the opponent's answer, from the same features.
pub(super) fn policy<L: Layers>(
    layers: &mut L,
    trunk: &L::Map,
    channels: usize,
    reply: bool,
) -> (L::Vector, Option<L::Vector>) {
    let inner = channels / 2;
    let joined = garb::pooled(layers, "policy", trunk, [inner, inner], 1);
    let logits = layers.conv("policy.logits", &joined, Conv::point(1));
    let replies = reply.then(|| {
        let logits = layers.conv("reply.logits", &joined, Conv::point(1));
        layers.flatten(&logits)
    });
    (layers.flatten(&logits), replies)
}

/// Value logits: win, loss, and draw between them where there are three. With `score` also the
/// score from the same features, before the tanh.
pub(super) fn value<L: Layers>(
    layers: &mut L,
    trunk: &L::Map,
    channels: usize,
    (outcomes, score): (usize, bool),
) -> (L::Vector, Option<L::Vector>) {
    let features = layers.conv_norm("value.features", trunk, Conv::point(channels));
    let features = layers.relu(&features);
    let pooled = layers.pool(&features);
    let hidden = layers.linear("value.hidden", &pooled, channels);
    let hidden = layers.relu_vector(&hidden);
    let score = score.then(|| layers.linear("score.out", &hidden, 1));
    (layers.linear("value.logits", &hidden, outcomes), score)
}

/// Fate logits: all points for the side to move, then all points for the other side.
pub(super) fn fate<L: Layers>(layers: &mut L, trunk: &L::Map, channels: usize) -> L::Vector {
    let inner = channels / 2;
    let joined = garb::pooled(layers, "fate", trunk, [inner, inner], 1);
    let logits = layers.conv("fate.logits", &joined, Conv::point(2));
    layers.flatten(&logits)
}

/// NoGoZero+'s dominion head (Gao & Wu 2021, 3.2.2): owner logits.
pub(super) fn ownership<L: Layers>(
    layers: &mut L,
    trunk: &L::Map,
    channels: usize,
    size: BoardSize,
) -> L::Vector {
    let joined = garb::pooled(layers, "ownership", trunk, Split::Third.of(channels), 3);
    let planes = layers.conv("ownership.planes", &joined, Conv::point(2));
    let flat = layers.flatten(&planes);
    layers.linear("ownership.logits", &flat, size.area())
}

/// NoGoZero+'s score head (Gao & Wu 2021, 3.2.2): one number, before the tanh.
pub(super) fn score<L: Layers>(layers: &mut L, trunk: &L::Map, channels: usize) -> L::Vector {
    let joined = garb::pooled(layers, "score", trunk, Split::Third.of(channels), 3);
    let planes = layers.conv("score.planes", &joined, Conv::point(1));
    let flat = layers.flatten(&planes);
    layers.linear("score.out", &flat, 1)
}
