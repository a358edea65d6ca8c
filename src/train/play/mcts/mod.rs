//! Searches of self-play: the engine's, over a small tree for each of many games
//! ([`tengen::search::StepSearch`]), with root algorithms that give policy targets.
//!
//! A search is a value that returns the position to evaluate next ([`Search::wanted`]) and takes
//! the answer ([`Search::answer`]); [`super::eval_batch`] makes batches across games.

mod gumbel;
mod search;

pub use search::{Search, SearchResult};

use serde::{Deserialize, Serialize};
use tengen::search::SearchParams;

tengen::choices! {
    /// Root algorithm of self-play searches.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    RootRule {
        /// Gumbel AlphaZero (Danihelka et al. 2022): sequential halving over moves drawn without
        /// replacement; the policy target is improved by completed Q values.
        Gumbel = "gumbel",
        /// AlphaZero's PUCT with noisy priors; the visits are the policy target.
        Puct = "puct",
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
    /// Playouts of a search.
    pub visits: u32,
}

impl MctsParams {
    /// PUCT with the engine's settings and no exploration, for matches.
    pub fn player(visits: u32) -> MctsParams {
        MctsParams {
            root: RootRule::Puct,
            search: SearchParams::default(),
            visits,
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
