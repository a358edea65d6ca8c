//! Nodes of the search graph: statistics of one position.
//!
//! ```text
//! Node  key 16 | stats 8, own 8: mean value, mean square | visits 4 | state 4 | choices 4 | edges 4 | weight 4 |
//!       bias 4, errors added to it 8
//! ```
//!
//! Everything is atomic and lock-free. A node goes NEW -> CLAIMED -> EXPANDED: the thread that wins
//! the claim evaluates the position, writes its choices and publishes them with the state
//! (release); other threads read them only after seeing EXPANDED (acquire). Counters and means are
//! relaxed: two threads that recompute a node's mean at once may leave the older one, which the
//! next visit corrects. Visits and in-flight counts are exact. Two cases need more:
//!
//! - *Siblings proven at once.* A thread proves a node and then reads its siblings, another does
//!   the same from a sibling; on a machine that delays stores both could miss the other's proof,
//!   and the parent would stay unproven until its next visit. A fence between proof and read makes
//!   one of them see the other ([`Node::narrow`]).
//! - *No edge has more visits than its child.* A descent may end at a child that has visits which
//!   this edge did not contribute. It reads the child's visits first and then counts itself
//!   ([`super::edge::Edge::begin`]), which returns the number before it: a visit that it has seen
//!   is also counted ([`Node::visits`] acquires what [`Node::add_visit`] released).
//!
//! Between searches nodes may be folded to free memory (`reuse`): a folded node is NEW again, but
//! keeps its visits and their mean, which then count as its own evaluation with their weight.
//!
//! All values are in [-1, 1] for the side to move *at that node*.

use super::bias::{Errors, NO_BIAS};
use super::memory::{AtomicU32, AtomicU64, Ordering, fence};
use crate::game::{Bounds, Proof};

/// Number of a node in its arena; 0 is none.
pub(super) type NodeId = u32;

/// One position.
#[derive(Debug, Default)]
pub(super) struct Node {
    key: [AtomicU64; 2],
    /// Of all visits.
    stats: AtomicU64,
    /// Of the evaluation of this position, and of visits folded into it.
    own: AtomicU64,
    visits: AtomicU32,
    state: AtomicU32,
    choices: AtomicU32,
    edges: AtomicU32,
    /// Number of visits in `own`.
    weight: AtomicU32,
    /// Entry of the table of biases.
    bias: AtomicU32,
    /// What this node has added there.
    errors: AtomicU64,
}

/// Progress of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Never visited, or its choices were pruned.
    New,
    /// A thread is evaluating it.
    Claimed,
    /// It has its evaluation and its choices, or a proof.
    Expanded,
}

/// A node's phase, bounds and number of choices, read atomically.
#[derive(Debug, Clone, Copy)]
pub(super) struct State(u32);

const PHASE: u32 = 3;
const CLAIMED: u32 = 1;
const EXPANDED: u32 = 2;
const BOUNDS_SHIFT: u32 = 2;
const CHOICES_SHIFT: u32 = 16;

impl State {
    pub(super) fn phase(self) -> Phase {
        match self.0 & PHASE {
            0 => Phase::New,
            CLAIMED => Phase::Claimed,
            _ => Phase::Expanded,
        }
    }

    /// What is proven, for the side to move here.
    pub(super) fn bounds(self) -> Bounds {
        Bounds::from_bits(self.0 >> BOUNDS_SHIFT)
    }

    /// The proven result, for the side to move here.
    pub(super) fn proof(self) -> Option<Proof> {
        self.bounds().proof()
    }

    /// Number of moves.
    pub(super) fn choice_count(self) -> u32 {
        self.0 >> CHOICES_SHIFT
    }

    /// Whether only the result is known: the game has ended, or the moves were never listed or were
    /// pruned.
    pub(super) fn is_bare_proof(self) -> bool {
        self.proof().is_some() && self.choice_count() == 0
    }
}

impl Node {
    /// Writes the key, before the node is shared.
    pub(super) fn set_key(&self, key: u128) {
        self.key[0].store(key as u64, Ordering::Relaxed);
        self.key[1].store((key >> 64) as u64, Ordering::Relaxed);
    }

    pub(super) fn key(&self) -> u128 {
        let [low, high] = [0, 1].map(|i| u128::from(self.key[i].load(Ordering::Relaxed)));
        high << 64 | low
    }

    pub(super) fn state(&self) -> State {
        // Acquire: a thread that sees EXPANDED also sees the choices and the evaluation.
        State(self.state.load(Ordering::Acquire))
    }

    /// Claims a new node for evaluation; false when another thread was faster.
    pub(super) fn claim(&self) -> bool {
        let state = self.state.load(Ordering::Relaxed);
        state & PHASE == 0
            && self
                .state
                .compare_exchange(state, state | CLAIMED, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
    }

    /// Returns a claimed node unevaluated.
    pub(super) fn unclaim(&self) {
        self.state.fetch_and(!PHASE, Ordering::Relaxed);
    }

    /// Publishes a claimed node with the evaluation of this position and its run of choices.
    pub(super) fn publish(&self, value: f32, choices: u32, choice_count: u32) {
        // Folded visits still count.
        let folded = self.weight() as f32;
        let (mean, square) = self.own();
        let add = |sum: f32, new: f32| (folded * sum + new) / (folded + 1.0);
        let own = (add(mean, value), add(square, value * value));
        self.own.store(pair(own), Ordering::Relaxed);
        self.weight.fetch_add(1, Ordering::Relaxed);
        self.set_stats(own);
        self.choices.store(choices, Ordering::Relaxed);
        self.expand(choice_count << CHOICES_SHIFT);
    }

    /// Publishes a claimed node with its only choice. It has no evaluation of its own: its value is
    /// that of the position after this move.
    pub(super) fn publish_forced(&self, choice: u32) {
        self.choices.store(choice, Ordering::Relaxed);
        self.expand(1 << CHOICES_SHIFT);
    }

    /// Publishes a claimed node with a proven result, without choices.
    pub(super) fn publish_end(&self) {
        self.expand(0);
    }

    /// Marks a claimed node as expanded; other bits may be set with it.
    fn expand(&self, bits: u32) {
        // Release: pairs with the acquire in `state`.
        self.state
            .fetch_add(bits + EXPANDED - CLAIMED, Ordering::Release);
    }

    /// Adds proven bounds. Bounds that are proven concurrently are all true.
    pub(super) fn narrow(&self, bounds: Bounds) {
        let bits = bounds.to_bits() << BOUNDS_SHIFT;
        if self.state.load(Ordering::Relaxed) & bits != bits {
            self.state.fetch_or(bits, Ordering::AcqRel);
            // Fence between this proof and the read of its siblings, see the module documentation.
            fence(Ordering::SeqCst);
        }
    }

    /// First choice, in an expanded node.
    pub(super) fn choices(&self) -> u32 {
        self.choices.load(Ordering::Relaxed)
    }

    /// Start of the first block of edges; 0 if there is none yet.
    pub(super) fn first_block(&self) -> &AtomicU32 {
        &self.edges
    }

    /// Mean and mean square of the node's own evaluation, without its children.
    pub(super) fn own(&self) -> (f32, f32) {
        unpair(self.own.load(Ordering::Relaxed))
    }

    /// Visits that [`Node::own`] stands for.
    pub(super) fn weight(&self) -> u32 {
        self.weight.load(Ordering::Relaxed)
    }

    /// Visits of its moves, and its own: not those that were folded into [`Node::own`].
    pub(super) fn unfolded(&self) -> u32 {
        let own = u32::from(self.state().phase() == Phase::Expanded);
        self.visits()
            .saturating_sub(self.weight().saturating_sub(own))
    }

    /// Mean value and mean square over this node's visits. Proven bounds clamp both, even if
    /// another thread has just written a mean computed earlier.
    pub(super) fn stats(&self) -> (f32, f32) {
        let bounds = self.state().bounds();
        if let Some(proof) = bounds.proof() {
            return (proof.value(), proof.value() * proof.value());
        }
        let (mean, square) = unpair(self.stats.load(Ordering::Relaxed));
        (bounds.clamp(mean), square)
    }

    pub(super) fn set_stats(&self, stats: (f32, f32)) {
        self.stats.store(pair(stats), Ordering::Relaxed);
    }

    /// Sets the entry of the table of biases of a claimed node.
    pub(super) fn set_bias(&self, entry: u32) {
        self.bias.store(entry, Ordering::Relaxed);
    }

    /// Its entry of the table of biases, while its own evaluation is that of this position alone.
    pub(super) fn bias(&self) -> Option<u32> {
        let entry = self.bias.load(Ordering::Relaxed);
        (entry != NO_BIAS && self.weight() == 1).then_some(entry)
    }

    /// The errors that it has added to its entry.
    pub(super) fn errors(&self) -> Errors {
        errors(self.errors.load(Ordering::Relaxed))
    }

    /// Replaces the errors that it has added to its entry; returns the old ones.
    pub(super) fn replace_errors(&self, new: Errors) -> Errors {
        let new = pair((new.sum, new.weight));
        errors(self.errors.swap(new, Ordering::Relaxed))
    }

    pub(super) fn visits(&self) -> u32 {
        self.visits.load(Ordering::Acquire)
    }

    pub(super) fn add_visit(&self) {
        self.visits.fetch_add(1, Ordering::Release);
    }

    /// Drops everything but the visits and their mean, which become the node's own evaluation;
    /// drops the proof and the edges, too: they belong to the order of the old choices. No search may be running.
    pub(super) fn fold(&self) {
        self.fold_from(self);
        self.edges.store(0, Ordering::Relaxed);
        self.state.store(0, Ordering::Release);
    }

    /// Drops the proof only. No search may be running.
    pub(super) fn reopen(&self) {
        let state = self.state.load(Ordering::Acquire);
        let bounds = (1 << CHOICES_SHIFT) - (1 << BOUNDS_SHIFT);
        self.state.store(state & !bounds, Ordering::Release);
    }

    /// Copies the folded statistics of another node, without its choices. A proof is kept.
    pub(super) fn fold_from(&self, other: &Node) {
        let stats = pair(other.stats());
        self.stats.store(stats, Ordering::Relaxed);
        self.own.store(stats, Ordering::Relaxed);
        self.visits.store(other.visits(), Ordering::Relaxed);
        self.weight.store(other.visits(), Ordering::Relaxed);
        let bounds = other.state().bounds();
        let phase = bounds.proof().map_or(0, |_| EXPANDED);
        let state = phase | bounds.to_bits() << BOUNDS_SHIFT;
        self.state.store(state, Ordering::Release);
    }

    /// Copies all statistics of another node, with choices that were copied to here.
    pub(super) fn copy_from(&self, other: &Node, choices: u32) {
        let copy = |to: &AtomicU64, from: &AtomicU64| {
            to.store(from.load(Ordering::Relaxed), Ordering::Relaxed);
        };
        copy(&self.stats, &other.stats);
        copy(&self.own, &other.own);
        copy(&self.errors, &other.errors);
        self.bias
            .store(other.bias.load(Ordering::Relaxed), Ordering::Relaxed);
        self.visits.store(other.visits(), Ordering::Relaxed);
        self.weight.store(other.weight(), Ordering::Relaxed);
        self.choices.store(choices, Ordering::Relaxed);
        self.state
            .store(other.state.load(Ordering::Acquire), Ordering::Release);
    }
}

fn pair((mean, square): (f32, f32)) -> u64 {
    u64::from(square.to_bits()) << 32 | u64::from(mean.to_bits())
}

fn unpair(bits: u64) -> (f32, f32) {
    (
        f32::from_bits(bits as u32),
        f32::from_bits((bits >> 32) as u32),
    )
}

fn errors(bits: u64) -> Errors {
    let (sum, weight) = unpair(bits);
    Errors { sum, weight }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_what_the_memory_budget_counts_on() {
        assert_eq!(size_of::<Node>(), 64);
    }

    #[test]
    fn a_node_is_claimed_once_and_proven_after_expansion() {
        let node = Node::default();
        assert_eq!(node.state().phase(), Phase::New);
        assert!(node.claim() && !node.claim());
        assert_eq!(node.state().phase(), Phase::Claimed);
        node.publish(0.25, 77, 5);
        let state = node.state();
        assert_eq!((state.phase(), state.choice_count()), (Phase::Expanded, 5));
        assert_eq!((node.own(), node.stats().0), ((0.25, 0.0625), 0.25));
        assert_eq!((node.weight(), state.proof()), (1, None));
        node.narrow(Bounds::exactly(Proof::Loss));
        assert_eq!(
            (node.state().proof(), node.stats().0),
            (Some(Proof::Loss), -1.0)
        );
        assert_eq!(node.state().choice_count(), 5);
    }

    #[test]
    fn what_is_proven_limits_the_mean_and_survives_a_claim() {
        let node = Node::default();
        node.narrow(Bounds::at_least(Proof::Draw));
        assert!(node.claim());
        node.unclaim();
        assert!(node.claim());
        node.publish(-0.5, 77, 5);
        let state = node.state();
        assert_eq!((state.phase(), state.choice_count()), (Phase::Expanded, 5));
        assert_eq!((state.proof(), node.stats().0), (None, 0.0));
        node.narrow(Bounds::at_most(Proof::Draw));
        assert_eq!(node.state().proof(), Some(Proof::Draw));
        assert_eq!(node.stats(), (0.0, 0.0));
    }

    #[test]
    fn a_folded_node_keeps_its_mean_and_its_visits() {
        let (node, folded) = (Node::default(), Node::default());
        assert!(node.claim());
        node.publish(0.25, 77, 5);
        (0..3).for_each(|_| node.add_visit());
        node.set_stats((0.5, 0.3));
        folded.fold_from(&node);
        assert_eq!(folded.state().phase(), Phase::New);
        assert_eq!((folded.visits(), folded.stats()), (3, (0.5, 0.3)));
        assert!(folded.claim());
        folded.publish(-0.5, 99, 5);
        // (3 * 0.5 - 0.5) / 4 and (3 * 0.3 + 0.25) / 4.
        assert_eq!(folded.weight(), 4);
        let (mean, square) = folded.stats();
        assert!((mean - 0.25).abs() < 1e-6 && (square - 0.2875).abs() < 1e-6);

        node.narrow(Bounds::exactly(Proof::Win));
        folded.fold_from(&node);
        assert!(folded.state().is_bare_proof());
        folded.fold();
        assert_eq!(folded.state().phase(), Phase::New);
        assert_eq!((folded.stats(), folded.visits()), ((1.0, 1.0), 3));
    }

    /// Threads compete for the claim in lock step; exactly one wins each round, and the losers see
    /// its choices as soon as they see the node expanded.
    #[test]
    fn one_thread_wins_a_claim_and_the_others_see_its_work() {
        let threads = 4;
        for round in 0..if cfg!(miri) { 10 } else { 200_u32 } {
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
                        assert_eq!((node.choices(), node.own().0), (round + 1, 0.5));
                    });
                }
            });
            assert_eq!(winners.load(Ordering::Relaxed), 1);
        }
    }
}
