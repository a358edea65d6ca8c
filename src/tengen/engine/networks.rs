//! Networks: the candidates in the order in which they are tried, and those in use, which several engines share: loaded
//! once, with one cache and, on a GPU, one batcher.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use super::built_in::{built_in, built_in_boards, none_built_in};
use crate::encode::{self, Encode, Mismatch};
use crate::game::BoardSize;
use crate::search::{EvaluatorMaker, SearchError, SearcherOptions};
use tengen_nn::eval::{
    BackendKind, CachedEvaluator, Device, EvalCache, EvalError, Evaluator, EvaluatorFactory,
    LoadOptions, ModelInfo, ModelSource,
};

/// Configuration of a network thinker.
#[derive(Debug, Clone)]
pub(crate) struct NetworkSetup {
    /// The backend; `None` for the fastest available one.
    pub(crate) backend: Option<BackendKind>,
    /// The network; `None` for the game's built-in one.
    pub(crate) model: Option<ModelSource>,
    /// How to load it.
    pub(crate) load: LoadOptions,
    /// Memory of the evaluation cache, in MiB; 0 for none.
    pub(crate) cache_mib: u32,
    /// Settings of the search; its seed also seeds the playouts.
    pub(crate) searcher: SearcherOptions,
}

/// A network on a backend.
#[derive(Debug, Clone)]
pub(super) struct Attempt {
    kind: BackendKind,
    /// `None` for the built-in network.
    pub(super) model: Option<ModelSource>,
    load: LoadOptions,
    /// Whether the settings request it; the others are fallbacks.
    pub(super) asked: bool,
}

/// All candidates, in order: what was asked for, the built-in network on the processor, and there the network that was
/// asked for.
pub(super) fn fallbacks(setup: &NetworkSetup) -> VecDeque<Attempt> {
    let on_processor = LoadOptions {
        device: Device::Cpu,
        ..setup.load.clone()
    };
    let steps = [
        (true, &setup.model, &setup.load),
        (false, &None, &on_processor),
        (false, &setup.model, &on_processor),
    ];
    let mut fallbacks = VecDeque::<Attempt>::new();
    for (asked, model, load) in steps {
        let wanted = |kind: &BackendKind| !asked || setup.backend.is_none_or(|one| one == *kind);
        for kind in BackendKind::ALL.into_iter().filter(wanted) {
            let (model, load) = (model.clone(), load.clone());
            let attempt = Attempt {
                kind,
                model,
                load,
                asked,
            };
            if !fallbacks.iter().any(|other| other.is_same(&attempt)) {
                fallbacks.push_back(attempt);
            }
        }
    }
    fallbacks
}

impl Attempt {
    /// Whether it is the same network in the same place.
    pub(super) fn is_same(&self, other: &Attempt) -> bool {
        let key = |attempt: &Attempt| (attempt.kind, attempt.load.device, attempt.load.profile);
        key(self) == key(other) && self.model == other.model
    }

    /// Whether the backend is available, judged by files.
    pub(super) fn is_available(&self) -> bool {
        self.kind.available(&self.load).is_ok()
    }

    /// Loads the network, if it fits the position.
    pub(super) fn open<G: Encode>(&self, position: &G) -> Result<EvaluatorFactory, SearchError> {
        let (size, device) = (position.size(), self.load.device);
        let own = || built_in(G::NAME, size, self.kind, device);
        let source = self.model.clone().or_else(own);
        let source = source.ok_or_else(|| missing(position))?;
        encode::find(&source.info()?, position)?;
        let load = LoadOptions {
            board: Some(size),
            ..self.load.clone()
        };
        Ok(EvaluatorFactory::open(self.kind, &source, &load)?)
    }
}

/// Why there is no built-in network for this position.
fn missing<G: Encode>(position: &G) -> SearchError {
    let reason = none_built_in(G::NAME, position.size());
    match built_in_boards(G::NAME) {
        Some(_) => Mismatch::NotBuiltIn(reason).into(),
        None => EvalError::Load {
            path: "embedded".to_owned(),
            reason: format!("{reason}: give one with --model"),
        }
        .into(),
    }
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.model {
            None => f.write_str("the built-in network")?,
            Some(model) => write!(f, "network {}", model.name())?,
        }
        write!(f, " by {} on {}", self.kind, self.load.device)
    }
}

/// Networks in use. Clones share them; a single user has them exclusively.
#[derive(Clone, Default)]
pub struct Networks(Arc<Mutex<Vec<Shared>>>);

/// A network for a board, alive while it is in use.
struct Shared {
    attempt: Attempt,
    game: &'static str,
    size: BoardSize,
    info: ModelInfo,
    maker: Weak<MakeEvaluator>,
}

/// What an [`EvaluatorMaker`] points to.
type MakeEvaluator = dyn Fn() -> Result<Box<dyn Evaluator>, EvalError> + Send + Sync;

impl Networks {
    /// The network of an attempt and the maker of its evaluators: shared if it is in use, else
    /// loaded.
    ///
    /// # Errors
    /// [`SearchError`] when it cannot be loaded or does not fit the position.
    pub(super) fn open<G: Encode>(
        &self,
        attempt: &Attempt,
        position: &G,
        cache_mib: u32,
    ) -> Result<(ModelInfo, EvaluatorMaker), SearchError> {
        // Concurrent users wait while it is being loaded.
        let mut all = self.0.lock();
        all.retain(|shared| shared.maker.strong_count() > 0);
        let size = position.size();
        let same = |shared: &&Shared| {
            let board = (shared.game, shared.size) == (G::NAME, size);
            board && shared.attempt.is_same(attempt)
        };
        let known = all.iter().find(same);
        let known = known.and_then(|shared| Some((shared.info.clone(), shared.maker.upgrade()?)));
        if let Some(known) = known {
            return Ok(known);
        }
        let factory = attempt.open(position)?;
        let info = factory.info().clone();
        let maker = remembering(factory, cache_mib);
        all.push(Shared {
            attempt: attempt.clone(),
            game: G::NAME,
            size,
            info: info.clone(),
            maker: Arc::downgrade(&maker),
        });
        Ok((info, maker))
    }

    /// Lets the next user load its network again, with an empty cache.
    pub fn forget(&self) {
        self.0.lock().clear();
    }
}

/// Creates evaluators that share one cache: a new game, or a pruned position that is reached again,
/// needs no new evaluation.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::testing::network_setup;
    use crate::game::Game;
    use crate::games::go::SmallGo;
    use tengen_nn::eval::{BackendKind, CudaDevices};

    #[track_caller]
    fn check(backend: Option<BackendKind>, model: Option<&str>, device: Device, expected: &[&str]) {
        let setup = NetworkSetup {
            backend,
            model: model.map(|path| ModelSource::File(path.into())),
            load: LoadOptions {
                device,
                ..LoadOptions::default()
            },
            ..network_setup()
        };
        let fallbacks = fallbacks(&setup);
        let names: Vec<String> = fallbacks.iter().map(Attempt::to_string).collect();
        assert_eq!(names, expected);
        let wanted = backend.map_or(BackendKind::ALL.len(), |_| 1);
        assert_eq!(fallbacks.iter().filter(|a| a.asked).count(), wanted);
    }

    #[test]
    fn what_was_asked_for_comes_first_and_nothing_twice() {
        let own = [
            "the built-in network by native on cpu",
            "the built-in network by ort on cpu",
            "the built-in network by tract on cpu",
        ];
        check(None, None, Device::Cpu, &own);
        let swapped = [own[2], own[0], own[1]];
        check(Some(BackendKind::Tract), None, Device::Cpu, &swapped);
        let expected = [
            "network n by ort on cuda:1",
            own[0],
            own[1],
            own[2],
            "network n by native on cpu",
            "network n by ort on cpu",
            "network n by tract on cpu",
        ];
        let device = Device::Cuda(CudaDevices::only(1));
        check(Some(BackendKind::Ort), Some("n"), device, &expected);
    }

    #[test]
    fn networks_of_other_files_are_others() {
        let attempt = |path: &str| {
            let setup = NetworkSetup {
                model: Some(ModelSource::File(path.into())),
                ..network_setup()
            };
            fallbacks(&setup).pop_front().expect("what was asked for")
        };
        assert!(attempt("a").is_same(&attempt("a")));
        assert!(!attempt("a").is_same(&attempt("b")));
    }

    #[test]
    fn a_network_is_loaded_once_as_long_as_it_is_used() {
        let setup = NetworkSetup {
            backend: Some(BackendKind::Native),
            ..network_setup()
        };
        let networks = Networks::default();
        let attempts = fallbacks(&setup);
        let attempt = attempts.front().expect("there is a network");
        let start = SmallGo::new(BoardSize::square(9)).expect("a usual board");
        let open =
            |networks: &Networks| networks.open(attempt, &start, 1).expect("it is built in").1;
        let first = open(&networks);
        let again = open(&networks.clone());
        assert!(Arc::ptr_eq(&first, &again));
        assert!(!Arc::ptr_eq(&first, &open(&Networks::default())));
        networks.forget();
        let reopened = open(&networks);
        assert!(!Arc::ptr_eq(&first, &reopened));
        let made = Arc::downgrade(&reopened);
        drop(reopened);
        assert!(made.upgrade().is_none(), "it is unused");
    }
}
