//! Positions that a search does not show to a network: the solver settles them.

use rayon::prelude::*;

use crate::TrainError;
use crate::shards::dataset::Dataset;
use crate::shards::row::Row;
use tengen::solver::{Probe, Solvable, SolveLimits};

/// Memory of the solver that makes the probes, in bytes: it has no positions of its own to keep.
const BYTES: usize = 1 << 16;

impl Dataset {
    /// Leaves out rows whose positions the solver settles with this many nodes: it proves the result, or that all
    /// moves but one lose. `boards` are the empty ones of all sizes. With 0, or in a game without a solver, all rows
    /// stay.
    ///
    /// # Errors
    /// [`TrainError::Setting`] names a row that is not a position, or says that none is left to fit.
    pub fn leave_out_settled<G: Solvable>(
        &mut self,
        boards: &[G],
        nodes: u64,
    ) -> Result<(), TrainError> {
        if nodes == 0 {
            return Ok(());
        }
        for rows in [&mut self.fit, &mut self.held_out] {
            let settled = rows.par_iter().map_init(
                || Settled::new(nodes),
                |settled, row| settled.holds_row(boards, row),
            );
            let settled = settled.collect::<Result<Vec<bool>, String>>();
            let mut settled = settled.map_err(TrainError::Setting)?.into_iter();
            rows.retain(|_| settled.next() == Some(false));
        }
        match self.fit.is_empty() {
            true => Err(TrainError::Setting(format!(
                "the solver settles all positions with {nodes} nodes, and none is left to fit: lower settled-nodes"
            ))),
            false => Ok(()),
        }
    }
}

/// Tells which positions a solver settles with a limited number of nodes.
struct Settled<G> {
    probe: Option<Probe<G>>,
    nodes: u64,
}

impl<G: Solvable> Settled<G> {
    fn new(nodes: u64) -> Settled<G> {
        let solver = G::solver(BYTES);
        Settled {
            probe: solver.map(|solver| solver.probes()()),
            nodes,
        }
    }

    fn holds_row(&mut self, boards: &[G], row: &Row) -> Result<bool, String> {
        let empty = boards.iter().find(|board| board.size() == row.size);
        let empty = empty.ok_or_else(|| format!("game {} is on {}", row.game, row.size))?;
        Ok(self.holds(&row.position(empty)?))
    }

    fn holds(&mut self, position: &G) -> bool {
        let effort = SolveLimits {
            nodes: self.nodes,
            threads: 1,
            halt: &|_| false,
        };
        let probe = self.probe.as_mut();
        let Some(facts) = probe.and_then(|probe| probe(position, &effort)) else {
            return false;
        };
        facts.bounds.proof().is_some() || facts.open_moves.is_some_and(|open| open.len() == 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::game::{BoardSize, Game as _};
    use tengen::games::gomoku::Gomoku;

    /// A position after these moves, of Black and White in turn.
    fn after(moves: &[(u8, u8)]) -> Gomoku {
        let size = BoardSize::square(15);
        let mut position = Gomoku::with_rules(size, "freestyle".parse().unwrap()).unwrap();
        for &(x, y) in moves {
            position.play(size.point(x, y));
        }
        position
    }

    #[test]
    fn wins_and_single_defences_are_settled_and_open_positions_are_not() {
        let three = [(7, 7), (0, 0), (7, 8), (0, 14), (7, 9), (14, 0)];
        let four = [(7, 7), (7, 6), (7, 8), (0, 14), (7, 9), (14, 0), (7, 10)];
        let mut settled = Settled::new(60);
        assert!(settled.holds(&after(&three)), "Black wins by a four");
        assert!(settled.holds(&after(&four)), "White must stop the five");
        assert!(
            !settled.holds(&after(&three[..5])),
            "White has several defences"
        );
        assert!(!settled.holds(&after(&three[..2])));
    }
}
