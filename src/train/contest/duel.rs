//! One game of a match, as a task that asks for one evaluation after another.

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::Match;
use crate::encode::{Encode, Encoding};
use crate::game::{Color, Game, Outcome, Proof};
use crate::rollout::{Playout, Rave, RaveParams};
use crate::stats::Score;
use crate::train::mcts::{MctsParams, Search};
use crate::train::pool::Task;
use crate::train::seed::numbered_seed;
use crate::train::selfplay::{outcome_or_cap, random_moves};

/// A player in the matches of one thread.
pub(super) enum Chair<G: Game> {
    /// A network.
    Network {
        /// The place of its desk.
        desk: usize,
        /// What it reads.
        encoding: &'static dyn Encoding<G>,
        /// Playouts a move.
        visits: u32,
    },
    /// RAVE with so many random playouts a move.
    Rollouts(u64),
}

/// What a player needs for one game.
enum Seat<G: Game> {
    Network {
        search: Search<G>,
        visits: u32,
        desk: usize,
        /// Whether the search is about the position on the board.
        begun: bool,
    },
    Rollouts {
        rave: Rave,
        playouts: u64,
    },
}

/// A game between two players.
pub(super) struct Duel<G: Game> {
    /// Its number.
    pub(super) game: u64,
    salt: u64,
    position: G,
    seats: [Seat<G>; 2],
}

impl<G: Encode + Playout> Duel<G> {
    /// Game `game` of the match `plan`.
    pub(super) fn new(start: &G, players: &[Chair<G>; 2], plan: &Match, game: u64) -> Duel<G> {
        // Both games of a pair have the same opening and different players' seeds.
        let mut opening = Xoshiro256PlusPlus::seed_from_u64(numbered_seed(plan.seed, game / 2));
        let mut position = start.clone();
        for mv in random_moves(start, plan.opening_plies, &mut opening) {
            position.play(mv);
        }
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(!numbered_seed(plan.seed, game));
        let seats = players.each_ref().map(|player| match *player {
            Chair::Network {
                desk,
                encoding,
                visits,
            } => Seat::Network {
                search: Search::new(MctsParams::player(), start, encoding, rng.next_u64()),
                visits,
                desk,
                begun: false,
            },
            Chair::Rollouts(playouts) => Seat::Rollouts {
                rave: Rave::new(RaveParams::default(), rng.next_u64()),
                playouts,
            },
        });
        Duel {
            game,
            salt: rng.next_u64(),
            position,
            seats,
        }
    }

    /// The first player's colour.
    fn first(&self) -> Color {
        Color::BOTH[(self.game % 2) as usize]
    }

    /// The first player's result.
    pub(super) fn score(&self) -> Score {
        let outcome = self.position.outcome().unwrap_or(Outcome::DRAW);
        match outcome.proof_for(self.first()) {
            Proof::Win => Score::Win,
            Proof::Draw => Score::Draw,
            Proof::Loss => Score::Loss,
        }
    }

    /// Whose turn it is: 0 for the first player.
    fn turn(&self) -> usize {
        usize::from(self.position.to_move() != self.first())
    }
}

impl<G: Encode + Playout> Task<G> for Duel<G> {
    fn wanted(&mut self) -> Option<(usize, &G)> {
        while outcome_or_cap(&self.position).is_none() {
            let turn = self.turn();
            let mv = match &mut self.seats[turn] {
                Seat::Rollouts { rave, playouts } => {
                    let report = rave.search(&self.position, |made| made < *playouts);
                    report.moves.first().map(|best| best.mv)
                }
                Seat::Network {
                    search,
                    visits,
                    begun,
                    ..
                } => {
                    if !std::mem::replace(begun, true) {
                        search.begin(&self.position, *visits, false);
                    }
                    if search.wanted().is_some() {
                        break;
                    }
                    *begun = false;
                    search.found().map(|found| found.best)
                }
            };
            // A position that goes on has a legal move, and so both kinds of search find one.
            self.position.play(mv?);
        }
        let turn = self.turn();
        match &mut self.seats[turn] {
            Seat::Network { search, desk, .. } if self.position.outcome().is_none() => {
                search.wanted().map(|position| (*desk, position))
            }
            _ => None,
        }
    }

    fn answer(&mut self, policy: &[f32], value: f32) {
        let turn = self.turn();
        if let Seat::Network { search, .. } = &mut self.seats[turn] {
            search.answer(policy, value);
        }
    }

    fn salt(&self) -> u64 {
        self.salt
    }
}
