//! Results of a search, by a network or by rollouts, as plain data.

use std::time::Duration;

use crate::clock::StopReason;
use crate::game::{BoardSize, Move, OwnershipEstimate, Proof, Symmetry};

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
    /// ([`PointsByMove`](crate::search::PointsByMove)); owners only if requested.
    pub expected: Option<OwnershipEstimate>,
}

impl MoveReport {
    /// A move that was not searched.
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

    /// Gives it a proven result, for the side that plays it.
    pub fn prove(&mut self, proof: Proof) {
        self.proof = Some(proof);
        (self.value, self.lcb) = (proof.value(), proof.value());
    }
}

/// The result of one search.
#[derive(Debug, Clone, Default, PartialEq)]
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
    /// Playouts of this search.
    pub playouts: u64,
    /// Evaluations requested by this search; a cache may have answered some of them.
    pub evaluations: u64,
    /// Descents that ended at a leaf being evaluated, and were reverted.
    pub collisions: u64,
    /// Nodes in the tree after the search, reused ones included.
    pub nodes: u64,
    /// Expected ownership and score, where known in a game that counts points.
    pub expected: Option<OwnershipEstimate>,
    /// Points of White's komi that the network was not shown: its numbers are for a komi without them.
    pub hidden_komi: f32,
    /// Whether the network is shown which side is the stronger one: otherwise its numbers are for equal sides.
    pub shows_advantage: bool,
    /// Wall time of this search.
    pub elapsed: Duration,
    /// Which limit or proof ended the search.
    pub stop: StopReason,
}

/// Receives the reports that are made during a search; see [`AnalysisOptions::interval`](crate::search::AnalysisOptions).
pub type Observer<'a> = dyn FnMut(&SearchReport) + 'a;

impl SearchReport {
    /// A report of unsearched moves, the move to play first.
    pub fn unsearched(moves: Vec<MoveReport>, stop: StopReason) -> SearchReport {
        SearchReport {
            moves,
            stop,
            ..SearchReport::default()
        }
    }

    /// A report of unsearched moves with equal priors, the move to play first.
    pub fn equally_likely(moves: impl Iterator<Item = Move>, stop: StopReason) -> SearchReport {
        let moves: Vec<Move> = moves.collect();
        let prior = 1.0 / moves.len().max(1) as f32;
        let moves = moves.iter();
        let moves = moves.map(|&mv| MoveReport::unsearched(mv, prior));
        SearchReport::unsearched(moves.collect(), stop)
    }

    /// Adds the work of another search for the same move.
    pub(crate) fn add_work(&mut self, other: &SearchReport) {
        self.playouts += other.playouts;
        self.evaluations += other.evaluations;
        self.collisions += other.collisions;
        self.elapsed += other.elapsed;
    }

    /// Whether a network was evaluated; playouts alone need none.
    pub fn by_network(&self) -> bool {
        self.evaluations > 0
    }

    /// A warning for the user where the network is not shown all of the komi.
    pub fn komi_warning(&self) -> Option<String> {
        let points = self.hidden_komi.abs();
        (points > 0.0).then(|| {
            format!(
                "the network is shown a komi that is nearer to 0 by {points} points: winrate and lead are for that one"
            )
        })
    }

    /// A warning for the user where a side is taken to have this number of doublings of the visits, and the network is
    /// not shown it.
    pub fn advantage_warning(&self, doublings: f32) -> Option<&'static str> {
        (doublings != 0.0 && !self.shows_advantage).then_some(
            "the network is not shown playoutDoublingAdvantage: its numbers are for equal sides",
        )
    }

    /// The report of a position for its image under a symmetry of the board.
    #[must_use]
    pub fn turned(mut self, symmetry: Symmetry, size: BoardSize) -> SearchReport {
        let turn = |mv: &mut Move| *mv = symmetry.apply(size, *mv);
        let all = |of: &mut Vec<f32>| {
            let mut image = of.clone();
            for (at, value) in of.iter().enumerate() {
                let point = symmetry.apply(size, Move(at as u16));
                if let Some(place) = image.get_mut(point.index()) {
                    *place = *value;
                }
            }
            *of = image;
        };
        let estimate = |expected: &mut OwnershipEstimate| {
            all(&mut expected.owner);
            all(&mut expected.shared);
            expected.by_turn.iter_mut().flatten().for_each(all);
        };
        for found in &mut self.moves {
            turn(&mut found.mv);
            found.pv.iter_mut().for_each(turn);
            found.expected.iter_mut().for_each(estimate);
        }
        self.expected.iter_mut().for_each(estimate);
        self
    }

    /// Puts the first move that is wanted before all others; whether there is one.
    pub fn put_first(&mut self, wanted: impl Fn(&MoveReport) -> bool) -> bool {
        let place = self.moves.iter().position(wanted);
        let before = place.and_then(|place| self.moves.get_mut(..=place));
        before.is_some_and(|before| {
            before.rotate_right(1);
            true
        })
    }

    /// The move to play, if there is a legal one.
    pub fn best(&self) -> Option<&MoveReport> {
        self.moves.first()
    }

    /// Black's expected lead in points if the best move is played; over all searched moves, with
    /// the bad ones among them, if no points were asked for by move. `None` without points.
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
            by_turn: None,
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
