//! Which engines there are: the games of the list, by the methods that choose moves. Creates an
//! engine by the names of both, after a check of what was asked for.
//!
//! This is where methods are registered: `thinkers` of [`Networks`] has a line for each value of `--backend`.

mod startup;

pub use startup::StartError;

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use crate::book::{BookError, BookMeta, BookSource};
use crate::clock::Clock;
use crate::encode::Encode;
use crate::engine::{
    Backend, Engine, EngineOptions, FromBook, MakeThinker, NetworkSetup, NetworkThinker, Networks,
    Player, RolloutThinker, SolverThinker, Thinker, ThinkerLog, look_at_once, probers,
};
use crate::game::{BoardSize, Game, Move};
use crate::games::{UnknownGame, with_game};
use crate::rollout::{self, Rollout};
use crate::search::SearcherOptions;
use crate::settings::Table as _;
use crate::solver::{Solvable, Solve, Solves};
use crate::system;
use tengen_nn::eval::{BackendKind, Device, ModelSource};

/// Seed of the playouts that estimate dead stones: the same position has the same score in every
/// process, so two engines agree.
const JUDGING_SEED: u64 = 1;

/// An engine for the game of `options` on a board of `size`, instead of [`EngineOptions::board`].
/// Cheap: networks and threads wait for the first search, on a processor.
///
/// # Errors
/// [`UnknownGame`] names the games, the game's sizes, or the allowed values of a setting.
pub fn create(
    options: &EngineOptions,
    size: BoardSize,
    time: &Arc<dyn Clock>,
) -> Result<Box<dyn Engine>, UnknownGame> {
    let mut engine = create_by(&Networks::default(), options, size, time)?;
    if options.device != Device::Cpu {
        // A GPU takes seconds for it: they should not be the first move's.
        engine.prepare();
    }
    Ok(engine)
}

/// A way to choose moves in all games: those of [`Backend`] with some [`Networks`], or of another program.
pub trait Method {
    /// Creates thinkers of this kind, which note in the log what chooses their moves.
    fn thinkers<G: Encode + Rollout + Solvable>(
        &self,
        options: &EngineOptions,
        time: &Arc<dyn Clock>,
        log: &ThinkerLog,
    ) -> MakeThinker<G>;
}

/// As [`create`], by a method of the caller's, and without preparations on any device. Engines by the same [`Networks`] that ask for the same network on the same
/// board share it, with the cache of the first.
///
/// # Errors
/// As [`create`].
pub fn create_by(
    method: &impl Method,
    options: &EngineOptions,
    size: BoardSize,
    time: &Arc<dyn Clock>,
) -> Result<Box<dyn Engine>, UnknownGame> {
    options.check()?;
    let rules = &*options.rules;
    with_game!(&options.game, size, rules: rules, |empty| player(empty, method, options, time))
}

fn player<G: Encode + Rollout + Solvable>(
    empty: G,
    method: &impl Method,
    options: &EngineOptions,
    time: &Arc<dyn Clock>,
) -> Box<dyn Engine> {
    let thinker_log = ThinkerLog::default();
    let make = prepared(method.thinkers(options, time, &thinker_log), &empty);
    let book = from_book(&empty, options);
    let mut player = Player::new(empty, make, options.thinking_limits(), Arc::clone(time));
    player.solver = solver::<G>(options).map(|solver| (threads(options), solver));
    player.dead_stones.expect = Some(Box::new(|position, playouts, halt| {
        rollout::expect(position, playouts, JUDGING_SEED, halt)
    }));
    player.look_at_once = look_at_once();
    player.thinker_log = thinker_log;
    player.resign = options.resign_below;
    player.book = book;
    player.is_weakened = options.is_weakened();
    Box::new(player)
}

/// The book of the options, if it is for this board.
fn from_book<G: Game>(empty: &G, options: &EngineOptions) -> Option<FromBook> {
    let source = options.book_for(empty.size());
    if source == BookSource::None {
        return None;
    }
    let wanted = BookMeta::of(empty);
    let of_file = matches!(source, BookSource::File(_));
    let read = move || {
        let read = source.read().and_then(|(meta, book)| {
            meta.check_board(&wanted)?;
            Ok((meta, book))
        });
        let level = match &read {
            // A controller may play on other boards, too.
            Err(BookError::Other { .. }) => log::Level::Info,
            _ => log::Level::Error,
        };
        read.inspect_err(|error| log::log!(level, "no moves from the book {source}: {error}"))
            .ok()
    };
    let book = FromBook::new(Box::new(read), options.book_variety, seed(options));
    // What is wrong with a file is said before the game.
    (!of_file || book.is_there()).then_some(book)
}

/// The method that the options name. **The list of methods.**
impl Method for Networks {
    fn thinkers<G: Encode + Rollout + Solvable>(
        &self,
        options: &EngineOptions,
        time: &Arc<dyn Clock>,
        log: &ThinkerLog,
    ) -> MakeThinker<G> {
        match options.backend {
            Backend::Auto => by_network(None, self, options, time, log),
            Backend::Network(kind) => by_network(Some(kind), self, options, time, log),
            Backend::Rollout => {
                log.note("random playouts choose the moves".to_owned());
                by_playouts(options, time)
            }
        }
    }
}

/// Creates thinkers with a network, which share the table of their solver with its probes.
fn by_network<G: Encode + Rollout + Solvable>(
    backend: Option<BackendKind>,
    networks: &Networks,
    options: &EngineOptions,
    time: &Arc<dyn Clock>,
    log: &ThinkerLog,
) -> MakeThinker<G> {
    let setup = NetworkSetup {
        backend,
        model: options.model.clone().map(ModelSource::File),
        load: options.load(),
        cache_mib: options.cache_mib,
        searcher: SearcherOptions {
            threads: threads(options),
            seed: seed(options),
            params: options.search.clone(),
        },
    };
    let (options, networks) = (options.clone(), networks.clone());
    let (time, log) = (Arc::clone(time), log.clone());
    Arc::new(move || {
        let solver = solver::<G>(&options);
        let prober = solver.as_ref().map(|solver| solver.probes());
        let prober = prober.and_then(|probes| probers(probes, &options.solver));
        let (setup, networks) = (setup.clone(), networks.clone());
        let network = NetworkThinker::new(setup, networks, prober, log.clone(), Arc::clone(&time));
        with_solver(Box::new(network), solver, &options, &time)
    })
}

/// Creates thinkers by random playouts, which see endings themselves, but no wins by threats.
fn by_playouts<G: Rollout + Solvable>(
    options: &EngineOptions,
    time: &Arc<dyn Clock>,
) -> MakeThinker<G> {
    let (options, time, seed) = (options.clone(), Arc::clone(time), seed(options));
    let bytes = (options.search.memory_mib as usize) << 20;
    Arc::new(move || {
        let playouts = RolloutThinker::new(seed, bytes, Arc::clone(&time));
        let solver = (G::SOLVES == Solves::Threats).then(|| solver::<G>(&options));
        with_solver(Box::new(playouts), solver.flatten(), &options, &time)
    })
}

/// The same thinkers, which load the tables of static move knowledge in advance: a move without a search should not
/// pay for them.
fn prepared<G: Rollout>(make: MakeThinker<G>, empty: &G) -> MakeThinker<G> {
    let empty = empty.clone();
    Arc::new(move || {
        let moves: Vec<Move> = empty.legal_moves().collect();
        empty.appeal(&moves);
        make()
    })
}

/// The solver of a game, if it has one.
fn solver<G: Solvable>(options: &EngineOptions) -> Option<Box<dyn Solve<G>>> {
    G::solver((options.solver.solver_mib as usize) << 20)
}

/// A thinker with this solver, if there is one.
fn with_solver<G: Solvable>(
    thinker: Box<dyn Thinker<G>>,
    solver: Option<Box<dyn Solve<G>>>,
    options: &EngineOptions,
    time: &Arc<dyn Clock>,
) -> Box<dyn Thinker<G>> {
    let (from, time) = (options.solver.solver_from, Arc::clone(time));
    match solver {
        Some(solver) => Box::new(SolverThinker::new(thinker, solver, from, time)),
        None => thinker,
    }
}

/// Search threads.
fn threads(options: &EngineOptions) -> usize {
    options.threads.unwrap_or_else(system::processors)
}

/// The seed of an engine's random numbers.
fn seed(options: &EngineOptions) -> u64 {
    options.seed.unwrap_or_else(random_seed)
}

/// A different number in every run: the standard library seeds its hash maps from the system.
pub fn random_seed() -> u64 {
    RandomState::new().hash_one(0_u64)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tengen_nn::eval::CudaDevices;

    use super::*;
    use crate::clock::SystemClock;
    use crate::search::StopFlag;

    /// Random playouts, and a flag that is raised when they are made.
    struct Watched(StopFlag);

    impl Method for Watched {
        fn thinkers<G: Encode + Rollout + Solvable>(
            &self,
            options: &EngineOptions,
            time: &Arc<dyn Clock>,
            _: &ThinkerLog,
        ) -> MakeThinker<G> {
            let (make, made) = (by_playouts::<G>(options, time), self.0.clone());
            Arc::new(move || {
                made.raise();
                make()
            })
        }
    }

    /// Those that check queries never search.
    #[test]
    fn an_engine_by_a_method_waits_for_its_first_search() {
        let mut options = EngineOptions::of("nogo").expect("it is on the list");
        options.device = Device::Cuda(CudaDevices::only(0));
        let made = StopFlag::new();
        let time: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let engine = create_by(&Watched(made.clone()), &options, options.board(), &time);
        std::thread::sleep(Duration::from_millis(200));
        assert!(engine.is_ok() && !made.is_raised());
    }
}
