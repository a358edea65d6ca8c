//! Families of networks, identified by the first part of a name.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use super::blocks::{self, Split};
use super::cazenave::{Mobile, MobileBlock};
use crate::network::net::{AuxHead, Layers, Pooling};

/// Trunk, heads and input of a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Family {
    /// `az`, AlphaZero's residual blocks with convolutional heads (they beat AlphaZero's
    /// fully connected ones: Cazenave 2020, V-A), and what NoGoZero+ (Gao & Wu 2021, 3.2) adds to
    /// it: `az+garb`, `az+mtl`, `az+asf` and their combinations, all three of which are
    /// `nogozero+`.
    Az(Additions),
    /// `tengen`, ours: like `az+garb` in whole vector registers, with extended planes, fate and
    /// score heads and the opponent's reply; in games that count points, with owners of points
    /// instead of fates, and the lead.
    ///
    /// Other blocks were worse at equal cost (one core of an EPYC 9004, ONNX Runtime, batches of 8,
    /// positions/s in f32 and int8; held-out losses after 500 steps on 3,000 playout games).
    /// `5b32c`: 6,083 and 14,249; policy 3.043, value 0.546. Nested bottlenecks (KataGo; two of 64
    /// channels): 6,204 and 12,883; 3.043, 0.552. Inverted bottlenecks (MobileNetV2, every second
    /// block pooling; six of 32): 6,161 and 11,503; not fitted.
    Tengen {
        /// `tengen+area`: pools also use the board's area, for networks for boards of several sizes
        /// (docs/methods.md#networks).
        area: bool,
    },
    /// `gobang`, AlphaGobangZero's (3.4): AlphaZero's residual blocks, of which `gobang-2b256c` has
    /// the paper's two, with fully connected heads, and four planes. As printed, a policy of 36 and
    /// a pass fits no 8x8 board and the value's last layers are missing: here there is one logit
    /// per point, and 256 numbers before the value, which is win, draw and loss where the paper has
    /// a tanh.
    Gobang(Trunk),
    /// The networks of Cazenave 2020 with its 21 planes: `mobile` of inverted residual blocks, `a0` of AlphaGo Zero's
    /// and `golois` of Golois' residual blocks, each with a convolutional policy or, as `mobile+dense`, `a0+dense` and
    /// `golois+dense`, with a fully connected one.
    Mobile(Mobile),
}

/// The trunks compared in AlphaGobangZero's Figure 14.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trunk {
    /// `gobang`: residual blocks.
    Residual,
    /// `gobang+plain`, a convolutional network: the same without the sums around blocks.
    Plain,
    /// `gobang+dense`, a feed-forward network: one fully connected layer per block.
    Dense,
}

/// NoGoZero+'s three additions to AlphaZero (Gao & Wu 2021, Table 2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Additions {
    /// Global attention residual blocks: every second block pools over the board.
    pub garb: bool,
    /// Multi-task learning: ownership and score heads.
    pub mtl: bool,
    /// Advanced state features: the liberty planes.
    pub asf: bool,
}

impl Family {
    /// Block number `index` of the trunk.
    pub(super) fn block<L: Layers>(
        self,
        layers: &mut L,
        name: &str,
        x: &L::Map,
        channels: usize,
        index: usize,
    ) -> L::Map {
        // Ordinary, pooled, ordinary, ... (docs/methods.md#networks).
        let pools = index % 2 == 1;
        let split = match self {
            Family::Az(Additions { garb, .. }) => garb.then_some(Split::Third),
            Family::Tengen { .. } => Some(Split::Registers),
            Family::Gobang(_) | Family::Mobile(_) => None,
        };
        match split.filter(|_| pools) {
            Some(split) => blocks::pooling(layers, name, x, channels, split, self.pooling()),
            None if self == Family::Gobang(Trunk::Plain) => {
                blocks::without_sum(layers, name, x, channels)
            }
            None => blocks::residual(layers, name, x, channels),
        }
    }

    /// Statistics in the pools of blocks and heads.
    pub(super) fn pooling(self) -> Pooling {
        match self {
            Family::Tengen { area: true } => Pooling::MeanMaxSum,
            Family::Mobile(_) => Pooling::Mean,
            Family::Tengen { area: false } | Family::Az(_) | Family::Gobang(_) => Pooling::MeanMax,
        }
    }

    /// The heads used only in training.
    pub(super) fn aux_heads(self, counts_points: bool) -> &'static [AuxHead] {
        use AuxHead::{Lead, Margin, Ownership, PointStatus, Reply};
        match (self, counts_points) {
            (Family::Az(Additions { mtl: true, .. }), false) => &[Ownership, Margin],
            (Family::Az(Additions { mtl: true, .. }), true) => &[Ownership, Lead],
            (Family::Az(_) | Family::Gobang(_) | Family::Mobile(_), _) => &[],
            (Family::Tengen { .. }, false) => &[PointStatus, Margin, Reply],
            (Family::Tengen { .. }, true) => &[Ownership, Lead, Reply],
        }
    }

    /// Whether it is ours: its owners come from a convolution, and its score from the value head's features, where
    /// both have heads of their own in Gao & Wu 2021.
    pub(super) fn is_ours(self) -> bool {
        matches!(self, Family::Tengen { .. })
    }

    /// Whether policy and value come from fully connected layers.
    pub(super) fn is_dense(self) -> bool {
        matches!(self, Family::Gobang(_))
    }

    /// Whether the trunk is fully connected too.
    pub(super) fn is_feed_forward(self) -> bool {
        self == Family::Gobang(Trunk::Dense)
    }

    /// Channels within the blocks of a trunk of this many, where they differ: four times as many, as in the paper's
    /// large networks.
    pub(super) fn inner(self, channels: usize) -> Option<usize> {
        match self {
            Family::Mobile(network) if network.block == MobileBlock::Mobile => Some(4 * channels),
            _ => None,
        }
    }

    /// The default input encoding; that of another game is not used (`FitParams::of`).
    pub fn encoding(self) -> &'static str {
        match self {
            Family::Az(Additions { asf: true, .. }) => "nogo-asf",
            Family::Az(_) => "nogo-az",
            Family::Tengen { .. } => "nogo-2",
            Family::Gobang(_) => "gobang-1",
            Family::Mobile(_) => "go-mobile-2",
        }
    }
}

/// The names of all families, of which messages list them. A family is shown by its first one.
const NAMES: [(&str, Family); 20] = [
    ("tengen", Family::Tengen { area: false }),
    ("tengen+area", Family::Tengen { area: true }),
    ("gobang", Family::Gobang(Trunk::Residual)),
    ("gobang+plain", Family::Gobang(Trunk::Plain)),
    ("gobang+dense", Family::Gobang(Trunk::Dense)),
    ("nogozero+", az(true, true, true)),
    ("az", az(false, false, false)),
    ("az+garb", az(true, false, false)),
    ("az+mtl", az(false, true, false)),
    ("az+asf", az(false, false, true)),
    ("az+garb+mtl", az(true, true, false)),
    ("az+garb+asf", az(true, false, true)),
    ("az+mtl+asf", az(false, true, true)),
    ("az+garb+mtl+asf", az(true, true, true)),
    ("mobile", cazenave(MobileBlock::Mobile, false)),
    ("mobile+dense", cazenave(MobileBlock::Mobile, true)),
    ("a0", cazenave(MobileBlock::Residual, false)),
    ("a0+dense", cazenave(MobileBlock::Residual, true)),
    ("golois", cazenave(MobileBlock::Golois, false)),
    ("golois+dense", cazenave(MobileBlock::Golois, true)),
];

/// What a name of an architecture is, for messages.
pub(super) fn name_format() -> String {
    let names: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
    format!(
        "FAMILY-<blocks>b<channels>c, such as tengen-5b32c; families are {}; a \
         mobile may name the channels within its blocks, as in mobile-33b64c200",
        names.join(", ")
    )
}

const fn az(garb: bool, mtl: bool, asf: bool) -> Family {
    Family::Az(Additions { garb, mtl, asf })
}

const fn cazenave(block: MobileBlock, dense: bool) -> Family {
    Family::Mobile(Mobile { block, dense })
}

impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let found = NAMES.iter().find(|(_, family)| family == self);
        // Every family has a name.
        f.write_str(found.map_or("", |(name, _)| *name))
    }
}

impl FromStr for Family {
    type Err = ();

    fn from_str(name: &str) -> Result<Family, ()> {
        let parts = |name| str::split(name, '+').collect::<BTreeSet<&str>>();
        let found = NAMES
            .iter()
            .find(|&&(known, _)| parts(known) == parts(name));
        found.map(|(_, family)| *family).ok_or(())
    }
}
