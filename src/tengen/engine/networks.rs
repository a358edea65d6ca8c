//! Networks: those compiled into the program; the candidates in the order in which they are tried; and those in use, which
//! several engines share: loaded once, with one cache and, on a GPU, one batcher.

use std::collections::VecDeque;
use std::fmt;
use std::ops::RangeInclusive;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::encode::{self, Encode, Mismatch};
use crate::game::BoardSize;
use crate::search::{EvaluatorMaker, SearchError, SearcherOptions};
use tengen_nn::eval::{
    BackendKind, CachedEvaluator, Device, EvalCache, EvalError, Evaluator, EvaluatorFactory,
    LoadOptions, ModelInfo, ModelSource, NativeModel,
};

/// A game's network for some boards: the trained f32 network, and its int8 form.
struct Network {
    game: &'static str,
    /// Its file in `models/`, without the ending.
    name: &'static str,
    /// Smallest and largest board side.
    sides: RangeInclusive<u8>,
    exact: &'static [u8],
    int8: &'static [u8],
}

/// A line of [`NETWORKS`].
macro_rules! network {
    ($game:literal, $name:literal, $sides:expr) => {
        Network {
            game: $game,
            name: $name,
            sides: $sides,
            exact: include_bytes!(concat!("../../../models/", $name, ".onnx")),
            int8: include_bytes!(concat!("../../../models/", $name, "-int8.onnx")),
        }
    };
}

const NETWORKS: &[Network] = &[
    #[cfg(not(feature = "gomocup"))]
    network!("nogo", "nogo-9x9", 9..=9),
    #[cfg(not(feature = "gomocup"))]
    network!("go", "go-9x9-taught", 9..=9),
    #[cfg(not(feature = "gomocup"))]
    network!("go", "go-taught", 9..=19),
    network!("gomoku", "gomoku-8x8", 8..=8),
    network!("gomoku", "gomoku-taught", 9..=20),
];

impl Network {
    fn fits(&self, size: BoardSize) -> bool {
        self.sides.contains(&size.width) && self.sides.contains(&size.height)
    }
}

/// The networks of a game.
fn of_game(game: &str) -> impl Iterator<Item = &'static Network> + Clone {
    NETWORKS.iter().filter(move |network| network.game == game)
}

/// The boards for which a game has built-in networks, for messages; `None` if it has none.
pub fn built_in_boards(game: &str) -> Option<String> {
    let sides = of_game(game).map(|network| &network.sides);
    let holds = |all: &RangeInclusive<u8>, part: &RangeInclusive<u8>| {
        all != part && all.contains(part.start()) && all.contains(part.end())
    };
    let largest = sides
        .clone()
        .filter(|&part| !sides.clone().any(|all| holds(all, part)));
    let boards = largest.map(|sides| match (sides.start(), sides.end()) {
        (least, most) if least == most => format!("{least}x{most}"),
        (least, most) => format!("boards with sides from {least} to {most}"),
    });
    let boards: Vec<String> = boards.collect();
    (!boards.is_empty()).then(|| boards.join(" and "))
}

/// The name of the built-in network of a game for a board: its file in `models/`, without the ending.
pub fn built_in_name(game: &str, size: BoardSize) -> Option<&'static str> {
    let mut found = of_game(game).filter(|network| network.fits(size));
    found.next().map(|network| network.name)
}

/// Why a game has no built-in network for a board, for messages.
pub fn none_built_in(game: &str, size: BoardSize) -> String {
    match built_in_boards(game) {
        None => format!("there is no built-in network for {game}"),
        Some(boards) => {
            format!("the built-in networks for {game} play on {boards}, not on {size}")
        }
    }
}

/// The built-in network of a game for a board, if there is one, in its fastest form: int8 on a
/// processor with instructions for it, except for `tract`, which has none (`docs/networks.md#network-files`,
/// int8).
pub fn built_in(
    game: &str,
    size: BoardSize,
    backend: BackendKind,
    device: Device,
) -> Option<ModelSource> {
    let found = of_game(game).find(|network| network.fits(size))?;
    let integers = match backend {
        BackendKind::Native => NativeModel::prefers_integers(),
        BackendKind::Ort => multiplies_bytes_fast(),
        BackendKind::Tract => false,
    };
    Some(ModelSource::Embedded(match device {
        Device::Cpu if integers => found.int8,
        _ => found.exact,
    }))
}

/// Whether the processor multiplies and adds four bytes at once (VNNI). Without it, int8 gains
/// little.
#[cfg(target_arch = "x86_64")]
fn multiplies_bytes_fast() -> bool {
    is_x86_feature_detected!("avx512vnni") || is_x86_feature_detected!("avxvnni")
}

#[cfg(not(target_arch = "x86_64"))]
fn multiplies_bytes_fast() -> bool {
    false
}

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
        let wanted = |kind: &BackendKind| match setup.backend {
            Some(one) if asked => one == *kind,
            _ => kind.computes_on(load.device),
        };
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

    /// Whether the processor computes it.
    pub(super) fn is_on_processor(&self) -> bool {
        self.load.device == Device::Cpu
    }

    /// Loads the network, if it fits the position.
    pub(super) fn open<G: Encode>(&self, position: &G) -> Result<EvaluatorFactory, SearchError> {
        let (size, device) = (position.size(), self.load.device);
        let own = || built_in(G::NAME, size, self.kind, device);
        let source = self.model.clone().or_else(own);
        let missing = || Mismatch::Board(none_built_in(G::NAME, size));
        let source = source.ok_or_else(missing)?;
        // Opening may take seconds, for a trial: a network for another game or board is refused before.
        encode::find(&source.info()?, position)?;
        let load = LoadOptions {
            board: Some(size),
            ..self.load.clone()
        };
        Ok(EvaluatorFactory::open(self.kind, &source, &load)?)
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
    use crate::encode::find;
    use crate::engine::testing::network_setup;
    use crate::game::Game;
    use crate::games::go::SmallGo;
    use crate::games::with_game;
    use tengen_nn::eval::CudaDevices;
    use tengen_nn::onnx::{Header, PRECISION};

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
        let wanted = match (backend, device) {
            (None, Device::Cpu) => BackendKind::ALL.len(),
            _ => 1,
        };
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
        check(None, Some("n"), device, &expected);
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

    fn bytes(source: Option<ModelSource>) -> &'static [u8] {
        match source {
            Some(ModelSource::Embedded(onnx)) => onnx,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn both_forms_are_the_same_network() {
        for network in NETWORKS {
            let [exact, int8] = [network.exact, network.int8].map(|onnx| {
                let precision = Header::read(onnx).unwrap();
                let precision = precision.metadata(PRECISION).map(str::to_owned);
                (ModelInfo::read("built-in", onnx).unwrap(), precision)
            });
            assert_eq!(exact.0.game, network.game);
            assert_eq!(int8.1.as_deref(), Some("int8"));
            assert_ne!(exact.1, int8.1);
            let origin = |info: &ModelInfo| (info.network.clone(), info.games, info.steps);
            assert_eq!(origin(&exact.0), origin(&int8.0));
        }
    }

    #[test]
    fn integers_are_for_processors_and_backends_that_are_fast_at_them() {
        let exact = NETWORKS[0].exact;
        let nogo = |backend, device| bytes(built_in("nogo", BoardSize::square(9), backend, device));
        assert_eq!(nogo(BackendKind::Tract, Device::Cpu), exact);
        assert_eq!(
            nogo(BackendKind::Ort, Device::Cuda(CudaDevices::only(0))),
            exact
        );
        let native = nogo(BackendKind::Native, Device::Cpu);
        assert_eq!(native != exact, NativeModel::prefers_integers());
        let cpu = nogo(BackendKind::Ort, Device::Cpu);
        assert_eq!(cpu != exact, multiplies_bytes_fast());
    }

    #[test]
    fn a_board_gets_its_own_network() {
        let found = |game, size| built_in(game, size, BackendKind::Tract, Device::Cpu);
        for network in NETWORKS {
            let (least, most) = (*network.sides.start(), *network.sides.end());
            // On square boards a smaller network may be better.
            for size in [BoardSize::new(least, most), BoardSize::square(most)] {
                let own = bytes(found(network.game, size)) == network.exact;
                assert!(own, "{} {size}", network.game);
                let info = ModelInfo::read("built-in", network.exact).unwrap();
                let fits = with_game!(network.game, size, |start| find(&info, &start).is_ok());
                assert_eq!(fits, Ok(true), "{} {size}", network.game);
            }
        }
        let small = bytes(found("go", BoardSize::square(9)));
        assert!(small == NETWORKS[1].exact, "9x9 has a network of its own");
        assert_eq!(
            [9, 19].map(|side| built_in_name("go", BoardSize::square(side))),
            [Some("go-9x9-taught"), Some("go-taught")]
        );
        assert!(found("nogo", BoardSize::square(13)).is_none());
        assert!(found("gomoku", BoardSize::new(8, 9)).is_none());
        assert!(found("shogi", BoardSize::square(9)).is_none());
    }

    #[test]
    fn all_boards_are_named_where_there_is_no_network() {
        let of = |game| none_built_in(game, BoardSize::new(5, 20));
        let words = "the built-in networks for gomoku play on 8x8 and boards with sides from 9 to \
                     20, not on 5x20";
        assert_eq!(of("gomoku"), words);
        assert!(of("go").contains("play on boards with sides from 9 to 19, not"));
        assert!(of("nogo").contains("play on 9x9, not"));
        assert_eq!(of("shogi"), "there is no built-in network for shogi");
    }
}
