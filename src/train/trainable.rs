//! All that training asks of a game.

use crate::encode::Encode;
use crate::rollout::Playout;
use crate::solver::Solvable;

/// A game that can be trained: networks read it, playouts finish it, and its endings may be
/// proven. Every game that has these is one.
pub trait Trainable: Encode + Playout + Solvable {}

impl<G: Encode + Playout + Solvable> Trainable for G {}
