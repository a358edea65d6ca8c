//! Proofs of endings for self-play: exact results instead of estimates for the last moves.

use crate::play::settings::SelfPlay;
use crate::shards::row::Row;
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
    corrector: Option<Corrector<G>>,
}

impl<G: Solvable> EndingAdjudicator<G> {
    /// Proves positions, and corrects finished games, as far as these settings say: with 0 nodes not at all. In NoGo
    /// 50 to 80 nodes of a proof take as long as an evaluation of a 5-block network.
    pub fn new(settings: &SelfPlay) -> Self {
        let correct_nodes = settings.correct_nodes;
        EndingAdjudicator {
            solver: G::solver(PROOF_MEMORY),
            nodes: settings.prove_nodes,
            from: settings.prove_from,
            corrector: (correct_nodes > 0).then(|| Corrector::new(correct_nodes)),
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

    /// Corrects the results of a finished game's rows; the game began at `start`.
    pub fn correct(&mut self, rows: &mut [Row], start: &G) {
        let Some(corrector) = &mut self.corrector else {
            return;
        };
        if let Err(error) = corrector.correct(rows, start) {
            log::error!("a game's results are not corrected: {error}");
        }
    }
}

// Exact results for the positions of a finished game: the game's own depends on its players, and late blunders make it
// wrong for all earlier positions. From the end back the solver tries to prove each position, and the first proof is
// used for all earlier ones: their result without the later blunders.

/// Memory for proven positions: a game's positions share them.
const MEMORY: usize = 64 << 20;

/// Number of consecutive unsolved positions before it gives up: a hard position is often followed
/// by an easy one, since a single move decides there.
const MISSES: usize = 3;

/// Corrects games with a fixed number of nodes per position. The correction of a game depends on
/// that game alone.
pub struct Corrector<G> {
    /// `None` in games without a solver.
    solver: Option<Box<dyn Solve<G>>>,
    nodes: u64,
}

impl<G: Solvable> Corrector<G> {
    /// With `nodes` per position; memory is allocated at once.
    pub fn new(nodes: u64) -> Self {
        Corrector {
            solver: G::solver(MEMORY),
            nodes,
        }
    }

    /// Corrects the rows of one finished game, ascending by ply, that began at `start`; returns the
    /// nodes used. Proven results stay; a row whose corrected result differs from the game's loses
    /// its ending.
    ///
    /// # Errors
    /// Names the row that is not a position, with the reason. Later rows are corrected then.
    pub fn correct(&mut self, rows: &mut [Row], start: &G) -> Result<u64, String> {
        let Some(solver) = &mut self.solver else {
            return Ok(0);
        };
        solver.clear();
        let effort = SolveLimits::alone(self.nodes, &|_| false);
        let (mut truth, mut misses, mut nodes): (Option<Outcome>, _, _) = (None, 0, 0);
        for row in rows.iter_mut().rev() {
            if row.exact {
                truth = Some(row.outcome());
            } else if misses < MISSES {
                let position = row.position(start)?;
                let found = solver.solve(&position, &effort);
                nodes += found.nodes;
                match found.proof() {
                    Some(proof) => {
                        let outcome = proof.outcome(row.to_move);
                        truth = Some(outcome);
                        row.correct(outcome);
                        row.exact = true;
                        misses = 0;
                    }
                    None => misses += 1,
                }
            }
            if let Some(truth) = truth {
                row.correct(truth);
            }
        }
        Ok(nodes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::settings::PROVE_FROM;
    use crate::shards::row::{Target, finish};
    use tengen::game::{BoardSize, Color, Game, Move, Outcome};
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

    /// A game of first moves on 4x4, with a row for every position.
    fn game() -> (SmallNoGo, Vec<Row>, Outcome) {
        let start = SmallNoGo::new(BoardSize::square(4)).unwrap();
        let (mut position, mut moves, mut rows) = (start.clone(), Vec::new(), Vec::new());
        while position.outcome().is_none() {
            let target = Target::new(vec![(Move(0), 1.0)], 0.0);
            rows.push(Row::record(1, &position, &target));
            let mv = position.legal_moves().next().unwrap();
            position.play(mv);
            moves.push(mv);
        }
        let outcome = position.outcome().unwrap();
        finish(&mut rows, &start, &moves, outcome);
        (start, rows, outcome)
    }

    /// The winner, by brute force.
    fn winner(position: &SmallNoGo) -> Color {
        let me = position.to_move();
        let wins = position.legal_moves().any(|mv| {
            let mut next = position.clone();
            next.play(mv);
            winner(&next) == me
        });
        if wins { me } else { me.opponent() }
    }

    #[test]
    fn results_are_those_of_best_play() {
        let (start, mut rows, outcome) = game();
        let mut corrector = Corrector::new(1_000_000);
        assert!(corrector.correct(&mut rows, &start).unwrap() > 0);
        let mut changed = 0;
        // From here brute force is fast enough.
        for row in rows.iter().filter(|row| row.ply >= 5) {
            let position = row.position(&start).unwrap();
            assert!(row.exact);
            assert_eq!(row.outcome(), Outcome::win(winner(&position)));
            assert_eq!(row.ending.is_some(), row.outcome() == outcome);
            changed += usize::from(row.outcome() != outcome);
        }
        assert!(changed > 0, "the game has a blunder");
    }

    #[test]
    fn what_is_too_hard_gets_the_result_of_the_first_position_that_is_not() {
        let (start, mut rows, _) = game();
        Corrector::new(3).correct(&mut rows, &start).unwrap();
        let first = rows.iter().position(|row| row.exact).unwrap();
        assert!(first > 0 && rows[first..].len() > 1);
        for row in &rows[..first] {
            assert!(!row.exact);
            assert_eq!(row.outcome(), rows[first].outcome());
        }
    }

    #[test]
    fn a_proof_that_is_there_stays() {
        let (start, mut rows, outcome) = game();
        let loser = outcome.winner.unwrap().opponent();
        rows.iter_mut().for_each(|row| {
            row.correct(Outcome::win(loser));
            row.exact = true;
        });
        let before = rows.clone();
        assert_eq!(Corrector::new(100).correct(&mut rows, &start), Ok(0));
        assert_eq!(rows, before);
    }
}
