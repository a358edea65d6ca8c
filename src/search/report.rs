//! What a search found, as plain data.

use std::time::Duration;

use crate::clock::StopReason;
pub use crate::game::Proof;
use crate::game::{Expected, Move};

/// One root move.
#[derive(Debug, Clone, PartialEq)]
pub struct MoveReport {
    /// The move.
    pub mv: Move,
    /// Completed visits through it, reused ones counted.
    pub visits: u64,
    /// Expected result in [-1, 1] for the side to move at the root.
    pub value: f32,
    /// Lower confidence bound of the value, in [-1, 1].
    pub lcb: f32,
    /// Prior probability (policy after masking and softmax), in [0, 1].
    pub prior: f32,
    /// The result of this move for the side that plays it, when it is proven.
    pub proof: Option<Proof>,
    /// The main line, this move first; never empty.
    pub pv: Vec<Move>,
    /// Completed visits through each move of the main line.
    pub pv_visits: Vec<u64>,
    /// What is to become of the points after this move, where it is known and was asked for
    /// ([`PointsByMove`](super::PointsByMove)); without owners unless those were asked for, too.
    pub expected: Option<Expected>,
}

impl MoveReport {
    /// A move that nothing was searched for.
    #[must_use]
    pub fn unsearched(mv: Move, prior: f32) -> MoveReport {
        MoveReport {
            mv,
            visits: 0,
            value: 0.0,
            lcb: -1.0,
            prior,
            proof: None,
            pv: vec![mv],
            pv_visits: vec![0],
            expected: None,
        }
    }
}

/// The result of one search.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchReport {
    /// Every legal root move, the move to play first, then by descending visits. Empty exactly
    /// when the side to move has no legal move.
    pub moves: Vec<MoveReport>,
    /// Expected result in [-1, 1] for the side to move at the root.
    pub value: f32,
    /// The root's result for the side to move there, when it is proven.
    pub proof: Option<Proof>,
    /// Visits of the root, reused ones counted.
    pub visits: u64,
    /// Visits that were there before this search began.
    pub reused: u64,
    /// Playouts of this search; under a simulated clock what a solver did beyond them counts, too.
    pub playouts: u64,
    /// Evaluations that this search asked for; a cache may have answered some of them.
    pub evaluations: u64,
    /// Descents that ended at a leaf which somebody was evaluating, and were taken back.
    pub collisions: u64,
    /// Nodes in the tree after it, those of earlier searches included.
    pub nodes: u64,
    /// What is to become of the points, where that is known in a game that counts them.
    pub expected: Option<Expected>,
    /// Wall time of this search.
    pub elapsed: Duration,
    /// Why it ended.
    pub stop: StopReason,
}

impl SearchReport {
    /// A report of moves that nothing was searched for, the move to play first.
    #[must_use]
    pub fn unsearched(moves: Vec<MoveReport>, stop: StopReason) -> SearchReport {
        SearchReport {
            moves,
            value: 0.0,
            proof: None,
            visits: 0,
            reused: 0,
            playouts: 0,
            evaluations: 0,
            collisions: 0,
            nodes: 0,
            expected: None,
            elapsed: Duration::ZERO,
            stop,
        }
    }

    /// Whether a network has said something in it; playouts alone ask none.
    #[must_use]
    pub fn by_network(&self) -> bool {
        self.evaluations > 0
    }

    /// The move to play, if there is a legal one.
    #[must_use]
    pub fn best(&self) -> Option<&MoveReport> {
        self.moves.first()
    }
}
