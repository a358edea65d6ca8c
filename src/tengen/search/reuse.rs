//! Tree reuse between searches, and pruning when memory is full.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;

use super::bias::Errors;
use super::edge::{Choice, Edge};
use super::node::{NodeId, Phase};
use super::tree::Tree;
use crate::game::{Game, Proof};
use crate::system::is_offered;

/// Share of the memory, in parts of [`WHOLE`], for a tree. A pruned copy takes at most half as
/// much; the rest is for the list of nodes to copy.
const TREE: usize = 10;
const WHOLE: usize = 16;

/// Maximum fill of a copy, so that there is room for as much again.
const KEPT: f64 = 0.5;

/// Minimum fill of a tree for a copy during idle time.
const WORTH_A_COPY: f64 = 0.25;

/// Minimum growth of a tree since its last copy before it is copied again during idle time.
const GROWTH: f64 = 1.5;

/// Nodes copied between two looks at the time: about 0.1 ms.
const COPIES_AT_ONCE: u32 = 256;

/// An empty tree for searches with this many bytes, in which evaluations are corrected by this factor.
pub(super) fn new_tree(memory: usize, bias_factor: f32) -> Tree {
    Tree::new(memory / WHOLE * TREE, bias_factor)
}

/// The kept tree or a new one, and the position's node in it, with its moves known or to be listed.
pub(super) fn root<G: Game>(
    kept: Option<Arc<Tree>>,
    position: &G,
    memory: usize,
    bias_factor: f32,
) -> (Arc<Tree>, NodeId) {
    let key = position.key();
    if let Some(tree) = kept {
        let known = tree.find(key);
        // A tree half full of other positions leaves too little room for this one.
        let new = || (tree.fullness() < KEPT).then(|| tree.find_or_add(key))?;
        if let Some(root) = known.or_else(new) {
            let node = tree.node(root);
            let is_bare = node.state().is_bare_proof() && position.outcome().is_none();
            if is_bare || !lists_all(&tree, root, position) {
                // The result came from a prober, or its moves were pruned, or it lacks those that a prober knows to
                // lose: a root has all, so they must be listed again.
                if let Some(entry) = node.bias() {
                    let none = Errors::default();
                    tree.biases.replace(entry, node.replace_errors(none), none);
                }
                node.fold();
            } else if !shows_how(&tree, root) {
                node.reopen();
            }
            return (tree, root);
        }
    }
    let tree = new_tree(memory, bias_factor);
    // An empty tree has room for at least a thousand nodes.
    let root = tree.find_or_add(key).unwrap_or_default();
    (Arc::new(tree), root)
}

/// Whether a node, if it has moves, has all of the position's.
fn lists_all<G: Game>(tree: &Tree, node: NodeId, position: &G) -> bool {
    let listed = tree.node(node).state().choice_count() as usize;
    listed == 0 || listed == position.legal_count()
}

/// Whether a move is known that achieves the node's proven result, if it has one and has moves. A
/// prober that proves a position searched before gives the winner, but not the move.
fn shows_how(tree: &Tree, node: NodeId) -> bool {
    let node = tree.node(node);
    let Some(proof) = node.state().proof() else {
        return true;
    };
    let brings = |edge: &Edge| {
        let child = tree.after(edge);
        child.is_some_and(|child| child.state().bounds().flip().low() >= proof)
    };
    proof == Proof::Loss || node.state().choice_count() == 0 || tree.edges(node).any(brings)
}

/// A copy of the tree without what `position` cannot reach, if the tree knows the position and a
/// copy is worthwhile; `None` also when `go_on` returns false. For idle time.
pub(super) fn prepared<G: Game>(
    tree: &Tree,
    position: &G,
    memory: usize,
    go_on: impl FnMut() -> bool,
) -> Option<Arc<Tree>> {
    let grown = tree.fullness() >= GROWTH * tree.copied;
    if tree.fullness() < WORTH_A_COPY || !grown {
        return None;
    }
    let root = tree.find(position.key())?;
    let copy = with_room(tree, root, memory, go_on)?;
    copy.in_time.then_some(copy.tree)
}

/// A copy of the part of a tree below a position.
pub(super) struct Copied {
    pub(super) tree: Arc<Tree>,
    /// The node of the position.
    pub(super) root: NodeId,
    /// Whether there was time for it; else it may lack nodes for which there is room.
    pub(super) in_time: bool,
}

/// A tree of the most visited part of what can be reached from `root`, at most half full. The least visited nodes are
/// folded: they keep visits and mean, but not their moves, and what could be reached only from them is dropped.
/// Unfinished work of threads is undone. No search may be running. Fewer nodes are copied when `go_on`, which is called
/// every few hundred of them, returns false; `None` when the system has no memory for both trees.
pub(super) fn with_room(
    tree: &Tree,
    root: NodeId,
    memory: usize,
    mut go_on: impl FnMut() -> bool,
) -> Option<Copied> {
    if !is_offered(memory / WHOLE) {
        return None;
    }
    let mut copy = new_tree(memory, tree.biases.factor);
    let new_root = copy.find_or_add(tree.node(root).key())?;
    copy.node(new_root).fold_from(tree.node(root));
    // The most visited first; ties by age, so that equal searches stay equal.
    let mut todo = BinaryHeap::from([(tree.node(root).visits(), Reverse(root), new_root)]);
    let mut copied = 0_u32;
    while copy.fullness() < KEPT
        && let Some((_, Reverse(old), new)) = todo.pop()
    {
        copied += 1;
        if copied.is_multiple_of(COPIES_AT_ONCE) && !go_on() {
            break;
        }
        let node = tree.node(old);
        if node.state().phase() != Phase::Expanded || node.state().choice_count() == 0 {
            continue;
        }
        let choices = copy.add_choices(tree.choices(node).iter().map(Choice::get))?;
        copy.node(new).copy_from(node, choices);
        if let Some(entry) = node.bias() {
            let none = Errors::default();
            copy.biases.replace(entry, none, node.errors());
        }
        for (index, edge) in tree.edges(node).enumerate() {
            let Some(child) = edge.child() else { continue };
            let child_node = tree.node(child);
            let known = copy.find(child_node.key());
            let id = match known {
                Some(id) => id,
                None => copy.find_or_add(child_node.key())?,
            };
            if known.is_none() {
                copy.node(id).fold_from(child_node);
                todo.push((child_node.visits(), Reverse(child), id));
            }
            copy.touch(copy.node(new), index)?.copy_from(edge, id);
        }
    }
    copy.copied = copy.fullness();
    log::debug!(
        "tree copied: {copied} of {} nodes whole, {} in all, {:.0} MB",
        tree.len(),
        copy.len(),
        copy.bytes() as f64 / 1e6
    );
    Some(Copied {
        tree: Arc::new(copy),
        root: new_root,
        in_time: go_on(),
    })
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;
    use crate::game::{BoardSize, Bounds, Move};
    use crate::games::nogo::SmallNoGo;

    const MEMORY: usize = 16 << 20;

    /// Expands the node of a key with two moves and gives it `visits` visits.
    fn grow(tree: &Tree, key: u128, visits: u32) -> NodeId {
        let id = tree.find_or_add(key).unwrap();
        assert!(tree.node(id).claim());
        let moves = [(Move(1), 0.7), (Move(2), 0.3)];
        let choices = tree.add_choices(moves.into_iter()).unwrap();
        tree.node(id).publish(0.5, choices, 2);
        (0..visits).for_each(|_| tree.node(id).add_visit());
        id
    }

    fn link(tree: &Tree, parent: NodeId, index: usize, child: NodeId, visits: u32) {
        let edge = tree.touch(tree.node(parent), index).unwrap();
        edge.link(child);
        for _ in 0..visits {
            edge.begin();
            edge.complete();
        }
    }

    #[test]
    fn a_root_whose_moves_are_listed_again_takes_back_its_errors() {
        let position = SmallNoGo::new(BoardSize::square(5)).unwrap();
        let tree = Arc::new(new_tree(MEMORY, 0.5));
        let node = tree.node(grow(&tree, position.key(), 3));
        let errors = Errors::of(0.5, 0.1, 2.0);
        node.set_bias(1);
        tree.biases.replace(1, node.replace_errors(errors), errors);
        assert!(tree.biases.correction(1) < -0.1);
        // It has two of its moves.
        let (same, _) = root(Some(Arc::clone(&tree)), &position, MEMORY, 0.5);
        assert!(Arc::ptr_eq(&tree, &same));
        assert_eq!(tree.biases.correction(1), 0.0);
    }

    #[test]
    fn a_copy_keeps_what_the_root_reaches_and_undoes_what_is_half_done() {
        let old = new_tree(MEMORY, 0.0);
        let [root, child, lost] = [(10, 3), (20, 2), (30, 9)].map(|(key, n)| grow(&old, key, n));
        link(&old, root, 0, child, 2);
        // The lost node's edge leads to a live one, but nothing leads to the lost node.
        link(&old, lost, 0, root, 1);
        // A thread died on its way to a leaf that it had claimed.
        let claimed = old.find_or_add(40).unwrap();
        assert!(old.node(claimed).claim());
        link(&old, child, 1, claimed, 0);
        old.touch(old.node(child), 1).unwrap().begin();

        let Copied {
            tree: new,
            root: copy,
            in_time,
        } = with_room(&old, root, MEMORY, || true).unwrap();
        assert!(in_time);
        assert_eq!((new.len(), new.find(30)), (3, None));
        let moves: Vec<_> = new.moves(new.node(copy)).collect();
        assert_eq!(moves.len(), 2);
        assert_eq!((moves[0].0.mv(), moves[1].0.mv()), (Move(1), Move(2)));
        let edge = moves[0].1.unwrap();
        assert_eq!((edge.child(), edge.counts()), (new.find(20), (2, 0)));
        let (node, child) = (new.node(copy), new.node(new.find(20).unwrap()));
        assert_eq!((node.visits(), node.weight(), node.own().0), (3, 1, 0.5));
        assert_eq!(child.state().phase(), Phase::Expanded);
        let edges: Vec<_> = new.edges(child).map(|edge| edge.counts()).collect();
        assert_eq!(edges[..2], [(0, 0), (0, 0)]);
        let claimed = new.node(new.find(40).unwrap());
        assert_eq!(claimed.state().phase(), Phase::New);
    }

    #[test]
    fn a_root_without_all_its_moves_lists_them_again() {
        let position = SmallNoGo::new(BoardSize::square(5)).unwrap();
        let tree = Arc::new(new_tree(MEMORY, 0.0));
        let node = grow(&tree, position.key(), 5);
        link(&tree, node, 1, grow(&tree, 20, 2), 2);
        let (tree, root) = root(Some(tree), &position, MEMORY, 0.0);
        let (root, same) = (tree.node(root), root == node);
        assert!(same && root.state().phase() == Phase::New);
        assert_eq!((root.visits(), root.weight()), (5, 5));
        // Its second move is another one then, and does not lead where the old one led.
        let moves = position.legal_count() as u16;
        let choices = tree.add_choices((0..moves).map(|mv| (Move(mv), 0.01)));
        assert!(root.claim());
        root.publish(0.0, choices.unwrap(), u32::from(moves));
        assert_eq!(tree.edges(root).count(), 0);
        assert_eq!(tree.touch(root, 1).unwrap().child(), None);
    }

    #[test]
    fn a_root_that_wins_by_a_move_that_nobody_knows_is_open_again() {
        // It has as many moves as a grown node.
        let position = SmallNoGo::new(BoardSize::new(2, 1)).unwrap();
        assert_eq!(position.legal_count(), 2);
        for (of_child, stays) in [
            (None, false),
            (Some(Bounds::OPEN), false),
            (Some(Bounds::exactly(Proof::Win)), false),
            (Some(Bounds::exactly(Proof::Loss)), true),
        ] {
            let tree = Arc::new(new_tree(MEMORY, 0.0));
            let node = grow(&tree, position.key(), 5);
            tree.node(node).narrow(Bounds::exactly(Proof::Win));
            if let Some(bounds) = of_child {
                let child = grow(&tree, 20, 2);
                tree.node(child).narrow(bounds);
                link(&tree, node, 1, child, 2);
            }
            let (tree, node) = root(Some(tree), &position, MEMORY, 0.0);
            let node = tree.node(node);
            let proof = stays.then_some(Proof::Win);
            assert_eq!(node.state().proof(), proof, "{of_child:?}");
            assert_eq!((node.visits(), node.state().choice_count()), (5, 2));
            assert_eq!(node.state().phase(), Phase::Expanded);
        }
        // A lost position is lost with any move.
        let tree = Arc::new(new_tree(MEMORY, 0.0));
        let node = grow(&tree, position.key(), 5);
        tree.node(node).narrow(Bounds::exactly(Proof::Loss));
        let (tree, node) = root(Some(tree), &position, MEMORY, 0.0);
        assert_eq!(tree.node(node).state().proof(), Some(Proof::Loss));
    }

    #[test]
    fn the_least_visited_make_room() {
        // A root with many children, each with one child of its own; later ones were visited more.
        let old = new_tree(MEMORY, 0.0);
        let moves = 300_u16;
        let root = old.find_or_add(1).unwrap();
        assert!(old.node(root).claim());
        let choices = (0..moves).map(|m| (Move(m), 0.001));
        let choices = old.add_choices(choices).unwrap();
        old.node(root).publish(0.0, choices, u32::from(moves));
        for child in 0..u32::from(moves) {
            let id = old.find_or_add(u128::from(child) + 10).unwrap();
            assert!(old.node(id).claim());
            let choices = (0..5000).map(|m| (Move(m), 0.0));
            let choices = old.add_choices(choices).unwrap();
            old.node(id).publish(0.25, choices, 5000);
            (0..child + 2).for_each(|_| old.node(id).add_visit());
            link(&old, root, child as usize, id, child + 2);
            link(&old, id, 0, grow(&old, u128::from(child) + 1000, 1), 1);
        }
        let new = with_room(&old, root, MEMORY, || true).unwrap().tree;
        assert!((0.45..0.6).contains(&new.fullness()), "{}", new.fullness());
        let phase = |key| new.find(key).map(|id| new.node(id).state().phase());
        assert_eq!(phase(309), Some(Phase::Expanded));
        assert_eq!((phase(10), phase(1000)), (Some(Phase::New), None));
        let folded = new.node(new.find(10).unwrap());
        assert_eq!(
            (folded.visits(), folded.weight(), folded.stats().0),
            (2, 2, 0.25)
        );
    }

    #[test]
    fn what_was_copied_when_there_is_no_more_time_is_a_tree() {
        let old = new_tree(MEMORY, 0.0);
        let keys = 1..=u128::from(2 * COPIES_AT_ONCE);
        let line: Vec<NodeId> = keys.map(|key| grow(&old, key, 3)).collect();
        for step in line.windows(2) {
            link(&old, step[0], 0, step[1], 1);
        }
        let copy = with_room(&old, line[0], MEMORY, || false).unwrap();
        let (new, root) = (copy.tree, copy.root);
        assert!(!copy.in_time);
        assert_eq!(new.node(root).state().phase(), Phase::Expanded);
        let last = COPIES_AT_ONCE;
        let phase = |key: u32| Some(new.node(new.find(key.into())?).state().phase());
        assert_eq!(phase(last - 1), Some(Phase::Expanded));
        assert_eq!((phase(last), phase(last + 1)), (Some(Phase::New), None));
    }

    #[test]
    fn a_copy_knows_the_errors_of_its_own_nodes_only() {
        let old = new_tree(MEMORY, 0.5);
        let [root, child, lost] = [10, 20, 30].map(|key| grow(&old, key, 2));
        link(&old, root, 0, child, 2);
        for (id, sum) in [(child, 0.2), (lost, 0.9)] {
            let (node, errors) = (old.node(id), Errors { sum, weight: 1.0 });
            node.set_bias(1);
            old.biases.replace(1, node.replace_errors(errors), errors);
        }
        let new = with_room(&old, root, MEMORY, || true).unwrap().tree;
        assert!((new.biases.correction(1) - 0.1).abs() < 1e-6);
    }

    #[test]
    fn what_was_copied_is_not_copied_again_before_it_has_grown() {
        let position = SmallNoGo::new(BoardSize::square(5)).unwrap();
        let tree = Arc::new(new_tree(MEMORY, 0.0));
        let node = tree.find_or_add(position.key()).unwrap();
        let mut others = 0;
        let mut fill = |tree: &Tree, share: f64| {
            while tree.fullness() < share {
                others += 1;
                assert!(tree.add_choices((0..60).map(|m| (Move(m), 0.0))).is_some());
            }
        };
        assert!(prepared(&tree, &position, MEMORY, || true).is_none());
        fill(&tree, 0.3);
        assert!(prepared(&tree, &position, MEMORY, || false).is_none());
        let copy = prepared(&tree, &position, MEMORY, || true).unwrap();
        assert_eq!((copy.len(), tree.node(node).visits()), (1, 0));
        // A large copy is worth another one only when it has grown by half.
        let mut large = new_tree(MEMORY, 0.0);
        assert!(large.find_or_add(position.key()).is_some());
        fill(&large, 0.3);
        for (copied, again) in [(0.25, false), (0.15, true)] {
            large.copied = copied;
            let copy = prepared(&large, &position, MEMORY, || true);
            assert_eq!(copy.is_some(), again, "{copied}");
        }
        // A full tree that contains the position is kept.
        fill(&tree, 0.95);
        let (same, root) = root(Some(Arc::clone(&tree)), &position, MEMORY, 0.0);
        assert!(Arc::ptr_eq(&tree, &same) && root == node);
    }
}
