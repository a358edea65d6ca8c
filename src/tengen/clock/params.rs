//! Inputs of the time manager: its settings, the situation before a move, and the move's use of time.

use std::time::Duration;

use super::{Overtime, SideClock, StopReason};
use crate::settings::Switch;

crate::settings! {
    /// Settings of the time manager; every field is a line of the table in this file.
    #[derive(Debug, Clone, PartialEq)]
    TimeParams, "Time management" {
        time_reserve: f64 = 0.03, 0.0..=0.5,
            "Share of the main time reserved for accidents; at least 1.3 seconds, or 3% of a short \
             clock, and at most 5 seconds; twice that while the controller does not report the \
             time.", "ours";
        time_rise: f64 = 2.0, 0.0..=10.0,
            "Additional time of the last moves before the expected proof, as a share of the time of an opening move.", "what a move loses against 4,096 visits, by ply and visits, in 2,361 positions: 0.009 at ply 4, 0.025 at 40, 0.05 at 50, 0.2 at 56 (128 visits)";
        time_takeover: bool = true, Switch,
            "Plan for the moves until positions are usually proven, not for the whole game.", "docs/methods.md#time";
        time_overtake: f64 = 0.5, 0.0..=1.0,
            "Stops when the runner-up would need more than this share of the remaining visits to overtake the leader; 0 for never.", "STOP of Baier & Winands 2016; in the same positions it saves about a tenth of the visits for the same loss";
        time_extend: f64 = 1.5, 1.0..=10.0,
            "Maximum extension, in planned times, when the leader is new or does not have the best value; 1 for never.", "unstable of Huang et al. 2010";
        time_credit: f64 = 0.7, 0.0..=0.95,
            "Maximum share of a move's time that reused visits may save; 0 for never.", "ours; scored 58.0% +- 6.7 against 0 in 143 games of 4 s on the simulated clock";
    }
}

/// A position at which a move is due, as the time manager sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Situation {
    /// A reading of the clock of the side to move, before the move.
    pub(crate) clock: SideClock,
    /// Plies played before this move, by both sides.
    pub(crate) ply: u32,
    /// Expected number of plies until the result is known.
    pub(crate) plies_left: f64,
    /// Number of plies for which time is reserved.
    pub(crate) reserved_plies: u32,
    /// The game certainly has no more plies than this.
    pub(crate) most_plies: u32,
    /// The ply from which positions of this game are usually proven by searches of a tenth of a
    /// second; `None` if no ply is usual.
    pub(crate) usually_proven_from: Option<f64>,
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
