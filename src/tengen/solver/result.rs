//! Limits and results of a solver call.

use crate::game::{Bounds, Move, Proof};

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

/// Result of a solver call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SolveResult {
    /// Bounds for the side to move; open if the limits were too small.
    pub bounds: Bounds,
    /// A move that keeps the result, if known and not all moves do.
    pub best: Option<Move>,
    /// Positions visited by this call.
    pub nodes: u64,
}

impl SolveResult {
    /// The result for the side to move, if known.
    #[must_use]
    pub fn proof(&self) -> Option<Proof> {
        self.bounds.proof()
    }

    /// Whether the side to move wins, if known.
    #[must_use]
    pub fn wins(&self) -> Option<bool> {
        wins(self.bounds)
    }
}

/// Whether a side with these bounds wins, if known: a certain draw is not a win.
fn wins(bounds: Bounds) -> Option<bool> {
    match (bounds.low(), bounds.high()) {
        (Proof::Win, _) => Some(true),
        (_, Proof::Loss | Proof::Draw) => Some(false),
        _ => None,
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
    /// Whether it wins, if known.
    #[must_use]
    pub fn wins(&self) -> Option<bool> {
        wins(self.bounds)
    }
}

/// The moves of a solved position, rated.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// The result for the side to move.
    pub proof: Proof,
    /// Every legal move, best first; ties ascending by point.
    pub moves: Vec<RatedMove>,
    /// Positions visited in addition.
    pub nodes: u64,
}
