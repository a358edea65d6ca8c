//! Backup: a node's value from its children, and proven results.
//!
//! In a graph a node's children may be visited through other parents, so a node's mean is not a
//! sum of what went through it: it is recomputed from its edges' visits and its children's present
//! means, `Q = (w U + sum n Q_child) / (w + sum n)` (docs/methods.md#search). U is the
//! node's own evaluation and w is 1, more where visits were folded into it to make room.
//! Recomputing twice changes nothing, so threads need not agree who does it.
//!
//! What is proven are bounds, a worst and a best possible result, and a node's follow from those of
//! all its moves (Cazenave & Saffidine 2010). In a game
//! without draws they are open or a result.
//!
//! Where repetition is forbidden, a node stands for its position whatever has led to it, and so must
//! its bounds: what a move brings is certain only if no past can forbid the move
//! ([`Game::always_allows`]). That it brings no more is certain of any move: a past can only take
//! moves away.

use super::edge::{Choice, Edge};
use super::node::Node;
use super::tree::Tree;
use crate::game::{Bounds, Game, Move, Proof};

/// One step of a descent.
pub(super) type Step<'t> = (&'t Node, &'t Edge);

/// The moves that no past can forbid, whatever the position: those from this policy index on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Certain(Move);

impl Certain {
    /// All moves.
    pub(super) const ALL: Certain = Certain(Move(0));

    /// Under the rules of this position.
    pub(super) fn under<G: Game>(position: &G) -> Certain {
        match G::INFO.repeats && position.forbids_repetition() {
            true => Certain(position.size().pass()),
            false => Certain::ALL,
        }
    }

    /// Whether all moves are.
    pub(super) fn all(self) -> bool {
        self == Certain::ALL
    }

    /// Whether this move is.
    pub(super) fn has(self, choice: &Choice) -> bool {
        choice.mv() >= self.0
    }
}

/// Completes a descent: counts it on every edge and brings every node on the path up to date,
/// from the leaf's parent to the root.
pub(super) fn complete(tree: &Tree, path: &[Step<'_>], certain: Certain) {
    for (node, edge) in path.iter().rev() {
        edge.complete();
        node.add_visit();
        refresh(tree, node, certain);
    }
}

/// Takes a descent back that did not reach a leaf.
pub(super) fn revert(path: &[Step<'_>]) {
    for (_, edge) in path {
        edge.revert();
    }
}

/// Recomputes an expanded node's bounds and mean from its children.
pub(super) fn refresh(tree: &Tree, node: &Node, certain: Certain) {
    if node.state().proof().is_some() {
        return;
    }
    let moves = node.state().choice_count();
    if moves == 0 {
        // The game is over, and what has come of it is a matter of judgement.
        return;
    }
    loop {
        let before = node.state().bounds().low();
        let (mut known, mut bounds) = (0, Bounds::exactly(Proof::Loss));
        let mut mean = Mean::of(node);
        for (index, edge) in tree.edges(node).enumerate() {
            let Some(child) = edge.child().map(|child| tree.node(child)) else {
                continue;
            };
            known += 1;
            let result = child.state().bounds().flip();
            let counts = certain.all() || certain.has(&tree.choices(node)[index]);
            bounds = bounds.or(match counts {
                true => result,
                false => Bounds::at_most(result.high()),
            });
            // A move that cannot be better than what is proven will not be played for more than
            // that: it does not weigh.
            if result.high() > before {
                mean.add(edge.counts().0, child.stats());
            }
        }
        if known < moves {
            // A move that nobody has tried may be better.
            bounds = Bounds::at_least(bounds.low());
        }
        node.narrow(bounds);
        if bounds.proof().is_some() {
            return;
        }
        if bounds.low() <= before {
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

    /// A node with evaluation 0.2 and a child for each (visits, value for the child's mover,
    /// proof); `None` is a move that was never tried.
    fn family(children: &[Option<(u32, f32, Option<Proof>)>]) -> (Tree, u32) {
        let tree = Tree::new(1 << 20);
        let parent = tree.find_or_add(1).unwrap();
        let moves: Vec<_> = (0..children.len()).map(|m| (Move(m as u16), 0.1)).collect();
        let choices = tree.add_choices(moves.into_iter()).unwrap();
        assert!(tree.node(parent).claim());
        tree.node(parent)
            .publish(0.2, choices, children.len() as u32);
        for (i, child) in children.iter().enumerate() {
            let Some((visits, value, proof)) = *child else {
                continue;
            };
            let id = tree.find_or_add(100 + i as u128).unwrap();
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
        (tree, parent)
    }

    fn refreshed(children: &[Option<(u32, f32, Option<Proof>)>]) -> (f32, Option<Proof>) {
        let (tree, parent) = family(children);
        refresh(&tree, tree.node(parent), Certain::ALL);
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
        refresh(&tree, node, Certain::ALL);
        assert_eq!(node.state().bounds(), Bounds::at_least(Proof::Draw));
        // (0.2 - 2 * 0.9) / 3 is less.
        assert_eq!(node.stats().0, 0.0);
        // The draw does not weigh: (0.2 + 2 * 0.5) / 3.
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
        refresh(&tree, tree.node(parent), Certain::ALL);
        assert_eq!(tree.node(parent).state().proof(), Some(Proof::Draw));
    }

    /// Moves 0 and 1 may be forbidden, move 2 is a pass.
    #[test]
    fn where_a_past_may_forbid_moves_only_a_pass_proves_that_there_is_something_to_be_had() {
        let proven = |children: [Option<(u32, f32, Option<Proof>)>; 3]| {
            let (tree, parent) = family(&children);
            refresh(&tree, tree.node(parent), Certain(Move(2)));
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
