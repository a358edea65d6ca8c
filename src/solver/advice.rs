//! Which move to play in a solved position.
//!
//! All winning moves win and all losing moves lose against a perfect opponent. Among winning moves
//! the one that leaves the widest margin is the easiest to follow up; among losing moves the one
//! after which the opponent has the fewest winning replies is the likeliest to be answered wrongly
//! (methods §2.6).

use super::board::Board;
use super::bounds::Bounds;
use super::{Effort, Solver};
use crate::game::nogo::NoGo;
use crate::game::{Game, Move};

/// A move of a solved position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rated {
    /// The move.
    pub mv: Move,
    /// Whether it wins; `None` when that was not found out.
    pub wins: Option<bool>,
    /// Among moves of the same result the higher is to be preferred: for winning moves sure moves
    /// of one's own less the opponent's possible ones, for losing moves the share of replies that
    /// are not known to win, in [0, 1].
    pub score: f32,
}

/// What is known of a solved position and its moves.
#[derive(Debug, Clone, PartialEq)]
pub struct Advice {
    /// Whether the side to move wins.
    pub wins: bool,
    /// Every legal move, best first; equals ascending by point.
    pub moves: Vec<Rated>,
    /// Positions visited for it.
    pub nodes: u64,
}

impl<const W: usize> Solver<W> {
    /// Rates the moves of a position that [`Solver::solve`] has solved: `wins` and `best` as it
    /// found them.
    pub fn advise(
        &mut self,
        position: &NoGo<W>,
        wins: bool,
        best: Option<Move>,
        effort: &Effort<'_>,
    ) -> Advice {
        let mut left = effort.nodes;
        let count = position.legal_count().max(1) as u64;
        let mut moves: Vec<Rated> = Vec::new();
        for mv in position.legal_moves() {
            let mut next = position.clone();
            next.play(mv);
            let share = left / count;
            let (result, score) = if wins {
                let known = if best == Some(mv) {
                    Some(true)
                } else {
                    self.known_loss(&next, share, effort, &mut left)
                };
                (known, margin(&next))
            } else {
                (Some(false), self.traps(&next, share, effort, &mut left))
            };
            moves.push(Rated {
                mv,
                wins: result,
                score,
            });
        }
        moves.sort_by(|a, b| {
            let rank = |rated: &Rated| rated.wins.map_or(1, |wins| if wins { 2 } else { 0 });
            rank(b).cmp(&rank(a)).then(b.score.total_cmp(&a.score))
        });
        Advice {
            wins,
            moves,
            nodes: effort.nodes - left,
        }
    }

    /// Whether the side to move of `position` is known to lose.
    fn known_loss(
        &mut self,
        position: &NoGo<W>,
        nodes: u64,
        effort: &Effort<'_>,
        left: &mut u64,
    ) -> Option<bool> {
        let nodes = nodes.min(*left);
        let halt = effort.halt;
        let found = self.solve(position, &Effort { nodes, halt });
        *left = left.saturating_sub(found.nodes);
        found.wins.map(|wins| !wins)
    }

    /// The share of moves of `position` that are not known to win.
    fn traps(
        &mut self,
        position: &NoGo<W>,
        nodes: u64,
        effort: &Effort<'_>,
        left: &mut u64,
    ) -> f32 {
        let count = position.legal_count().max(1);
        let replies = position.legal_moves().filter(|&reply| {
            let mut next = position.clone();
            next.play(reply);
            let nodes = nodes / count as u64;
            self.known_loss(&next, nodes, effort, left) != Some(true)
        });
        replies.count() as f32 / count as f32
    }
}

/// Sure moves of the side that has just moved, less possible ones of the side to move.
fn margin<const W: usize>(position: &NoGo<W>) -> f32 {
    let board = Board::new(position);
    let bounds = Bounds::new(&board);
    let mover = board.to_move;
    (bounds.lower(mover.opponent().index()) - bounds.upper(mover.index())) as f32
}
