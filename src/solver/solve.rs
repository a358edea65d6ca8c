//! What others know of a solver.

use super::result::{Advice, Effort, SolveResult};
use crate::game::{Bounds, Game, Move, Proof};

/// Says what the side to move can get, as far as so many nodes are enough to say; `None` where
/// there was nothing to find out.
pub type LeafProbe<G> = Box<dyn FnMut(&G, u64) -> Option<Bounds> + Send>;

/// A game, and whatever can prove results of it: nothing, unless it says otherwise.
pub trait Solvable: Game {
    /// A solver that takes about so many bytes for proven positions.
    #[must_use]
    fn solver(bytes: usize) -> Option<Box<dyn Solve<Self>>> {
        let _ = bytes;
        None
    }

    /// Says for many positions, with so many nodes each, what the side to move can get. What it says
    /// depends on nothing that came before.
    #[must_use]
    fn leaf_probe() -> Option<LeafProbe<Self>> {
        None
    }
}

/// Solves positions of one game on one board.
pub trait Solve<G>: Send {
    /// Searches a position.
    fn solve(&mut self, position: &G, effort: &Effort<'_>) -> SolveResult;

    /// Rates the moves of a position that was solved: `proof` and `best` as found.
    fn advise(
        &mut self,
        position: &G,
        proof: Proof,
        best: Option<Move>,
        effort: &Effort<'_>,
    ) -> Advice;

    /// A line of best play from a solved position, as far as the effort reaches: the winner plays
    /// moves that win, the loser those that are the hardest to refute.
    fn line(&mut self, position: &G, effort: &Effort<'_>) -> Vec<Move>;

    /// Moves that are known to lose, with little effort; by no means all of them, and never all legal
    /// ones.
    fn losing(&mut self, position: &G, effort: &Effort<'_>) -> Vec<Move> {
        let _ = (position, effort);
        Vec::new()
    }

    /// Forgets all proven positions.
    fn clear(&mut self);
}
