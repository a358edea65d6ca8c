//! The tree under every interleaving of threads, by loom (`scripts/sanitize.sh`): claim, publish,
//! link, counts in flight, and proofs.

use loom::sync::Arc;
use loom::thread;

use super::backup::{self, UnforbiddenMoves};
use super::node::{NodeId, Phase};
use super::tree::Tree;
use crate::game::{Bounds, Move, Proof};

const SMALL: usize = 1 << 14;

/// A tree with one node, so that all kinds of memory are allocated before threads start: loom does
/// not know the standard library's lock.
fn small() -> Tree {
    let tree = Tree::new(SMALL, 0.0);
    let id = tree.find_or_add(99).unwrap();
    assert!(tree.node(id).claim());
    expand(&tree, id, 0.0);
    tree.touch(tree.node(id), 0).unwrap();
    tree
}

/// Runs `work` on two threads, in every interleaving.
fn both<T: Send + Sync + 'static>(shared: &Arc<T>, work: fn(&T, u32)) {
    let other = Arc::clone(shared);
    let thread = thread::spawn(move || work(&other, 1));
    work(shared, 0);
    thread.join().unwrap();
}

/// Publishes a claimed node with two moves.
fn expand(tree: &Tree, id: NodeId, value: f32) {
    let moves = [(Move(3), 0.7), (Move(4), 0.3)];
    let choices = tree.add_choices(moves.into_iter()).unwrap();
    tree.node(id).publish(value, choices, 2);
}

/// A parent (key 1) with two children (keys 10 and 11), all expanded, the parent's edges linked.
fn family() -> Tree {
    let tree = small();
    let [parent, one, other] = [1, 10, 11].map(|key| tree.find_or_add(key).unwrap());
    for id in [parent, one, other] {
        assert!(tree.node(id).claim());
        expand(&tree, id, 0.25);
    }
    for (index, child) in [one, other].into_iter().enumerate() {
        tree.touch(tree.node(parent), index).unwrap().link(child);
    }
    tree
}

#[test]
fn one_claims_and_whoever_sees_it_expanded_sees_its_moves() {
    loom::model(|| {
        let tree = Arc::new(small());
        both(&tree, |tree, _| {
            let id = tree.find_or_add(1).unwrap();
            let node = tree.node(id);
            if node.claim() {
                expand(tree, id, 0.5);
                node.add_visit();
            } else if node.state().phase() == Phase::Expanded {
                assert_eq!(node.own().0, 0.5);
                let moves: Vec<Move> = tree.choices(node).iter().map(|c| c.mv()).collect();
                assert_eq!(moves, [Move(3), Move(4)]);
            }
        });
        let node = tree.node(tree.find(1).unwrap());
        assert_eq!((node.state().phase(), node.visits()), (Phase::Expanded, 1));
    });
}

#[test]
fn a_key_has_one_node_and_a_linked_child_has_its_key() {
    loom::model(|| {
        let tree = Arc::new(small());
        let root = tree.find_or_add(1).unwrap();
        assert!(tree.node(root).claim());
        expand(&tree, root, 0.0);
        both(&tree, |tree, _| {
            let root = tree.node(tree.find(1).unwrap());
            let edge = tree.touch(root, 0).unwrap();
            let child = edge.child().unwrap_or_else(|| {
                let child = tree.find_or_add(2).unwrap();
                edge.link(child);
                child
            });
            assert_eq!(tree.node(child).key(), 2);
            edge.begin();
        });
        let root = tree.node(tree.find(1).unwrap());
        let edge = tree.edges(root).next().unwrap();
        assert_eq!((edge.child(), edge.counts()), (tree.find(2), (0, 2)));
    });
}

/// A descent by the parent's first edge, as `playout::Playouts::gather` does it.
fn descend(tree: &Tree) {
    let parent = tree.node(tree.find(1).unwrap());
    let edge = tree.touch(parent, 0).unwrap();
    let child = tree.node(edge.child().unwrap());
    let visits = child.visits();
    let before = edge.begin();
    if visits <= before {
        child.add_visit();
    }
    edge.complete();
}

/// The same in the order that lets two threads take one surplus visit.
fn descend_wrongly(tree: &Tree) {
    let parent = tree.node(tree.find(1).unwrap());
    let edge = tree.touch(parent, 0).unwrap();
    let child = tree.node(edge.child().unwrap());
    let (visits, in_flight) = edge.counts();
    edge.begin();
    if child.visits() <= visits + in_flight {
        child.add_visit();
    }
    edge.complete();
}

fn surplus_is_shared(descend: fn(&Tree)) {
    loom::model(move || {
        let tree = Arc::new(family());
        // One visit came by another path.
        let child = tree.find(10).unwrap();
        tree.node(child).add_visit();
        let other = Arc::clone(&tree);
        let thread = thread::spawn(move || descend(&other));
        descend(&tree);
        thread.join().unwrap();
        let edge = tree.edges(tree.node(tree.find(1).unwrap())).next().unwrap();
        let (visits, child) = (edge.counts(), tree.node(child).visits());
        assert!(
            visits.0 <= child,
            "{visits:?} through the edge, {child} at the child"
        );
    });
}

#[test]
fn no_edge_gets_more_visits_than_its_child() {
    surplus_is_shared(descend);
}

#[test]
#[should_panic(expected = "through the edge")]
fn a_planted_race_is_found() {
    surplus_is_shared(descend_wrongly);
}

#[test]
fn siblings_proven_at_once_prove_their_parent() {
    loom::model(|| {
        let tree = Arc::new(family());
        both(&tree, |tree, index| {
            let child = tree.node(tree.find(10 + u128::from(index)).unwrap());
            child.narrow(Bounds::exactly(Proof::Win));
            let parent = tree.node(tree.find(1).unwrap());
            backup::refresh(tree, parent, UnforbiddenMoves::ALL);
        });
        let parent = tree.node(tree.find(1).unwrap());
        assert_eq!(parent.state().proof(), Some(Proof::Loss));
    });
}
