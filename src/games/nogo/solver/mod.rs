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
mod parts;
mod search;
mod table;
mod values;

use std::sync::Arc;

use super::NoGo;
use crate::game::{Move, Proof};
use crate::solver::{
    Advice, MakeProbe, Solvable, Solve, SolveLimits, SolveResult, Solves, decided,
};
use board::Board;
use bounds::MoveBounds;
use parts::PartValues;
use search::{Halted, Search, Shared};
use table::ProofTable;

/// Points of the largest part that gets an exact value. Larger parts save nodes but take more time:
/// 4,272,759 nodes and 11.2 s with 6, 4,751,140 and 8.9 s with 5, 5,197,293 and 8.1 s with 4 (40
/// positions at ply 54 of RAVE games).
const LARGEST_PART: usize = 5;

/// Nodes of the median solve by the number of moves by which the bounds fail, by least squares of
/// the nodes' logarithm: 3,102 new positions of searches from plies 43 to 58 of
/// `gtp-tests/endings/nogo-9x9.txt`, up to 30,000 nodes each. Its standard deviation is 2.1 bits;
/// by the moves that can be left it would be 3.8, by both sides' legal moves 2.6.
const NODES_DECIDED: f64 = 0.57;
const NODES_PER_MISSING: f64 = 1.95;

/// Entries of one thread's table of parts: about 50 bytes each.
const PARTS: usize = 1 << 20;

impl<const W: usize> Solvable for NoGo<W> {
    const SOLVES: Solves = Solves::Endings;

    fn solver(bytes: usize) -> Option<Box<dyn Solve<Self>>> {
        Some(Box::new(Solver::new(bytes)))
    }

    fn nodes_to_solve(&self) -> Option<f64> {
        let board = Board::new(self);
        let missing = MoveBounds::new(&board).missing();
        Some(NODES_DECIDED * NODES_PER_MISSING.powi(missing))
    }
}

/// Solves NoGo positions on one board. With one thread equal calls in equal order give equal
/// results.
#[derive(Debug)]
pub struct Solver<const W: usize> {
    table: Arc<ProofTable>,
    /// One for each thread.
    part_values: Vec<PartValues<W>>,
}

impl<const W: usize> Solver<W> {
    /// A solver with about `bytes` for proven positions, at least 4 MiB.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        Solver {
            table: Arc::new(ProofTable::new(bytes)),
            part_values: Vec::new(),
        }
    }
}

impl<const W: usize> Solve<NoGo<W>> for Solver<W> {
    fn clear(&mut self) {
        self.table.clear();
    }

    fn solve(&mut self, position: &NoGo<W>, effort: &SolveLimits<'_>) -> SolveResult {
        let threads = effort.threads.max(1);
        while self.part_values.len() < threads {
            self.part_values.push(PartValues::new(LARGEST_PART, PARTS));
        }
        let shared = Shared::new(effort);
        let (table, board) = (&*self.table, Board::new(position));
        let run = |part_values| Search::new(board.clone(), table, part_values, &shared).run();
        let result = match &mut self.part_values[..threads] {
            [alone] => run(alone),
            all => std::thread::scope(|scope| {
                let threads: Vec<_> = all
                    .iter_mut()
                    .map(|part_values| scope.spawn(|| run(part_values)))
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
    ) -> Advice {
        advice::advise(self, position, proof, best, effort)
    }

    fn line(&mut self, position: &NoGo<W>, effort: &SolveLimits<'_>) -> Vec<Move> {
        advice::line(self, position, effort)
    }

    /// Probes share the table of the solver.
    fn probes(&self) -> MakeProbe<NoGo<W>> {
        let table = Arc::clone(&self.table);
        Arc::new(move || {
            let (table, mut values) =
                (Arc::clone(&table), PartValues::new(LARGEST_PART, PARTS / 4));
            Box::new(move |position, effort| {
                let shared = Shared::new(effort);
                let board = Board::new(position);
                let found = Search::new(board, &table, &mut values, &shared).wins();
                Some(decided(found.ok()).into())
            })
        })
    }
}

#[cfg(test)]
mod tests;
