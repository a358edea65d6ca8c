//! Gomoku's wins by threats: forced wins and their moves.
//!
//! [`ThreatSolver`] searches for a line of fours, then for a tree of threes and fours with every reply
//! that could stop them, for the side to move and, if that side is threatened, for the opponent. It
//! reports proofs only: not finding a win proves nothing.
//!
//! This module knows the rules and the interface of solvers: no clock, no network, no search tree,
//! no text.

mod advice;
mod board;
mod defences;
mod fours;
mod moves;
mod search;
mod table;
mod threat_solver;
mod zone;

pub use threat_solver::ThreatSolver;

use crate::games::gomoku::Gomoku;
use crate::solver::{Solvable, Solve, Solves};

impl Solvable for Gomoku {
    const SOLVES: Solves = Solves::Threats;

    fn solver(bytes: usize) -> Option<Box<dyn Solve<Self>>> {
        Some(Box::new(ThreatSolver::new(bytes)))
    }
}

#[cfg(test)]
mod tests;
