//! Gomoku's wins by threats: who cannot be stopped any more, by which moves.
//!
//! [`Prover`] looks for a line of fours, then for a tree of threes and fours with every reply that
//! could stop them, for the side to move and, where that side is threatened, for the other one. It
//! says what it has proven and nothing else: no win found is no statement.
//!
//! This room knows the rules and what a solver is: no clock, no network, no search tree, no text.

mod advice;
mod board;
mod fours;
mod level;
mod moves;
mod numbers;
mod prover;
mod replies;
mod search;
mod table;

pub use prover::Prover;

use crate::game::gomoku::Gomoku;
use crate::solver::{Solvable, Solve};

impl Solvable for Gomoku {
    const SOLVED: bool = true;

    fn solver(bytes: usize) -> Option<Box<dyn Solve<Self>>> {
        Some(Box::new(Prover::new(bytes)))
    }
}

#[cfg(test)]
mod tests;
