//! Who plays the games: random playouts one game after another, or a network many at a time.

use std::cell::RefCell;
use std::ops::ControlFlow;

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::TrainError;
use super::generate::{Supply, Ticket};
use super::learn::Learn;
use super::network_game::{NetworkGame, NetworkPlay, Prover};
use super::pool::{Desk, work};
use super::selfplay::{PlayedGame, SelfPlayParams, Thinker, play};
use crate::eval::EvaluatorFactory;

/// Plays games on any number of threads.
pub trait Crew<G>: Sync {
    /// Plays games of `supply` on the calling thread until none is left or `done`, which takes
    /// them, breaks off.
    ///
    /// # Errors
    /// [`TrainError`] when the players fail.
    fn play(
        &self,
        start: &G,
        supply: &Supply,
        done: &mut dyn FnMut(PlayedGame) -> ControlFlow<()>,
    ) -> Result<(), TrainError>;
}

/// A [`Thinker`] for each game, made from a seed.
pub struct RolloutCrew<F> {
    /// How games are made diverse.
    pub selfplay: SelfPlayParams,
    /// Makes the player of one game.
    pub thinker: F,
}

impl<G: Learn, T: Thinker<G>, F: Fn(u64) -> T + Sync> Crew<G> for RolloutCrew<F> {
    fn play(
        &self,
        start: &G,
        supply: &Supply,
        done: &mut dyn FnMut(PlayedGame) -> ControlFlow<()>,
    ) -> Result<(), TrainError> {
        while let Some(ticket) = supply.take() {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(ticket.seed);
            let mut thinker = (self.thinker)(rng.next_u64());
            let game = play(start, ticket.game, self.selfplay, &mut thinker, &mut rng);
            if done(game).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// One network for all games.
pub struct NetworkCrew<'a, F> {
    /// The network.
    pub network: &'a EvaluatorFactory,
    /// How it plays.
    pub play: &'a NetworkPlay,
    /// Games that a thread plays at the same time: its largest batch.
    pub concurrent: usize,
    /// Makes the prover of one thread.
    pub prover: F,
}

impl<G: Learn, P: Prover<G>, F: Fn() -> P + Sync> Crew<G> for NetworkCrew<'_, F> {
    fn play(
        &self,
        start: &G,
        supply: &Supply,
        done: &mut dyn FnMut(PlayedGame) -> ControlFlow<()>,
    ) -> Result<(), TrainError> {
        let mut desk = Desk::new(self.network, start)?;
        let encoding = desk.encoding();
        let prover = RefCell::new((self.prover)());
        let next = || {
            let Ticket { game, seed } = supply.take()?;
            Some(NetworkGame::new(
                start, game, seed, self.play, &prover, encoding,
            ))
        };
        let finished = |game: NetworkGame<'_, G, P>| match game.finish() {
            Some(game) => done(game),
            None => ControlFlow::Continue(()),
        };
        work(
            std::slice::from_mut(&mut desk),
            self.concurrent,
            next,
            finished,
            &supply.evaluations,
        )?;
        Ok(())
    }
}
