//! Requirements of training on a game.

use crate::encode::{Encode, Encoding, find};
use crate::eval::ModelInfo;
use crate::rollout::Playout;
use crate::solver::Solvable;
use crate::train::TrainError;

/// A game that can be trained: it has encodings, playouts and perhaps a solver. Every game with
/// these traits is one.
pub trait Trainable: Encode + Playout + Solvable {}

impl<G: Encode + Playout + Solvable> Trainable for G {}

/// The encoding of a network that is to evaluate positions of a game on a board like this one.
///
/// # Errors
/// [`TrainError::Setting`] names the network that does not fit, with the reason.
pub(in crate::train) fn encoding_of<G: Encode>(
    info: &ModelInfo,
    board: &G,
) -> Result<&'static dyn Encoding<G>, TrainError> {
    find(info, board)
        .map_err(|mismatch| TrainError::Setting(format!("{}: {mismatch}", info.network)))
}
