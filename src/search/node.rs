//! Nodes and edges of the search graph: what one position and one move remember.
//!
//! ```text
//! Node  key 16 | stats 8: mean value, mean square | visits 4 | state 4 | edges 4 | eval 4
//! Edge  counts 8: visits, in flight | child 4 | prior 2, move 2
//! ```
//!
//! Everything is atomic and nothing is locked. A node goes NEW -> CLAIMED -> EXPANDED once: the
//! thread that wins the claim evaluates the position, writes the edges and publishes them with the
//! state (release); everybody else reads the edges only after seeing EXPANDED (acquire). Counters
//! and means are relaxed: two threads that recompute a node's mean at once may leave the older
//! one, and the next visit mends it. Visits and in-flight counts are exact. Two things need more:
//!
//! - *Siblings proven at once.* A thread proves a node and then looks at its siblings, another does
//!   the same from a sibling; on a machine that delays stores both could miss the other's proof, and
//!   nobody would prove the parent until its next visit. A fence between proof and look makes one of
//!   them see the other ([`Node::prove`]).
//! - *No edge has more visits than its child.* A descent may end at a child that has visits which
//!   this edge did not ask for. It reads the child's visits first and then counts itself in
//!   ([`Edge::begin`]), which answers how many were there before it: a visit that it has seen is
//!   one that it finds counted ([`Node::visits`] acquires what [`Node::add_visit`] released).
//!
//! All values are in [-1, 1] for the side to move *at that node*.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

use super::report::Proof;
use crate::game::Move;

/// Number of a node in its arena; 0 is none.
pub(super) type NodeId = u32;

/// One position.
#[derive(Debug, Default)]
pub(super) struct Node {
    key: [AtomicU64; 2],
    stats: AtomicU64,
    visits: AtomicU32,
    state: AtomicU32,
    edges: AtomicU32,
    eval: AtomicU32,
}

/// One move from a position.
#[derive(Debug, Default)]
pub(super) struct Edge {
    /// Completed visits in the lower half, in flight in the upper.
    counts: AtomicU64,
    child: AtomicU32,
    prior_and_move: AtomicU32,
}

/// How far a node has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Nobody has been here.
    New,
    /// A thread is evaluating it.
    Claimed,
    /// It has its evaluation and its edges.
    Expanded,
}

/// A node's phase, proof and number of edges, read at one moment.
#[derive(Debug, Clone, Copy)]
pub(super) struct State(u32);

const PHASE: u32 = 3;
const CLAIMED: u32 = 1;
const EXPANDED: u32 = 2;
const PROOF_SHIFT: u32 = 2;
const PROOF: u32 = 3 << PROOF_SHIFT;
const EDGES_SHIFT: u32 = 16;

impl State {
    pub(super) fn phase(self) -> Phase {
        match self.0 & PHASE {
            0 => Phase::New,
            CLAIMED => Phase::Claimed,
            _ => Phase::Expanded,
        }
    }

    /// The proven result for the side to move here.
    pub(super) fn proof(self) -> Option<Proof> {
        match (self.0 & PROOF) >> PROOF_SHIFT {
            0 => None,
            1 => Some(Proof::Loss),
            2 => Some(Proof::Draw),
            _ => Some(Proof::Win),
        }
    }

    pub(super) fn edge_count(self) -> u32 {
        self.0 >> EDGES_SHIFT
    }
}

impl Node {
    /// Writes the key, before anybody else knows the node.
    pub(super) fn set_key(&self, key: u128) {
        self.key[0].store(key as u64, Ordering::Relaxed);
        self.key[1].store((key >> 64) as u64, Ordering::Relaxed);
    }

    pub(super) fn key(&self) -> u128 {
        let [low, high] = [0, 1].map(|i| u128::from(self.key[i].load(Ordering::Relaxed)));
        high << 64 | low
    }

    pub(super) fn state(&self) -> State {
        // Acquire: whoever sees EXPANDED also sees the edges and the evaluation.
        State(self.state.load(Ordering::Acquire))
    }

    /// Takes a new node for evaluation; false when another thread was faster.
    pub(super) fn claim(&self) -> bool {
        self.state
            .compare_exchange(0, CLAIMED, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok()
    }

    /// Gives a claimed node back unevaluated.
    pub(super) fn unclaim(&self) {
        self.state.store(0, Ordering::Relaxed);
    }

    /// Publishes a claimed node with its own evaluation and its run of edges.
    pub(super) fn publish(&self, value: f32, edges: u32, edge_count: u32) {
        self.eval.store(value.to_bits(), Ordering::Relaxed);
        self.set_stats(value, value * value);
        self.edges.store(edges, Ordering::Relaxed);
        // Release: pairs with the acquire in `state`.
        self.state
            .store(EXPANDED | edge_count << EDGES_SHIFT, Ordering::Release);
    }

    /// Publishes a claimed node where the game has ended, or of which the result is all that is known.
    pub(super) fn publish_end(&self, result: Proof) {
        self.state
            .store(EXPANDED | proof_bits(result), Ordering::Release);
        fence(Ordering::SeqCst);
    }

    /// Records a proven result. Threads that prove a node at once have proven the same.
    pub(super) fn prove(&self, result: Proof) {
        self.state.fetch_or(proof_bits(result), Ordering::AcqRel);
        // Between this proof and the look at its siblings, see the top.
        fence(Ordering::SeqCst);
    }

    /// First edge, in an expanded node.
    pub(super) fn edges(&self) -> u32 {
        self.edges.load(Ordering::Relaxed)
    }

    /// The network's value of this very position.
    pub(super) fn eval(&self) -> f32 {
        f32::from_bits(self.eval.load(Ordering::Relaxed))
    }

    /// Mean value and mean square of the value, over this node's visits; a proof overrules both,
    /// also when another thread has just written the mean it found before.
    pub(super) fn stats(&self) -> (f32, f32) {
        if let Some(proof) = self.state().proof() {
            return (proof.value(), proof.value() * proof.value());
        }
        let bits = self.stats.load(Ordering::Relaxed);
        (
            f32::from_bits(bits as u32),
            f32::from_bits((bits >> 32) as u32),
        )
    }

    pub(super) fn set_stats(&self, mean: f32, square: f32) {
        let bits = u64::from(square.to_bits()) << 32 | u64::from(mean.to_bits());
        self.stats.store(bits, Ordering::Relaxed);
    }

    pub(super) fn visits(&self) -> u32 {
        self.visits.load(Ordering::Acquire)
    }

    pub(super) fn add_visit(&self) {
        self.visits.fetch_add(1, Ordering::Release);
    }

    /// Copies what is known from another node, its edges excepted.
    pub(super) fn copy_from(&self, other: &Node, edges: u32) {
        self.set_key(other.key());
        self.stats
            .store(other.stats.load(Ordering::Relaxed), Ordering::Relaxed);
        self.visits.store(other.visits(), Ordering::Relaxed);
        self.edges.store(edges, Ordering::Relaxed);
        self.eval
            .store(other.eval.load(Ordering::Relaxed), Ordering::Relaxed);
        self.state
            .store(other.state.load(Ordering::Acquire), Ordering::Release);
    }
}

const fn proof_bits(result: Proof) -> u32 {
    let number = match result {
        Proof::Loss => 1,
        Proof::Draw => 2,
        Proof::Win => 3,
    };
    number << PROOF_SHIFT
}

const IN_FLIGHT: u64 = 1 << 32;

const fn halves(counts: u64) -> (u32, u32) {
    (counts as u32, (counts >> 32) as u32)
}

impl Edge {
    /// Writes move and prior, before the node is published. The prior keeps 16 bits: 1.5e-5 is
    /// far below what selection can tell apart.
    pub(super) fn init(&self, mv: Move, prior: f32) {
        let quantised = (prior.clamp(0.0, 1.0) * f32::from(u16::MAX)).round() as u32;
        self.prior_and_move
            .store(quantised << 16 | u32::from(mv.0), Ordering::Relaxed);
    }

    pub(super) fn mv(&self) -> Move {
        Move(self.prior_and_move.load(Ordering::Relaxed) as u16)
    }

    /// Prior probability in [0, 1].
    pub(super) fn prior(&self) -> f32 {
        (self.prior_and_move.load(Ordering::Relaxed) >> 16) as f32 / f32::from(u16::MAX)
    }

    /// Completed visits and visits in flight.
    pub(super) fn counts(&self) -> (u32, u32) {
        halves(self.counts.load(Ordering::Relaxed))
    }

    /// A descent passes. Answers how many did before it, completed or in flight.
    pub(super) fn begin(&self) -> u32 {
        let (visits, in_flight) = halves(self.counts.fetch_add(IN_FLIGHT, Ordering::Relaxed));
        visits + in_flight
    }

    /// A descent that passed has been backed up.
    pub(super) fn complete(&self) {
        self.counts.fetch_sub(IN_FLIGHT - 1, Ordering::Relaxed);
    }

    /// A descent that passed was given up.
    pub(super) fn revert(&self) {
        self.counts.fetch_sub(IN_FLIGHT, Ordering::Relaxed);
    }

    pub(super) fn child(&self) -> Option<NodeId> {
        // Acquire: pairs with `link`, so that the child's key is seen.
        Some(self.child.load(Ordering::Acquire)).filter(|&child| child != 0)
    }

    pub(super) fn link(&self, child: NodeId) {
        self.child.store(child, Ordering::Release);
    }

    /// Copies another edge with its counts; in-flight descents are not copied.
    pub(super) fn copy_from(&self, other: &Edge, child: NodeId) {
        self.counts
            .store(u64::from(other.counts().0), Ordering::Relaxed);
        self.prior_and_move.store(
            other.prior_and_move.load(Ordering::Relaxed),
            Ordering::Relaxed,
        );
        self.link(child);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_what_the_memory_budget_counts_on() {
        assert_eq!((size_of::<Node>(), size_of::<Edge>()), (40, 16));
    }

    #[test]
    fn a_node_is_claimed_once_and_proven_after_expansion() {
        let node = Node::default();
        assert_eq!(node.state().phase(), Phase::New);
        assert!(node.claim() && !node.claim());
        assert_eq!(node.state().phase(), Phase::Claimed);
        node.publish(0.25, 77, 5);
        let state = node.state();
        assert_eq!((state.phase(), state.edge_count()), (Phase::Expanded, 5));
        assert_eq!(
            (node.eval(), node.stats().0, state.proof()),
            (0.25, 0.25, None)
        );
        node.prove(Proof::Loss);
        assert_eq!(
            (node.state().proof(), node.stats().0),
            (Some(Proof::Loss), -1.0)
        );
        assert_eq!(node.state().edge_count(), 5);
    }

    #[test]
    fn an_edge_counts_descents_out_and_home() {
        let edge = Edge::default();
        edge.init(Move(80), 0.5);
        assert_eq!(edge.mv(), Move(80));
        assert!((edge.prior() - 0.5).abs() < 1e-4);
        assert_eq!([edge.begin(), edge.begin()], [0, 1]);
        edge.complete();
        assert_eq!(edge.counts(), (1, 1));
        edge.revert();
        assert_eq!(edge.counts(), (1, 0));
    }

    /// Threads fight for the claim in lock step; exactly one wins each round, and the losers see
    /// its edges as soon as they see the node expanded.
    #[test]
    fn one_thread_wins_a_claim_and_the_others_see_its_work() {
        let threads = 4;
        for round in 0..200_u32 {
            let (node, barrier) = (Node::default(), std::sync::Barrier::new(threads));
            let winners = AtomicU32::new(0);
            std::thread::scope(|scope| {
                for _ in 0..threads {
                    scope.spawn(|| {
                        barrier.wait();
                        if node.claim() {
                            winners.fetch_add(1, Ordering::Relaxed);
                            node.publish(0.5, round + 1, 3);
                        }
                        while node.state().phase() != Phase::Expanded {
                            std::hint::spin_loop();
                        }
                        assert_eq!((node.edges(), node.eval()), (round + 1, 0.5));
                    });
                }
            });
            assert_eq!(winners.load(Ordering::Relaxed), 1);
        }
    }
}
