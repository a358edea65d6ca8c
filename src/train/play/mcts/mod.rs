//! A small search tree for each of many games, with batches across games.
//!
//! [`crate::search`] maximises the strength for one position. Self-play needs the opposite: a few
//! dozen playouts for each of hundreds of positions at once. So here a search is a value that
//! returns the position to evaluate next ([`Search::wanted`]) and takes the answer
//! ([`Search::answer`]). Every game requests one evaluation at a time and no descent needs virtual
//! loss: batches cost no strength, and a game depends only on its seed and its network.
//!
//! The tree is rebuilt for each move, but evaluations of the previous move are kept: about every
//! third position of a search has been evaluated already.

mod gumbel;
mod puct;
mod search;
mod tree;

pub use search::{Search, SearchResult};

use crate::search::SearchParams;

/// Root algorithm.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RootRule {
    /// Gumbel AlphaZero (Danihelka et al. 2022): sequential halving over moves drawn without
    /// replacement; the policy target is improved by completed Q values.
    Gumbel(GumbelParams),
    /// PUCT with noisy priors (AlphaZero), with KataGo's forced playouts, which are removed from
    /// the policy target.
    Puct {
        /// While exploring, a visited move gets at least `sqrt(this * prior * playouts)` playouts.
        forced_playouts: f32,
    },
}

/// Settings of the Gumbel root.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct GumbelParams {
    /// Maximum number of moves with playouts (and at most half the playouts).
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
    /// Root algorithm.
    pub root: RootRule,
    /// Search settings below the root; and the root's noise and temperature with
    /// [`RootRule::Puct`].
    pub search: SearchParams,
}

impl MctsParams {
    /// PUCT with the engine's settings and no exploration, for matches.
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
