//! Requirements of training on a game.

use crate::TrainError;
use tengen::encode::{Encode, Encoding, find};
use tengen::rollout::Rollout;
use tengen::solver::Solvable;
use tengen_nn::eval::ModelInfo;

#[cfg(not(test))]
pub(crate) use tengen::games::with_game;

/// As [`tengen::games::with_game`], with the small game of tests.
#[cfg(test)]
macro_rules! with_game {
    ($name:expr, $size:expr, |$start:ident| $work:expr) => {
        $crate::trainable::with_game!($name, $size, rules: "", |$start| $work)
    };
    ($name:expr, $size:expr, rules: $rules:expr, |$start:ident| $work:expr) => {
        tengen::games! { first_that_fits ($name, $size, $rules, $start, $work)
            [tengen::games::tictactoe::TicTacToe] }
    };
}
#[cfg(test)]
pub(crate) use with_game;

/// A game that can be trained: it has encodings, rollouts and perhaps a solver. Every game with
/// these traits is one.
pub trait Trainable: Encode + Rollout + Solvable {}

impl<G: Encode + Rollout + Solvable> Trainable for G {}

/// The encoding of a network that is to evaluate positions of a game on a board like this one.
///
/// # Errors
/// [`TrainError::Setting`] names the network that does not fit, with the reason.
pub(crate) fn encoding_of<G: Encode>(
    info: &ModelInfo,
    board: &G,
) -> Result<&'static Encoding<G>, TrainError> {
    find(info, board)
        .map_err(|mismatch| TrainError::Setting(format!("{}: {mismatch}", info.network)))
}
