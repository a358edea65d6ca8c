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

mod advice;
mod board;
mod bounds;
mod hash;
mod kept_eyes;
mod order;
mod part_values;
mod parts;
mod search;
mod shapes;
mod state;
mod sum;
mod table;
mod values;

use std::sync::Arc;

use super::NoGo;
use crate::game::{Game as _, Move, Proof};
use crate::solver::{
    MakeProbe, Solvable, Solve, SolveLimits, SolveResult, SolvedMoves, Solves, decided,
};
use board::Board;
use bounds::MoveBounds;
use search::{Halted, Search, Shared};
use state::Analyst;
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
    #[must_use]
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
        self.analysts.retain(|analyst| analyst.size() == size);
        while self.analysts.len() < threads {
            self.analysts.push(Analyst::new(size));
        }
        let shared = Shared::new(effort);
        let (table, board) = (&*self.table, Board::new(position));
        let run = |analyst| Search::new(board.clone(), table, analyst, &shared).run();
        let result = match &mut self.analysts[..threads] {
            [alone] => run(alone),
            all => std::thread::scope(|scope| {
                let threads: Vec<_> = all
                    .iter_mut()
                    .map(|analyst| scope.spawn(|| run(analyst)))
                    .collect();
                let results = threads.into_iter().filter_map(|thread| thread.join().ok());
                results.fold(Err(Halted), Result::or)
            }),
        };
        let known = result.ok();
        SolveResult {
            bounds: decided(known.map(|known| known.wins)),
            best: known.and_then(|known| known.best),
            nodes: shared.nodes(),
        }
    }

    fn advise(
        &mut self,
        position: &NoGo<W>,
        proof: Proof,
        best: Option<Move>,
        effort: &SolveLimits<'_>,
    ) -> SolvedMoves {
        advice::advise(self, position, proof, best, effort)
    }

    fn line(&mut self, position: &NoGo<W>, effort: &SolveLimits<'_>) -> Vec<Move> {
        advice::line(self, position, effort)
    }

    /// Probes share the table of the solver.
    fn probes(&self) -> MakeProbe<NoGo<W>> {
        let table = Arc::clone(&self.table);
        Arc::new(move || {
            let table = Arc::clone(&table);
            let mut analyst: Option<Analyst<W>> = None;
            Box::new(move |position, effort| {
                let size = position.size();
                let known = analyst.take().filter(|analyst| analyst.size() == size);
                let analyst = analyst.insert(known.unwrap_or_else(|| Analyst::new(size)));
                let shared = Shared::new(effort);
                let board = Board::new(position);
                let found = Search::new(board, &table, analyst, &shared).wins();
                Some(decided(found.ok()).into())
            })
        })
    }
}

#[cfg(test)]
mod tests;
