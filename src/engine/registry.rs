//! The games this program plays, and how an engine is put together for each: one line a game.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use super::rollout::RolloutThinker;
use super::{Backend, Engine, EngineOptions, MakeThinker, Player};
use crate::clock::Clock;
use crate::game::nogo::{LargeNoGo, SmallNoGo};
use crate::game::{BoardSize, Game, UnsupportedSize};
use crate::rollout::Playout;

/// Puts an engine together.
type Create = fn(Setup<'_>) -> Result<Box<dyn Engine>, UnsupportedSize>;

/// Every game: its name and its constructor.
const GAMES: &[(&str, Create)] = &[("nogo", nogo)];

/// What an engine is made of.
#[derive(Clone, Copy)]
struct Setup<'a> {
    options: &'a EngineOptions,
    size: BoardSize,
    time: &'a Arc<dyn Clock>,
}

/// Whether there is a game of this name.
pub(super) fn knows(game: &str) -> bool {
    GAMES.iter().any(|(name, _)| *name == game)
}

/// An engine for the game of `options` on a board of `size` (not of `options.size`). Costs next to
/// nothing: networks and threads wait for the first search.
///
/// # Errors
/// [`UnsupportedSize`] says what sizes the game has.
pub fn create(
    options: &EngineOptions,
    size: BoardSize,
    time: &Arc<dyn Clock>,
) -> Result<Box<dyn Engine>, UnsupportedSize> {
    let known = GAMES.iter().find(|(name, _)| *name == options.game);
    // The options accept no other names.
    let (_, create) = known.unwrap_or(&GAMES[0]);
    create(Setup {
        options,
        size,
        time,
    })
}

/// NoGo on the smallest bitboard that holds the board.
fn nogo(setup: Setup<'_>) -> Result<Box<dyn Engine>, UnsupportedSize> {
    match SmallNoGo::new(setup.size) {
        Ok(empty) => Ok(player(empty, setup)),
        Err(_) => Ok(player(LargeNoGo::new(setup.size)?, setup)),
    }
}

fn player<G: Playout>(empty: G, setup: Setup<'_>) -> Box<dyn Engine> {
    let seed = setup.options.seed.unwrap_or_else(random_seed);
    let time = Arc::clone(setup.time);
    let make: MakeThinker<G> = match setup.options.backend {
        Backend::Rollout => Arc::new(move || Box::new(RolloutThinker::new(seed, time.clone()))),
        Backend::Tract | Backend::Ort => {
            Arc::new(move || Box::new(RolloutThinker::new(seed, time.clone())))
        }
    };
    let time = Arc::clone(setup.time);
    Box::new(Player::new(empty, make, setup.options.spending, time))
}

/// Another number in every run: the standard library seeds its hash maps from the system.
fn random_seed() -> u64 {
    RandomState::new().hash_one(0_u64)
}
