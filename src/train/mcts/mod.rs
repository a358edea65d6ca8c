//! A small search tree for each of many games, for batches across games.
//!
//! [`crate::search`] makes one position as strong as threads and memory allow. Self-play wants the
//! opposite: a few dozen playouts for each of hundreds of positions at once. So here a search is a
//! value that says which position it wants evaluated next ([`Search::wanted`]) and takes the answer
//! ([`Search::answer`]). Every game asks for one evaluation at a time and no descent is ever made
//! blindly: batches cost no strength, and a game depends on nothing but its seed and its network.
//!
//! The tree is rebuilt for each move, but evaluations of the move before are kept: about every
//! third position of a search has been evaluated already.

mod gumbel;
mod puct;
mod search;
mod tree;

pub use search::{Search, SearchResult};

use crate::search::SearchParams;

/// How the moves of a root share its playouts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RootRule {
    /// Gumbel AlphaZero (Danihelka et al. 2022): sequential halving over moves drawn without
    /// replacement; the policy target is improved by completed Q values.
    Gumbel(GumbelParams),
    /// PUCT over noisy priors (AlphaZero), with KataGo's forced playouts, which are taken out of
    /// the policy target again.
    Puct {
        /// A visited move gets at least `sqrt(this * prior * playouts)` playouts while exploring.
        forced_playouts: f32,
    },
}

/// Settings of the Gumbel root.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GumbelParams {
    /// Moves that get playouts, at most (and at most half the playouts).
    pub considered: usize,
    /// Added to the most visited move's visits in the weight of Q.
    pub visit_offset: f32,
    /// Scale of Q, taken in [0, 1].
    pub value_scale: f32,
}

impl Default for GumbelParams {
    /// The paper's values for Go (docs/methods.md#self-play).
    fn default() -> Self {
        GumbelParams {
            considered: 16,
            visit_offset: 50.0,
            value_scale: 1.0,
        }
    }
}

/// Settings of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct MctsParams {
    /// At the root.
    pub root: RootRule,
    /// Below the root; and the root's noise and temperature under [`RootRule::Puct`].
    pub search: SearchParams,
}

impl MctsParams {
    /// PUCT with the engine's settings and no exploration: a player, not a generator.
    #[must_use]
    pub fn player() -> MctsParams {
        MctsParams {
            root: RootRule::Puct {
                forced_playouts: 0.0,
            },
            search: SearchParams::default(),
        }
    }
}
