//! Proven facts of a position, as a prober tells them to a search.

use super::{Bounds, Move};

/// What is proven of a position, for its side to move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Its result.
    pub bounds: Bounds,
    /// The legal moves that are not proven to lose; `None` if none is proven to.
    pub open_moves: Option<Vec<Move>>,
}

impl Facts {
    /// Nothing is proven.
    pub const NONE: Facts = Facts {
        bounds: Bounds::OPEN,
        open_moves: None,
    };
}

impl From<Bounds> for Facts {
    fn from(bounds: Bounds) -> Facts {
        Facts {
            bounds,
            ..Facts::NONE
        }
    }
}
