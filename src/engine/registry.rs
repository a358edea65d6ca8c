//! The games this program plays, and how an engine is put together for each: one line a game.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use super::{
    Backend, Engine, EngineOptions, MakeThinker, NetworkRecipe, NetworkThinker, Player,
    RolloutThinker,
};
use crate::clock::Clock;
use crate::encode::Encode;
use crate::eval::{BackendKind, LibraryPlaces, LoadOptions, ModelSource};
use crate::game::nogo::{LargeNoGo, SmallNoGo};
use crate::game::{BoardSize, Game, UnsupportedSize};
use crate::rollout::Playout;
use crate::search::SearcherOptions;

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

fn player<G: Encode + Playout>(empty: G, setup: Setup<'_>) -> Box<dyn Engine> {
    let options = setup.options;
    let seed = options.seed.unwrap_or_else(random_seed);
    let time = Arc::clone(setup.time);
    let make: MakeThinker<G> = match options.backend {
        Backend::Rollout => {
            Arc::new(move || Box::new(RolloutThinker::new(seed, Arc::clone(&time))))
        }
        Backend::Network(backend) => {
            let recipe = network_recipe(options, backend, seed);
            Arc::new(move || Box::new(NetworkThinker::new(recipe.clone(), Arc::clone(&time))))
        }
    };
    let time = Arc::clone(setup.time);
    Box::new(Player::new(empty, make, options.spending.clone(), time))
}

fn network_recipe(options: &EngineOptions, backend: BackendKind, seed: u64) -> NetworkRecipe {
    let threads = options
        .threads
        .or_else(|| std::thread::available_parallelism().map(Into::into).ok());
    NetworkRecipe {
        backend,
        model: options.model.clone().map(ModelSource::File),
        load: LoadOptions {
            device: options.device,
            ort_library: LibraryPlaces::usual(options.ort_library.clone()),
        },
        cache_mib: options.cache_mib,
        searcher: SearcherOptions {
            threads: threads.unwrap_or(1),
            seed,
            params: options.search.clone(),
        },
    }
}

/// Another number in every run: the standard library seeds its hash maps from the system.
fn random_seed() -> u64 {
    RandomState::new().hash_one(0_u64)
}
