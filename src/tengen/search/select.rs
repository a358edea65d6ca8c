//! PUCT (docs/methods.md#search): the formula, and the move that a descent takes.

use super::backup::Mean;
use super::edge::{Choice, Edge};
use super::node::Node;
use super::params::SearchParams;
use super::tree::Tree;
use crate::game::{Bounds, Proof};

/// Prior of a root move that is taken only when all others are proven to lose.
pub(super) const AVOIDED: f32 = -1.0;

/// Prior of a root move that the game's history forbids.
pub(super) const FORBIDDEN: f32 = -2.0;

/// The root's own priors, in the order of its choices; `None` where they are the choices' own. A
/// negative one is [`AVOIDED`] or [`FORBIDDEN`].
#[derive(Debug, Clone, Default)]
pub(super) struct RootPriors(pub(super) Option<Vec<f32>>);

impl RootPriors {
    /// Whether there are moves to avoid.
    pub(super) fn avoid(&self) -> bool {
        let mut priors = self.0.iter().flatten();
        priors.any(|&prior| prior == AVOIDED)
    }

    /// The prior of the move of this index, if the root has its own.
    pub(super) fn of(&self, index: usize) -> Option<f32> {
        self.0.as_ref()?.get(index).copied()
    }

    /// Whether a move is neither to be avoided nor forbidden.
    pub(super) fn want(&self, index: usize) -> bool {
        self.of(index).is_none_or(|prior| prior >= 0.0)
    }
}

/// Statistics of a move for selection.
struct Candidate {
    prior: f32,
    /// Those in flight counted.
    visits: f32,
    /// Mean value for the side to move at the parent; unknown before the first visit.
    value: Option<f32>,
}

/// The index of the move with the highest `Q + U` among those that can still be better than the
/// node's proven result; `None` when there is none: the result is proven if no move was forbidden.
///
/// `U = c P sqrt(N) / (1 + n + o)` as in [`puct`] (Gao & Wu 2021, 3.1; in-flight counts `o`
/// as in Liu et al. 2020), where N is the node's visits with those in flight and n the edge's. An
/// unvisited move's Q is the node's value less a reduction that grows with the visited policy mass
/// (docs/methods.md#search).
///
/// Untouched moves differ only in their priors, by which they are sorted: only the first one is
/// considered, except at a root with its own priors. Moves that this path forbids are skipped.
pub(super) fn select(
    tree: &Tree,
    node: &Node,
    root: Option<&RootPriors>,
    forbidden: &[usize],
    params: &SearchParams,
) -> Option<usize> {
    let root_priors = root.and_then(|root| root.0.as_deref());
    let prior =
        |i: usize, choice: &Choice| root_priors.map_or_else(|| choice.prior(), |priors| priors[i]);
    let (mut total, mut visited_mass) = (1.0, 0.0);
    for (i, (edge, choice)) in tree.edges(node).zip(tree.choices(node)).enumerate() {
        let (visits, in_flight) = edge.counts();
        if visits + in_flight > 0 {
            total += (visits + in_flight) as f32;
            visited_mass += prior(i, choice).max(0.0);
        }
    }
    let reduction = if root.is_some() {
        params.root_fpu_reduction
    } else {
        params.fpu_reduction
    };
    let explore = params.exploration(total);
    // A node's result may be proven by a move to avoid; then it does not bound the others.
    let by_wanted = root.and_then(|root| by_wanted(tree, node, root));
    let (value, bounds) = by_wanted.unwrap_or_else(|| (node.stats().0, node.state().bounds()));
    let unvisited = unvisited_value(value, reduction, visited_mass);
    let proven = bounds.low();

    let (mut best, mut best_puct) = (None, f32::NEG_INFINITY);
    let mut skips_fresh = false;
    for (i, (choice, edge)) in tree.moves(node).enumerate() {
        let touched = edge.filter(|edge| !edge.is_fresh());
        if touched.is_none() && skips_fresh {
            if edge.is_none() {
                break;
            }
            continue;
        }
        if forbidden.contains(&i) {
            continue;
        }
        skips_fresh |= touched.is_none() && root_priors.is_none();
        let Some(candidate) = candidate(tree, touched, prior(i, choice), proven) else {
            continue;
        };
        let puct = if candidate.prior < 0.0 {
            f32::MIN
        } else {
            puct(&candidate, unvisited, explore)
        };
        if puct > best_puct {
            (best, best_puct) = (Some(i), puct);
        }
    }
    best
}

/// The root's value and proven bounds, for its side to move, from the moves that are not to be
/// avoided; `None` when all moves count: there are none to avoid, or all others are proven to lose.
pub(super) fn by_wanted(tree: &Tree, node: &Node, root: &RootPriors) -> Option<(f32, Bounds)> {
    if !root.avoid() {
        return None;
    }
    let (mut mean, mut bounds) = (Mean::of(node), Bounds::exactly(Proof::Loss));
    let moves = tree.moves(node).enumerate();
    for (_, (_, edge)) in moves.filter(|(index, _)| root.want(*index)) {
        let child = edge.and_then(|edge| Some((edge, tree.after(edge)?)));
        let Some((edge, child)) = child else {
            bounds = Bounds::OPEN.or(bounds);
            continue;
        };
        mean.add(edge.counts().0, child.stats());
        bounds = bounds.or(child.state().bounds().flip());
    }
    (bounds.high() != Proof::Loss).then(|| (mean.value(), bounds))
}

/// Statistics of a move, unless it cannot be better than `proven`; without an edge the move is
/// untouched.
fn candidate(tree: &Tree, edge: Option<&Edge>, prior: f32, proven: Proof) -> Option<Candidate> {
    if prior == FORBIDDEN {
        return None;
    }
    let (visits, in_flight) = edge.map_or((0, 0), Edge::counts);
    let mut value = None;
    if let Some(child) = edge.and_then(|edge| tree.after(edge)) {
        if child.state().bounds().flip().high() <= proven {
            return None;
        }
        value = (visits > 0).then(|| -child.stats().0);
    }
    Some(Candidate {
        prior,
        visits: (visits + in_flight) as f32,
        value,
    })
}

/// The move's PUCT value: `Q + U`.
fn puct(edge: &Candidate, unvisited: f32, explore: f32) -> f32 {
    edge.value.unwrap_or(unvisited) + exploration_bonus(edge.prior, explore, edge.visits)
}

impl SearchParams {
    /// The factor of `P / (1 + n)` in PUCT at a node with `total` visits, itself counted:
    /// `c sqrt(N)`, where c grows with the logarithm of the visits.
    pub fn exploration(&self, total: f32) -> f32 {
        let growth = ((total + self.cpuct_base) / self.cpuct_base).ln();
        (self.cpuct + self.cpuct_growth * growth) * total.sqrt()
    }
}

/// Exploration term added to a move's value: `U = c P sqrt(N) / (1 + n)`, where `explore` is `c
/// sqrt(N)` from [`SearchParams::exploration`] and n the move's visits, those in flight counted.
pub fn exploration_bonus(prior: f32, explore: f32, visits: f32) -> f32 {
    explore * prior / (1.0 + visits)
}

/// First-play urgency (FPU), the value of an unvisited move: the node's value less a reduction that
/// grows with the square root of the visited policy mass.
pub fn unvisited_value(node_value: f32, reduction: f32, visited_mass: f32) -> f32 {
    node_value - reduction * visited_mass.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(prior: f32, visits: f32, value: Option<f32>) -> Candidate {
        Candidate {
            prior,
            visits,
            value,
        }
    }

    #[test]
    fn the_formula_is_the_papers() {
        // cpuct 1, 16 visits at the parent: 0.3 + 1 * 0.2 * 4 / (1 + 3).
        let got = puct(&edge(0.2, 3.0, Some(0.3)), 0.0, 4.0);
        assert!((got - 0.5).abs() < 1e-6);
    }

    #[test]
    fn a_visit_in_flight_discourages() {
        let [idle, busy] = [3.0, 4.0].map(|visits| puct(&edge(0.2, visits, Some(0.3)), 0.0, 4.0));
        assert!(idle > busy);
    }

    #[test]
    fn an_unvisited_move_takes_the_reduced_value() {
        let got = puct(&edge(0.1, 0.0, None), -0.25, 2.0);
        assert!((got - (-0.25 + 0.2)).abs() < 1e-6);
    }
}
