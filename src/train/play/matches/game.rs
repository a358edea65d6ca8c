//! The players of a match, and one of its games, as a task that requests one evaluation after another.

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::play::eval_batch::Task;
use crate::play::mcts::{MctsParams, Search};
use crate::play::numbered_seed;
use crate::shards::training_game::TrainingGame;
use tengen::encode::Encode;
use tengen::game::{Color, Game, Move, Outcome, Proof};
use tengen::rollout::{Rave, RaveParams, Rollout};
use tengen::stats::GameResult;
use tengen_nn::eval::EvaluatorFactory;

/// A player of training matches.
#[derive(Debug, Clone)]
pub enum MatchPlayer {
    /// A network with this many playouts a move and no noise.
    Network {
        /// The network.
        network: Box<EvaluatorFactory>,
        /// Playouts a move.
        visits: u32,
    },
    /// RAVE with this many random playouts a move.
    Rollouts(u64),
    /// [`RaveParams::plain_uct`] with this many playouts a move.
    PlainUct(u64),
}

/// Settings of a match between players of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatchParams {
    /// Number of the first opening: parts of a match are played by themselves.
    pub first: u32,
    /// Openings; each is played twice, with colours swapped.
    pub pairs: u32,
    /// Uniformly random plies that open a game.
    pub opening_plies: u16,
    /// Fixes the openings and the playouts.
    pub seed: u64,
    /// Threads, at least 1.
    pub threads: usize,
    /// Concurrent games per thread.
    pub concurrent: usize,
}

/// A player's state in one game.
enum GamePlayer<G: Game> {
    Network {
        search: Box<Search<G>>,
        /// Index of its batch in the thread: one for each network.
        batch: usize,
        /// Whether the search has begun for the current position.
        begun: bool,
    },
    Rollouts {
        rave: Box<Rave>,
        playouts: u64,
    },
}

/// A game between two players.
pub(super) struct MatchGame<G: Game> {
    pub(super) number: u64,
    salt: u64,
    line: TrainingGame<G>,
    players: [GamePlayer<G>; 2],
}

impl<G: Encode + Rollout> MatchGame<G> {
    /// Game `number` of the match `plan`.
    pub(super) fn new(
        start: &G,
        players: [&MatchPlayer; 2],
        plan: &MatchParams,
        number: u64,
    ) -> MatchGame<G> {
        // Both games of a pair have the same opening and different player seeds.
        let mut opening = Xoshiro256PlusPlus::seed_from_u64(numbered_seed(plan.seed, number / 2));
        let mut line = TrainingGame::new(start);
        line.open(plan.opening_plies, &mut opening);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(!numbered_seed(plan.seed, number));
        let mut batches = 0..;
        let rollouts = |params, playouts, rng: &mut Xoshiro256PlusPlus| GamePlayer::Rollouts {
            rave: Box::new(Rave::new(params, rng.next_u64())),
            playouts,
        };
        let players = players.map(|player| match *player {
            MatchPlayer::Network { visits, .. } => GamePlayer::Network {
                search: Box::new(Search::new(
                    MctsParams::player(visits),
                    start,
                    rng.next_u64(),
                )),
                batch: batches.next().unwrap_or(0),
                begun: false,
            },
            MatchPlayer::Rollouts(playouts) => rollouts(RaveParams::default(), playouts, &mut rng),
            MatchPlayer::PlainUct(playouts) => {
                rollouts(RaveParams::plain_uct(), playouts, &mut rng)
            }
        });
        MatchGame {
            number,
            salt: rng.next_u64(),
            line,
            players,
        }
    }

    /// The first player's colour.
    fn first(&self) -> Color {
        Color::BOTH[(self.number % 2) as usize]
    }

    /// The first player's result.
    pub(super) fn result(&self) -> GameResult {
        let outcome = self.line.result().unwrap_or(Outcome::DRAW);
        match outcome.proof_for(self.first()) {
            Proof::Win => GameResult::Win,
            Proof::Draw => GameResult::Draw,
            Proof::Loss => GameResult::Loss,
        }
    }

    /// The player to move: 0 for the first player.
    fn turn(&self) -> usize {
        usize::from(self.line.position().to_move() != self.first())
    }
}

impl<G: Encode + Rollout> Task<G> for MatchGame<G> {
    fn wanted(&mut self) -> Option<(usize, &G)> {
        while self.line.result().is_none() {
            let turn = self.turn();
            let mv = match &mut self.players[turn] {
                GamePlayer::Rollouts { rave, playouts } => {
                    let report = rave.search(self.line.position(), |made| made < *playouts);
                    let moves = report.moves.iter().map(|found| found.mv);
                    // Playouts do not know superko.
                    let mut others = self.line.position().legal_moves();
                    let allowed = |mv: &Move| self.line.allows(*mv);
                    moves
                        .into_iter()
                        .find(allowed)
                        .or_else(|| others.find(allowed))
                }
                GamePlayer::Network { search, begun, .. } => {
                    if !std::mem::replace(begun, true) {
                        search.begin(self.line.game_state(), false);
                    }
                    if search.wanted().is_some() {
                        break;
                    }
                    *begun = false;
                    search.found().map(|found| found.best)
                }
            };
            // A position that goes on has a legal move, and so both kinds of search find one.
            self.line.play(mv?);
        }
        let turn = self.turn();
        match &mut self.players[turn] {
            GamePlayer::Network { search, batch, .. } if self.line.result().is_none() => {
                search.wanted().map(|position| (*batch, position))
            }
            _ => None,
        }
    }

    fn answer(&mut self, policy: &[f32], value: f32) {
        let turn = self.turn();
        if let GamePlayer::Network { search, .. } = &mut self.players[turn] {
            search.answer(policy, value);
        }
    }

    fn salt(&self) -> u64 {
        self.salt
    }
}
