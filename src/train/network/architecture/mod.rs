//! Network architectures by name: blocks, their number and width, heads, input.
//!
//! A name such as `nogozero+-5b32c` describes all of it and is part of the exported file's
//! metadata: a family, the blocks of the trunk, its channels. See [`Family`] for the families.

mod blocks;
mod cazenave;
mod family;
mod heads;

pub use cazenave::{Mobile, MobileBlock};
pub use family::{Additions, Family, Trunk};
pub use heads::GameShape;

use std::fmt;
use std::ops::RangeInclusive;
use std::str::FromStr;

use cazenave::TrunkSize;
use serde::{Deserialize, Serialize};

use crate::TrainError;
use crate::network::net::{
    AuxHead, Conv, Counts, Grown, Heads, InitWeights, Layers, Net2Net, Weights,
};
use tengen::game::BoardSize;

/// Blocks of a network at most: more would be a slip, and not fit into memory.
const MAX_BLOCKS: usize = 200;

/// Channels of a network, and within its blocks.
const CHANNELS: RangeInclusive<usize> = 4..=4096;

/// A network by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Architecture {
    /// Family, which determines trunk and heads.
    pub family: Family,
    /// Blocks of the trunk.
    pub blocks: usize,
    /// Channels of the trunk.
    pub channels: usize,
    /// Channels within a block, in families whose blocks are wider than the trunk.
    pub inner: Option<usize>,
}

/// Which outputs are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outputs {
    /// Policy and value: what a search needs.
    Play,
    /// The auxiliary heads as well, for training.
    All,
}

impl Architecture {
    /// Describes the network to `layers`, from the input planes to the heads.
    pub fn describe<L: Layers>(
        &self,
        layers: &mut L,
        planes: &L::Map,
        shape: impl Into<GameShape>,
        outputs: Outputs,
    ) -> Heads<L::Vector> {
        let (shape, channels) = (shape.into(), self.channels);
        if let Family::Mobile(mobile) = self.family {
            let size = TrunkSize {
                blocks: self.blocks,
                channels,
                inner: self.inner.unwrap_or(channels),
            };
            return cazenave::network(layers, planes, mobile, size, shape);
        }
        if self.family.is_feed_forward() {
            let hidden = vec![channels; self.blocks];
            return heads::network(layers, planes, &hidden, shape);
        }
        let mut trunk = layers.conv_norm_relu("stem", planes, Conv::wide(channels));
        for block in 0..self.blocks {
            let name = format!("block{block}");
            trunk = self.family.block(layers, &name, &trunk, channels, block);
        }
        if self.family.is_dense() {
            return heads::dense(layers, &trunk, shape);
        }
        let wanted = match outputs {
            Outputs::Play => &[],
            Outputs::All => self.family.aux_heads(shape.scored),
        };
        let has = |head| wanted.contains(&head);
        let has_score = has(AuxHead::Margin) || has(AuxHead::Lead);
        let shared_score = has_score && self.family.is_ours();
        let body = heads::Body {
            trunk: &trunk,
            channels,
            pooling: self.family.pooling(),
        };
        let (policy, reply) = heads::policy(layers, &body, shape, has(AuxHead::Reply));
        let (value, score) = heads::value(layers, &body, shape, shared_score);
        let mut aux = Vec::new();
        for &head in wanted {
            let logits = match head {
                AuxHead::Ownership if self.family.is_ours() => {
                    Some(heads::points(layers, "ownership", &body, 1))
                }
                AuxHead::Ownership => Some(heads::ownership(layers, &body, shape)),
                AuxHead::PointStatus => Some(heads::points(layers, "fate", &body, 2)),
                AuxHead::Margin | AuxHead::Lead if shared_score => score.clone(),
                AuxHead::Margin | AuxHead::Lead => Some(heads::score(layers, &body)),
                AuxHead::Reply => reply.clone(),
            };
            aux.extend(logits.map(|logits| (head, logits)));
        }
        Heads { policy, value, aux }
    }

    /// The auxiliary heads used in training.
    pub fn aux_heads(&self, shape: impl Into<GameShape>) -> &'static [AuxHead] {
        self.family.aux_heads(shape.into().scored)
    }

    /// Whether the same weights work on boards of all sizes: no layer is as large as the board.
    pub fn is_for_any_board(&self, shape: impl Into<GameShape>) -> bool {
        let shape = shape.into();
        let on = |side| {
            let size = BoardSize::square(side);
            self.shapes(1, GameShape { size, ..shape })
        };
        on(2).same_shape(&on(3))
    }

    /// Names, shapes and roles of the weights for this board and number of input planes, without their numbers.
    pub fn shapes(&self, planes: usize, shape: impl Into<GameShape>) -> Weights {
        let shape = shape.into();
        let mut walk = InitWeights::of_shapes(shape.size.area());
        self.describe(&mut walk, &planes, shape, Outputs::All);
        walk.finish().0
    }

    /// Initial weights for this board and number of input planes, and the network's size.
    pub fn declare(
        &self,
        planes: usize,
        shape: impl Into<GameShape>,
        seed: u64,
    ) -> (Weights, Counts) {
        let shape = shape.into();
        let walk = |outputs| {
            let mut declare = InitWeights::new(shape.size.area(), seed);
            self.describe(&mut declare, &planes, shape, outputs);
            declare.finish()
        };
        let (weights, fitted) = walk(Outputs::All);
        let (_, played) = walk(Outputs::Play);
        (weights, Counts { played, fitted })
    }

    /// Weights with which this network answers like `small` with its own; additional weights start
    /// at random, by `seed`, without effect on the output. `None` unless this network is of the
    /// same family with at least as many blocks and channels.
    pub fn grown_from(
        &self,
        small: Architecture,
        weights: &Weights,
        planes: usize,
        shape: impl Into<GameShape>,
        seed: u64,
    ) -> Option<Weights> {
        if small.family != self.family {
            return None;
        }
        let shape = shape.into();
        let (initial, _) = self.declare(planes, shape, seed);
        let mut grow = Net2Net::new(weights, initial, shape.size.area());
        let heads = self.describe(&mut grow, &Grown::same(planes), shape, Outputs::All);
        let mut answers = vec![heads.policy, heads.value];
        answers.extend(heads.aux.into_iter().map(|(_, answer)| answer));
        grow.finish(&answers)
    }
}

impl Default for Architecture {
    /// `tengen-5b32c`, the network of most plans in `scripts/plans`.
    fn default() -> Architecture {
        Architecture {
            family: Family::Tengen { area: false },
            blocks: 5,
            channels: 32,
            inner: None,
        }
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}b{}c", self.family, self.blocks, self.channels)?;
        match self.inner {
            Some(inner) if self.family.inner(self.channels) != Some(inner) => write!(f, "{inner}"),
            _ => Ok(()),
        }
    }
}

impl From<Architecture> for String {
    fn from(architecture: Architecture) -> String {
        architecture.to_string()
    }
}

impl TryFrom<String> for Architecture {
    type Error = TrainError;

    fn try_from(name: String) -> Result<Architecture, TrainError> {
        name.parse()
    }
}

impl FromStr for Architecture {
    type Err = TrainError;

    fn from_str(name: &str) -> Result<Architecture, TrainError> {
        let parse = || {
            let (family, size) = name.rsplit_once('-')?;
            let family: Family = family.parse().ok()?;
            let (blocks, channels) = size.split_once('b')?;
            let (channels, inner) = channels.split_once('c')?;
            let enough = |channels: &str| channels.parse().ok().filter(|n| CHANNELS.contains(n));
            let channels = enough(channels)?;
            let usual = family.inner(channels);
            let inner = match inner {
                "" => usual,
                own => Some(usual.and(enough(own))?),
            };
            Some(Architecture {
                family,
                blocks: blocks.parse().ok().filter(|&n| n <= MAX_BLOCKS)?,
                channels,
                inner,
            })
        };
        parse().ok_or_else(|| {
            TrainError::Setting(format!(
                "unknown architecture {name:?} (expected {}; at most {MAX_BLOCKS} blocks of {} to {} channels)",
                family::name_format(),
                CHANNELS.start(),
                CHANNELS.end()
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: BoardSize = BoardSize::square(9);

    #[test]
    fn names_are_read_back() {
        for name in [
            "az-5b32c",
            "az-1b8c",
            "az-20b128c",
            "az+garb-5b32c",
            "az+mtl-5b32c",
            "az+asf-5b32c",
            "az+garb+asf-5b32c",
            "az+mtl+asf-3b48c",
            "nogozero+-5b32c",
            "tengen-4b48c",
            "tengen+area-4b48c",
            "gobang-2b256c",
            "gobang+plain-2b64c",
            "gobang+dense-3b256c",
            "mobile-33b64c200",
            "mobile+dense-40b128c",
            "a0-10b64c",
            "a0+dense-10b63c",
            "golois-13b64c",
            "golois+dense-2b8c",
        ] {
            assert_eq!(name.parse::<Architecture>().unwrap().to_string(), name);
        }
        let all: Architecture = "az+garb+mtl+asf-5b32c".parse().unwrap();
        assert_eq!(all.to_string(), "nogozero+-5b32c");
        assert_eq!(
            "az+asf+garb+mtl-5b32c".parse::<Architecture>().unwrap(),
            all
        );
        for wrong in [
            "tengen-99999999b32c",
            "tengen-5b99999999c",
            "az",
            "az-5b",
            "az-5b1c",
            "resnet-5b32c",
            "az--1b32c",
            "az+-5b32c",
            "az+gab-5b32c",
            "nogozero-5b32c",
            "a0-10b64c200",
            "mobile-10b64c2",
            "mobile-10b64cx",
        ] {
            let message = wrong.parse::<Architecture>().unwrap_err().to_string();
            assert!(
                message.contains(wrong) && message.contains("tengen-5b32c"),
                "{message}"
            );
        }
    }

    #[test]
    fn most_networks_are_for_any_board() {
        let go = GameShape {
            passes: true,
            scored: true,
            ..SIZE.into()
        };
        let any = |name: &str| {
            let architecture: Architecture = name.parse().unwrap();
            [SIZE.into(), go].map(|shape: GameShape| architecture.is_for_any_board(shape))
        };
        assert_eq!(any("tengen-2b8c"), [true, true]);
        assert_eq!(any("tengen+area-2b8c"), [true, true]);
        assert_eq!(any("az+garb-2b8c"), [true, true]);
        assert_eq!(any("nogozero+-2b8c"), [false, false]);
    }

    #[test]
    fn the_tower_costs_what_methods_3_2_says() {
        let architecture: Architecture = "az-5b32c".parse().unwrap();
        let (weights, counts) = architecture.declare(12, SIZE, 1);
        let tower = 81 * 9 * (12 * 32 + 10 * 32 * 32);
        assert!(
            (tower..tower + 200_000).contains(&counts.played.multiply_adds),
            "{counts:?}"
        );
        assert_eq!(tower, 7_744_896, "7.7 million multiply-adds");
        assert!(
            (95_000..105_000).contains(&counts.played.parameters),
            "{counts:?}"
        );
        assert_eq!(counts.played.parameters, counts.fitted.parameters);
        assert_eq!(weights.get("block4.b.weight").dims, [32, 32, 3, 3]);
        let shapes = architecture.shapes(12, SIZE);
        assert!(shapes.same_shape(&weights));
        assert!(
            shapes
                .tensors()
                .iter()
                .all(|weight| weight.values.is_empty())
        );
    }

    /// AlphaGobangZero's Figure 4 on its board: 2 x 2 convolutions of 256 filters, 64 moves.
    #[test]
    fn gobang_has_dense_heads() {
        let architecture: Architecture = "gobang-2b256c".parse().unwrap();
        let shape = GameShape {
            size: BoardSize::square(8),
            outcomes: 3,
            passes: false,
            scored: false,
        };
        let (weights, counts) = architecture.declare(4, shape, 1);
        assert_eq!(weights.get("block1.b.weight").dims, [256, 256, 3, 3]);
        assert_eq!(weights.get("policy.logits.weight").dims, [128, 64]);
        assert_eq!(weights.get("value.hidden.weight").dims, [64, 256]);
        assert_eq!(weights.get("value.logits.weight").dims, [256, 3]);
        assert_eq!(architecture.aux_heads(shape), []);
        let tower = 64 * 9 * (4 * 256 + 4 * 256 * 256);
        assert!((tower..tower + 100_000).contains(&counts.played.multiply_adds));

        let plain: Architecture = "gobang+plain-2b256c".parse().unwrap();
        let (same, _) = plain.declare(4, shape, 1);
        assert!(same.same_shape(&weights), "sums have no weights");
        let dense: Architecture = "gobang+dense-2b256c".parse().unwrap();
        let (weights, counts) = dense.declare(4, shape, 1);
        assert_eq!(weights.get("layer0.weight").dims, [256, 256]);
        assert_eq!(weights.get("policy.logits.weight").dims, [256, 64]);
        assert_eq!(counts.played.multiply_adds, 256 * (3 * 256 + 64 + 3));
    }

    /// Every other block pools, and the two heads of Gao & Wu 2021 exist in training only.
    #[test]
    fn nogozero_has_garb_blocks_and_heads_that_cost_nothing_at_play() {
        let architecture: Architecture = "nogozero+-5b32c".parse().unwrap();
        let (weights, counts) = architecture.declare(8, SIZE, 1);
        assert_eq!(weights.get("block1.global.weight").dims, [11, 32, 3, 3]);
        assert_eq!(weights.get("block1.bias.weight").dims, [22, 21]);
        assert_eq!(weights.get("block0.a.weight").dims, [32, 32, 3, 3]);
        assert_eq!(weights.get("ownership.logits.weight").dims, [162, 81]);
        assert_eq!(
            architecture.aux_heads(SIZE),
            [AuxHead::Ownership, AuxHead::Margin]
        );
        assert!(counts.fitted.multiply_adds > counts.played.multiply_adds);
        let without: Architecture = "az+garb+asf-5b32c".parse().unwrap();
        let (_, same) = without.declare(8, SIZE, 1);
        assert_eq!(same.played.multiply_adds, counts.played.multiply_adds);
    }
}
