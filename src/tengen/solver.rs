//! Exact results: the interface of the solvers of games, which stand in the folders of the games.
//!
//! A solver knows rules only: no clock (the caller decides when to stop), no network, no search
//! tree, no text.

use crate::game::{Bounds, Game, Move, ProbeResult, Proof};
use std::sync::Arc;

/// Limits of a solver call.
#[derive(Clone, Copy)]
pub struct SolveLimits<'a> {
    /// Positions that may be visited, by all threads together.
    pub nodes: u64,
    /// Threads, at least 1.
    pub threads: usize,
    /// Called every few hundred positions by every thread with the total number of visited
    /// positions; returns whether to stop.
    pub halt: &'a (dyn Fn(u64) -> bool + Sync),
}

impl<'a> SolveLimits<'a> {
    /// The same with this many positions.
    #[must_use]
    pub fn within(&self, nodes: u64) -> SolveLimits<'a> {
        SolveLimits { nodes, ..*self }
    }

    /// Of a call on the calling thread alone.
    pub fn alone(nodes: u64, halt: &'a (dyn Fn(u64) -> bool + Sync)) -> SolveLimits<'a> {
        SolveLimits {
            nodes,
            threads: 1,
            halt,
        }
    }
}

/// Result of a solver call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SolveResult {
    /// Bounds for the side to move; open if the limits were too small.
    pub bounds: Bounds,
    /// A move that keeps the result, if known and not all moves do.
    pub best: Option<Move>,
    /// Plies to the end along the line found, without errors of either side; 0 where they are not counted.
    pub plies: u16,
    /// Positions visited by this call.
    pub nodes: u64,
}

impl SolveResult {
    /// The result for the side to move, if known.
    pub fn proof(&self) -> Option<Proof> {
        self.bounds.proof()
    }
}

/// The bounds of a game without draws.
pub(crate) fn decided(wins: Option<bool>) -> Bounds {
    match wins {
        Some(true) => Bounds::exactly(Proof::Win),
        Some(false) => Bounds::exactly(Proof::Loss),
        None => Bounds::OPEN,
    }
}

/// A move of a solved position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatedMove {
    /// The move.
    pub mv: Move,
    /// Its result for the side that plays it, as far as known.
    pub bounds: Bounds,
    /// Among moves of the same result the higher is preferred: for winning moves own sure moves
    /// minus the opponent's possible ones, for losing moves the share of replies that are not known
    /// to win, in [0, 1].
    pub score: f32,
}

impl RatedMove {
    /// Its result, if known.
    pub fn proof(&self) -> Option<Proof> {
        self.bounds.proof()
    }
}

/// The moves of a solved position, rated.
#[derive(Debug, Clone, PartialEq)]
pub struct SolvedMoves {
    /// The result for the side to move.
    pub proof: Proof,
    /// Every legal move, best first; ties ascending by point.
    pub moves: Vec<RatedMove>,
    /// Positions visited in addition.
    pub nodes: u64,
}

/// A probe: proves facts of a position within limits, on the calling thread; `None` if there is
/// nothing to prove.
pub type Probe<G> = Box<dyn FnMut(&G, &SolveLimits<'_>) -> Option<ProbeResult> + Send>;

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
    ) -> SolvedMoves;

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

    /// Removes all proven positions.
    fn clear(&mut self);
}
