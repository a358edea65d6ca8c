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

/// The index of the move with the highest `Q + U` among those that can still be better than the
/// node's proven result; `None` when there is none: the result is proven if no move was forbidden.
///
/// `U = c P sqrt(N) / (1 + n + o)` as in [`puct`] (Gao & Wu 2021, 3.1; in-flight counts `o`
/// as in Liu et al. 2020), where N is the node's visits with those in flight, without those of moves
/// that a root avoids or may not play, and n the edge's. An unvisited move's Q is the node's value
/// less a reduction that grows with the visited policy mass (docs/methods.md#search).
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
        let ((visits, in_flight), prior) = (edge.counts(), prior(i, choice));
        // Visits of a root's moves that are to be avoided are those of earlier searches.
        if visits + in_flight > 0 && prior >= 0.0 {
            total += (visits + in_flight) as f32;
            visited_mass += prior;
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
        let prior = prior(i, choice);
        if forbidden.contains(&i) || prior == FORBIDDEN {
            continue;
        }
        skips_fresh |= touched.is_none() && root_priors.is_none();
        let (visits, in_flight) = touched.map_or((0, 0), Edge::counts);
        let child = touched.and_then(|edge| tree.after(edge));
        if child.is_some_and(|child| child.state().bounds().flip().high() <= proven) {
            continue;
        }
        let known = child.filter(|_| visits > 0);
        let value = known.map_or(unvisited, |child| -child.stats().0);
        let counts = (visits as f32, in_flight as f32);
        let puct = match prior < 0.0 {
            true => f32::MIN,
            false => puct(prior, value, counts, explore, params.virtual_loss),
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

/// The PUCT value of a move, `Q + U`, with this mean value and these visits, completed and in flight.
fn puct(
    prior: f32,
    value: f32,
    (visits, in_flight): (f32, f32),
    explore: f32,
    virtual_loss: f32,
) -> f32 {
    let lost = virtual_loss * in_flight;
    let value = match lost > 0.0 {
        true => (visits * value - lost) / (visits + lost),
        false => value,
    };
    value + exploration_bonus(prior, explore, visits + in_flight)
}

impl SearchParams {
    /// The factor of `P / (1 + n)` in PUCT at a node with `total` visits, itself counted:
    /// `c sqrt(N)`, where c grows with the logarithm of the visits.
    fn exploration(&self, total: f32) -> f32 {
        let growth = ((total + self.cpuct_base) / self.cpuct_base).ln();
        (self.cpuct + self.cpuct_growth * growth) * total.sqrt()
    }
}

/// Exploration term added to a move's value: `U = c P sqrt(N) / (1 + n)`, where `explore` is `c
/// sqrt(N)` from [`SearchParams::exploration`] and n the move's visits, those in flight counted.
fn exploration_bonus(prior: f32, explore: f32, visits: f32) -> f32 {
    explore * prior / (1.0 + visits)
}

/// First-play urgency (FPU), the value of an unvisited move: the node's value less a reduction that
/// grows with the square root of the visited policy mass.
fn unvisited_value(node_value: f32, reduction: f32, visited_mass: f32) -> f32 {
    node_value - reduction * visited_mass.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_formula_is_the_papers() {
        // cpuct 1, 16 visits at the parent: 0.3 + 1 * 0.2 * 4 / (1 + 3).
        let got = puct(0.2, 0.3, (3.0, 0.0), 4.0, 0.0);
        assert!((got - 0.5).abs() < 1e-6);
    }

    #[test]
    fn a_visit_in_flight_discourages_and_a_virtual_loss_more() {
        let idle = puct(0.2, 0.3, (3.0, 0.0), 4.0, 1.0);
        let busy = puct(0.2, 0.3, (3.0, 1.0), 4.0, 0.0);
        let lost = puct(0.2, 0.3, (3.0, 1.0), 4.0, 1.0);
        assert!(idle > busy && busy > lost);
        // (3 * 0.3 - 1) / 4 + 4 * 0.2 / 5
        assert!((lost - 0.135).abs() < 1e-6);
    }

    #[test]
    fn an_unvisited_move_takes_the_reduced_value() {
        let got = puct(0.1, unvisited_value(0.0, 0.5, 0.25), (0.0, 0.0), 2.0, 1.0);
        assert!((got - (-0.25 + 0.2)).abs() < 1e-6);
    }
}
