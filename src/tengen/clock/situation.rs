//! Inputs of the time manager: the situation before a move, and its use of time.

use std::time::Duration;

use super::{Overtime, SideClock, StopReason};

/// A position at which a move is due, as the time manager sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Situation {
    /// A reading of the clock of the side to move, before the move.
    pub clock: SideClock,
    /// Plies played before this move, by both sides.
    pub ply: u32,
    /// Expected number of plies until the result is known.
    pub plies_left: f64,
    /// Number of plies for which time is reserved.
    pub reserved_plies: u32,
    /// The game certainly has no more plies than this.
    pub most_plies: u32,
    /// The ply from which positions of this game are usually proven by searches of a tenth of a
    /// second; `None` if no ply is usual.
    pub usually_proven_from: Option<f64>,
}

impl Situation {
    /// Expected remaining own moves, at least 1.
    pub(super) fn own_moves(&self) -> f64 {
        (self.plies_left / 2.0).ceil().max(1.0)
    }

    /// Time per move in a game that is proven from this ply on, with this main time.
    pub(super) fn usual_move_time(&self, proven_from: f64, main: Duration) -> Duration {
        let pace = match self.clock.overtime() {
            Overtime::None => Duration::ZERO,
            Overtime::Canadian { period, stones } => period / stones.max(1),
            Overtime::Byoyomi { period, .. } => period,
            Overtime::Fischer { increment, .. } => increment,
        };
        main.div_f64((proven_from / 2.0).max(1.0)) + pace
    }

    /// Own moves for which time is reserved, at least 1.
    pub(super) fn most_moves(&self) -> u32 {
        self.reserved_plies.div_ceil(2).max(1)
    }
}

/// Time and search of a completed move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MoveTimeUsed {
    /// Time it took, by this engine's own clock.
    pub elapsed: Duration,
    /// Visits of its search, reused ones counted.
    pub visits: u64,
    /// Visits before the search.
    pub reused: u64,
    /// Why the search ended; `None` without one.
    pub stop: Option<StopReason>,
}
