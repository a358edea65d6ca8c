//! What all searches by rollouts have in common, for the engine.

use super::{RaveReport, Rollout};
use crate::game::{GameState, Move};

/// A search by rollouts.
pub trait RolloutSearch<G: Rollout>: Send {
    /// Searches from `start` while `go_on` returns true: without moves that the game's history
    /// forbids, and at the root without those to `avoid`, unless there are no others; with ownership
    /// `by_move` if requested. `go_on` is called before each rollout with the
    /// number of rollouts, reused ones counted, and with the results so far. The best move of the
    /// report comes first.
    fn watch(
        &mut self,
        start: &GameState<G>,
        avoid: &[Move],
        by_move: bool,
        go_on: &mut dyn FnMut(u64, &dyn Fn() -> RaveReport) -> bool,
    ) -> RaveReport;

    /// A new game begins: drops everything that belongs to the last one.
    fn forget(&mut self);
}
