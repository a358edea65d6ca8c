//! KataGo's forced playouts at a root that is searched by PUCT.

use super::best;
use tengen::search::{RootMove, RootMoves, SearchParams, exploration_bonus};

/// A PUCT root with forced playouts.
#[derive(Debug)]
pub(super) struct PuctRoot {
    /// The k of `sqrt(k P N)` forced playouts; 0 for none.
    pub(super) forced: f32,
}

impl PuctRoot {
    /// The move for the next playout, if it is forced: a visited one that lacks playouts.
    pub(super) fn select(&self, root: &RootMoves<'_>) -> Option<usize> {
        root.moves.iter().position(|found| {
            found.visits > 0 && (found.visits as f32) < self.forced_playouts(root, found)
        })
    }

    /// `sqrt(k P N)` (Wu 2019, section 3.2).
    fn forced_playouts(&self, root: &RootMoves<'_>, found: &RootMove) -> f32 {
        (self.forced * found.prior * root.visits as f32).sqrt()
    }

    /// The visits as a policy target. For moves other than the most visited one, playouts that PUCT
    /// would not have made are subtracted, up to the forced number; moves left with one lose it,
    /// too (Wu 2019, section 3.2).
    pub(super) fn target(&self, root: &RootMoves<'_>, params: &SearchParams) -> Vec<f32> {
        let visits = || root.moves.iter().map(|found| found.visits as f32);
        if self.forced == 0.0 {
            return visits().collect();
        }
        let favourite = best(visits());
        let explore = params.exploration(1.0 + root.visits as f32);
        let puct = |found: &RootMove| {
            let bonus = exploration_bonus(found.prior, explore, found.visits as f32);
            found.value.map_or(f32::INFINITY, |value| value + bonus)
        };
        let bar = root.moves.get(favourite).map_or(f32::INFINITY, puct);
        let kept = |(place, found): (usize, &RootMove)| {
            let visits = found.visits as f32;
            let Some(value) = found.value.filter(|_| place != favourite) else {
                return visits;
            };
            let least = (visits - self.forced_playouts(root, found)).max(0.0);
            // The fewest visits with which PUCT would still rank it below the favourite.
            let below = explore * found.prior / (bar - value).max(1e-6) - 1.0;
            let kept = below.ceil().clamp(least.ceil(), visits);
            if kept <= 1.0 { 0.0 } else { kept }
        };
        root.moves.iter().enumerate().map(kept).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::mcts::tests::{root, visited};

    const FORCED: PuctRoot = PuctRoot { forced: 2.0 };
    const NONE: PuctRoot = PuctRoot { forced: 0.0 };

    #[test]
    fn a_visited_move_gets_its_forced_playouts() {
        let moves = visited(&[(0.1, 1, -0.9), (0.5, 60, 0.5), (0.4, 0, 0.0)]);
        // sqrt(2 * 0.1 * 61) = 3.5 playouts for the first; the unvisited one is not forced.
        assert_eq!(FORCED.select(&root(&moves, 0.0)), Some(0));
        assert_eq!(NONE.select(&root(&moves, 0.0)), None);
    }

    #[test]
    fn forced_playouts_are_not_learned() {
        let moves = visited(&[(0.1, 4, -0.9), (0.5, 60, 0.5), (0.4, 30, 0.45)]);
        let (root, params) = (root(&moves, 0.0), SearchParams::default());
        let target = FORCED.target(&root, &params);
        assert_eq!(target[0], 0.0, "{target:?}");
        assert_eq!(target[1], 60.0);
        // A good move keeps its PUCT playouts, and loses at most the forced ones.
        assert!(
            (30.0 - (2.0_f32 * 0.4 * 94.0).sqrt()..=30.0).contains(&target[2]),
            "{target:?}"
        );
        assert_eq!(NONE.target(&root, &params), [4.0, 60.0, 30.0]);
    }
}
