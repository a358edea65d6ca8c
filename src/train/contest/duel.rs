//! One game of a match, as a task that asks for one evaluation after another.

use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{Match, Player};
use crate::encode::Encode;
use crate::game::{Color, Game, Outcome};
use crate::referee::stats::Score;
use crate::rollout::{Playout, Rave, RaveParams};
use crate::train::mcts::{MctsParams, Search};
use crate::train::pool::Task;

/// What a player needs for one game.
enum Seat<G> {
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
pub(super) struct Duel<G> {
    /// Its number.
    pub(super) game: u64,
    salt: u64,
    position: G,
    seats: [Seat<G>; 2],
}

impl<G: Encode + Playout> Duel<G> {
    /// Game `game` of the match `plan`; `desks` are the places of the players' networks.
    pub(super) fn new(
        start: &G,
        players: [&Player; 2],
        desks: [usize; 2],
        plan: &Match,
        game: u64,
    ) -> Duel<G> {
        let seed = |number: u64| plan.seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        // Both games of a pair have the same opening and different players' seeds.
        let mut opening = Xoshiro256PlusPlus::seed_from_u64(seed(game / 2));
        let position = open(start, plan.opening_plies, &mut opening);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(!seed(game));
        let mut seat = |player: usize| match players[player] {
            Player::Network { visits, .. } => Seat::Network {
                search: Search::new(MctsParams::player(), start, rng.next_u64()),
                visits: *visits,
                desk: desks[player],
                begun: false,
            },
            Player::Rollouts(playouts) => Seat::Rollouts {
                rave: Rave::new(RaveParams::default(), rng.next_u64()),
                playouts: *playouts,
            },
        };
        let seats = [seat(0), seat(1)];
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
        match self.position.outcome() {
            Some(Outcome::Win(winner)) if winner == self.first() => Score::Win,
            Some(Outcome::Win(_)) => Score::Loss,
            _ => Score::Draw,
        }
    }

    /// Whose turn it is: 0 for the first player.
    fn turn(&self) -> usize {
        usize::from(self.position.to_move() != self.first())
    }
}

impl<G: Encode + Playout> Task<G> for Duel<G> {
    fn wanted(&mut self) -> Option<(usize, &G)> {
        while self.position.outcome().is_none() {
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

/// Plays so many random plies, fewer where one more would end the game.
fn open<G: Game>(start: &G, plies: u16, rng: &mut impl Rng) -> G {
    let mut position = start.clone();
    for _ in 0..plies {
        let mut next = position.clone();
        let place = rng.random_range(0..position.legal_count().max(1));
        let Some(mv) = position.legal_moves().nth(place) else {
            break;
        };
        next.play(mv);
        if next.outcome().is_some() {
            break;
        }
        position = next;
    }
    position
}
