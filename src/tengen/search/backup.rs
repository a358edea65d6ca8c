//! Backup: a node's value from its children, and proven results.
//!
//! In a graph a node's children may be visited through other parents, so a node's mean is not a sum
//! over the playouts through it. It is recomputed from its edges' visits and its children's current
//! means, `Q = (w U - sum n Q_child) / (w + sum n)` (docs/methods.md#search), where a Q is for the
//! side to move at its own node. U is the node's own evaluation and w is 1, or more after pruning
//! folded visits into it. Recomputing twice changes nothing, so threads need no agreement on who
//! does it.
//!
//! Proofs are bounds, a worst and a best possible result; a node's bounds follow from those of its
//! moves (Cazenave & Saffidine 2010). In a game without draws they are open or exact.
//!
//! Under a repetition rule, a node represents its position with any history, and so must its
//! bounds. A lower bound of a move is certain only if no history can forbid the move
//! ([`UnforbiddenMoves`]); an upper bound is certain for any move, because a history can only
//! remove moves.

use super::bias::Errors;
use super::edge::{Choice, EdgeId};
use super::node::{Node, NodeId};
use super::tree::Tree;
use crate::game::{Bounds, Game, Move, Proof};

/// One step of a descent: a node, and its edge that was taken.
pub(super) type Step = (NodeId, EdgeId);

/// The moves that no history can forbid in any position: those from this policy index on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct UnforbiddenMoves(Move);

impl UnforbiddenMoves {
    /// All moves.
    pub(super) const ALL: UnforbiddenMoves = UnforbiddenMoves(Move(0));

    /// The value for the rules of this position.
    pub(super) fn under<G: Game>(position: &G) -> UnforbiddenMoves {
        match position.forbids_repetition() {
            true => UnforbiddenMoves(position.size().pass()),
            false => UnforbiddenMoves::ALL,
        }
    }

    /// Whether it contains all moves.
    pub(super) fn all(self) -> bool {
        self == UnforbiddenMoves::ALL
    }

    /// Whether it contains this move.
    pub(super) fn has(self, choice: &Choice) -> bool {
        choice.mv() >= self.0
    }
}

/// Completes a descent: counts it on every edge and updates every node on the path, from the leaf's
/// parent to the root.
pub(super) fn complete(tree: &Tree, path: &[Step], certain: UnforbiddenMoves) {
    for &(node, edge) in path.iter().rev() {
        let node = tree.node(node);
        tree.edge(edge).complete();
        node.add_visit();
        refresh(tree, node, certain);
    }
}

/// Reverts a descent that did not reach a leaf.
pub(super) fn revert(tree: &Tree, path: &[Step]) {
    for &(_, edge) in path {
        tree.edge(edge).revert();
    }
}

/// Recomputes an expanded node's bounds and mean from its children.
pub(super) fn refresh(tree: &Tree, node: &Node, certain: UnforbiddenMoves) {
    if node.state().proof().is_some() {
        return;
    }
    let moves = node.state().choice_count();
    if moves == 0 {
        // The game is over, and its result depends on an estimate of dead stones.
        return;
    }
    loop {
        let before = node.state().bounds().low();
        let (mut known, mut bounds) = (0, Bounds::exactly(Proof::Loss));
        let mut mean = Mean::of(node);
        for (index, edge) in tree.edges(node).enumerate() {
            let Some(child) = tree.after(edge) else {
                continue;
            };
            known += 1;
            let result = child.state().bounds().flip();
            let counts = certain.all() || certain.has(&tree.choices(node)[index]);
            bounds = bounds.or(match counts {
                true => result,
                false => Bounds::at_most(result.high()),
            });
            // A move that cannot be better than the proven result is only played for that result:
            // it is left out of the mean.
            if result.high() > before {
                mean.add(edge.counts().0, child.stats());
            }
        }
        if known < moves {
            // An unvisited move may be better.
            bounds = Bounds::at_least(bounds.low());
        }
        node.narrow(bounds);
        if bounds.proof().is_some() {
            return;
        }
        if bounds.low() <= before {
            mean.correct(tree, node);
            return node.set_stats((mean.value(), mean.square()));
        }
    }
}

/// A weighted mean of values and of their squares, for the side to move at the parent.
pub(super) struct Mean {
    weight: f32,
    sum: f32,
    square_sum: f32,
}

impl Mean {
    /// The node's own evaluation.
    pub(super) fn of(node: &Node) -> Mean {
        let (weight, (value, square)) = (node.weight() as f32, node.own());
        Mean {
            weight,
            sum: weight * value,
            square_sum: weight * square,
        }
    }

    /// Adds a child's mean value and mean square, given for the side to move at the child.
    pub(super) fn add(&mut self, visits: u32, (value, square): (f32, f32)) {
        let visits = visits as f32;
        self.weight += visits;
        self.sum -= visits * value;
        self.square_sum += visits * square;
    }

    /// Corrects the share of the node's own evaluation by what is known of similar positions, and adds what its
    /// children say of it to that ([`super::bias`]).
    fn correct(&mut self, tree: &Tree, node: &Node) {
        let Some(entry) = node.bias() else { return };
        let (own, visits) = (node.own().0, self.weight - 1.0);
        if visits > 0.0 {
            let new = Errors::of(own, (self.sum - own) / visits, visits);
            tree.biases.replace(entry, node.replace_errors(new), new);
        }
        self.sum += tree.biases.correction(entry);
    }

    pub(super) fn value(&self) -> f32 {
        self.sum / self.weight
    }

    fn square(&self) -> f32 {
        self.square_sum / self.weight
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Move;

    /// A child: visits, value for its mover, proof; `None` is an unvisited move.
    type Child = Option<(u32, f32, Option<Proof>)>;

    /// A node with evaluation 0.2 and these children.
    fn family(children: &[Child]) -> (Tree, u32) {
        let tree = Tree::new(1 << 20, 0.0);
        let parent = grow(&tree, 1, 0.2, children);
        (tree, parent)
    }

    /// A node with this key, this evaluation and these children, whose keys begin at 100 times its own.
    fn grow(tree: &Tree, key: u128, own: f32, children: &[Child]) -> u32 {
        let parent = tree.find_or_add(key).unwrap();
        let moves: Vec<_> = (0..children.len()).map(|m| (Move(m as u16), 0.1)).collect();
        let choices = tree.add_choices(moves.into_iter()).unwrap();
        assert!(tree.node(parent).claim());
        tree.node(parent)
            .publish(own, choices, children.len() as u32);
        for (i, child) in children.iter().enumerate() {
            let Some((visits, value, proof)) = *child else {
                continue;
            };
            let id = tree.find_or_add(100 * key + i as u128).unwrap();
            assert!(tree.node(id).claim());
            tree.node(id).publish(value, 0, 0);
            if let Some(proof) = proof {
                tree.node(id).narrow(Bounds::exactly(proof));
            }
            let edge = tree.touch(tree.node(parent), i).unwrap();
            edge.link(id);
            for _ in 0..visits {
                edge.begin();
                edge.complete();
            }
        }
        parent
    }

    fn refreshed(children: &[Child]) -> (f32, Option<Proof>) {
        let (tree, parent) = family(children);
        refresh(&tree, tree.node(parent), UnforbiddenMoves::ALL);
        (
            tree.node(parent).stats().0,
            tree.node(parent).state().proof(),
        )
    }

    #[test]
    fn the_mean_weighs_children_by_edge_visits() {
        // (0.2 + 2 * 0.5 - 1 * 0.4) / 4
        let (value, proof) = refreshed(&[Some((2, -0.5, None)), Some((1, 0.4, None)), None]);
        assert!((value - 0.2).abs() < 1e-6);
        assert_eq!(proof, None);
    }

    #[test]
    fn an_evaluation_is_corrected_by_what_searches_of_similar_positions_found() {
        let tree = Tree::new(1 << 20, 0.5);
        let value = |id| tree.node(id).stats().0;
        let similar = |key, own, child| {
            let id = grow(&tree, key, own, &[child]);
            tree.node(id).set_bias(1);
            refresh(&tree, tree.node(id), UnforbiddenMoves::ALL);
            id
        };
        let alone = similar(10, 0.4, None);
        assert_eq!(value(alone), 0.4);
        // Its moves are worse than it seemed: 0.2 in place of 0.6.
        let searched = similar(20, 0.6, Some((9, -0.2, None)));
        assert!((value(searched) - (0.6 - 0.2 + 9.0 * 0.2) / 10.0).abs() < 1e-6);
        refresh(&tree, tree.node(alone), UnforbiddenMoves::ALL);
        assert!((value(alone) - 0.2).abs() < 1e-6);
        // Once more: what was added is replaced.
        refresh(&tree, tree.node(searched), UnforbiddenMoves::ALL);
        assert!((tree.biases.correction(1) + 0.2).abs() < 1e-6);
    }

    #[test]
    fn a_move_that_wins_proves_the_node() {
        let (value, proof) = refreshed(&[None, Some((1, 0.0, Some(Proof::Loss)))]);
        assert_eq!((value, proof), (1.0, Some(Proof::Win)));
    }

    #[test]
    fn losing_moves_prove_the_node_only_together_and_do_not_weigh() {
        let lost = Some((3, 0.0, Some(Proof::Win)));
        let (value, proof) = refreshed(&[lost, Some((1, -0.6, None))]);
        assert!((value - 0.4).abs() < 1e-6, "{value}");
        assert_eq!(proof, None);
        assert_eq!(
            refreshed(&[lost, None]).1,
            None,
            "an untried move may be better"
        );
        assert_eq!(refreshed(&[lost, lost]), (-1.0, Some(Proof::Loss)));
    }

    #[test]
    fn a_proven_draw_is_the_least_that_a_node_is_worth() {
        let drawn = Some((5, 0.0, Some(Proof::Draw)));
        let (tree, parent) = family(&[drawn, Some((2, 0.9, None)), None]);
        let node = tree.node(parent);
        refresh(&tree, node, UnforbiddenMoves::ALL);
        assert_eq!(node.state().bounds(), Bounds::at_least(Proof::Draw));
        // (0.2 - 2 * 0.9) / 3 is less.
        assert_eq!(node.stats().0, 0.0);
        // The draw is left out: (0.2 + 2 * 0.5) / 3.
        let (value, proof) = refreshed(&[drawn, Some((2, -0.5, None)), None]);
        assert!((value - 0.4).abs() < 1e-6, "{value}");
        assert_eq!(proof, None);
    }

    #[test]
    fn bounds_of_moves_add_up() {
        // One move draws at least, all others draw at most.
        let (tree, parent) = family(&[Some((1, 0.0, Some(Proof::Draw))), Some((1, 0.3, None))]);
        let other = tree.find(101).unwrap();
        tree.node(other).narrow(Bounds::at_least(Proof::Draw));
        refresh(&tree, tree.node(parent), UnforbiddenMoves::ALL);
        assert_eq!(tree.node(parent).state().proof(), Some(Proof::Draw));
    }

    /// Moves 0 and 1 may be forbidden, move 2 is a pass.
    #[test]
    fn where_a_past_may_forbid_moves_only_a_pass_proves_that_there_is_something_to_be_had() {
        let proven = |children: [Child; 3]| {
            let (tree, parent) = family(&children);
            refresh(&tree, tree.node(parent), UnforbiddenMoves(Move(2)));
            tree.node(parent).state().bounds()
        };
        let (won, lost) = (
            Some((1, 0.0, Some(Proof::Loss))),
            Some((1, 0.0, Some(Proof::Win))),
        );
        let drawn = Some((1, 0.0, Some(Proof::Draw)));
        assert_eq!(proven([won, None, None]), Bounds::OPEN);
        assert_eq!(proven([won, lost, lost]), Bounds::OPEN);
        assert_eq!(proven([lost, None, won]), Bounds::exactly(Proof::Win));
        assert_eq!(proven([lost, lost, lost]), Bounds::exactly(Proof::Loss));
        assert_eq!(proven([drawn, lost, lost]), Bounds::at_most(Proof::Draw));
        assert_eq!(proven([drawn, lost, drawn]), Bounds::exactly(Proof::Draw));
    }

    #[test]
    fn a_draw_is_better_than_a_loss() {
        let (lost, drawn) = (
            Some((1, 0.0, Some(Proof::Win))),
            Some((1, 0.0, Some(Proof::Draw))),
        );
        assert_eq!(refreshed(&[lost, drawn]), (0.0, Some(Proof::Draw)));
    }
}
