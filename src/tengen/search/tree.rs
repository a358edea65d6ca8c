//! The search graph: nodes by exact key, their moves, and the memory budget.
//!
//! Positions that can be reached in several orders share one node. Lookup by key also provides tree
//! reuse: after one's own move, the opponent's move, an undo, or a replay of the whole game.

use super::arena::{Arena, MemoryBudget};
use super::bias::Biases;
use super::edge::{Choice, Edge, EdgeId, block_len};
use super::memory::{AtomicU32, Ordering, zeros};
use super::node::{Node, NodeId};
use crate::game::Move;

/// A graph that any number of threads may extend concurrently.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Arena<Node>,
    choices: Arena<Choice>,
    edges: Arena<Edge>,
    /// Memory shared by the arenas.
    budget: MemoryBudget,
    bytes: usize,
    /// Fill level directly after copying from another graph; 0 for a new one.
    pub(super) copied: f64,
    /// Open addressing with linear probing: node numbers, 0 for an empty slot.
    table: Box<[AtomicU32]>,
    pub(super) biases: Biases,
}

/// Bytes of a node with its moves late in a 9x9 game, where nodes are smallest; for sizing the
/// table.
const SMALL_NODE: usize = 128;

/// Places for nodes to an entry of the table of biases: few nodes of a long search share one by chance.
const NODES_TO_A_BIAS: usize = 4;

impl Tree {
    /// An empty graph limited to `bytes` of memory, most of it allocated when needed, in which evaluations are corrected
    /// by this factor ([`Biases`]).
    pub(super) fn new(bytes: usize, factor: f32) -> Tree {
        let places = (bytes / SMALL_NODE)
            .clamp(1 << 4, 1 << 30)
            .next_power_of_two();
        // At most three quarters full, so that probes stay short.
        let nodes = places / 4 * 3;
        let biases = Biases::new(factor, places / NODES_TO_A_BIAS);
        let budget = bytes.saturating_sub(places * size_of::<AtomicU32>() + biases.bytes());
        Tree {
            nodes: Arena::new(nodes),
            choices: Arena::new(budget / size_of::<Choice>()),
            edges: Arena::new(budget / size_of::<Edge>()),
            budget: MemoryBudget::new(budget),
            bytes,
            copied: 0.0,
            table: zeros(places),
            biases,
        }
    }

    pub(super) fn node(&self, id: NodeId) -> &Node {
        self.nodes.get(id)
    }

    pub(super) fn edge(&self, id: EdgeId) -> &Edge {
        self.edges.get(id)
    }

    /// The node after a move, if there is one.
    pub(super) fn after(&self, edge: &Edge) -> Option<&Node> {
        edge.child().map(|child| self.node(child))
    }

    /// All moves of an expanded node, the most probable first.
    pub(super) fn choices(&self, node: &Node) -> &[Choice] {
        // The state first: its acquire is what makes the start of the run visible.
        let count = node.state().choice_count();
        self.choices.run(node.choices(), count)
    }

    /// The edges of a node's first moves: of all that were ever visited, and perhaps a few more.
    pub(super) fn edges(&self, node: &Node) -> impl Iterator<Item = &Edge> {
        let mut next = node.first_block().load(Ordering::Acquire);
        let (mut index, moves) = (0, node.state().choice_count());
        let mut block: std::slice::Iter<'_, Edge> = [].iter();
        // Not by `flatten`, which looks at both ends: every descent goes through here.
        std::iter::from_fn(move || {
            if block.as_slice().is_empty() && next != 0 {
                let edges = self.edges.run(next, block_len(index, moves));
                next = edges[0].next_block().load(Ordering::Acquire);
                index += edges.len() as u32;
                block = edges.iter();
            }
            block.next()
        })
    }

    /// All moves of an expanded node, each with its edge if it may have been visited.
    pub(super) fn moves(&self, node: &Node) -> impl Iterator<Item = (&Choice, Option<&Edge>)> {
        let mut edges = self.edges(node);
        let choices = self.choices(node).iter();
        choices.map(move |choice| (choice, edges.next()))
    }

    /// The edge of the move of this index, created if necessary; `None` when memory is full.
    pub(super) fn touch(&self, node: &Node, index: usize) -> Option<&Edge> {
        self.touched(node, index).map(|id| self.edge(id))
    }

    /// [`Tree::touch`], as a number.
    pub(super) fn touched(&self, node: &Node, index: usize) -> Option<EdgeId> {
        let (moves, wanted) = (node.state().choice_count(), index as u32);
        let (mut link, mut first) = (node.first_block(), 0);
        loop {
            let len = block_len(first, moves);
            let start = match link.load(Ordering::Acquire) {
                0 => self.add_block(link, len)?,
                start => start,
            };
            if wanted < first + len {
                return Some(start + wanted - first);
            }
            (link, first) = (self.edge(start).next_block(), first + len);
        }
    }

    /// A new block of edges, or another thread's if that was faster.
    fn add_block(&self, link: &AtomicU32, len: u32) -> Option<u32> {
        let new = self.edges.take(len, &self.budget)?;
        // Release publishes the chunk that contains the block. If another thread is faster, the new
        // block is lost.
        match link.compare_exchange(0, new, Ordering::Release, Ordering::Acquire) {
            Ok(_) => Some(new),
            Err(other) => Some(other),
        }
    }

    /// The node of this key.
    pub(super) fn find(&self, key: u128) -> Option<NodeId> {
        self.probe(key)
            .find_map(|place| match place.load(Ordering::Acquire) {
                0 => Some(None),
                id => (self.node(id).key() == key).then_some(Some(id)),
            })?
    }

    /// The node of this key, created if necessary; `None` when memory is full.
    pub(super) fn find_or_add(&self, key: u128) -> Option<NodeId> {
        let mut fresh = None;
        for place in self.probe(key) {
            let mut id = place.load(Ordering::Acquire);
            if id == 0 {
                let new = match fresh {
                    Some(new) => new,
                    None => {
                        let new = self.nodes.take(1, &self.budget)?;
                        self.node(new).set_key(key);
                        *fresh.insert(new)
                    }
                };
                // Release publishes the key; on failure acquire sees the winner's.
                match place.compare_exchange(0, new, Ordering::Release, Ordering::Acquire) {
                    Ok(_) => return Some(new),
                    // Another thread was faster: check which node it stored. If it is the same
                    // position, the new node is lost, which costs 64 bytes.
                    Err(other) => id = other,
                }
            }
            if self.node(id).key() == key {
                return Some(id);
            }
        }
        None
    }

    /// Allocates and fills a run of choices for these moves, given by descending prior; `None` when
    /// memory is full.
    pub(super) fn add_choices(
        &self,
        moves: impl ExactSizeIterator<Item = (Move, f32)>,
    ) -> Option<u32> {
        let len = moves.len() as u32;
        let start = self.choices.take(len, &self.budget)?;
        for (choice, (mv, prior)) in self.choices.run(start, len).iter().zip(moves) {
            choice.init(mv, prior);
        }
        Some(start)
    }

    /// Drops all nodes. Their memory is kept for new ones.
    pub(super) fn clear(&mut self) {
        self.table.fill_with(AtomicU32::default);
        self.biases.clear();
        self.nodes.clear();
        self.choices.clear();
        self.edges.clear();
        self.copied = 0.0;
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

    /// Share of the memory in use, in 0 to 1.
    pub(super) fn fullness(&self) -> f64 {
        // Nodes without moves, such as finished games, can fill the table before the memory.
        let places = self.len() as f64 / (self.table.len() / 4 * 3) as f64;
        places.max(self.bytes() as f64 / self.bytes as f64)
    }

    /// Bytes in use.
    pub(super) fn bytes(&self) -> usize {
        self.budget.used() + self.table.len() * size_of::<AtomicU32>() + self.biases.bytes()
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;

    #[test]
    fn a_key_has_one_node_whatever_the_threads() {
        let tree = Tree::new(1 << 22, 0.0);
        let ids: Vec<Vec<NodeId>> = std::thread::scope(|scope| {
            let find = || {
                (0..if cfg!(miri) { 20 } else { 500_u128 })
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
        // The kind of memory allocated first may take all of it.
        for moves in [0, 60] {
            let tree = Tree::new(bytes, 0.0);
            let mut key = 0;
            while let Some(_) = tree.find_or_add(key)
                && tree
                    .add_choices((0..moves).map(|m| (Move(m), 0.01)))
                    .is_some()
            {
                key += 1;
            }
            assert!(tree.bytes() <= bytes, "{} bytes", tree.bytes());
            assert!(tree.fullness() > 0.95, "{}", tree.fullness());
            let least = bytes / (56 + 4 * usize::from(moves) + 8) - 10_000;
            assert!(
                key as usize > least.min(48_000),
                "{key} nodes of {moves} moves"
            );
        }
    }

    /// An expanded node with these moves, equally likely.
    fn expanded(tree: &Tree, key: u128, moves: u16) -> &Node {
        let node = tree.node(tree.find_or_add(key).unwrap());
        assert!(node.claim());
        let choices = (0..moves).map(|m| (Move(m), 1.0 / f32::from(moves)));
        let choices = tree.add_choices(choices).unwrap();
        node.publish(0.0, choices, u32::from(moves));
        node
    }

    #[test]
    fn edges_come_into_being_where_they_are_touched() {
        let tree = Tree::new(1 << 22, 0.0);
        let node = expanded(&tree, 1, 10);
        assert_eq!(
            (tree.edges(node).count(), tree.moves(node).count()),
            (0, 10)
        );
        for (index, edges) in [(0, 1), (1, 3), (2, 3), (3, 7), (9, 10)] {
            tree.touch(node, index).unwrap().begin();
            assert_eq!(tree.edges(node).count(), edges);
        }
        let touched = tree.edges(node).enumerate();
        let touched = touched.filter_map(|(i, edge)| (!edge.is_fresh()).then_some(i));
        assert_eq!(touched.collect::<Vec<_>>(), [0, 1, 2, 3, 9]);
        // Any order, as at a root with noise.
        let other = expanded(&tree, 2, 10);
        tree.touch(other, 6).unwrap().begin();
        assert_eq!(tree.edges(other).count(), 7);
        assert_eq!(tree.touch(other, 6).unwrap().counts(), (0, 1));
    }

    #[test]
    fn a_cleared_graph_is_like_a_new_one() {
        let mut tree = Tree::new(1 << 16, 0.0);
        for round in 0..5_u16 {
            let before = tree.bytes();
            for key in 0..100 {
                let node = expanded(&tree, key, 20 + round);
                assert_eq!(tree.edges(node).count(), 0);
                assert!(tree.touch(node, 0).unwrap().is_fresh());
                tree.touch(node, 0).unwrap().begin();
            }
            assert_eq!(tree.len(), 100);
            tree.clear();
            assert_eq!((tree.len(), tree.find(7)), (0, None));
            assert!(round < 2 || tree.bytes() == before, "memory is used again");
        }
    }

    #[test]
    fn threads_that_touch_at_once_find_the_same_edges() {
        let tree = Tree::new(1 << 24, 0.0);
        for key in 0..if cfg!(miri) { 5 } else { 200 } {
            let node = expanded(&tree, key, 30);
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        (0..30).for_each(|index| {
                            tree.touch(node, index).unwrap().begin();
                        });
                    });
                }
            });
            assert!(tree.edges(node).all(|edge| edge.counts() == (0, 4)));
        }
    }
}
