//! Games whose rules may forbid that a position comes back.

use super::Move;

/// The repetition rule of a game. Moves that it forbids are among the legal ones:
/// [`PositionHistory`](super::PositionHistory) filters them.
pub trait Superko {
    /// Whether the present rules forbid moves that repeat an earlier position.
    fn is_in_force(&self) -> bool;

    /// The key by which the rule distinguishes positions.
    fn repetition_key(&self) -> u128;

    /// The [`Superko::repetition_key`] of the position after a legal move.
    fn repetition_key_after(&self, mv: Move) -> u128;
}

impl Superko for Absent {
    fn is_in_force(&self) -> bool {
        match *self {}
    }

    fn repetition_key(&self) -> u128 {
        match *self {}
    }

    fn repetition_key_after(&self, _: Move) -> u128 {
        match *self {}
    }
}

/// Stands for a capability that a game does not have: `None::<&Absent>`. It has no values, so that
/// nothing is left of such a question in compiled code.
#[derive(Debug, Clone, Copy)]
pub enum Absent {}
