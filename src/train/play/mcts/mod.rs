//! Searches of self-play: the engine's, over a small tree for each of many games
//! ([`tengen::search::StepSearch`]), with root algorithms that give policy targets.
//!
//! A search is a value that returns the position to evaluate next ([`Search::wanted`]) and takes
//! the answer ([`Search::answer`]); [`super::eval_batch`] makes batches across games.

mod gumbel;
mod search;

pub use search::{Search, SearchResult};

use tengen::search::SearchParams;

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
    pub fn player() -> MctsParams {
        MctsParams {
            root: RootRule::Puct {
                forced_playouts: 0.0,
            },
            search: SearchParams::default(),
        }
    }
}

/// Index of the largest number, the first of equals; 0 if there is none.
fn best(numbers: impl Iterator<Item = f32>) -> usize {
    let (mut best, mut most) = (0, f32::NEG_INFINITY);
    for (place, number) in numbers.enumerate() {
        if number > most {
            (best, most) = (place, number);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use tengen::game::Move;
    use tengen::search::{RootMove, RootMoves};

    /// Moves with these probabilities, playouts and mean results.
    pub(super) fn visited(moves: &[(f32, u32, f32)]) -> Vec<RootMove> {
        let numbered = moves.iter().zip(0..);
        let visited = numbered.map(|(&(policy, visits, value), point)| RootMove {
            mv: Move(point),
            policy,
            prior: policy,
            visits,
            value: (visits > 0).then_some(value),
        });
        visited.collect()
    }

    /// A root with these moves.
    pub(super) fn root(moves: &[RootMove], evaluation: f32) -> RootMoves<'_> {
        RootMoves {
            moves,
            visits: moves.iter().map(|found| found.visits).sum(),
            evaluation,
            value: evaluation,
        }
    }
}
