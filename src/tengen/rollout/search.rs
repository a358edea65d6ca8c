//! What all searches by rollouts have in common, for the engine: the trait and the report.

use super::{Rollout, Tally};
use crate::game::{GameState, Move, OwnershipEstimate};

/// A search by rollouts.
pub trait RolloutSearch<G: Rollout>: Send {
    /// Searches from `start` while `go_on` returns true: without moves that the game's history
    /// forbids, and at the root without those to `avoid`, unless there are no others; with ownership
    /// `by_move` if requested. `go_on` is called before each rollout with the
    /// number of rollouts, reused ones counted, and with the results so far. The best move of the
    /// report comes first.
    fn watch(
        &mut self,
        start: &GameState<G>,
        avoid: &[Move],
        by_move: bool,
        go_on: &mut dyn FnMut(u64, &dyn Fn() -> RaveReport) -> bool,
    ) -> RaveReport;

    /// A new game begins: drops everything that belongs to the last one.
    fn forget(&mut self);
}

/// A root move in the report.
#[derive(Debug, Clone, PartialEq)]
pub struct RaveMove {
    /// The move.
    pub mv: Move,
    /// Rollouts through it.
    pub visits: u64,
    /// Its mean result in [-1, 1] for the side to move at the root; 0 without visits.
    pub value: f32,
    /// The principal variation, this move first.
    pub pv: Vec<Move>,
    /// Rollouts through each of them.
    pub pv_visits: Vec<u64>,
    /// Ownership statistics of the rollouts through it, if requested, in games that count points.
    pub expected: Option<OwnershipEstimate>,
}

/// The report of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct RaveReport {
    /// All legal moves, most visited first. Empty when there is none.
    pub moves: Vec<RaveMove>,
    /// Rollouts of this search, reused ones not counted.
    pub rollouts: u64,
    /// Reused rollouts of earlier searches.
    pub reused: u64,
    /// Ownership statistics of the rollouts that count, in games that count points.
    pub expected: Option<OwnershipEstimate>,
}

impl RaveReport {
    /// Mean result of all rollouts in [-1, 1], for the side to move at the root.
    pub fn value(&self) -> f32 {
        let weighted: f32 = self.moves.iter().map(|m| m.visits as f32 * m.value).sum();
        weighted / ((self.rollouts + self.reused).max(1) as f32)
    }
}

impl RaveMove {
    /// A move with its visits and wins, its principal variation with the rollouts through each move
    /// of it, itself first, and ownership statistics by policy index, if kept.
    pub fn of([visits, wins]: [f32; 2], line: Vec<(Move, u64)>, after: &[Tally]) -> RaveMove {
        let mv = line[0].0;
        let (pv, pv_visits) = line.into_iter().unzip();
        RaveMove {
            mv,
            visits: visits as u64,
            value: match visits {
                0.0 => 0.0,
                visits => 2.0 * (wins / visits) - 1.0,
            },
            pv,
            pv_visits,
            expected: after.get(mv.index()).and_then(Tally::expected),
        }
    }
}
