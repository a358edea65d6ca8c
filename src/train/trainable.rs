//! Requirements of training on a game.

use crate::encode::Encode;
use crate::rollout::Playout;
use crate::solver::Solvable;

/// A game that can be trained: it has encodings, playouts and perhaps a solver. Every game with
/// these traits is one.
pub trait Trainable: Encode + Playout + Solvable {}

impl<G: Encode + Playout + Solvable> Trainable for G {}
