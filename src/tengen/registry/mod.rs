//! Which engines there are: the games of the list, by the methods that choose moves. Creates an
//! engine by the names of both, after a check of what was asked for.
//!
//! This is where methods are registered: `thinkers` has a line for each value of `--backend`.

mod startup;

pub use startup::StartError;

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use crate::book::{self, BookError, BookMeta};
use crate::clock::Clock;
use crate::encode::{self, Encode, Mismatch};
use crate::engine::{
    Backend, Engine, EngineOptions, FromBook, MakeThinker, NetworkSetup, NetworkThinker, Networks,
    Player, RolloutThinker, SolverPlace, SolverThinker, SolverThreads, Thinker, ThinkerLog,
    look_at_once, probers,
};
use crate::game::{BoardSize, Game, Move};
use crate::games::{UnknownGame, with_game};
use crate::rollout::{self, Rollout};
use crate::search::SearcherOptions;
use crate::solver::{Solvable, Solve, Solves};
use tengen_nn::eval::{BackendKind, Device, ModelInfo, ModelSource};

/// Seed of the playouts that estimate dead stones: the same position has the same score in every
/// process, so two engines agree.
const JUDGING_SEED: u64 = 1;

/// Components of an engine.
#[derive(Clone, Copy)]
struct Setup<'a> {
    options: &'a EngineOptions,
    time: &'a Arc<dyn Clock>,
    networks: &'a Networks,
}

/// Whether a network can be used for the game of `options` on a board of `size`.
///
/// # Errors
/// [`UnknownGame`] names the game's sizes.
pub(super) fn fits(
    options: &EngineOptions,
    model: &ModelInfo,
    size: BoardSize,
) -> Result<Result<(), Mismatch>, UnknownGame> {
    let rules = &*options.rules;
    with_game!(&options.game, size, rules: rules, |empty| encode::find(model, &empty).map(drop))
}

/// An engine for the game of `options` on a board of `size`, instead of [`EngineOptions::board`].
/// Cheap: networks and threads wait for the first search.
///
/// # Errors
/// [`UnknownGame`] names the games, or the game's sizes.
pub fn create(
    options: &EngineOptions,
    size: BoardSize,
    time: &Arc<dyn Clock>,
) -> Result<Box<dyn Engine>, UnknownGame> {
    create_beside(options, size, time, &Networks::default())
}

/// As [`create`]: one of several engines with the same settings except for the rules, which share
/// networks.
///
/// # Errors
/// As [`create`].
pub fn create_beside(
    options: &EngineOptions,
    size: BoardSize,
    time: &Arc<dyn Clock>,
    networks: &Networks,
) -> Result<Box<dyn Engine>, UnknownGame> {
    let setup = Setup {
        options,
        time,
        networks,
    };
    create_by(&setup, options, size, time)
}

/// A way to choose moves in all games: those of [`Backend`], or of another program.
pub trait Method {
    /// Creates thinkers of this kind, which note in the log what chooses their moves.
    fn thinkers<G: Encode + Rollout + Solvable>(&self, log: &ThinkerLog) -> MakeThinker<G>;
}

/// As [`create`], by a method of the caller's: the options' backend is not looked at.
///
/// # Errors
/// As [`create`].
pub fn create_by(
    method: &impl Method,
    options: &EngineOptions,
    size: BoardSize,
    time: &Arc<dyn Clock>,
) -> Result<Box<dyn Engine>, UnknownGame> {
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
    let make = prepared(method.thinkers(&thinker_log), &empty);
    let book = from_book(&empty, options);
    let time = Arc::clone(time);
    let threads = options.threads.or_else(processors).unwrap_or(1);
    let bytes = (options.solver.solver_mib as usize) << 20;
    let mut player = Player::new(empty, make, options.thinking_limits(), time);
    if options.device != Device::Cpu {
        // A GPU takes seconds for it: they should not be the first move's.
        player.prepare();
    }
    let player = match G::SOLVES {
        Solves::Nothing => player,
        Solves::Threats | Solves::Endings => {
            player.with_solver(threads, Box::new(move || G::solver(bytes)))
        }
    };
    let estimate = move |position: &G, playouts, halt: &dyn Fn() -> bool| {
        rollout::expect(position, playouts, JUDGING_SEED, halt)
    };
    Box::new(
        player
            .with_dead_stones(Box::new(estimate))
            .with_look_at_once(look_at_once())
            .with_thinker_log(thinker_log)
            .with_resign(options.resign_below)
            .with_book(book),
    )
}

/// The book of the options, if it is for this board.
fn from_book<G: Game>(empty: &G, options: &EngineOptions) -> Option<FromBook> {
    let path = options.book.as_deref()?;
    let read = || -> Result<FromBook, BookError> {
        let wanted = BookMeta::of(empty);
        let (meta, book) = book::read(path)?;
        meta.check_board(&wanted)?;
        let seed = options.seed.unwrap_or_else(random_seed);
        Ok(FromBook::new(
            Arc::new(book),
            meta.rules,
            options.book_variety,
            seed,
        ))
    };
    match read() {
        Ok(book) => Some(book),
        // A controller may play on other boards, too.
        Err(error @ BookError::Other { .. }) => {
            log::info!("no moves from {}: {error}", path.display());
            None
        }
        Err(error) => {
            log::error!("no moves from the book {}: {error}", path.display());
            None
        }
    }
}

/// The method that the options name. **The list of methods.**
impl Method for Setup<'_> {
    fn thinkers<G: Encode + Rollout + Solvable>(&self, log: &ThinkerLog) -> MakeThinker<G> {
        let (options, time) = (self.options, self.time);
        let seed = options.seed.unwrap_or_else(random_seed);
        match options.backend {
            Backend::Auto => by_network(*self, None, seed, log),
            Backend::Network(kind) => by_network(*self, Some(kind), seed, log),
            Backend::Rollout => {
                log.note("random playouts choose the moves".to_owned());
                solved(by_playouts(options, seed, time), options, time)
            }
        }
    }
}

/// Creates thinkers with a network, which share the table of their solver with its probes.
fn by_network<G: Encode + Rollout + Solvable>(
    setup: Setup<'_>,
    backend: Option<BackendKind>,
    seed: u64,
    log: &ThinkerLog,
) -> MakeThinker<G> {
    let (options, networks) = (setup.options, setup.networks.clone());
    let network = network_setup(options, backend, seed);
    let place = place(network.searcher.threads);
    let (solve, solver) = (add_solver(options, Some(place), setup.time), options.solver);
    let (time, log) = (Arc::clone(setup.time), log.clone());
    Arc::new(move || {
        let shared = G::solver((solver.solver_mib as usize) << 20);
        let prober = shared
            .as_ref()
            .and_then(|shared| probers(shared.probes(), &solver));
        let thinker = NetworkThinker::new(network.clone(), Arc::clone(&time))
            .with_prober(prober)
            .with_networks(networks.clone())
            .with_thinker_log(log.clone());
        solve(Box::new(thinker), shared)
    })
}

/// The same thinkers with a solver of endings, if the options ask for one.
fn solved<G: Solvable>(
    make: MakeThinker<G>,
    options: &EngineOptions,
    time: &Arc<dyn Clock>,
) -> MakeThinker<G> {
    let solve = add_solver(options, None, time);
    Arc::new(move || solve(make(), None))
}

/// Creates thinkers by random playouts.
fn by_playouts<G: Rollout>(
    options: &EngineOptions,
    seed: u64,
    time: &Arc<dyn Clock>,
) -> MakeThinker<G> {
    let time = Arc::clone(time);
    let bytes = (options.search.memory_mib as usize) << 20;
    Arc::new(move || Box::new(RolloutThinker::new(seed, Arc::clone(&time)).within(bytes)))
}

/// Creates thinkers as `make` does, and loads the tables of static move knowledge in advance: a
/// move without a search should not pay for them.
fn prepared<G: Rollout>(make: MakeThinker<G>, empty: &G) -> MakeThinker<G> {
    let empty = empty.clone();
    Arc::new(move || {
        let moves: Vec<Move> = empty.legal_moves().collect();
        empty.static_eval(&moves);
        make()
    })
}

/// Adds a solver of endings to a thinker: the one that its probes share, or a new one.
type AddSolver<G> = Box<
    dyn Fn(Box<dyn Thinker<G>>, Option<Box<dyn Solve<G>>>) -> Box<dyn Thinker<G>> + Send + Sync,
>;

/// At the `usual` place unless the options say otherwise; none if neither gives one. Playouts
/// search with one thread.
fn add_solver<G: Solvable>(
    options: &EngineOptions,
    usual: Option<SolverPlace>,
    time: &Arc<dyn Clock>,
) -> AddSolver<G> {
    let (solver, time) = (options.solver, Arc::clone(time));
    let place = match solver.solver_threads {
        SolverThreads::Backend => usual,
        SolverThreads::Auto => usual.or_else(|| Some(place(1))),
        SolverThreads::Exactly(0) => usual.map(|_| SolverPlace::Nowhere),
        SolverThreads::Exactly(threads) => Some(SolverPlace::Beside(threads)),
    };
    let simulated = options.playouts_per_second;
    Box::new(move |thinker, shared| match place {
        None => thinker,
        Some(place) => Box::new(SolverThinker::new(
            thinker,
            shared,
            place,
            solver,
            simulated,
            Arc::clone(&time),
        )),
    })
}

/// Place of a solver beside a search of this many threads: on an idle processor, or none while a
/// clock runs. (One thread each on a shared processor, 8 s a game: a turn of up to half of the
/// move's time before the search scored 42.5% [36.0, 49.3] of 200 games of NoGo against none, and
/// 45.4% [37.6, 53.5] of 120 of Gomoku.)
fn place(search_threads: usize) -> SolverPlace {
    match processors() {
        Some(all) if all > search_threads => SolverPlace::Beside(1),
        _ => SolverPlace::Untimed,
    }
}

fn processors() -> Option<usize> {
    std::thread::available_parallelism().map(Into::into).ok()
}

fn network_setup(options: &EngineOptions, backend: Option<BackendKind>, seed: u64) -> NetworkSetup {
    let threads = options.threads.or_else(processors);
    NetworkSetup {
        backend,
        model: options.model.clone().map(ModelSource::File),
        load: options.load(),
        cache_mib: options.cache_mib,
        searcher: SearcherOptions {
            threads: threads.unwrap_or(1),
            seed,
            params: options.search.clone(),
        },
    }
}

/// A different number in every run: the standard library seeds its hash maps from the system.
#[must_use]
pub fn random_seed() -> u64 {
    RandomState::new().hash_one(0_u64)
}
