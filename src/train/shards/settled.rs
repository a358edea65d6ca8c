//! Positions that a search does not show to a network: the solver settles them.

use rayon::prelude::*;

use crate::TrainError;
use crate::shards::dataset::Dataset;
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
        let probe = || G::solver(BYTES).map(|solver| solver.probes()());
        for rows in [&mut self.fit, &mut self.held_out] {
            let settled = rows.par_iter().map_init(probe, |probe, row| {
                let empty = boards.iter().find(|board| board.size() == row.size);
                let empty = empty.ok_or_else(|| format!("game {} is on {}", row.game, row.size))?;
                Ok(is_settled(probe.as_mut(), &row.position(empty)?, nodes))
            });
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

/// Whether a solver settles a position with this many nodes.
fn is_settled<G: Solvable>(probe: Option<&mut Probe<G>>, position: &G, nodes: u64) -> bool {
    let effort = SolveLimits::alone(nodes, &|_| false);
    let facts = probe.and_then(|probe| probe(position, &effort));
    facts.is_some_and(|facts| {
        facts.bounds.proof().is_some() || facts.open_moves.is_some_and(|open| open.len() == 1)
    })
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
        let mut probe = Gomoku::solver(BYTES).map(|solver| solver.probes()());
        let mut holds = |moves: &[_]| is_settled(probe.as_mut(), &after(moves), 60);
        assert!(holds(&three), "Black wins by a four");
        assert!(holds(&four), "White must stop the five");
        assert!(!holds(&three[..5]), "White has several defences");
        assert!(!holds(&three[..2]));
    }
}
