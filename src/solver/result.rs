//! What a search may spend, and what it finds.

use crate::game::{Bounds, Move, Proof};

/// What a search may spend.
#[derive(Clone, Copy)]
pub struct SolveLimits<'a> {
    /// Positions that may be visited, by all threads together.
    pub nodes: u64,
    /// Threads, at least 1.
    pub threads: usize,
    /// Asked every few hundred positions, by every thread, whether to stop; it is told how many
    /// positions all threads have visited.
    pub halt: &'a (dyn Fn(u64) -> bool + Sync),
}

/// What a search found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SolveResult {
    /// What the side to move can get; open as far as the effort was not enough.
    pub bounds: Bounds,
    /// A move that keeps the result, where it is known and not all moves do.
    pub best: Option<Move>,
    /// Positions visited.
    pub nodes: u64,
}

impl SolveResult {
    /// The result for the side to move, where it is known.
    #[must_use]
    pub fn proof(&self) -> Option<Proof> {
        self.bounds.proof()
    }

    /// Whether the side to move wins, where that is known.
    #[must_use]
    pub fn wins(&self) -> Option<bool> {
        wins(self.bounds)
    }
}

/// Whether a side with these bounds wins, where that is known: with a draw for certain it does not.
pub(super) fn wins(bounds: Bounds) -> Option<bool> {
    match (bounds.low(), bounds.high()) {
        (Proof::Win, _) => Some(true),
        (_, Proof::Loss | Proof::Draw) => Some(false),
        _ => None,
    }
}

/// The bounds of a game without draws.
pub(super) fn decided(wins: Option<bool>) -> Bounds {
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
    /// What it leads to, for the side that plays it, as far as that was found out.
    pub bounds: Bounds,
    /// Among moves of the same result the higher is to be preferred: for winning moves sure moves
    /// of one's own less the opponent's possible ones, for losing moves the share of replies that
    /// are not known to win, in [0, 1].
    pub score: f32,
}

impl RatedMove {
    /// Whether it wins, where that is known.
    #[must_use]
    pub fn wins(&self) -> Option<bool> {
        wins(self.bounds)
    }
}

/// What is known of a solved position and its moves.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// The result for the side to move.
    pub proof: Proof,
    /// Every legal move, best first; equals ascending by point.
    pub moves: Vec<RatedMove>,
    /// Positions visited for it.
    pub nodes: u64,
}
