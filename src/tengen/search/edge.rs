//! Moves of a node: a prior for each, and counts and a child for those that a descent has visited.
//!
//! ```text
//! Choice  prior 2, move 2
//! Edge    counts 8: visits, in flight | child 4 | next 4
//! ```
//!
//! Choices form one run, the most probable first. Selection takes untouched moves in that order (in
//! any order at a root with its own priors), so that nearly all touched ones are the first few.
//! Edges form blocks of 1, 2, 4, ... in the order of the choices; the first edge of each block
//! stores the start of the next block. Blocks never move: a thread may hold an edge while another
//! adds a block.

use super::memory::{AtomicU32, AtomicU64, Ordering};
use super::node::NodeId;
use crate::game::Move;

/// A move and its prior; written before its node is published, never changed.
#[derive(Debug, Default)]
pub(super) struct Choice(AtomicU32);

impl Choice {
    /// The prior has 16 bits: 1.5e-5 is far below what affects selection. One that was read is written unchanged.
    pub(super) fn init(&self, mv: Move, prior: f32) {
        let quantised = (prior.clamp(0.0, 1.0) * f32::from(u16::MAX)).round() as u32;
        self.0
            .store(quantised << 16 | u32::from(mv.0), Ordering::Relaxed);
    }

    pub(super) fn mv(&self) -> Move {
        Move(self.0.load(Ordering::Relaxed) as u16)
    }

    /// Prior probability in [0, 1].
    pub(super) fn prior(&self) -> f32 {
        (self.0.load(Ordering::Relaxed) >> 16) as f32 / f32::from(u16::MAX)
    }

    /// Both, as [`Choice::init`] takes them.
    pub(super) fn get(&self) -> (Move, f32) {
        (self.mv(), self.prior())
    }
}

/// Number of an edge in its arena; 0 is none.
pub(super) type EdgeId = u32;

/// Statistics of the descents through a move.
#[derive(Debug, Default)]
pub(super) struct Edge {
    /// Completed visits in the lower half, in flight in the upper.
    counts: AtomicU64,
    child: AtomicU32,
    /// In the first edge of a block: the start of the next block.
    next: AtomicU32,
}

const IN_FLIGHT: u64 = 1 << 32;

const fn halves(counts: u64) -> (u32, u32) {
    (counts as u32, (counts >> 32) as u32)
}

impl Edge {
    /// Completed visits and visits in flight.
    pub(super) fn counts(&self) -> (u32, u32) {
        halves(self.counts.load(Ordering::Relaxed))
    }

    /// Counts a descent. Returns how many came before it, completed or in flight.
    pub(super) fn begin(&self) -> u32 {
        let (visits, in_flight) = halves(self.counts.fetch_add(IN_FLIGHT, Ordering::Relaxed));
        visits + in_flight
    }

    /// Completes a descent that has been backed up.
    pub(super) fn complete(&self) {
        self.counts.fetch_sub(IN_FLIGHT - 1, Ordering::Relaxed);
    }

    /// Reverts a descent that was given up.
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

    /// Whether no descent has been here: the move is equivalent to an untouched one.
    pub(super) fn is_fresh(&self) -> bool {
        self.counts.load(Ordering::Relaxed) == 0 && self.child().is_none()
    }

    /// Start of the block after the one that begins with this edge; 0 if there is none yet.
    pub(super) fn next_block(&self) -> &AtomicU32 {
        &self.next
    }

    /// Copies another edge's visits and gives it a child; in-flight descents are not copied.
    pub(super) fn copy_from(&self, other: &Edge, child: NodeId) {
        self.counts
            .store(u64::from(other.counts().0), Ordering::Relaxed);
        self.link(child);
    }
}

/// Number of edges in the block that begins at the move of this index, in a node with this many
/// moves.
pub(super) const fn block_len(index: u32, moves: u32) -> u32 {
    // Blocks of 1, 2, 4, ... begin at 0, 1, 3, 7, ...
    if index + 1 < moves - index {
        index + 1
    } else {
        moves - index
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_what_the_memory_budget_counts_on() {
        assert_eq!((size_of::<Choice>(), size_of::<Edge>()), (4, 16));
    }

    #[test]
    fn a_choice_keeps_its_move_and_its_prior() {
        let choice = Choice::default();
        choice.init(Move(80), 0.5);
        assert_eq!(choice.mv(), Move(80));
        assert!((choice.prior() - 0.5).abs() < 1e-4);
        // Also when it is copied.
        for quantised in 0..=u16::MAX {
            let prior = f32::from(quantised) / f32::from(u16::MAX);
            choice.init(Move(80), prior);
            let (mv, read) = choice.get();
            choice.init(mv, read);
            assert_eq!(choice.get(), (Move(80), prior));
        }
    }

    #[test]
    fn an_edge_counts_descents_out_and_home() {
        let edge = Edge::default();
        assert!(edge.is_fresh());
        assert_eq!([edge.begin(), edge.begin()], [0, 1]);
        edge.complete();
        assert_eq!(edge.counts(), (1, 1));
        edge.revert();
        assert_eq!(edge.counts(), (1, 0));
        assert_eq!(edge.begin(), 1);
        assert!(!edge.is_fresh());
    }

    #[test]
    fn blocks_cover_all_moves_without_gaps() {
        for moves in 1..=400 {
            let (mut index, mut blocks) = (0, 0);
            while index < moves {
                let len = block_len(index, moves);
                assert!(len > 0 && (len == index + 1 || index + len == moves));
                (index, blocks) = (index + len, blocks + 1);
            }
            assert_eq!((index, blocks), (moves, moves.ilog2() + 1));
        }
    }
}
