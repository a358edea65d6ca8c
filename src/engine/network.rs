//! The thinker with a network: PUCT, and playouts where no network fits.
//!
//! Nothing is loaded before the first search. A network that cannot be had (no file, another board,
//! another encoding, a backend that is not installed) is one line in the log, and from then on the
//! moves come from [`RolloutThinker`].

use std::sync::Arc;

use super::{RolloutThinker, ThinkError, Thinker, built_in};
use crate::clock::Clock;
use crate::encode::{self, Encode};
use crate::eval::{
    BackendKind, CachedEvaluator, EvalCache, EvalError, Evaluator, EvaluatorFactory, LoadOptions,
    ModelSource,
};
use crate::rollout::Playout;
use crate::search::{
    EvaluatorMaker, Limits, ProberMaker, SearchError, SearchReport, Searcher, SearcherOptions,
    StopFlag, View,
};

/// How to put a network thinker together.
#[derive(Debug, Clone)]
pub struct NetworkRecipe {
    /// What runs the network. ONNX Runtime gives way to tract where it is not installed.
    pub backend: BackendKind,
    /// The network; `None` for the one built in for the game.
    pub model: Option<ModelSource>,
    /// How to load it.
    pub load: LoadOptions,
    /// Memory for evaluations that outlive the tree, in MiB; 0 for none.
    pub cache_mib: u32,
    /// Settings of the search; its seed also seeds the playouts.
    pub searcher: SearcherOptions,
}

impl NetworkRecipe {
    /// Opens the network and checks that it fits the position.
    fn open<G: Encode>(&self, position: &G) -> Result<EvaluatorFactory, SearchError> {
        let open = |backend, load: &LoadOptions| {
            let own = || built_in(G::NAME, backend, load.device);
            let Some(source) = self.model.clone().or_else(own) else {
                return Err(EvalError::Load {
                    path: "embedded".to_owned(),
                    reason: format!("none is built in for {}: give one with --model", G::NAME),
                });
            };
            EvaluatorFactory::open(backend, &source, load)
        };
        let factory = match open(self.backend, &self.load) {
            Err(EvalError::Unavailable { backend, reason }) if self.backend == BackendKind::Ort => {
                log::warn!("{backend} is not available, tract takes its place: {reason}");
                open(BackendKind::Tract, &LoadOptions::default())?
            }
            opened => opened?,
        };
        encode::find(factory.info(), position)?;
        Ok(factory)
    }
}

/// Thinks with a network.
pub struct NetworkThinker<G: Encode> {
    recipe: NetworkRecipe,
    prober: Option<ProberMaker<G>>,
    time: Arc<dyn Clock>,
    state: State<G>,
    rollout: RolloutThinker,
}

/// Whether there is a network.
enum State<G: Encode> {
    Unopened,
    Open(Box<Searcher<G>>),
    Unusable,
}

impl<G: Encode> NetworkThinker<G> {
    /// A thinker that has not loaded anything yet.
    #[must_use]
    pub fn new(recipe: NetworkRecipe, time: Arc<dyn Clock>) -> NetworkThinker<G> {
        NetworkThinker {
            rollout: RolloutThinker::new(recipe.searcher.seed, Arc::clone(&time)),
            state: State::Unopened,
            recipe,
            prober: None,
            time,
        }
    }

    /// Has new positions of the search looked at by a prober first.
    #[must_use]
    pub fn with_prober(mut self, make: Option<ProberMaker<G>>) -> Self {
        self.prober = make;
        self
    }

    /// The search with the network, which is loaded at the first call; `None` when it is unusable.
    fn searcher(&mut self, position: &G) -> Option<&mut Searcher<G>> {
        if matches!(self.state, State::Unopened) {
            self.state = self.open(position);
        }
        match &mut self.state {
            State::Open(searcher) => Some(searcher),
            State::Unopened | State::Unusable => None,
        }
    }

    fn open(&self, position: &G) -> State<G> {
        let factory = match self.recipe.open(position) {
            Ok(factory) => factory,
            Err(error) => {
                log::error!("no network, so moves are chosen by random playouts: {error}");
                return State::Unusable;
            }
        };
        let (info, searcher) = (factory.info(), &self.recipe.searcher);
        log::info!(
            "network {} after {} games, on {} threads",
            info.network,
            info.games,
            searcher.threads
        );
        let make = remembering(factory, self.recipe.cache_mib);
        let searcher = Searcher::new(make, searcher.clone(), Arc::clone(&self.time));
        State::Open(Box::new(match &self.prober {
            Some(make) => searcher.with_prober(Arc::clone(make)),
            None => searcher,
        }))
    }
}

/// Makes evaluators that share one cache: a new game, or a position that made room in the tree and
/// comes back, need not be evaluated again.
fn remembering(factory: EvaluatorFactory, cache_mib: u32) -> EvaluatorMaker {
    if cache_mib == 0 {
        return Arc::new(move || factory.make());
    }
    let cache = Arc::new(EvalCache::new(factory.info(), (cache_mib as usize) << 20));
    Arc::new(move || {
        let cached = CachedEvaluator::new(factory.make()?, Arc::clone(&cache))?;
        Ok(Box::new(cached) as Box<dyn Evaluator>)
    })
}

impl<G: Encode + Playout> Thinker<G> for NetworkThinker<G> {
    fn watch(
        &mut self,
        position: &G,
        limits: &Limits,
        stop: &StopFlag,
        view: &View,
        see: &mut dyn FnMut(SearchReport),
    ) -> Result<SearchReport, ThinkError> {
        if let Some(searcher) = self.searcher(position) {
            match searcher.watch(position, limits, stop, view, see) {
                Ok(report) => return Ok(report),
                Err(error) => log::error!("random playouts choose this move: {error}"),
            }
        }
        self.rollout.watch(position, limits, stop, view, see)
    }

    fn evaluate(&mut self, position: &G) -> Result<SearchReport, ThinkError> {
        match self.searcher(position) {
            Some(searcher) => Ok(searcher.evaluate(position)?),
            None => self.rollout.evaluate(position),
        }
    }

    fn prepare(&mut self, position: &G, stop: &StopFlag) {
        if let Some(searcher) = self.searcher(position)
            && let Err(error) = searcher.prepare(position, stop)
        {
            log::warn!("cannot prepare a search: {error}");
        }
    }

    fn new_game(&mut self) {
        if let State::Open(searcher) = &mut self.state {
            searcher.clear();
        }
    }
}

#[cfg(all(test, feature = "tract"))]
mod tests {
    use super::*;
    use crate::clock::SystemClock;
    use crate::eval::testnet::{SMALL, Shape};
    use crate::game::nogo::SmallNoGo;
    use crate::game::{BoardSize, Game};
    use crate::search::SearchParams;

    fn recipe(model: Option<ModelSource>) -> NetworkRecipe {
        NetworkRecipe {
            backend: BackendKind::Tract,
            model,
            load: LoadOptions::default(),
            cache_mib: 1,
            searcher: SearcherOptions {
                threads: 1,
                seed: 1,
                params: SearchParams::default(),
            },
        }
    }

    /// A random network for a board of `size`.
    fn network(size: BoardSize) -> ModelSource {
        let position = SmallNoGo::new(size).expect("a small board");
        let newest = SmallNoGo::encodings().last().expect("NoGo has an encoding");
        let shape = Shape {
            size: position.size(),
            planes: newest.planes(),
            encoding: newest.id(),
            ..SMALL
        };
        ModelSource::Embedded(shape.onnx(1).leak())
    }

    /// Searches an empty 5x5 board.
    fn think(recipe: NetworkRecipe) -> SearchReport {
        let position = SmallNoGo::new(BoardSize::square(5)).expect("a small board");
        let mut thinker = NetworkThinker::new(recipe, Arc::new(SystemClock::new()));
        let limits = Limits {
            visits: Some(20),
            budget: None,
        };
        thinker
            .think(&position, &limits, &StopFlag::new())
            .expect("playouts never fail")
    }

    #[test]
    fn playouts_take_over_where_no_network_can_be_had() {
        let missing = ModelSource::File("/nowhere/at/all.onnx".into());
        let other_board = network(BoardSize::square(4));
        for model in [
            missing,
            ModelSource::Embedded(b"not an ONNX file"),
            other_board,
        ] {
            let report = think(recipe(Some(model)));
            assert_eq!((report.visits, report.evaluations), (20, 0));
        }
    }

    #[test]
    fn the_built_in_network_is_searched_with() {
        let position = SmallNoGo::new(BoardSize::square(9)).expect("a usual board");
        let mut thinker = NetworkThinker::new(recipe(None), Arc::new(SystemClock::new()));
        let limits = Limits {
            visits: Some(30),
            budget: None,
        };
        let mut search = |new_game: bool| {
            if new_game {
                thinker.new_game();
            }
            let report = thinker.think(&position, &limits, &StopFlag::new());
            let report = report.expect("nothing has to fail");
            (report.visits, report.reused, report.evaluations)
        };
        let first = search(false);
        assert!(first.0 == 30 && first.1 == 0 && first.2 > 0, "{first:?}");
        assert_eq!(search(false), (30, 30, 0), "the tree is kept");
        assert_eq!(search(true), first, "and left behind by a new game");
    }

    #[test]
    fn a_network_that_fits_is_searched_with() {
        let report = think(recipe(Some(network(BoardSize::square(5)))));
        assert_eq!((report.visits, report.moves.len()), (20, 25));
        assert!(report.evaluations > 0);
    }

    #[test]
    fn without_onnx_runtime_tract_takes_its_place() {
        let mut recipe = recipe(Some(network(BoardSize::square(5))));
        recipe.backend = BackendKind::Ort;
        recipe.load.ort_library.option = Some("/nowhere/at/all.so".into());
        assert!(think(recipe).evaluations > 0);
    }
}
