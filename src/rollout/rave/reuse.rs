//! What the last search has found of a position to which the game has come since.

use super::super::Playout;
use super::super::tree::{NodeId, Tree};
use crate::game::{GameState, Move, PositionHistory};

/// Where the tree of the last search begins.
#[derive(Debug, Default)]
pub(super) struct TreeRoot {
    /// The positions up to there.
    past: PositionHistory,
    /// Whether its root lacks moves that were to be avoided: it is for one search then.
    leaves_out: bool,
}

impl TreeRoot {
    /// A search begins at the end of `past`.
    pub(super) fn begin(&mut self, past: &PositionHistory, avoid: &[Move]) {
        self.past.clone_from(past);
        self.leaves_out = !avoid.is_empty();
    }

    /// No search may go on with the tree.
    pub(super) fn forget(&mut self) {
        // As if it were for the last search alone.
        self.leaves_out = true;
    }

    /// The node of the tree to which the game has come, where a search may go on with it.
    pub(super) fn known<G: Playout>(
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
