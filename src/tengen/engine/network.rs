//! The network thinker: PUCT, another network if one fails, and rollouts if none fits.
//!
//! Nothing is loaded before the first search. A network that cannot be loaded or fails in a game is
//! reported in the log, and the next of the [`fallbacks`](super::networks) takes over, also during
//! a move; [`RolloutThinker`] is the last.

use std::collections::VecDeque;
use std::sync::Arc;

use rand::SeedableRng as _;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::networks::{Attempt, built_in_boards, built_in_name, fallbacks};
use super::rollout::draws_by_policy;
use super::{NetworkSetup, Networks, RolloutThinker, ThinkError, Thinker, ThinkerLog};
use crate::clock::{Budget, Clock, StopReason};
use crate::encode::{Encode, Mismatch};
use crate::game::GameState;
use crate::program::counted;
use crate::rollout::Rollout;
use crate::search::{
    EvaluatorMaker, Observer, ProberMaker, Purpose, SearchError, SearchReport, SearchRequest,
    Searcher, StopFlag, choose,
};
use tengen_nn::eval::{EvalError, ModelInfo};

/// After this many failures in games, new games no longer begin with the requested network.
const MAX_FAILURES: u32 = 3;

/// A temperature at which only moves that look alike are drawn.
const TIES: f32 = 0.05;

/// Thinks with a network.
pub(crate) struct NetworkThinker<G: Encode> {
    setup: NetworkSetup,
    networks: Networks,
    prober: Option<ProberMaker<G>>,
    time: Arc<dyn Clock>,
    /// Remaining candidates, in order.
    fallbacks: VecDeque<Attempt>,
    present: Option<(Attempt, Box<Searcher<G>>)>,
    /// Number of failures in games, and whether this game has had one.
    failures: u32,
    game_has_failure: bool,
    /// Most severe log level at which a candidate was passed over or has failed in this game.
    worst: log::Level,
    last_reason: String,
    thinker_log: ThinkerLog,
    /// Points of komi that the network was not shown in the last search.
    hidden_komi: f32,
    /// Whether it has warned of an advantage that is not shown.
    told_of_advantage: bool,
    rollout: RolloutThinker,
    /// For the moves that are drawn without a network.
    rng: Xoshiro256PlusPlus,
}

impl<G: Encode> NetworkThinker<G> {
    /// A thinker that has not loaded anything yet. It shares `networks` with others of the same settings, its search
    /// calls the `prober` for new positions, and the log is of the networks in use.
    pub(crate) fn new(
        setup: NetworkSetup,
        networks: Networks,
        prober: Option<ProberMaker<G>>,
        thinker_log: ThinkerLog,
        time: Arc<dyn Clock>,
    ) -> NetworkThinker<G> {
        let bytes = (setup.searcher.params.memory_mib as usize) << 20;
        NetworkThinker {
            rollout: RolloutThinker::new(setup.searcher.seed, bytes, Arc::clone(&time)),
            rng: Xoshiro256PlusPlus::seed_from_u64(setup.searcher.seed),
            fallbacks: fallbacks(&setup),
            present: None,
            failures: 0,
            game_has_failure: false,
            worst: log::Level::Info,
            last_reason: String::new(),
            thinker_log,
            hidden_komi: 0.0,
            told_of_advantage: false,
            setup,
            networks,
            prober,
            time,
        }
    }

    /// The search with a network, which is loaded at the first call; `None` when no candidate is
    /// left.
    fn searcher(&mut self, position: &G) -> Option<&mut Searcher<G>> {
        while self.present.is_none() {
            let attempt = self.fallbacks.pop_front()?;
            match self.networks.open(&attempt, position, self.setup.cache_mib) {
                Ok((info, make)) => self.begin(attempt, &info, make),
                Err(error) => self.pass_over(&attempt, &error),
            }
            if self.present.is_none() && self.fallbacks.is_empty() {
                self.say(self.worst, "random playouts choose the moves".to_owned());
            }
        }
        self.present.as_mut().map(|(_, searcher)| &mut **searcher)
    }

    fn begin(&mut self, attempt: Attempt, info: &ModelInfo, make: EvaluatorMaker) {
        let searcher = &self.setup.searcher;
        let name = match attempt.model {
            None => built_in_name(&info.game, info.size),
            Some(_) => None,
        };
        let name = name.map_or(String::new(), |name| format!("{name}, "));
        let what = format!(
            "{attempt}: {name}{} after {} games, on {}",
            info.network,
            info.games,
            counted(searcher.threads, "thread")
        );
        // A warning if it replaces something that is broken.
        self.say(self.worst, what);
        let searcher = Searcher::new(make, searcher.clone(), Arc::clone(&self.time))
            .with_prober(self.prober.clone());
        self.present = Some((attempt, Box::new(searcher)));
    }

    /// Logs why a candidate is not used, at a level that depends on whether it was requested.
    fn pass_over(&mut self, attempt: &Attempt, error: &SearchError) {
        let reason = error.to_string();
        let is_of_backend = matches!(
            error,
            SearchError::Eval(EvalError::Unavailable { .. } | EvalError::Run { .. })
        );
        // A GPU is never chosen by itself.
        let on_processor = attempt.is_on_processor();
        let by_itself = is_of_backend && on_processor && self.setup.backend.is_none();
        let other_board = matches!(error, SearchError::Mismatch(Mismatch::Board(_)));
        let is_missing = attempt.model.is_none() && built_in_boards(G::NAME).is_none();
        // Part of the automatic choice: it matters only if it should have worked.
        let is_expected = is_missing || by_itself && !attempt.is_available();
        let level = match !attempt.asked || is_expected || reason == self.last_reason {
            true => log::Level::Info,
            // The controller may have chosen another board.
            false if other_board || by_itself => log::Level::Warn,
            false => log::Level::Error,
        };
        self.worst = self.worst.min(level);
        self.say(level, format!("{attempt} is not used: {reason}"));
        self.last_reason = reason;
    }

    /// The network in use has failed.
    fn give_up(&mut self, reason: &str) {
        if let Some((attempt, _)) = self.present.take() {
            // Other engines shall not begin with the broken one.
            self.networks.forget();
            self.say(log::Level::Error, format!("{attempt} failed: {reason}"));
            self.worst = log::Level::Error;
            self.failures += 1;
            self.game_has_failure = true;
            if self.fallbacks.is_empty() {
                self.say(self.worst, "random playouts choose the moves".to_owned());
            }
        }
    }

    /// Warns of a komi that the network is not shown, once for each, and once of an advantage.
    fn warn(&mut self, request: &SearchRequest<G>, report: &SearchReport) {
        let advantage = request.analysis.opponent.advantage;
        let advantage = advantage.and_then(|own| report.advantage_warning(own.doublings));
        if let Some(warning) = advantage
            && !std::mem::replace(&mut self.told_of_advantage, true)
        {
            log::warn!("{warning}");
        }
        let known = std::mem::replace(&mut self.hidden_komi, report.hidden_komi);
        let warning = report.komi_warning();
        if let Some(warning) = warning.filter(|_| known != report.hidden_komi) {
            log::warn!("{warning}");
        }
    }

    /// Chooses the move of a search by rollouts as the settings of a level ask for.
    fn draw(&mut self, request: &SearchRequest<G>, found: &mut SearchReport) {
        let by_policy = draws_by_policy(request, found);
        let mut params = self.setup.searcher.params.clone();
        let plays = request.analysis.purpose != Purpose::Position;
        let draws = by_policy || plays && params.move_temperature > 0.0;
        if !draws {
            return;
        }
        let mut moves = found.moves.clone();
        if by_policy {
            // Which moves were tried first says nothing: the policy alone counts, and has many ties.
            moves.iter_mut().for_each(|found| found.visits = 0);
            params.move_temperature = params.move_temperature.max(TIES);
        }
        let (avoid, ply) = (&request.analysis.avoid, request.start.position().ply());
        let drawn = choose(&moves, avoid, ply, &params, &mut self.rng);
        if let Some(drawn) = drawn.and_then(|at| moves.get(at)) {
            found.put_first(|found| found.mv == drawn.mv);
        }
    }

    fn say(&self, level: log::Level, text: String) {
        log::log!(level, "{text}");
        self.thinker_log.note(text);
    }
}

impl<G: Encode + Rollout> Thinker<G> for NetworkThinker<G> {
    fn search(
        &mut self,
        request: &SearchRequest<G>,
        observer: &mut Observer<'_>,
    ) -> Result<SearchReport, ThinkError> {
        let (time, started) = (Arc::clone(&self.time), self.time.now());
        let left = || (request.limits).after(time.now().saturating_sub(started));
        let (mut rest, mut found) = (request.clone(), None);
        while let Some(searcher) = self.searcher(request.start.position()) {
            rest.limits = left();
            match searcher.search(&rest, observer) {
                Ok(report) if report.stop == StopReason::Failed => {
                    self.give_up("the search broke off");
                    found = Some(report);
                }
                Ok(report) => {
                    if !request.is_evaluation {
                        self.warn(request, &report);
                    }
                    return Ok(report);
                }
                Err(SearchError::Stopped(_)) => break,
                Err(error) => self.give_up(&error.to_string()),
            }
            let is_late = |budget: Budget| budget.maximum.is_zero();
            if request.stop.is_raised() || left().budget.is_some_and(is_late) {
                break;
            }
        }
        // A few visits with a network are worth more than many playouts.
        if let Some(report) = found {
            return Ok(report);
        }
        rest.limits = left();
        let mut found = self.rollout.search(&rest, observer)?;
        self.draw(&rest, &mut found);
        self.warn(request, &found);
        Ok(found)
    }

    fn prepare(&mut self, start: &GameState<G>, stop: &StopFlag) {
        while let Some(searcher) = self.searcher(start.position()) {
            match searcher.prepare(start, stop) {
                Ok(()) | Err(SearchError::Stopped(_)) => return,
                Err(error) => self.give_up(&error.to_string()),
            }
        }
    }

    fn drop_visits(&mut self) {
        Thinker::<G>::drop_visits(&mut self.rollout);
        if let Some((_, searcher)) = &mut self.present {
            searcher.clear();
        }
    }

    fn new_game(&mut self) {
        self.drop_visits();
        if std::mem::take(&mut self.game_has_failure) && self.failures < MAX_FAILURES {
            self.fallbacks = fallbacks(&self.setup);
            (self.present, self.worst) = (None, log::Level::Info);
        }
    }
}

#[cfg(test)]
#[cfg(feature = "tract")]
mod tests {
    use super::*;
    use crate::clock::SystemClock;
    use crate::engine::testing::network_setup;
    use crate::game::{BoardSize, Game};
    use crate::games::nogo::SmallNoGo;
    use crate::search::Limits;
    use tengen_nn::eval::testnet::{SMALL, Shape};
    use tengen_nn::eval::{BackendKind, CudaDevices, Device, ModelSource};

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

    /// A search by `model` in tract.
    fn setup(model: ModelSource) -> NetworkSetup {
        NetworkSetup {
            backend: Some(BackendKind::Tract),
            model: Some(model),
            ..network_setup()
        }
    }

    /// Searches an empty 5x5 board.
    fn thinker<G: Encode>(setup: NetworkSetup) -> NetworkThinker<G> {
        let (networks, log) = (Networks::default(), ThinkerLog::default());
        NetworkThinker::new(setup, networks, None, log, Arc::new(SystemClock::new()))
    }

    fn think(setup: NetworkSetup) -> SearchReport {
        let position = SmallNoGo::new(BoardSize::square(5)).expect("a small board");
        let mut thinker = thinker(setup);
        let limits = Limits::visits(20);
        thinker
            .search(
                &SearchRequest::new(position.into()).within(limits),
                &mut |_| {},
            )
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
            let report = think(setup(model));
            assert_eq!((report.visits, report.evaluations), (20, 0));
        }
    }

    /// At a temperature each move comes sometimes; without one, those that look alike before they are tried.
    #[test]
    fn a_level_draws_its_moves_without_a_network_too() {
        let position = SmallNoGo::new(BoardSize::square(4)).expect("a small board");
        for (visits, temperature) in [(1, 2.2), (40, 2.2), (1, 0.0)] {
            let mut setup = setup(ModelSource::File("/nowhere/at/all.onnx".into()));
            setup.searcher.params.move_temperature = temperature;
            setup.searcher.params.move_temperature_halflife = 1e6;
            let mut thinker = thinker(setup);
            let mut drawn = std::collections::HashSet::new();
            for _ in 0..40 {
                let request = SearchRequest::new(position.clone().into());
                let request = request.within(Limits::visits(visits));
                let report = thinker.search(&request, &mut |_| {});
                let report = report.expect("playouts never fail");
                drawn.extend(report.best().map(|best| best.mv));
            }
            assert!(drawn.len() > 4, "{visits}: {drawn:?}");
        }
    }

    #[test]
    fn the_built_in_network_is_searched_with() {
        let position = SmallNoGo::new(BoardSize::square(9)).expect("a usual board");
        let mut thinker = thinker(network_setup());
        let limits = Limits::visits(30);
        let mut search = |new_game: bool| {
            if new_game {
                thinker.new_game();
            }
            let request = SearchRequest::new(position.clone().into()).within(limits);
            let report = thinker.search(&request, &mut |_| {});
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
        let report = think(setup(network(BoardSize::square(5))));
        assert_eq!((report.visits, report.moves.len()), (20, 25));
        assert!(report.evaluations > 0);
    }

    #[test]
    fn without_onnx_runtime_tract_takes_its_place() {
        let mut setup = setup(network(BoardSize::square(5)));
        setup.backend = None;
        setup.load.ort_library.option = Some("/nowhere/at/all.so".into());
        assert!(think(setup).evaluations > 0);
    }

    #[test]
    fn a_gpu_that_is_not_there_any_more_is_an_error() {
        let mut setup = setup(network(BoardSize::square(5)));
        setup.backend = None;
        setup.load.device = Device::Cuda(CudaDevices::only(63));
        let mut thinker = thinker(setup);
        let position = SmallNoGo::new(BoardSize::square(5)).expect("a small board");
        assert!(thinker.searcher(&position).is_some(), "a processor's");
        assert_eq!(thinker.worst, log::Level::Error);
    }
}
