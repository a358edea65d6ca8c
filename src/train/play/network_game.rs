//! One self-play game of a network, as a task that requests one evaluation after another; and proofs of endings:
//! exact results instead of estimates for the last moves.

use std::cell::RefCell;

use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::play::eval_batch::Task;
use crate::play::mcts::{MctsParams, RootRule, Search};
use crate::play::selfplay::{PlayedGame, choose, random_opening};
use crate::play::settings::SelfPlay;
use crate::shards::row::{Row, Target, finish};
use crate::shards::training_game::TrainingGame;
use crate::trainable::Trainable;
use tengen::game::{Game, Move, Outcome, Proof};
use tengen::search::{SearchParams, add_root_noise};
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
        let proof = found.proof()?;
        // The winner has to know how to go on.
        let is_known = proof != Proof::Win || found.best.is_some();
        is_known.then(|| Proven {
            outcome: proof.outcome(position.to_move()),
            keeps: found.best,
        })
    }
}

/// A game in progress.
pub struct NetworkGame<'a, G: Game> {
    number: u64,
    salt: u64,
    settings: &'a SelfPlay,
    /// The search. With a Gumbel root, moves before ply `temperature_plies` are the halving's winners with the Gumbel
    /// noise, later ones the winners without it.
    play: &'a MctsParams,
    adjudicator: &'a RefCell<EndingAdjudicator<G>>,
    line: TrainingGame<G>,
    /// Openings that the network has yet to judge.
    openings: Vec<TrainingGame<G>>,
    /// How uneven the opening in `line` is: its value without the sign.
    unevenness: f32,
    rows: Vec<Row>,
    search: Search<G>,
    rng: Xoshiro256PlusPlus,
    /// Set when the game is over or its winner proven.
    outcome: Option<Outcome>,
}

impl<'a, G: Trainable> NetworkGame<'a, G> {
    /// Game `number`, which depends only on `seed`, the settings, the network and the prover.
    pub fn new(
        start: &G,
        number: u64,
        seed: u64,
        settings: &'a SelfPlay,
        play: &'a MctsParams,
        adjudicator: &'a RefCell<EndingAdjudicator<G>>,
    ) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let start = settings.begin(start, &mut rng);
        let mut draw = || random_opening(&start, settings.opening_plies, &mut rng);
        let line = draw();
        let openings = match settings.opening_choices {
            0 | 1 => Vec::new(),
            choices => {
                let others = (1..choices).map(|_| draw());
                std::iter::once(line.clone()).chain(others).collect()
            }
        };
        let mut game = NetworkGame {
            number,
            salt: rng.next_u64(),
            settings,
            play,
            adjudicator,
            search: Search::new(play.clone(), &start, rng.next_u64()),
            line,
            openings,
            unevenness: f32::INFINITY,
            rows: Vec::new(),
            rng,
            outcome: None,
        };
        if game.openings.is_empty() {
            game.begin_move();
        }
        game
    }

    /// The finished game; `None` before its end.
    pub fn finish(mut self) -> Option<PlayedGame> {
        let outcome = self.outcome?;
        finish(
            &mut self.rows,
            self.line.start(),
            self.line.moves(),
            outcome,
        );
        Some(PlayedGame {
            rows: self.rows,
            outcome,
        })
    }

    /// Checks whether the game is over, or its result proven; otherwise begins a search.
    fn begin_move(&mut self) {
        // A game without a searched move gives no samples.
        if let Some(outcome) = self.line.result().filter(|_| !self.rows.is_empty()) {
            self.outcome = Some(outcome);
            return;
        }
        // Release the prover before playing on.
        let proven = self.adjudicator.borrow_mut().prove(self.line.position());
        if let Some(proven) = proven {
            self.play_out(proven);
            return;
        }
        self.search.begin(self.line.game_state(), true);
    }

    /// Records the proven position and plays on to the end, for the targets of the ending: the
    /// winner keeps the result, the loser plays any move.
    fn play_out(&mut self, proven: Proven) {
        let learned = proven.keeps.filter(|_| self.settings.learn_proofs);
        let policy: Vec<(Move, f32)> = learned.into_iter().map(|mv| (mv, 1.0)).collect();
        let value = proven.outcome.value_for(self.line.position().to_move());
        let target = Target {
            policy_weight: f32::from(u8::from(learned.is_some())),
            exact: Some(proven.outcome),
            ..Target::new(policy, value)
        };
        let row = Row::record(self.number, self.line.position(), &target);
        self.rows.push(row);
        let mut known = Some(proven);
        while self.line.result().is_none() {
            let position = self.line.position();
            let prove = || self.adjudicator.borrow_mut().prove(position);
            let keeps = known.take().or_else(prove).and_then(|known| known.keeps);
            let any = self.rng.random_range(0..position.legal_count());
            let any = position.legal_moves().nth(any);
            let any = any.filter(|&mv| self.line.allows(mv));
            let Some(mv) = keeps.or(any) else {
                break;
            };
            self.line.play(mv);
        }
        self.outcome = Some(proven.outcome);
    }

    /// Numbers of visits with the move noise, then in parts per million.
    fn with_noise(&mut self, visits: &[(Move, u32)]) -> Vec<(Move, f32)> {
        const PARTS: f32 = 1e6;
        let mut numbers: Vec<f32> = visits.iter().map(|(_, count)| *count as f32).collect();
        if self.settings.move_noise > 0.0 {
            let params = SearchParams {
                root_noise: self.settings.move_noise,
                root_policy_temperature: 1.0,
                ..self.play.search.clone()
            };
            add_root_noise(&mut numbers, &params, &mut self.rng);
            numbers
                .iter_mut()
                .for_each(|share| *share = (*share * PARTS).trunc());
        }
        visits.iter().map(|(mv, _)| *mv).zip(numbers).collect()
    }

    /// Records the result of the search and plays.
    fn end_move(&mut self) {
        let Some(found) = self.search.found() else {
            return;
        };
        let row = Row::record(self.number, self.line.position(), &found.target);
        self.rows.push(row);
        let temperature = self.settings.temperature(self.line.position().ply());
        let mv = match self.play.root {
            RootRule::Gumbel if temperature > 0.0 => found.sampled,
            RootRule::Gumbel => found.best,
            RootRule::Puct => {
                let visits = self.with_noise(&found.visits);
                choose(&visits, temperature, &mut self.rng)
            }
        };
        self.line.play(mv);
        self.begin_move();
    }
}

impl<G: Trainable> Task<G> for NetworkGame<'_, G> {
    fn wanted(&mut self) -> Option<(usize, &G)> {
        if !self.openings.is_empty() {
            return self.openings.last().map(|opening| (0, opening.position()));
        }
        while self.outcome.is_none() && self.search.wanted().is_none() {
            self.end_move();
        }
        if self.outcome.is_some() {
            return None;
        }
        self.search.wanted().map(|position| (0, position))
    }

    fn answer(&mut self, policy: &[f32], value: f32) {
        let Some(opening) = self.openings.pop() else {
            return self.search.answer(policy, value);
        };
        if value.abs() < self.unevenness {
            (self.line, self.unevenness) = (opening, value.abs());
        }
        if self.openings.is_empty() {
            self.begin_move();
        }
    }

    fn salt(&self) -> u64 {
        self.salt
    }
}

#[cfg(test)]
mod tests;
