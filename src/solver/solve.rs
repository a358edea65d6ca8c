//! What others know of a solver.

use std::sync::Arc;

use super::result::{Advice, SolveLimits, SolveResult};
use crate::game::{Bounds, Game, Move, Proof};

/// Says what the side to move can get, as far as the effort is enough to say, on the thread that
/// asks; `None` where there was nothing to find out.
pub type Probe<G> = Box<dyn FnMut(&G, &SolveLimits<'_>) -> Option<Bounds> + Send>;

/// Makes probes, one for each thread.
pub type MakeProbe<G> = Arc<dyn Fn() -> Probe<G> + Send + Sync>;

/// A game and the solver that proves its results; by default there is none.
pub trait Solvable: Game {
    /// Whether there is a solver.
    const SOLVED: bool = false;

    /// A solver that takes about `bytes` for proven positions once it has to solve one.
    #[must_use]
    fn solver(bytes: usize) -> Option<Box<dyn Solve<Self>>> {
        let _ = bytes;
        None
    }

    /// Nodes in which half of the positions that look like this one are solved; `None` where that is not
    /// known.
    fn nodes_to_solve(&self) -> Option<f64> {
        None
    }
}

/// Solves positions of one game on one board.
pub trait Solve<G>: Send {
    /// Searches a position.
    fn solve(&mut self, position: &G, effort: &SolveLimits<'_>) -> SolveResult;

    /// Rates the moves of a position that was solved: `proof` and `best` as found.
    fn advise(
        &mut self,
        position: &G,
        proof: Proof,
        best: Option<Move>,
        effort: &SolveLimits<'_>,
    ) -> Advice;

    /// A line of best play from a solved position, as far as the effort reaches: the winner plays
    /// moves that win, the loser those that are the hardest to refute.
    fn line(&mut self, position: &G, effort: &SolveLimits<'_>) -> Vec<Move>;

    /// Moves that are known to lose, with little effort; by no means all of them, and never all legal
    /// ones.
    fn losing(&mut self, position: &G, effort: &SolveLimits<'_>) -> Vec<Move> {
        let _ = (position, effort);
        Vec::new()
    }

    /// Probes for many positions and little effort each. With one thread equal probes in equal
    /// order, after the same calls of this solver, say the same.
    fn probes(&self) -> MakeProbe<G>;

    /// Takes the memory that it is going to need, where that takes time: before a clock runs.
    fn get_ready(&mut self) {}

    /// Forgets all proven positions.
    fn clear(&mut self);
}
