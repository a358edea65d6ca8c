//! What all searches by playouts have in common, for the engine.

use super::{Playout, RaveReport};
use crate::game::{GameState, Move};

/// A search by playouts.
pub trait PlayoutSearch<G: Playout>: Send {
    /// Searches from `start` while `go_on` returns true: without moves that the game's history
    /// forbids, and at the root without those to `avoid`, unless there are no others; with ownership
    /// `by_move` if requested. `go_on` is called before each playout with the
    /// number of playouts, reused ones counted, and with the results so far. The best move of the
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
