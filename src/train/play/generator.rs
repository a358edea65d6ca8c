//! Players of self-play games: random playouts, one game after another, or a network, many games at
//! a time.

use std::cell::RefCell;
use std::ops::ControlFlow;

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::TrainError;
use crate::play::eval_batch::{EvalBatch, run_tasks};
use crate::play::generate::{GameJob, GameQueue};
use crate::play::network_game::{Adjudicator, NetworkGame, NetworkPlay};
use crate::play::selfplay::{PlayedGame, SelfPlayParams, SelfPlaySearch, play};
use crate::trainable::Trainable;
use tengen_nn::eval::EvaluatorFactory;

/// Plays games on any number of threads.
pub trait GameGenerator<G>: Sync {
    /// Plays games of `queue` on the calling thread until none is left or `done`, which receives
    /// them, breaks.
    ///
    /// # Errors
    /// [`TrainError`] when the players fail.
    fn play(
        &self,
        start: &G,
        queue: &GameQueue,
        done: &mut dyn FnMut(PlayedGame) -> ControlFlow<()>,
    ) -> Result<(), TrainError>;
}

/// A [`SelfPlaySearch`] for each game, made from a seed.
pub struct RolloutGenerator<F> {
    /// Settings for diversity.
    pub selfplay: SelfPlayParams,
    /// Creates the player of one game.
    pub search: F,
}

impl<G: Trainable, T: SelfPlaySearch<G>, F: Fn(u64) -> T + Sync> GameGenerator<G>
    for RolloutGenerator<F>
{
    fn play(
        &self,
        start: &G,
        queue: &GameQueue,
        done: &mut dyn FnMut(PlayedGame) -> ControlFlow<()>,
    ) -> Result<(), TrainError> {
        while let Some(job) = queue.take() {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(job.seed);
            let mut search = (self.search)(rng.next_u64());
            let game = play(start, job.game, self.selfplay, &mut search, &mut rng);
            if done(game).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// One network for all games.
pub struct NetworkGenerator<'a, F> {
    /// The network.
    pub network: &'a EvaluatorFactory,
    /// Settings of the network's play.
    pub play: &'a NetworkPlay,
    /// Concurrent games per thread: its maximum batch.
    pub concurrent: usize,
    /// Creates the prover of one thread.
    pub adjudicator: F,
}

impl<G: Trainable, P: Adjudicator<G>, F: Fn() -> P + Sync> GameGenerator<G>
    for NetworkGenerator<'_, F>
{
    fn play(
        &self,
        start: &G,
        queue: &GameQueue,
        done: &mut dyn FnMut(PlayedGame) -> ControlFlow<()>,
    ) -> Result<(), TrainError> {
        let mut batch = EvalBatch::new(self.network, start)?;
        let adjudicator = RefCell::new((self.adjudicator)());
        let next = || {
            let GameJob { game, seed } = queue.take()?;
            Some(NetworkGame::new(start, game, seed, self.play, &adjudicator))
        };
        let finished = |game: NetworkGame<'_, G, P>| match game.finish() {
            Some(game) => done(game),
            None => ControlFlow::Continue(()),
        };
        run_tasks(
            std::slice::from_mut(&mut batch),
            self.concurrent,
            next,
            finished,
            &queue.evaluations,
        )?;
        Ok(())
    }
}
