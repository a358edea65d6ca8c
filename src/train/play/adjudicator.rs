//! Proofs of endings for self-play: exact results instead of estimates for the last moves.

use crate::play::settings::SelfPlay;
use tengen::game::{Move, Outcome};
use tengen::solver::{Solvable, Solve, SolveLimits};

/// A proof of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proven {
    /// The result with best play.
    pub outcome: Outcome,
    /// A move that keeps it; `None` if all do.
    pub keeps: Option<Move>,
}

/// Memory for the positions of one proof, in bytes.
const PROOF_MEMORY: usize = 4 << 20;

/// The engine's solver with a small node limit per position. What it finds depends on the position only: the games of
/// a thread share one.
pub struct EndingAdjudicator<G> {
    /// `None` in games without a solver.
    solver: Option<Box<dyn Solve<G>>>,
    nodes: u64,
    from: u32,
}

impl<G: Solvable> EndingAdjudicator<G> {
    /// Proves positions as far as these settings say: with 0 nodes not at all. In NoGo 50 to 80 nodes of a proof take as
    /// long as an evaluation of a 5-block network.
    pub fn new(settings: &SelfPlay) -> Self {
        EndingAdjudicator {
            solver: G::solver(PROOF_MEMORY),
            nodes: settings.prove_nodes,
            from: settings.prove_from,
        }
    }

    /// The result of a position that has a legal move, if it is found within the limits.
    pub fn prove(&mut self, position: &G) -> Option<Proven> {
        if self.nodes == 0 || !position.plies_left().at_most(self.from) {
            return None;
        }
        let solver = self.solver.as_mut()?;
        // Results must not depend on earlier positions.
        solver.clear();
        let effort = SolveLimits::alone(self.nodes, &|_| false);
        let found = solver.solve(position, &effort);
        Some(Proven {
            outcome: found.proof()?.outcome(position.to_move()),
            keeps: found.best,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::settings::PROVE_FROM;
    use tengen::game::{BoardSize, Game};
    use tengen::games::nogo::SmallNoGo;

    fn adjudicator(prove_nodes: u64, prove_from: u32) -> EndingAdjudicator<SmallNoGo> {
        EndingAdjudicator::new(&SelfPlay {
            prove_nodes,
            prove_from,
            ..SelfPlay::default()
        })
    }

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
        let mut prover = adjudicator(100_000, PROVE_FROM);
        let mut winners = 0;
        for most in 3..12 {
            let mut position = late(most);
            let proven = prover.prove(&position).unwrap();
            let wins = proven.outcome == Outcome::win(position.to_move());
            assert_eq!(proven.keeps.is_some(), wins);
            let Some(mv) = proven.keeps else { continue };
            position.play(mv);
            let after = position.outcome().or_else(|| {
                let proven = prover.prove(&position)?;
                Some(proven.outcome)
            });
            assert_eq!(after, Some(proven.outcome));
            winners += 1;
        }
        assert!(winners > 0);
    }

    #[test]
    fn what_is_found_depends_on_the_position_only() {
        let mut prover = adjudicator(40, PROVE_FROM);
        let positions: Vec<_> = (3..16).map(late).collect();
        let found: Vec<_> = positions.iter().map(|p| prover.prove(p)).collect();
        let again: Vec<_> = positions.iter().rev().map(|p| prover.prove(p)).collect();
        assert!(found.iter().eq(again.iter().rev()));
        assert!(found.contains(&None) && found.iter().any(Option::is_some));
        assert_eq!(adjudicator(0, PROVE_FROM).prove(&positions[0]), None);
        let late_only = adjudicator(100_000, 3).prove(&positions[6]);
        assert_eq!(late_only, None, "more than three moves can be left");
    }
}
