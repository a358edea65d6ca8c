//! What the time manager is told of a move: before it is made, and afterwards.

use std::time::Duration;

use super::{Overtime, SideClock, StopReason};

/// A position that waits for a move, as the manager sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Situation {
    /// The mover's clock.
    pub clock: SideClock,
    /// Plies played.
    pub ply: u32,
    /// Plies still to come, as expected.
    pub plies_left: f64,
    /// The most plies that can still come.
    pub plies_bound: u32,
    /// The ply from which positions of this game are usually proven by searches of a tenth of a
    /// second; `None` where they are not proven until the end.
    pub usually_proven_from: Option<f64>,
    /// Points of the board.
    pub area: f64,
}

impl Situation {
    /// Own moves still to come as expected, at least 1.
    pub(super) fn own_moves(&self) -> f64 {
        (self.plies_left / 2.0).ceil().max(1.0)
    }

    /// What a move of a game takes that is proven from this ply on, with so much main time.
    pub(super) fn usual_move_time(&self, proven_from: f64, main: Duration) -> Duration {
        let pace = match self.clock.overtime() {
            Overtime::None => Duration::ZERO,
            Overtime::Canadian { period, stones } => period / stones.max(1),
            Overtime::Byoyomi { period, .. } => period,
            Overtime::Fischer { increment, .. } => increment,
        };
        main.div_f64((proven_from / 2.0).max(1.0)) + pace
    }

    /// The most own moves that can still come, at least 1: what reserves are for.
    pub(super) fn most_moves(&self) -> u32 {
        self.plies_bound.div_ceil(2).max(1)
    }
}

/// What became of a move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MoveTimeUsed {
    /// Time it took, by this engine's own clock.
    pub elapsed: Duration,
    /// Visits of its search, reused ones counted.
    pub visits: u64,
    /// Visits that were there before.
    pub reused: u64,
    /// Value for the mover in [-1, 1].
    pub value: f32,
    /// Why the search ended; `None` where there was none.
    pub stop: Option<StopReason>,
}
