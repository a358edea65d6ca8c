//! Named networks: which blocks, how many, how wide.
//!
//! A name such as `az-5b32c` says all of it and stands in the metadata of the exported file.

mod heads;
mod residual;

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::TrainError;
use super::net::{Conv, Counts, Declare, Heads, Layers, Weights};
use crate::game::BoardSize;

/// A network by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Recipe {
    family: Family,
    /// Blocks of the trunk.
    pub blocks: usize,
    /// Channels of the trunk.
    pub channels: usize,
}

/// What the trunk is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Family {
    /// AlphaZero's residual blocks, with convolutional heads (methods §1.6: they beat AlphaZero's
    /// fully connected ones).
    Az,
}

impl Recipe {
    /// Describes the network to `layers`, from the input planes to the heads.
    pub fn describe<L: Layers>(&self, layers: &mut L, planes: &L::Map) -> Heads<L::Vector> {
        let stem = layers.conv_norm("stem", planes, Conv::wide(self.channels));
        let mut trunk = layers.relu(&stem);
        for block in 0..self.blocks {
            let name = format!("block{block}");
            trunk = match self.family {
                Family::Az => residual::block(layers, &name, &trunk, self.channels),
            };
        }
        Heads {
            policy: heads::policy(layers, &trunk, self.channels),
            value: heads::value(layers, &trunk, self.channels),
        }
    }

    /// Initial weights for this board and number of input planes, and the network's size.
    #[must_use]
    pub fn declare(&self, planes: usize, size: BoardSize, seed: u64) -> (Weights, Counts) {
        let mut declare = Declare::new(size.area(), seed);
        self.describe(&mut declare, &planes);
        declare.finish()
    }
}

impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Family::Az = self.family;
        write!(f, "az-{}b{}c", self.blocks, self.channels)
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
            let (blocks, channels) = name
                .strip_prefix("az-")?
                .strip_suffix('c')?
                .split_once('b')?;
            let channels = channels.parse().ok().filter(|&channels| channels >= 2)?;
            Some(Recipe {
                family: Family::Az,
                blocks: blocks.parse().ok()?,
                channels,
            })
        };
        parse().ok_or_else(|| {
            TrainError::Setting(format!(
                "no network is called {name:?}: a name is az-<blocks>b<channels>c, such as az-5b32c"
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for name in ["az-5b32c", "az-1b8c", "az-20b128c"] {
            assert_eq!(name.parse::<Recipe>().unwrap().to_string(), name);
        }
        for wrong in ["az", "az-5b", "az-5b1c", "resnet-5b32c", "az--1b32c"] {
            let message = wrong.parse::<Recipe>().unwrap_err().to_string();
            assert!(
                message.contains(wrong) && message.contains("az-5b32c"),
                "{message}"
            );
        }
    }

    #[test]
    fn the_tower_costs_what_methods_3_2_says() {
        let recipe: Recipe = "az-5b32c".parse().unwrap();
        let (weights, counts) = recipe.declare(12, BoardSize::square(9), 1);
        let tower = 81 * 9 * (12 * 32 + 10 * 32 * 32);
        assert!(
            (tower..tower + 200_000).contains(&counts.multiply_adds),
            "{counts:?}"
        );
        assert_eq!(tower, 7_744_896, "7.7 million multiply-adds");
        assert!((95_000..105_000).contains(&counts.parameters), "{counts:?}");
        assert_eq!(weights.get("block4.b.weight").dims, [32, 32, 3, 3]);
    }
}
