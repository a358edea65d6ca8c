//! Tree reuse: finds the current position in the tree of the last search.

use super::super::Rollout;
use super::super::tree::{NodeId, Tree};
use crate::game::{GameState, Move, PositionHistory};

/// Start of the last search's tree.
#[derive(Debug, Default)]
pub(super) struct TreeRoot {
    /// The positions up to there.
    past: PositionHistory,
    /// Whether its root lacks avoided moves: it is then for one search only.
    leaves_out: bool,
}

impl TreeRoot {
    /// A search starts at the end of `past`.
    pub(super) fn begin(&mut self, past: &PositionHistory, avoid: &[Move]) {
        self.past.clone_from(past);
        self.leaves_out = !avoid.is_empty();
    }

    /// Prevents reuse of the tree.
    pub(super) fn forget(&mut self) {
        // As if it were for the last search only.
        self.leaves_out = true;
    }

    /// The tree node of the current position, if it can be reused.
    pub(super) fn known<G: Rollout>(
        &self,
        tree: &Tree,
        start: &GameState<G>,
        avoid: &[Move],
    ) -> Option<NodeId> {
        if self.leaves_out || !avoid.is_empty() {
            return None;
        }
        let plies = start.past().since(&self.past)?;
        let moves: Vec<Move> = start.position().recent().iter().take(plies).collect();
        let in_order: Vec<Move> = moves.into_iter().rev().collect();
        let known = in_order.len() == plies;
        known
            .then(|| tree.find(&in_order, start.position()))
            .flatten()
    }
}
