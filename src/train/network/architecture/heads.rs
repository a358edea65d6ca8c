//! Output heads: convolutional with global pooling, like KataGo's (docs/methods.md#networks); and
//! AlphaZero's, fully connected.

use super::garb::{self, Split};
use crate::game::BoardSize;
use crate::train::network::net::{Conv, Heads, Layers, Pooling};

/// Numbers before the value of [`dense`] heads.
pub(super) const DENSE_VALUE: usize = 256;

/// Policy logits: one per point, from its own channels and from pooled features, and, with
/// `passes`, one for the pass, from pooled features. With `reply` also logits of the opponent's
/// answer, from the same features.
pub(super) fn policy<L: Layers>(
    layers: &mut L,
    trunk: &L::Map,
    (channels, pooling): (usize, Pooling),
    (passes, reply): (bool, bool),
) -> (L::Vector, Option<L::Vector>) {
    let inner = channels / 2;
    let joined = garb::pooled(layers, "policy", trunk, [inner, inner], (1, pooling));
    let board = passes.then(|| {
        let pooled = layers.pool(&joined, pooling);
        let hidden = layers.linear("policy.board", &pooled, channels);
        layers.relu_vector(&hidden)
    });
    let mut logits = |name: &str| {
        let points = layers.conv(&format!("{name}.logits"), &joined, Conv::point(1));
        let points = layers.flatten(&points);
        match &board {
            None => points,
            Some(board) => {
                let pass = layers.linear(&format!("{name}.pass"), board, 1);
                layers.concat(&points, &pass)
            }
        }
    };
    // Initial weights are drawn in the order of the declarations.
    let policy = logits("policy");
    (policy, reply.then(|| logits("reply")))
}

/// Value logits: win, loss, and draw between them if there are three. With `score` also the score
/// from the same features, before the tanh.
pub(super) fn value<L: Layers>(
    layers: &mut L,
    trunk: &L::Map,
    (channels, pooling): (usize, Pooling),
    (outcomes, score): (usize, bool),
) -> (L::Vector, Option<L::Vector>) {
    let features = layers.conv_norm_relu("value.features", trunk, Conv::point(channels));
    let pooled = layers.pool(&features, pooling);
    let hidden = layers.linear("value.hidden", &pooled, channels);
    let hidden = layers.relu_vector(&hidden);
    let score = score.then(|| layers.linear("score.out", &hidden, 1));
    (layers.linear("value.logits", &hidden, outcomes), score)
}

/// Planes with one logit per point: fate (all points for the side to move, then all points for the
/// opponent) or owners.
pub(super) fn points<L: Layers>(
    layers: &mut L,
    name: &str,
    trunk: &L::Map,
    (channels, planes): (usize, usize),
    pooling: Pooling,
) -> L::Vector {
    let inner = channels / 2;
    let joined = garb::pooled(layers, name, trunk, [inner, inner], (1, pooling));
    let logits = layers.conv(&format!("{name}.logits"), &joined, Conv::point(planes));
    layers.flatten(&logits)
}

/// NoGoZero+'s dominion head (Gao & Wu 2021, 3.2.2): owner logits.
pub(super) fn ownership<L: Layers>(
    layers: &mut L,
    trunk: &L::Map,
    channels: usize,
    size: BoardSize,
) -> L::Vector {
    let joined = garb::pooled(
        layers,
        "ownership",
        trunk,
        Split::Third.of(channels),
        (3, Pooling::MeanMax),
    );
    let planes = layers.conv("ownership.planes", &joined, Conv::point(2));
    let flat = layers.flatten(&planes);
    layers.linear("ownership.logits", &flat, size.area())
}

/// NoGoZero+'s score head (Gao & Wu 2021, 3.2.2): one number, before the tanh.
pub(super) fn score<L: Layers>(layers: &mut L, trunk: &L::Map, channels: usize) -> L::Vector {
    let joined = garb::pooled(
        layers,
        "score",
        trunk,
        Split::Third.of(channels),
        (3, Pooling::MeanMax),
    );
    let planes = layers.conv("score.planes", &joined, Conv::point(1));
    let flat = layers.flatten(&planes);
    layers.linear("score.out", &flat, 1)
}

/// Fully connected policy and value, as AlphaZero's, with the given numbers of moves and results.
pub(super) fn dense<L: Layers>(
    layers: &mut L,
    trunk: &L::Map,
    (policy_len, outcomes): (usize, usize),
) -> Heads<L::Vector> {
    let mut flat = |name: &str, planes| {
        let planes = layers.conv_norm_relu(&format!("{name}.planes"), trunk, Conv::point(planes));
        layers.flatten(&planes)
    };
    let (points, board) = (flat("policy", 2), flat("value", 1));
    let hidden = layers.linear("value.hidden", &board, DENSE_VALUE);
    let hidden = layers.relu_vector(&hidden);
    Heads {
        policy: layers.linear("policy.logits", &points, policy_len),
        value: layers.linear("value.logits", &hidden, outcomes),
        aux: Vec::new(),
    }
}
