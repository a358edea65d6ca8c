//! Proofs of endings for self-play: exact results instead of estimates for the last moves.

use crate::play::corrector::Corrector;
use crate::play::network_game::{Adjudicator, Proven};
use crate::shards::row::Row;
use tengen::solver::{Solvable, Solve, SolveLimits};

/// Default maximum number of remaining moves. Earlier NoGo positions are hardly ever proven with
/// the few nodes that a move of self-play is worth.
pub const PROVE_FROM: u32 = 22;

/// Memory for the positions of one proof, in bytes.
const MEMORY: usize = 4 << 20;

/// The engine's solver with a small node limit per position.
pub struct EndingAdjudicator<G> {
    /// `None` in games without a solver.
    solver: Option<Box<dyn Solve<G>>>,
    nodes: u64,
    from: u32,
    corrector: Option<Corrector<G>>,
}

impl<G: Solvable> EndingAdjudicator<G> {
    /// Proves positions within `nodes`, from [`PROVE_FROM`] remaining moves on; with 0 it proves
    /// nothing. In NoGo 50 to 80 nodes take as long as an evaluation of a 5-block network.
    #[must_use]
    pub fn new(nodes: u64) -> Self {
        EndingAdjudicator {
            solver: G::solver(MEMORY),
            nodes,
            from: PROVE_FROM,
            corrector: None,
        }
    }

    /// Tries positions with at most `moves` remaining moves.
    #[must_use]
    pub fn from(self, moves: u32) -> Self {
        EndingAdjudicator {
            from: moves,
            ..self
        }
    }

    /// Also corrects the results of finished games with `nodes` per position; with 0 it does not.
    #[must_use]
    pub fn correcting(self, nodes: u64) -> Self {
        EndingAdjudicator {
            corrector: (nodes > 0).then(|| Corrector::new(nodes)),
            ..self
        }
    }
}

impl<G: Solvable> Adjudicator<G> for EndingAdjudicator<G> {
    fn prove(&mut self, position: &G) -> Option<Proven> {
        if self.nodes == 0 || !position.plies_left().at_most(self.from) {
            return None;
        }
        let solver = self.solver.as_mut()?;
        // Results must not depend on earlier positions.
        solver.clear();
        let effort = SolveLimits {
            nodes: self.nodes,
            threads: 1,
            halt: &|_| false,
        };
        let found = solver.solve(position, &effort);
        Some(Proven {
            outcome: found.proof()?.outcome(position.to_move()),
            keeps: found.best,
        })
    }

    fn correct(&mut self, rows: &mut [Row], start: &G) {
        let Some(corrector) = &mut self.corrector else {
            return;
        };
        if let Err(error) = corrector.correct(rows, start) {
            log::error!("a game's results are not corrected: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::game::{BoardSize, Game, Outcome};
    use tengen::games::nogo::SmallNoGo;

    /// A position of a game of first moves with at most this many remaining moves.
    fn late(most: u32) -> SmallNoGo {
        let mut position = SmallNoGo::new(BoardSize::square(5)).unwrap();
        while !position.plies_left().at_most(most) {
            let mv = position.legal_moves().next().unwrap();
            position.play(mv);
        }
        position
    }

    #[test]
    fn a_proof_names_a_move_that_keeps_the_win() {
        let mut adjudicator = EndingAdjudicator::new(100_000);
        let mut winners = 0;
        for most in 3..12 {
            let mut position = late(most);
            let proven = adjudicator.prove(&position).unwrap();
            let wins = proven.outcome == Outcome::win(position.to_move());
            assert_eq!(proven.keeps.is_some(), wins);
            let Some(mv) = proven.keeps else { continue };
            position.play(mv);
            let after = position.outcome().or_else(|| {
                let proven = adjudicator.prove(&position)?;
                Some(proven.outcome)
            });
            assert_eq!(after, Some(proven.outcome));
            winners += 1;
        }
        assert!(winners > 0);
    }

    #[test]
    fn what_is_found_depends_on_the_position_only() {
        let mut adjudicator = EndingAdjudicator::new(40);
        let positions: Vec<_> = (3..16).map(late).collect();
        let found: Vec<_> = positions.iter().map(|p| adjudicator.prove(p)).collect();
        let again: Vec<_> = positions
            .iter()
            .rev()
            .map(|p| adjudicator.prove(p))
            .collect();
        assert!(found.iter().eq(again.iter().rev()));
        assert!(found.contains(&None) && found.iter().any(Option::is_some));
        assert_eq!(EndingAdjudicator::new(0).prove(&positions[0]), None);
        let late_only = EndingAdjudicator::new(100_000).from(3).prove(&positions[6]);
        assert_eq!(late_only, None, "more than three moves can be left");
    }
}
