//! Named networks: which blocks, how many, how wide, which heads, which input.
//!
//! A name such as `nogozero+-5b32c` says all of it and stands in the metadata of the exported
//! file: a family, the blocks of the trunk, its channels. See [`Family`] for the families.

mod family;
mod garb;
mod heads;
mod residual;

pub use family::{Additions, Family};

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::TrainError;
use super::net::{Conv, Counts, Declare, Extra, Heads, Layers, Weights};
use super::objective::LossWeights;
use crate::game::BoardSize;

/// A network by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Recipe {
    /// What trunk and heads are made of.
    pub family: Family,
    /// Blocks of the trunk.
    pub blocks: usize,
    /// Channels of the trunk.
    pub channels: usize,
}

/// What a network is asked about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// The board.
    pub size: BoardSize,
    /// Results that a game can have for a side: 2, or 3 with draws.
    pub outcomes: usize,
}

impl From<BoardSize> for Field {
    /// A game without draws.
    fn from(size: BoardSize) -> Field {
        Field { size, outcomes: 2 }
    }
}

/// Which outputs are computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outputs {
    /// Policy and value: what a search needs.
    Play,
    /// The extra heads too, which the fit learns from.
    All,
}

impl Recipe {
    /// Describes the network to `layers`, from the input planes to the heads.
    pub fn describe<L: Layers>(
        &self,
        layers: &mut L,
        planes: &L::Map,
        field: impl Into<Field>,
        outputs: Outputs,
    ) -> Heads<L::Vector> {
        let Field { size, outcomes } = field.into();
        let channels = self.channels;
        let stem = layers.conv_norm("stem", planes, Conv::wide(channels));
        let mut trunk = layers.relu(&stem);
        for block in 0..self.blocks {
            let name = format!("block{block}");
            trunk = self.family.block(layers, &name, &trunk, channels, block);
        }
        let wanted = match outputs {
            Outputs::Play => &[],
            Outputs::All => self.family.extras(),
        };
        let has = |extra| wanted.contains(&extra);
        let shared_score = has(Extra::Score) && self.family.shares_score();
        let (policy, reply) = heads::policy(layers, &trunk, channels, has(Extra::Reply));
        let (value, score) = heads::value(layers, &trunk, channels, (outcomes, shared_score));
        let mut extras = Vec::new();
        for &extra in wanted {
            let logits = match extra {
                Extra::Ownership => Some(heads::ownership(layers, &trunk, channels, size)),
                Extra::Fate => Some(heads::fate(layers, &trunk, channels)),
                Extra::Score if shared_score => score.clone(),
                Extra::Score => Some(heads::score(layers, &trunk, channels)),
                Extra::Reply => reply.clone(),
            };
            extras.extend(logits.map(|logits| (extra, logits)));
        }
        Heads {
            policy,
            value,
            extras,
        }
    }

    /// The extra heads that the fit learns from.
    #[must_use]
    pub fn extras(&self) -> &'static [Extra] {
        self.family.extras()
    }

    /// The encoding that the family reads where nothing else is said.
    #[must_use]
    pub fn encoding(&self) -> &'static str {
        self.family.encoding()
    }

    /// How much each part of the loss counts where nothing else is said.
    #[must_use]
    pub fn loss_weights(&self) -> LossWeights {
        LossWeights::default()
    }

    /// Initial weights for this board and number of input planes, and the network's size.
    #[must_use]
    pub fn declare(&self, planes: usize, field: impl Into<Field>, seed: u64) -> (Weights, Counts) {
        let field = field.into();
        let walk = |outputs| {
            let mut declare = Declare::new(field.size.area(), seed);
            self.describe(&mut declare, &planes, field, outputs);
            declare.finish()
        };
        let (weights, fitted) = walk(Outputs::All);
        let (_, played) = walk(Outputs::Play);
        let counts = Counts {
            parameters: played.parameters,
            multiply_adds: played.multiply_adds,
            fitted_parameters: fitted.parameters,
            fitted_multiply_adds: fitted.multiply_adds,
        };
        (weights, counts)
    }
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}b{}c", self.family, self.blocks, self.channels)
    }
}

impl From<Recipe> for String {
    fn from(recipe: Recipe) -> String {
        recipe.to_string()
    }
}

impl TryFrom<String> for Recipe {
    type Error = TrainError;

    fn try_from(name: String) -> Result<Recipe, TrainError> {
        name.parse()
    }
}

impl FromStr for Recipe {
    type Err = TrainError;

    fn from_str(name: &str) -> Result<Recipe, TrainError> {
        let parse = || {
            let (family, size) = name.rsplit_once('-')?;
            let (blocks, channels) = size.strip_suffix('c')?.split_once('b')?;
            let channels = channels.parse().ok().filter(|&channels| channels >= 4)?;
            Some(Recipe {
                family: family.parse().ok()?,
                blocks: blocks.parse().ok()?,
                channels,
            })
        };
        parse().ok_or_else(|| {
            TrainError::Setting(format!(
                "no network is called {name:?}: a name is FAMILY-<blocks>b<channels>c, such as \
                 tengen-5b32c; families are az (with +garb, +mtl, +asf or several), nogozero+ and \
                 tengen"
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
        ] {
            assert_eq!(name.parse::<Recipe>().unwrap().to_string(), name);
        }
        let all: Recipe = "az+garb+mtl+asf-5b32c".parse().unwrap();
        assert_eq!(all.to_string(), "nogozero+-5b32c");
        for wrong in [
            "az",
            "az-5b",
            "az-5b1c",
            "resnet-5b32c",
            "az--1b32c",
            "az+-5b32c",
            "az+gab-5b32c",
            "nogozero-5b32c",
        ] {
            let message = wrong.parse::<Recipe>().unwrap_err().to_string();
            assert!(
                message.contains(wrong) && message.contains("tengen-5b32c"),
                "{message}"
            );
        }
    }

    #[test]
    fn the_tower_costs_what_methods_3_2_says() {
        let recipe: Recipe = "az-5b32c".parse().unwrap();
        let (weights, counts) = recipe.declare(12, SIZE, 1);
        let tower = 81 * 9 * (12 * 32 + 10 * 32 * 32);
        assert!(
            (tower..tower + 200_000).contains(&counts.multiply_adds),
            "{counts:?}"
        );
        assert_eq!(tower, 7_744_896, "7.7 million multiply-adds");
        assert!((95_000..105_000).contains(&counts.parameters), "{counts:?}");
        assert_eq!(counts.parameters, counts.fitted_parameters);
        assert_eq!(weights.get("block4.b.weight").dims, [32, 32, 3, 3]);
    }

    /// Every other block pools, and the two heads of Gao & Wu 2021 are there for the fit and gone at play.
    #[test]
    fn nogozero_has_garb_blocks_and_heads_that_cost_nothing_at_play() {
        let recipe: Recipe = "nogozero+-5b32c".parse().unwrap();
        let (weights, counts) = recipe.declare(8, SIZE, 1);
        assert_eq!(weights.get("block1.global.weight").dims, [11, 32, 3, 3]);
        assert_eq!(weights.get("block1.bias.weight").dims, [22, 21]);
        assert_eq!(weights.get("block0.a.weight").dims, [32, 32, 3, 3]);
        assert_eq!(weights.get("ownership.logits.weight").dims, [162, 81]);
        assert_eq!(recipe.extras(), [Extra::Ownership, Extra::Score]);
        assert!(counts.fitted_multiply_adds > counts.multiply_adds);
        let without: Recipe = "az+garb+asf-5b32c".parse().unwrap();
        let (_, same) = without.declare(8, SIZE, 1);
        assert_eq!(same.multiply_adds, counts.multiply_adds);
    }
}
