//! Queue of games to play.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use crate::seed::numbered_seed;

/// The games to play, distributed to all threads one by one.
#[derive(Debug)]
pub struct GameQueue {
    games: Vec<u64>,
    next: AtomicUsize,
    seed: u64,
    /// Evaluations of a network so far.
    pub evaluations: AtomicU64,
}

/// A game to be played.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameJob {
    /// Its number.
    pub game: u64,
    /// Its seed.
    pub seed: u64,
}

impl GameQueue {
    /// These games, of the run with this seed.
    pub(super) fn new(games: Vec<u64>, seed: u64) -> GameQueue {
        GameQueue {
            games,
            next: AtomicUsize::new(0),
            seed,
            evaluations: AtomicU64::new(0),
        }
    }

    /// The next game, if one is left.
    pub fn take(&self) -> Option<GameJob> {
        // Relaxed: only the counter itself is shared.
        let place = self.next.fetch_add(1, Ordering::Relaxed);
        self.games.get(place).map(|&game| GameJob {
            game,
            seed: numbered_seed(self.seed, game),
        })
    }
}
