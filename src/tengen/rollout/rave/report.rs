//! The report of a search: the moves at the root of its tree.

use super::super::Tally;
use super::super::tree::{ChildStats, NodeId, Tree};
use crate::game::{Move, OwnershipEstimate};

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
    #[must_use]
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

/// The moves of a node, most visited first; with ownership statistics by policy index, if kept.
pub(super) fn root_moves(tree: &Tree, root: NodeId, after: &[Tally]) -> Vec<RaveMove> {
    let mut moves: Vec<RaveMove> = tree
        .children(root)
        .map(|child| {
            let mut line = vec![(child.mv, child.visits as u64)];
            let mut node = child.node;
            while let Some(best) = node.and_then(|node| most_visited(tree, node)) {
                line.push((best.mv, best.visits as u64));
                node = best.node;
            }
            RaveMove::of([child.visits, child.wins], line, after)
        })
        .collect();
    moves.sort_by_key(|m| std::cmp::Reverse(m.visits));
    moves
}

fn most_visited(tree: &Tree, node: NodeId) -> Option<ChildStats> {
    let visited = tree.children(node).filter(|child| child.visits > 0.0);
    visited.max_by(|a, b| a.visits.total_cmp(&b.visits))
}
