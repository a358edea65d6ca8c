//! The interface of solvers.

use std::sync::Arc;

use super::result::{Advice, SolveLimits, SolveResult};
use crate::game::{Facts, Game, Move, Proof};

/// A probe: proves facts of a position within limits, on the calling thread; `None` if there is
/// nothing to prove.
pub type Probe<G> = Box<dyn FnMut(&G, &SolveLimits<'_>) -> Option<Facts> + Send>;

/// Creates probes, one per thread.
pub type MakeProbe<G> = Arc<dyn Fn() -> Probe<G> + Send + Sync>;

/// What the solver of a game proves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Solves {
    /// There is none.
    Nothing,
    /// Wins that are forced, in any position.
    Threats,
    /// The result of every late position: finished games can be solved from the end.
    Endings,
}

/// A game and the solver that proves its results; by default there is none.
pub trait Solvable: Game {
    /// What the solver proves.
    const SOLVES: Solves = Solves::Nothing;

    /// A solver with about `bytes` for proven positions, allocated at its first use.
    #[must_use]
    fn solver(bytes: usize) -> Option<Box<dyn Solve<Self>>> {
        let _ = bytes;
        None
    }

    /// Nodes of the median solve of positions like this one; `None` if unknown.
    fn nodes_to_solve(&self) -> Option<f64> {
        None
    }
}

/// Solves positions of one game on one board.
pub trait Solve<G>: Send {
    /// Searches a position.
    fn solve(&mut self, position: &G, effort: &SolveLimits<'_>) -> SolveResult;

    /// Rates the moves of a solved position: `proof` and `best` as found.
    fn advise(
        &mut self,
        position: &G,
        proof: Proof,
        best: Option<Move>,
        effort: &SolveLimits<'_>,
    ) -> Advice;

    /// A line of best play from a solved position, as far as the limits allow: the winner plays
    /// winning moves, the loser those that are hardest to refute.
    fn line(&mut self, position: &G, effort: &SolveLimits<'_>) -> Vec<Move>;

    /// Losing moves that can be proven cheaply; not necessarily all of them, and never all legal
    /// moves.
    fn losing(&mut self, position: &G, effort: &SolveLimits<'_>) -> Vec<Move> {
        let _ = (position, effort);
        Vec::new()
    }

    /// Probes for many positions with small limits. With one thread equal probes in equal order,
    /// after the same calls of this solver, give equal results.
    fn probes(&self) -> MakeProbe<G>;

    /// Allocates memory in advance, if that takes time: before a clock runs.
    fn get_ready(&mut self) {}

    /// Removes all proven positions.
    fn clear(&mut self);
}
