//! Which move to play in a solved position.
//!
//! All winning moves win and all losing moves lose against a perfect opponent. Among winning moves
//! the one with the widest margin is the easiest to follow up; among losing moves the one with the
//! fewest winning replies is the most likely to be answered wrongly (docs/methods.md#endings).

use super::board::Board;
use super::bounds::MoveBounds;
use crate::game::{Game, Move, Proof};
use crate::games::nogo::NoGo;
use crate::solver::{RatedMove, Solve, SolveLimits, SolveResult, SolvedMoves, decided};

/// Implements [`Solve::advise`].
pub(super) fn advise<const W: usize>(
    solver: &mut dyn Solve<NoGo<W>>,
    position: &NoGo<W>,
    proof: Proof,
    best: Option<Move>,
    effort: &SolveLimits<'_>,
) -> SolvedMoves {
    let wins = proof == Proof::Win;
    let mut budget = NodeBudget {
        solver,
        effort,
        left: effort.nodes,
    };
    let moves: Vec<Move> = position.legal_moves().collect();
    let mut rated: Vec<RatedMove> = Vec::with_capacity(moves.len());
    for (done, &mv) in moves.iter().enumerate() {
        let next = after(position, mv);
        let share = budget.left / (moves.len() - done) as u64;
        let (wins, score) = if !wins {
            (Some(false), budget.traps(&next, share))
        } else if best == Some(mv) {
            (Some(true), margin(&next))
        } else {
            (budget.loses(&next, share), margin(&next))
        };
        let bounds = decided(wins);
        rated.push(RatedMove { mv, bounds, score });
    }
    let rank = |rated: &RatedMove| match rated.wins() {
        Some(true) => 0,
        None => 1,
        Some(false) => 2,
    };
    rated.sort_by(|a, b| rank(a).cmp(&rank(b)).then(b.score.total_cmp(&a.score)));
    SolvedMoves {
        proof,
        moves: rated,
        nodes: effort.nodes - budget.left,
    }
}

/// Implements [`Solve::line`].
pub(super) fn line<const W: usize>(
    solver: &mut dyn Solve<NoGo<W>>,
    position: &NoGo<W>,
    effort: &SolveLimits<'_>,
) -> Vec<Move> {
    let mut budget = NodeBudget {
        solver,
        effort,
        left: effort.nodes,
    };
    let mut line = Vec::new();
    let mut position = position.clone();
    while position.outcome().is_none() {
        let found = budget.solve(&position, budget.left);
        let mv = match found.wins() {
            None => break,
            Some(true) => found.best,
            Some(false) => {
                let cost = |mv: &Move| budget.solve(&after(&position, *mv), budget.left).nodes;
                position.legal_moves().max_by_key(cost)
            }
        };
        let Some(mv) = mv else { break };
        line.push(mv);
        position.play(mv);
    }
    line
}

fn after<const W: usize>(position: &NoGo<W>, mv: Move) -> NoGo<W> {
    let mut next = position.clone();
    next.play(mv);
    next
}

/// A solver with its remaining node budget.
struct NodeBudget<'a, const W: usize> {
    solver: &'a mut dyn Solve<NoGo<W>>,
    effort: &'a SolveLimits<'a>,
    left: u64,
}

impl<const W: usize> NodeBudget<'_, W> {
    fn solve(&mut self, position: &NoGo<W>, nodes: u64) -> SolveResult {
        // Short solves do not check the limits themselves, and there may be hundreds of them.
        let over = (self.effort.halt)(self.effort.nodes - self.left);
        let effort = SolveLimits {
            nodes: if over { 0 } else { nodes.min(self.left) },
            ..*self.effort
        };
        let found = self.solver.solve(position, &effort);
        self.left = self.left.saturating_sub(found.nodes);
        found
    }

    /// Whether the side to move loses, where `nodes` are enough to prove it.
    fn loses(&mut self, position: &NoGo<W>, nodes: u64) -> Option<bool> {
        self.solve(position, nodes).wins().map(|wins| !wins)
    }

    /// The share of moves of `position` that are not known to win.
    fn traps(&mut self, position: &NoGo<W>, nodes: u64) -> f32 {
        let replies: Vec<Move> = position.legal_moves().collect();
        let count = replies.len().max(1);
        let safe = replies.iter().filter(|&&reply| {
            let known = self.loses(&after(position, reply), nodes / count as u64);
            known != Some(true)
        });
        safe.count() as f32 / count as f32
    }
}

/// Sure moves of the side that has just moved, minus possible ones of the side to move.
fn margin<const W: usize>(position: &NoGo<W>) -> f32 {
    let board = Board::new(position);
    let bounds = MoveBounds::new(&board);
    let mover = board.to_move;
    let lower = bounds.lower(&board, mover.opponent().index(), board.empty);
    (lower - bounds.upper(&board, mover.index(), board.empty)) as f32
}
