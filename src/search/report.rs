//! Results of a search, as plain data.

use std::time::Duration;

use crate::clock::StopReason;
use crate::game::{Move, OwnershipEstimate, Proof};

/// One legal move of the root, with its statistics.
#[derive(Debug, Clone, PartialEq)]
pub struct MoveReport {
    /// The move.
    pub mv: Move,
    /// Completed visits through it, reused ones counted.
    pub visits: u64,
    /// Expected result in [-1, 1] for the side to move at the root. A move without visits has the
    /// root's value (0 in [`MoveReport::unsearched`]).
    pub value: f32,
    /// Lower confidence bound of the value, in [-1, 1].
    pub lcb: f32,
    /// Prior probability (policy after masking and softmax), in [0, 1].
    pub prior: f32,
    /// The result of this move for the side that plays it, when it is proven.
    pub proof: Option<Proof>,
    /// The principal variation, this move first; never empty.
    pub pv: Vec<Move>,
    /// Completed visits through each move of the principal variation.
    pub pv_visits: Vec<u64>,
    /// Expected ownership and score after this move, where known and requested
    /// ([`PointsByMove`](super::PointsByMove)); owners only if requested.
    pub expected: Option<OwnershipEstimate>,
}

impl MoveReport {
    /// A move that was not searched.
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
    /// Visits before this search began.
    pub reused: u64,
    /// Playouts of this search; under a simulated clock the additional work of a solver counts,
    /// too.
    pub playouts: u64,
    /// Evaluations requested by this search; a cache may have answered some of them.
    pub evaluations: u64,
    /// Descents that ended at a leaf being evaluated, and were reverted.
    pub collisions: u64,
    /// Nodes in the tree after the search, reused ones included.
    pub nodes: u64,
    /// Expected ownership and score, where known in a game that counts points.
    pub expected: Option<OwnershipEstimate>,
    /// Wall time of this search.
    pub elapsed: Duration,
    /// Which limit or proof ended the search.
    pub stop: StopReason,
}

/// Receives the reports that are made during a search; see [`AnalysisOptions::interval`](super::AnalysisOptions).
pub type Observer<'a> = dyn FnMut(&SearchReport) + 'a;

impl SearchReport {
    /// A report of unsearched moves, the move to play first.
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

    /// Whether a network was evaluated; playouts alone need none.
    #[must_use]
    pub fn by_network(&self) -> bool {
        self.evaluations > 0
    }

    /// The move to play, if there is a legal one.
    #[must_use]
    pub fn best(&self) -> Option<&MoveReport> {
        self.moves.first()
    }

    /// Black's expected lead in points if the best move is played; over all searched moves, with
    /// the bad ones among them, if no points were asked for by move. `None` without points.
    #[must_use]
    pub fn black_ahead(&self) -> Option<f32> {
        let best = self.best().and_then(|best| best.expected.as_ref());
        let expected = best.or(self.expected.as_ref());
        expected.map(|expected| expected.black_ahead)
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;

    #[test]
    fn the_lead_is_that_of_the_best_move_where_it_is_known() {
        let by = |black_ahead| OwnershipEstimate {
            owner: Vec::new(),
            defended: None,
            shared: Vec::new(),
            black_ahead,
            deviation: 0.0,
        };
        let moves = [0, 1].map(|point| MoveReport::unsearched(Move(point), 0.5));
        let mut report = SearchReport::unsearched(moves.to_vec(), StopReason::Visits);
        assert_eq!(report.black_ahead(), None);
        report.expected = Some(by(-3.0));
        report.moves[1].expected = Some(by(9.0));
        assert_eq!(
            report.black_ahead(),
            Some(-3.0),
            "the second move's does not count"
        );
        report.moves[0].expected = Some(by(4.0));
        assert_eq!(report.black_ahead(), Some(4.0));
    }
}
