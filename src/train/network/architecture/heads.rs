//! Output heads, and the shape of a game, which decides theirs: convolutional with global pooling, like KataGo's
//! (docs/methods.md#networks); and AlphaZero's, fully connected.

use super::blocks::{self, Split};
use crate::network::net::{Conv, Heads, Layers, Pooling};
use tengen::game::{BoardSize, Game};
use tengen::games;
use tengen_nn::eval::ModelInfo;

/// Properties of a game that determine a network's shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameShape {
    /// The board.
    pub size: BoardSize,
    /// Number of possible results for a side: 2, or 3 with draws.
    pub outcomes: usize,
    /// Whether a pass is the policy's last index.
    pub passes: bool,
    /// Whether points are counted, so that their owners and the lead can be learned.
    pub scored: bool,
}

impl GameShape {
    /// The shape of a game on the board of this position.
    pub fn of<G: Game>(position: &G) -> GameShape {
        GameShape {
            size: position.size(),
            outcomes: G::INFO.outcomes(),
            passes: position.policy_len() > position.size().area(),
            scored: G::INFO.scored,
        }
    }

    /// The shape of a game by its name, on this board, with this many moves and results.
    pub fn named(game: &str, size: BoardSize, policy_len: usize, outcomes: usize) -> GameShape {
        GameShape {
            size,
            outcomes,
            passes: policy_len > size.area(),
            scored: games::info(game).is_some_and(|info| info.scored),
        }
    }

    /// Number of moves of the policy: the points, and a pass.
    pub fn policy_len(&self) -> usize {
        self.size.area() + usize::from(self.passes)
    }
}

impl From<&ModelInfo> for GameShape {
    fn from(info: &ModelInfo) -> GameShape {
        GameShape::named(&info.game, info.size, info.policy_len, info.outcomes)
    }
}

impl From<BoardSize> for GameShape {
    /// A game without draws, passes and points.
    fn from(size: BoardSize) -> GameShape {
        GameShape {
            size,
            outcomes: 2,
            passes: false,
            scored: false,
        }
    }
}

/// Numbers before the value of [`dense`] heads.
pub(super) const DENSE_VALUE: usize = 256;

/// What the heads read.
pub(super) struct Body<'a, L: Layers> {
    /// The trunk's result.
    pub(super) trunk: &'a L::Map,
    /// Its channels.
    pub(super) channels: usize,
    /// How heads pool over the board.
    pub(super) pooling: Pooling,
}

impl<L: Layers> Body<'_, L> {
    /// Half of the channels by point, joined with the pooled other half.
    fn joined(&self, layers: &mut L, name: &str) -> L::Map {
        let half = self.channels / 2;
        blocks::pooled(layers, name, self.trunk, [half, half], 1, self.pooling)
    }

    /// The same by convolutions of 3x3, with a third of the channels pooled (Gao & Wu 2021, 3.2.2).
    fn third(&self, layers: &mut L, name: &str) -> L::Map {
        let split = Split::Third.of(self.channels);
        blocks::pooled(layers, name, self.trunk, split, 3, Pooling::MeanMax)
    }
}

/// Policy logits: one per point, from its own channels and from pooled features, and, where there
/// are passes, one for the pass, from pooled features. With `reply` also logits of the opponent's
/// answer, from the same features.
pub(super) fn policy<L: Layers>(
    layers: &mut L,
    body: &Body<'_, L>,
    shape: GameShape,
    reply: bool,
) -> (L::Vector, Option<L::Vector>) {
    let joined = body.joined(layers, "policy");
    let board = shape.passes.then(|| {
        let pooled = layers.pool(&joined, body.pooling);
        let hidden = layers.linear("policy.board", &pooled, body.channels);
        layers.relu_vector(&hidden)
    });
    let mut logits = |name: &str| move_logits(layers, name, &joined, board.as_ref());
    // Initial weights are drawn in the order of the declarations.
    let policy = logits("policy");
    (policy, reply.then(|| logits("reply")))
}

/// A logit for each point, and, where there are passes, one for the pass, from numbers of the whole board.
pub(super) fn move_logits<L: Layers>(
    layers: &mut L,
    name: &str,
    map: &L::Map,
    board: Option<&L::Vector>,
) -> L::Vector {
    let points = layers.conv(&format!("{name}.logits"), map, Conv::point(1));
    let points = layers.flatten(&points);
    match board {
        None => points,
        Some(board) => {
            let pass = layers.linear(&format!("{name}.pass"), board, 1);
            layers.concat(&points, &pass)
        }
    }
}

/// Value logits: win, loss, and draw between them if there are three. With `score` also the score
/// from the same features, before the tanh.
pub(super) fn value<L: Layers>(
    layers: &mut L,
    body: &Body<'_, L>,
    shape: GameShape,
    score: bool,
) -> (L::Vector, Option<L::Vector>) {
    let features = layers.conv_norm_relu("value.features", body.trunk, Conv::point(body.channels));
    let pooled = layers.pool(&features, body.pooling);
    let hidden = layers.linear("value.hidden", &pooled, body.channels);
    let hidden = layers.relu_vector(&hidden);
    let score = score.then(|| layers.linear("score.out", &hidden, 1));
    (
        layers.linear("value.logits", &hidden, shape.outcomes),
        score,
    )
}

/// Planes with one logit per point: fate (all points for the side to move, then all points for the
/// opponent) or owners.
pub(super) fn points<L: Layers>(
    layers: &mut L,
    name: &str,
    body: &Body<'_, L>,
    planes: usize,
) -> L::Vector {
    let joined = body.joined(layers, name);
    let logits = layers.conv(&format!("{name}.logits"), &joined, Conv::point(planes));
    layers.flatten(&logits)
}

/// NoGoZero+'s dominion head (Gao & Wu 2021, 3.2.2): owner logits.
pub(super) fn ownership<L: Layers>(
    layers: &mut L,
    body: &Body<'_, L>,
    shape: GameShape,
) -> L::Vector {
    let joined = body.third(layers, "ownership");
    let planes = layers.conv("ownership.planes", &joined, Conv::point(2));
    let flat = layers.flatten(&planes);
    layers.linear("ownership.logits", &flat, shape.size.area())
}

/// NoGoZero+'s score head (Gao & Wu 2021, 3.2.2): one number, before the tanh.
pub(super) fn score<L: Layers>(layers: &mut L, body: &Body<'_, L>) -> L::Vector {
    let joined = body.third(layers, "score");
    let planes = layers.conv("score.planes", &joined, Conv::point(1));
    let flat = layers.flatten(&planes);
    layers.linear("score.out", &flat, 1)
}

/// Fully connected policy and value, as AlphaZero's.
pub(super) fn dense<L: Layers>(
    layers: &mut L,
    trunk: &L::Map,
    shape: GameShape,
) -> Heads<L::Vector> {
    let mut flat = |name: &str, planes| {
        let planes = layers.conv_norm_relu(&format!("{name}.planes"), trunk, Conv::point(planes));
        layers.flatten(&planes)
    };
    let (points, board) = (flat("policy", 2), flat("value", 1));
    dense_logits(layers, &points, &board, shape)
}

/// Policy and value by fully connected layers.
fn dense_logits<L: Layers>(
    layers: &mut L,
    points: &L::Vector,
    board: &L::Vector,
    shape: GameShape,
) -> Heads<L::Vector> {
    let hidden = layers.linear("value.hidden", board, DENSE_VALUE);
    let hidden = layers.relu_vector(&hidden);
    Heads {
        policy: layers.linear("policy.logits", points, shape.policy_len()),
        value: layers.linear("value.logits", &hidden, shape.outcomes),
        aux: Vec::new(),
    }
}

// A network of fully connected layers only, compared with convolutions in AlphaGobangZero's Figure
// 14.

/// Hidden layers of these widths, each followed by a ReLU, from the planes to policy and value; the
/// value has another layer before it, as in [`dense`].
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
    dense_logits(layers, &trunk, &trunk, shape)
}
