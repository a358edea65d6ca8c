//! PUCT selection, and KataGo's forced playouts at a root.

use super::tree::{Node, best};
use crate::search::{SearchParams, exploration_bonus, unvisited_value};

/// The edge with the highest `Q + c P sqrt(N) / (1 + n)`, as in the engine's search.
pub(super) fn select(
    node: &Node,
    priors: &[f32],
    fpu_reduction: f32,
    params: &SearchParams,
) -> usize {
    let (values, _) = puct(node, priors, fpu_reduction, params);
    best(values)
}

/// The PUCT value of every edge, and the factor of `P / (1 + n)` in it.
fn puct<'a>(
    node: &'a Node,
    priors: &'a [f32],
    fpu_reduction: f32,
    params: &SearchParams,
) -> (impl Iterator<Item = f32> + 'a, f32) {
    let edges = node.edges.iter().zip(priors);
    let visited = edges.filter(|(edge, _)| edge.visits > 0);
    let mass: f32 = visited.map(|(_, prior)| prior).sum();
    let unvisited = unvisited_value(node.value(), fpu_reduction, mass);
    let explore = params.exploration(1.0 + node.visits as f32);
    let edges = node.edges.iter().zip(priors);
    let values = edges.map(move |(edge, prior)| {
        if edge.forbidden {
            return f32::NEG_INFINITY;
        }
        edge.value().unwrap_or(unvisited) + exploration_bonus(*prior, explore, edge.visits as f32)
    });
    (values, explore)
}

/// A PUCT root: its priors, and its forced playouts.
#[derive(Debug)]
pub(super) struct PuctRoot {
    /// The priors with temperature and noise.
    pub(super) priors: Vec<f32>,
    /// The k of `sqrt(k P N)` forced playouts; 0 for none.
    pub(super) forced: f32,
}

impl PuctRoot {
    /// The edge for the next playout: a visited move that lacks forced playouts, else by PUCT.
    pub(super) fn select(&self, node: &Node, params: &SearchParams) -> usize {
        let lacking = |edge: usize| {
            let visits = node.edges[edge].visits;
            visits > 0 && (visits as f32) < self.forced_playouts(node, edge)
        };
        let forced = (0..node.edges.len()).find(|&edge| lacking(edge));
        forced.unwrap_or_else(|| select(node, &self.priors, params.root_fpu_reduction, params))
    }

    /// `sqrt(k P N)` (Wu 2019, section 3.2).
    fn forced_playouts(&self, node: &Node, edge: usize) -> f32 {
        (self.forced * self.priors[edge] * node.visits as f32).sqrt()
    }

    /// The visits as a policy target. For moves other than the most visited one, playouts that PUCT
    /// would not have made are subtracted, up to the forced number; moves left with one lose it,
    /// too (Wu 2019, section 3.2).
    pub(super) fn target(&self, node: &Node, params: &SearchParams) -> Vec<f32> {
        let visits = || node.edges.iter().map(|edge| edge.visits as f32);
        if self.forced == 0.0 {
            return visits().collect();
        }
        let favourite = best(visits());
        let (values, explore) = puct(node, &self.priors, params.root_fpu_reduction, params);
        let bar = values
            .enumerate()
            .find_map(|(edge, value)| (edge == favourite).then_some(value))
            .unwrap_or(f32::INFINITY);
        let kept = |(place, visits): (usize, f32)| {
            let Some(value) = node.edges[place].value().filter(|_| place != favourite) else {
                return visits;
            };
            let least = (visits - self.forced_playouts(node, place)).max(0.0);
            // The fewest visits with which PUCT would still rank it below the favourite.
            let below = explore * self.priors[place] / (bar - value).max(1e-6) - 1.0;
            let kept = below.ceil().clamp(least.ceil(), visits);
            if kept <= 1.0 { 0.0 } else { kept }
        };
        visits().enumerate().map(kept).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::super::tree::Evaluation;
    use super::*;
    use crate::game::Move;

    /// A node with these priors, and these playouts of these mean results.
    fn node(moves: &[(f32, u32, f32)]) -> Node {
        let priors: Vec<f32> = moves.iter().map(|m| m.0).collect();
        let mut node = Node::new(Rc::new(Evaluation {
            moves: (0..moves.len() as u16).map(Move).collect(),
            logits: priors.iter().map(|p| p.ln()).collect(),
            priors,
            value: 0.0,
        }));
        for (edge, &(_, visits, value)) in moves.iter().enumerate() {
            (0..visits).for_each(|_| node.count(edge, value));
        }
        node
    }

    fn root(node: &Node, forced: f32) -> PuctRoot {
        PuctRoot {
            priors: node.evaluation.priors.clone(),
            forced,
        }
    }

    #[test]
    fn the_formula_is_the_papers() {
        let params = SearchParams {
            cpuct: 1.0,
            cpuct_growth: 0.0,
            ..SearchParams::default()
        };
        let node = node(&[(0.2, 3, 0.3), (0.8, 12, 0.1)]);
        // 0.3 + 1 * 0.2 * sqrt(16) / (1 + 3).
        let (values, _) = puct(&node, &[0.2, 0.8], 0.0, &params);
        assert!((values.collect::<Vec<_>>()[0] - 0.5).abs() < 1e-6);
    }

    #[test]
    fn a_visited_move_gets_its_forced_playouts() {
        let node = node(&[(0.1, 1, -0.9), (0.5, 60, 0.5), (0.4, 0, 0.0)]);
        let params = SearchParams::default();
        // sqrt(2 * 0.1 * 61) = 3.5 playouts for the first; the unvisited one is not forced.
        assert_eq!(root(&node, 2.0).select(&node, &params), 0);
        assert_ne!(root(&node, 0.0).select(&node, &params), 0);
    }

    #[test]
    fn forced_playouts_are_not_learned() {
        let node = node(&[(0.1, 4, -0.9), (0.5, 60, 0.5), (0.4, 30, 0.45)]);
        let params = SearchParams::default();
        let target = root(&node, 2.0).target(&node, &params);
        assert_eq!(target[0], 0.0, "{target:?}");
        assert_eq!(target[1], 60.0);
        // A good move keeps its PUCT playouts, and loses at most the forced ones.
        assert!(
            (30.0 - (2.0_f32 * 0.4 * 94.0).sqrt()..=30.0).contains(&target[2]),
            "{target:?}"
        );
        assert_eq!(root(&node, 0.0).target(&node, &params), [4.0, 60.0, 30.0]);
    }
}
