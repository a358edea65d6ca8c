//! Exact results of NoGo endings: the winner with best play, and a winning move.
//!
//! NoGo's endings are countable: points that only one side can still play are its spare moves, and
//! walls that cannot be captured divide the board into independent games. [`Solver`] combines a
//! boolean alpha-beta search over one in-place position with sound bounds on both sides' remaining
//! moves, exact values of small parts, and a table of proven positions that outlives a call: an
//! interrupted search can be continued, and the results are available to the next move's search and
//! to probes of a search tree on other threads.
//!
//! This module knows rules only: no clock (the caller decides when to stop), no network, no search
//! tree, no text.

mod analyst;
mod board;
mod bounds;
mod hash;
mod kept_eyes;
mod order;
mod parts;
mod search;
mod state;
mod sum;
mod table;
mod values;

use std::panic::resume_unwind;
use std::sync::Arc;

use super::NoGo;
use crate::game::{Bounds, Game as _, Move, Proof};
use crate::solver::{
    MakeProbe, RatedMove, Solvable, Solve, SolveLimits, SolveResult, SolvedMoves, Solves, decided,
};
use analyst::Analyst;
use board::Board;
use bounds::MoveBounds;
use search::{Search, Shared};
use table::ProofTable;

/// Nodes of the median solve by the number of moves by which the bounds fail, by least squares of
/// the nodes' logarithm: 3,102 new positions of searches from plies 43 to 58 of
/// `gtp-tests/endings/nogo-9x9.txt`, up to 30,000 nodes each. Its standard deviation is 2.1 bits;
/// by the moves that can be left it would be 3.8, by both sides' legal moves 2.6.
const NODES_DECIDED: f64 = 0.57;
const NODES_PER_MISSING: f64 = 1.95;

impl<const W: usize> Solvable for NoGo<W> {
    const SOLVES: Solves = Solves::Endings;

    fn solver(bytes: usize) -> Option<Box<dyn Solve<Self>>> {
        Some(Box::new(Solver::new(bytes)))
    }

    fn nodes_to_solve(&self) -> Option<f64> {
        let board = Board::new(self);
        let missing = MoveBounds::new(&board).missing(&board);
        Some(NODES_DECIDED * NODES_PER_MISSING.powi(missing))
    }
}

/// Solves NoGo positions. With one thread equal calls in equal order give equal
/// results.
#[derive(Debug)]
pub struct Solver<const W: usize> {
    table: Arc<ProofTable>,
    /// One for each thread.
    analysts: Vec<Analyst<W>>,
}

impl<const W: usize> Solver<W> {
    /// A solver with at most about `bytes` for proven positions, at least 1 MiB.
    pub fn new(bytes: usize) -> Self {
        Solver {
            table: Arc::new(ProofTable::new(bytes)),
            analysts: Vec::new(),
        }
    }
}

impl<const W: usize> Solve<NoGo<W>> for Solver<W> {
    fn clear(&mut self) {
        self.table.clear();
    }

    fn solve(&mut self, position: &NoGo<W>, effort: &SolveLimits<'_>) -> SolveResult {
        let threads = effort.threads.max(1);
        let size = position.size();
        if self.analysts.iter().any(|analyst| analyst.size != size) {
            // Keys of the table do not tell boards apart.
            self.table.clear();
            self.analysts.clear();
        }
        while self.analysts.len() < threads {
            self.analysts.push(Analyst::new(size));
        }
        let shared = Shared::new(effort);
        let (table, board) = (&*self.table, Board::new(position));
        let run = |analyst| Search::new(board.clone(), table, analyst, &shared).run();
        let known = match &mut self.analysts[..threads] {
            [] => None,
            [first, others @ ..] => std::thread::scope(|scope| {
                let new = std::thread::Builder::new;
                // Where the system allows no more threads, fewer do.
                let threads: Vec<_> = others
                    .iter_mut()
                    .map_while(|analyst| new().spawn_scoped(scope, || run(analyst)).ok())
                    .collect();
                let first = run(first);
                let results = threads
                    .into_iter()
                    .map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
                // One that ends the others may keep them from finding a move.
                let known = std::iter::once(first).chain(results).filter_map(Result::ok);
                known.max_by_key(|(_, best)| best.is_some())
            }),
        };
        SolveResult {
            bounds: decided(known.map(|(wins, _)| wins)),
            best: known.and_then(|(_, best)| best),
            plies: 0,
            nodes: shared.nodes(),
        }
    }

    /// All winning moves win and all losing moves lose against a perfect opponent. Among winning moves the one with the
    /// widest margin is the easiest to follow up; among losing moves the one with the fewest winning replies is the
    /// most likely to be answered wrongly (docs/methods.md#endings).
    fn advise(
        &mut self,
        position: &NoGo<W>,
        proof: Proof,
        best: Option<Move>,
        effort: &SolveLimits<'_>,
    ) -> SolvedMoves {
        let wins = proof == Proof::Win;
        let mut budget = NodeBudget {
            solver: self,
            effort,
            left: effort.nodes,
        };
        let moves: Vec<Move> = position.legal_moves().collect();
        let mut rated: Vec<RatedMove> = Vec::with_capacity(moves.len());
        for (done, &mv) in moves.iter().enumerate() {
            let next = position.after(mv);
            let share = budget.left / (moves.len() - done) as u64;
            let (bounds, score) = if !wins {
                (Bounds::exactly(Proof::Loss), budget.traps(&next, share))
            } else if best == Some(mv) {
                (Bounds::exactly(Proof::Win), margin(&next))
            } else {
                (budget.solve(&next, share).bounds.flip(), margin(&next))
            };
            rated.push(RatedMove { mv, bounds, score });
        }
        let rank = |rated: &RatedMove| match rated.proof() {
            Some(Proof::Win) => 0,
            Some(Proof::Draw) | None => 1,
            Some(Proof::Loss) => 2,
        };
        rated.sort_by(|a, b| rank(a).cmp(&rank(b)).then(b.score.total_cmp(&a.score)));
        SolvedMoves {
            proof,
            moves: rated,
            nodes: effort.nodes - budget.left,
        }
    }

    fn line(&mut self, position: &NoGo<W>, effort: &SolveLimits<'_>) -> Vec<Move> {
        let mut budget = NodeBudget {
            solver: self,
            effort,
            left: effort.nodes,
        };
        let mut line = Vec::new();
        let mut position = position.clone();
        while position.outcome().is_none() {
            let found = budget.solve(&position, budget.left);
            let mv = match found.proof() {
                Some(Proof::Draw) | None => break,
                Some(Proof::Win) => found.best,
                Some(Proof::Loss) => {
                    let cost = |mv: &Move| budget.solve(&position.after(*mv), budget.left).nodes;
                    position.legal_moves().max_by_key(cost)
                }
            };
            let Some(mv) = mv else { break };
            line.push(mv);
            position.play(mv);
        }
        line
    }

    /// Probes share the table of the solver, whose keys do not tell boards apart: they are for boards of one size, that of
    /// the positions it solves.
    fn probes(&self) -> MakeProbe<NoGo<W>> {
        let table = Arc::clone(&self.table);
        Arc::new(move || {
            let table = Arc::clone(&table);
            let mut analyst: Option<Analyst<W>> = None;
            Box::new(move |position, effort| {
                let size = position.size();
                let known = analyst.take().filter(|analyst| analyst.size == size);
                let analyst = analyst.insert(known.unwrap_or_else(|| Analyst::new(size)));
                let shared = Shared::new(effort);
                let board = Board::new(position);
                let found = Search::new(board, &table, analyst, &shared).wins();
                Some(decided(found.ok()).into())
            })
        })
    }
}

/// A solver with its remaining node budget.
struct NodeBudget<'a, const W: usize> {
    solver: &'a mut Solver<W>,
    effort: &'a SolveLimits<'a>,
    left: u64,
}

impl<const W: usize> NodeBudget<'_, W> {
    fn solve(&mut self, position: &NoGo<W>, nodes: u64) -> SolveResult {
        // Short solves do not check the limits themselves, and there may be hundreds of them.
        let over = (self.effort.halt)(self.effort.nodes - self.left);
        let nodes = if over { 0 } else { nodes.min(self.left) };
        let found = self.solver.solve(position, &self.effort.within(nodes));
        self.left = self.left.saturating_sub(found.nodes);
        found
    }

    /// The share of moves of `position` that are not known to win.
    fn traps(&mut self, position: &NoGo<W>, nodes: u64) -> f32 {
        let replies: Vec<Move> = position.legal_moves().collect();
        let count = replies.len().max(1);
        let safe = replies.iter().filter(|&&reply| {
            let next = self.solve(&position.after(reply), nodes / count as u64);
            next.proof() != Some(Proof::Loss)
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

#[cfg(test)]
mod tests;
