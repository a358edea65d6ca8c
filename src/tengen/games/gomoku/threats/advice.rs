//! Choice of a move: in a decided position the winner's quickest, the loser's slowest; of a threatened side those that
//! may stop the threat, as all others lose.

use std::sync::Arc;

use super::fours::ANY_LENGTH;
use super::search::Level;
use super::table::{Known, Table, Turn};
use super::zone::Zones;
use super::{Attempt, ThreatSolver};
use crate::game::{Bounds, Game, Move, ProbeResult, Proof};
use crate::games::gomoku::{Gomoku, Points, Shape, ShapeMap};
use crate::solver::{MakeProbe, RatedMove, Solve, SolveLimits, SolveResult, SolvedMoves};

impl Solve<Gomoku> for ThreatSolver {
    /// Clears the table of proofs, as for another game.
    fn clear(&mut self) {
        self.table.iter_mut().for_each(Table::clear);
        self.zones.iter_mut().for_each(Zones::clear);
    }

    fn solve(&mut self, position: &Gomoku, effort: &SolveLimits<'_>) -> SolveResult {
        self.prove(position, effort)
    }

    /// The score of a winning move is minus the plies to the win; of a losing one, 1 - 1/n, where n
    /// is the plies to the loss after it, and 1 if that is too long to prove. Of those that last
    /// equally long one that stops a five is better, even if another five remains.
    fn advise(
        &mut self,
        position: &Gomoku,
        proof: Proof,
        best: Option<Move>,
        effort: &SolveLimits<'_>,
    ) -> SolvedMoves {
        let mut nodes = 0;
        let (best, plies) = match proof {
            Proof::Win => {
                let found = self.shorten(position, best, effort);
                nodes += found.nodes;
                (found.best, found.plies)
            }
            _ => (None, 0),
        };
        let moves: Vec<Move> = position.legal_moves().collect();
        let mut rated: Vec<RatedMove> = Vec::with_capacity(moves.len());
        let fives = ShapeMap::of(position).points(position.to_move().opponent(), Shape::Five);
        for (done, &mv) in moves.iter().enumerate() {
            let (bounds, score) = match proof {
                Proof::Win if best == Some(mv) => (Bounds::exactly(proof), -f32::from(plies)),
                Proof::Win => (Bounds::OPEN, 0.0),
                Proof::Draw => (Bounds::exactly(proof), 0.0),
                Proof::Loss => {
                    let left = match (effort.halt)(nodes) {
                        true => 0,
                        false => effort.nodes.saturating_sub(nodes) / (moves.len() - done) as u64,
                    };
                    let found = self.prove(&position.after(mv), &effort.within(left));
                    nodes += found.nodes;
                    let lasts = match found.bounds.proof() {
                        Some(_) => 1.0 - 1.0 / f32::from(found.plies.max(1)),
                        None => 1.0,
                    };
                    let stops = if fives.contains(mv) { STOPS_FIVE } else { 0.0 };
                    (Bounds::exactly(proof), lasts + stops)
                }
            };
            rated.push(RatedMove { mv, bounds, score });
        }
        let won = |rated: &RatedMove| rated.proof() == Some(Proof::Win);
        rated.sort_by(|a, b| won(b).cmp(&won(a)).then(b.score.total_cmp(&a.score)));
        SolvedMoves {
            proof,
            moves: rated,
            nodes,
        }
    }

    /// If a line of fours or a five is threatened: all moves that do not stop it.
    fn losing(&mut self, position: &Gomoku, effort: &SolveLimits<'_>) -> Vec<Move> {
        let answers = match position.outcome() {
            Some(_) => None,
            None => self.attempt(position, effort).answers(Level::ALL[1]),
        };
        let Some(answers) = answers else {
            return Vec::new();
        };
        let moves = position.legal_moves();
        let losing: Vec<Move> = moves.filter(|&mv| !answers.contains(mv)).collect();
        match losing.len() == position.legal_count() {
            true => Vec::new(),
            false => losing,
        }
    }

    /// Probes are independent: the result of a probe depends on its position alone.
    fn probes(&self) -> MakeProbe<Gomoku> {
        Arc::new(|| {
            let mut prover = ThreatSolver::new(PROBE_BYTES);
            Box::new(move |position, effort| {
                prover.clear();
                let facts = prover.facts(position, effort);
                (facts != ProbeResult::NONE).then_some(facts)
            })
        })
    }

    fn line(&mut self, position: &Gomoku, effort: &SolveLimits<'_>) -> Vec<Move> {
        let mut line = Vec::new();
        let (mut position, mut left) = (position.clone(), effort.nodes);
        while position.outcome().is_none() {
            let found = self.prove(&position, &effort.within(left));
            left = left.saturating_sub(found.nodes);
            let Some(proof) = found.bounds.proof() else {
                break;
            };
            // Decided boards are filled in any order: there is no line to show.
            if proof == Proof::Draw {
                break;
            }
            let effort = effort.within(left.min(LINE_MOVE));
            let advice = self.advise(&position, proof, found.best, &effort);
            left = left.saturating_sub(advice.nodes);
            let Some(first) = advice.moves.first() else {
                break;
            };
            line.push(first.mv);
            position.play(first.mv);
        }
        line
    }
}

/// Memory of a prover of the search, in bytes. (With an eighth of it 200,000 nodes find a third less.)
const PROBE_BYTES: usize = 1 << 21;

/// Less than any difference between the durations of moves.
const STOPS_FIVE: f32 = 1e-5;

/// Nodes for the choice of each move of a line.
const LINE_MOVE: u64 = 200_000;

impl ThreatSolver {
    /// What it can prove about a position, and if that does not decide it but the side to move is
    /// threatened, the moves that may stop the threat.
    pub(super) fn facts(&mut self, position: &Gomoku, effort: &SolveLimits<'_>) -> ProbeResult {
        let mut attempt = self.attempt(position, effort);
        let bounds = attempt.prove().bounds;
        if bounds.proof().is_some() {
            return bounds.into();
        }
        match attempt.open_answers() {
            // A side without any move has not lost.
            Some(open) if open.is_empty() && attempt.board.position.has_move(attempt.mover) => {
                Bounds::exactly(Proof::Loss).into()
            }
            open => ProbeResult {
                bounds,
                open_moves: open.filter(|open| !open.is_empty()),
            },
        }
    }
}

impl Attempt<'_> {
    /// If the mover is threatened with a five or a line of fours that this level finds: the only
    /// moves that can stop it. `None` if there is no such threat, or if the mover wins at once.
    fn answers(&mut self, level: Level) -> Option<Points> {
        let other = self.mover.opponent();
        if !self.board.fives(self.mover).is_empty() {
            return None;
        }
        if !self.board.fives(other).is_empty() {
            return Some(self.board.answers_to_four(other));
        }
        let mut search = self.threats_of(other, level, ANY_LENGTH, self.effort.nodes);
        search.replies().map(|(points, ..)| points)
    }

    /// Those of the moves that can stop a threat of which no other loss is known; `None` if there is
    /// no threat.
    fn open_answers(&mut self) -> Option<Vec<Move>> {
        let (mover, other) = (self.mover, self.mover.opponent());
        let answers = self.answers(Level::ALL[0])?;
        let keys = |mv| self.board.key_with(mover, mv);
        let mut answers: Vec<(Move, u128)> = answers.iter().map(|mv| (mv, keys(mv))).collect();
        let search = self.threats_of(other, Level::ALL[0], ANY_LENGTH, self.effort.nodes);
        answers.retain(|&(_, key)| {
            let known = search.lookup(key, Turn::Attacker);
            !known.is_some_and(Known::is_win)
        });
        Some(answers.into_iter().map(|(mv, _)| mv).collect())
    }
}
