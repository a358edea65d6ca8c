//! The search graph: nodes by exact key, their edges, and the memory budget.
//!
//! Positions that can be reached in several orders share one node. Looking a position up by key
//! is also how a tree is reused: after one's own move, after the opponent's, after an undo, or
//! after a controller has replayed the whole game.

use std::sync::atomic::{AtomicU32, Ordering};

use super::arena::{Arena, CHUNK};
use super::node::{Edge, Node, NodeId};
use crate::game::Move;

/// A graph that any number of threads may grow.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Arena<Node>,
    edges: Arena<Edge>,
    /// Open addressing with linear probing: node numbers, 0 for a free place.
    table: Box<[AtomicU32]>,
}

/// Nodes copied between two looks at the time: about 0.1 ms.
const COPIES_AT_ONCE: u32 = 256;

/// Bytes of a node with the edges of an average 9x9 position, for sizing the table.
const NODE_WITH_EDGES: usize = size_of::<Node>() + 40 * size_of::<Edge>();

impl Tree {
    /// An empty graph that takes at most about `bytes` of memory, most of it when needed.
    pub(super) fn new(bytes: usize) -> Tree {
        // The arena gives out whole chunks: the table must have room for all of them.
        let nodes = (bytes / NODE_WITH_EDGES).clamp(1, 1 << 30);
        let nodes = nodes.next_multiple_of(CHUNK as usize) - 1;
        // At most half full, so that probes stay short.
        let places = (2 * nodes).next_power_of_two();
        let edges =
            bytes.saturating_sub(nodes * size_of::<Node>() + places * 4) / size_of::<Edge>();
        Tree {
            nodes: Arena::new(nodes),
            edges: Arena::new(edges),
            table: (0..places).map(|_| AtomicU32::new(0)).collect(),
        }
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        self.nodes.get(id)
    }

    /// The edges of an expanded node.
    pub(super) fn edges(&self, node: &Node) -> &[Edge] {
        // The state first: its acquire is what makes the start of the run visible.
        let count = node.state().edge_count();
        self.edges.run(node.edges(), count)
    }

    /// The node of this key.
    pub(super) fn find(&self, key: u128) -> Option<NodeId> {
        self.probe(key)
            .find_map(|place| match place.load(Ordering::Acquire) {
                0 => Some(None),
                id => (self.node(id).key() == key).then_some(Some(id)),
            })?
    }

    /// The node of this key, made if there is none; `None` when memory is full.
    pub(super) fn find_or_add(&self, key: u128) -> Option<NodeId> {
        let mut fresh = None;
        for place in self.probe(key) {
            let mut id = place.load(Ordering::Acquire);
            if id == 0 {
                let new = match fresh {
                    Some(new) => new,
                    None => {
                        let new = self.nodes.take(1)?;
                        self.node(new).set_key(key);
                        *fresh.insert(new)
                    }
                };
                // Release publishes the key; on failure acquire sees the winner's.
                match place.compare_exchange(0, new, Ordering::Release, Ordering::Acquire) {
                    Ok(_) => return Some(new),
                    // Another thread was faster: look at what it put here. Should it be the same
                    // position, the fresh node is lost, which costs 40 bytes.
                    Err(other) => id = other,
                }
            }
            if self.node(id).key() == key {
                return Some(id);
            }
        }
        None
    }

    /// Takes and fills a run of edges for these moves; `None` when memory is full.
    pub(super) fn add_edges(
        &self,
        moves: impl ExactSizeIterator<Item = (Move, f32)>,
    ) -> Option<u32> {
        let start = self.edges.take(moves.len() as u32)?;
        for (edge, (mv, prior)) in self.edges.run(start, moves.len() as u32).iter().zip(moves) {
            edge.init(mv, prior);
        }
        Some(start)
    }

    fn probe(&self, key: u128) -> impl Iterator<Item = &AtomicU32> {
        let mask = self.table.len() - 1;
        let start = key as usize;
        (0..self.table.len()).map(move |step| &self.table[start.wrapping_add(step) & mask])
    }

    /// Number of nodes.
    pub(super) fn len(&self) -> usize {
        self.nodes.used() - 1
    }

    /// The part of the memory that is used up, in 0 to 1: of the room for nodes or of that for edges,
    /// whichever ends first. Positions with few moves need more of the one, others of the other.
    pub(super) fn fullness(&self) -> f64 {
        self.nodes.fullness().max(self.edges.fullness())
    }

    /// Bytes in use.
    #[cfg(test)]
    pub(super) fn bytes(&self) -> usize {
        self.nodes.used() * size_of::<Node>()
            + self.edges.used() * size_of::<Edge>()
            + self.table.len() * size_of::<AtomicU32>()
    }

    /// Copies everything that can be reached from `root` into an empty graph; the rest is left
    /// behind. No search may be running. Returns the root's copy, or `None` when the new graph is
    /// too small, or `go_on`, which is asked every few hundred nodes, says no.
    pub(super) fn copy_reachable(
        &self,
        root: NodeId,
        into: &Tree,
        mut go_on: impl FnMut() -> bool,
    ) -> Option<NodeId> {
        let new_root = into.find_or_add(self.node(root).key())?;
        let mut todo = vec![(root, new_root)];
        let mut copied = 0_u32;
        while let Some((old, new)) = todo.pop() {
            copied += 1;
            if copied.is_multiple_of(COPIES_AT_ONCE) && !go_on() {
                return None;
            }
            let old = self.node(old);
            let edges = self.edges(old);
            let start = into.edges.take(edges.len() as u32)?;
            for (edge, copy) in edges.iter().zip(into.edges.run(start, edges.len() as u32)) {
                let child = match edge.child() {
                    None => 0,
                    Some(child) => {
                        let key = self.node(child).key();
                        let known = into.find(key);
                        let id = match known {
                            Some(id) => id,
                            None => into.find_or_add(key)?,
                        };
                        if known.is_none() {
                            todo.push((child, id));
                        }
                        id
                    }
                };
                copy.copy_from(edge, child);
            }
            into.node(new).copy_from(old, start);
        }
        Some(new_root)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_one_node_whatever_the_threads() {
        let tree = Tree::new(1 << 22);
        let ids: Vec<Vec<NodeId>> = std::thread::scope(|scope| {
            let find = || {
                (0..500_u128)
                    .map(|k| tree.find_or_add(k << 3).unwrap())
                    .collect()
            };
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(find)).collect();
            threads.into_iter().map(|t| t.join().unwrap()).collect()
        });
        assert!(ids.iter().all(|list| *list == ids[0]));
        assert_eq!(tree.find(8), Some(ids[0][1]));
        assert_eq!(tree.find(9), None);
    }

    #[test]
    fn a_full_graph_refuses_and_stays_inside_its_budget() {
        let bytes = 8 << 20;
        let tree = Tree::new(bytes);
        let moves = |_| (0..60).map(|m| (Move(m), 0.01));
        while tree.add_edges(moves(())).is_some() {}
        let mut key = 0;
        while tree.find_or_add(key).is_some() {
            key += 1;
        }
        // A chunk may be begun just below the limit.
        assert!(tree.bytes() < bytes + (4 << 20), "{} bytes", tree.bytes());
        assert!(key > 1000);
    }

    #[test]
    fn copying_keeps_what_the_root_reaches() {
        let old = Tree::new(1 << 22);
        let [root, child, lost] = [10, 20, 30].map(|key| old.find_or_add(key).unwrap());
        for id in [root, child, lost] {
            assert!(old.node(id).claim());
            let edges = old
                .add_edges([(Move(1), 0.7), (Move(2), 0.3)].into_iter())
                .unwrap();
            old.node(id).publish(0.5, edges, 2);
            old.node(id).add_visit();
        }
        let edge = &old.edges(old.node(root))[0];
        edge.link(child);
        edge.begin();
        edge.complete();
        // Both of the lost node's edges lead to living ones, but nothing leads to it.
        old.edges(old.node(lost))
            .iter()
            .for_each(|edge| edge.link(root));

        let new = Tree::new(1 << 22);
        let copy = old.copy_reachable(root, &new, || true).unwrap();
        assert_eq!((new.len(), new.find(30)), (2, None));
        let edges = new.edges(new.node(copy));
        assert_eq!(edges[0].child(), new.find(20));
        assert_eq!((edges[0].counts(), edges[0].mv()), ((1, 0), Move(1)));
        assert_eq!((edges[1].child(), edges[1].mv()), (None, Move(2)));
        assert_eq!((new.node(copy).visits(), new.node(copy).eval()), (1, 0.5));
    }
}
