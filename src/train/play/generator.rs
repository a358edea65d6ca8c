//! Players of self-play games: random playouts, one game after another, or a network, many games at
//! a time.

use std::cell::RefCell;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::TrainError;
use crate::play::eval_batch::{EvalBatch, TaskControl, run_tasks};
use crate::play::mcts::MctsParams;
use crate::play::network_game::{EndingAdjudicator, NetworkGame};
use crate::play::numbered_seed;
use crate::play::selfplay::{PlayedGame, by_rollouts, play};
use crate::play::settings::SelfPlay;
use crate::trainable::Trainable;
use tengen::rollout::{Rave, RaveParams};
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
        settings: &SelfPlay,
        queue: &GameQueue,
        done: &mut dyn FnMut(PlayedGame) -> ControlFlow<()>,
    ) -> Result<(), TrainError>;
}

/// This many random playouts a move.
#[derive(Debug, Clone, Copy)]
pub struct RolloutGenerator(pub u64);

impl<G: Trainable> GameGenerator<G> for RolloutGenerator {
    fn play(
        &self,
        start: &G,
        settings: &SelfPlay,
        queue: &GameQueue,
        done: &mut dyn FnMut(PlayedGame) -> ControlFlow<()>,
    ) -> Result<(), TrainError> {
        while let Some((game, seed)) = queue.take() {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            let mut rave = Rave::new(RaveParams::default(), rng.next_u64());
            let search = |position: &G| by_rollouts(&mut rave, position, self.0);
            if done(play(start, game, settings, search, &mut rng)).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// One network for all games.
#[derive(Debug, Clone)]
pub struct NetworkGenerator {
    /// The network.
    pub network: EvaluatorFactory,
    /// How it plays.
    pub play: MctsParams,
}

impl<G: Trainable> GameGenerator<G> for NetworkGenerator {
    fn play(
        &self,
        start: &G,
        settings: &SelfPlay,
        queue: &GameQueue,
        done: &mut dyn FnMut(PlayedGame) -> ControlFlow<()>,
    ) -> Result<(), TrainError> {
        let mut batch = EvalBatch::new(&self.network, start)?;
        let adjudicator = RefCell::new(EndingAdjudicator::new(settings));
        let next = || {
            let (game, seed) = queue.take()?;
            let (play, adjudicator) = (&self.play, &adjudicator);
            Some(NetworkGame::new(
                start,
                game,
                seed,
                settings,
                play,
                adjudicator,
            ))
        };
        let finished = |game: NetworkGame<'_, G>| match game.finish() {
            Some(game) => done(game),
            None => ControlFlow::Continue(()),
        };
        run_tasks(
            std::slice::from_mut(&mut batch),
            settings.concurrent,
            next,
            finished,
            &queue.control,
        )?;
        Ok(())
    }
}

/// The games to play, distributed to all threads one by one.
#[derive(Debug)]
pub struct GameQueue {
    games: Vec<u64>,
    next: AtomicUsize,
    seed: u64,
    /// Of all threads that play them.
    pub control: TaskControl,
}

impl GameQueue {
    /// These games, of the run with this seed.
    pub(super) fn new(games: Vec<u64>, seed: u64) -> GameQueue {
        GameQueue {
            games,
            next: AtomicUsize::new(0),
            seed,
            control: TaskControl::default(),
        }
    }

    /// Number and seed of the next game, if one is left and they are not stopped.
    pub fn take(&self) -> Option<(u64, u64)> {
        if self.control.is_stopped() {
            return None;
        }
        // Relaxed: only the counter itself is shared.
        let place = self.next.fetch_add(1, Ordering::Relaxed);
        let game = *self.games.get(place)?;
        Some((game, numbered_seed(self.seed, game)))
    }
}
