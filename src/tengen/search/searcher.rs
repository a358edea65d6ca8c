//! The search as the engine uses it: one call per move, with a tree that persists between calls.

use std::sync::Arc;
use std::time::Duration;

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::control::Control;
use super::node::Phase;
use super::params::SearchParams;
use super::playout::Endings;
use super::points::{OwnershipSums, without_lead};
use super::pool::{EvaluatorMaker, Pool, ProberMaker};
use super::request::{
    AnalysisOptions, Limits, OpponentModel, Purpose, SearchError, SearchRequest, StopFlag,
};
use super::reuse;
use super::root::Root;
use super::select::RootPriors;
use super::tree::Tree;
use crate::clock::{Budget, Clock, StopReason};
use crate::encode::Encode;
use crate::game::{Bounds, Game, GameState, OwnershipEstimate, Proof};
use crate::report::{Observer, SearchReport};
use crate::settings::Table as _;

/// At most 1/WAITING_SHARE of a move's time may be spent waiting for threads still in an evaluation of
/// the last search.
const WAITING_SHARE: u32 = 4;

/// Visits for a move without an alternative when its numbers are shown: the root's and its own.
const FORCED: u64 = 2;

/// Bytes of a tree for a single position: several times what the moves of the largest board need.
const ONE_POSITION: usize = 1 << 20;

/// Options of a [`Searcher`].
#[derive(Debug, Clone)]
pub struct SearcherOptions {
    /// Search threads, at least 1.
    pub threads: usize,
    /// Seed of noise and of randomly drawn moves.
    pub seed: u64,
    /// The tuned settings, with ranges in [`SearchParams`].
    pub params: SearchParams,
}

/// Searches positions of one game with one network. Threads, evaluators and memory are allocated at
/// the first search.
///
/// With one thread and visit limits, equal calls give equal reports.
pub struct Searcher<G: Encode> {
    make_evaluator: EvaluatorMaker,
    make_prober: Option<ProberMaker<G>>,
    options: SearcherOptions,
    clock: Arc<dyn Clock>,
    rng: Xoshiro256PlusPlus,
    pool: Option<Pool<G>>,
    pub(super) tree: Option<Arc<Tree>>,
    /// The key of the last position that was searched, and its sums: another search of it adds to them.
    points: Option<(u128, Arc<Vec<OwnershipSums>>)>,
    /// The opponent for which the tree holds.
    opponent: OpponentModel,
}

impl<G: Encode> Searcher<G> {
    /// A searcher without any resources yet.
    pub fn new(
        make_evaluator: EvaluatorMaker,
        options: SearcherOptions,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let rng = Xoshiro256PlusPlus::seed_from_u64(options.seed);
        Searcher {
            make_evaluator,
            make_prober: None,
            options,
            clock,
            rng,
            pool: None,
            tree: None,
            points: None,
            opponent: OpponentModel::default(),
        }
    }

    /// Sets a prober, called for new positions before the network and again later, as
    /// [`ProbeContext`](super::ProbeContext) says. With one thread, equal calls in equal order must
    /// give equal answers, or searches are not reproducible.
    #[must_use]
    pub fn with_prober(self, make_prober: Option<ProberMaker<G>>) -> Self {
        Searcher {
            make_prober,
            ..self
        }
    }

    /// Drops the tree: the next search reuses no visits.
    pub fn clear(&mut self) {
        self.tree = None;
        self.points = None;
    }

    /// The network's evaluation of a position against the request's opponent, as a report of one visit with its value
    /// and policy. The tree is not used.
    fn evaluate(&mut self, request: &SearchRequest<G>) -> Result<SearchReport, SearchError> {
        let request = SearchRequest {
            is_evaluation: false,
            ..request.clone()
        };
        // Failed threads spoil the tree: it is set aside only once they are known to be sound.
        let (position, started) = (request.start.position(), self.clock.now());
        let pool = self.workers(position, &request.limits, &request.stop, started)?;
        self.pool = Some(pool);
        let (tree, points, opponent) = (self.tree.take(), self.points.take(), self.opponent);
        let report = self.search(&request, &mut |_| {});
        (self.tree, self.points, self.opponent) = (tree, points, opponent);
        report
    }

    /// Searches a position, and passes reports to `observer` meanwhile, as the request says. A stop
    /// flag that is raised from the start leaves time for the root's evaluation only.
    ///
    /// The tree of earlier searches is reused if it contains this position. When memory is full,
    /// the least visited parts of the tree are pruned, and the search continues.
    ///
    /// # Errors
    /// [`SearchError`] when there is nothing to report, not even priors. A later failure is logged
    /// and reported as [`StopReason::Failed`]. After a search in which the threads or the network failed, the next one
    /// begins with new threads and a new tree; an evaluation that failed leaves the tree.
    pub fn search(
        &mut self,
        request: &SearchRequest<G>,
        observer: &mut Observer<'_>,
    ) -> Result<SearchReport, SearchError> {
        let (start, limits) = (&request.start, &request.limits);
        if request.is_evaluation {
            return self.evaluate(request);
        }
        let (stop, analysis) = (&request.stop, &request.analysis);
        let (started, position) = (self.clock.now(), start.position());
        let mut pool = self.workers(position, limits, stop, started)?;
        let mut root = self.root(&pool, request);
        let reused = root.usable_visits();
        let forced = request.is_forced();
        let control = |visits| {
            let limits = Limits {
                budget: limits.budget.map(|budget| budget.credited(reused)),
                visits: match forced {
                    true => Some(limits.visits.map_or(FORCED, |visits| visits.min(FORCED))),
                    false => limits.visits,
                },
            };
            Arc::new(Control::new(
                limits,
                visits,
                analysis.purpose,
                stop,
                &self.clock,
                started,
            ))
        };

        // First the root alone: noise needs its priors, and they give a move in any case.
        let new = root.node().state().phase() == Phase::New && position.outcome().is_none();
        if new {
            let step = Arc::new(control(0).root_step());
            pool.run(root.clone(), &step, &mut || {})?;
            if root.node().state().phase() != Phase::Expanded {
                (self.pool, self.tree) = (Some(pool), Some(root.tree));
                return Err(SearchError::Stopped("the root was evaluated"));
            }
        }
        root.first = u64::from(new);
        let mut failed = false;
        if root.lacks_points() && position.outcome().is_none() && !stop.is_raised() {
            failed = !Self::ask_for_points(&mut pool, root.clone(), control(0).root_step());
            root.beside = 1;
        }
        let control = control(reused + root.first);
        root.list_moves(&mut self.rng);
        if analysis.at_once {
            // A copy of the random generator: reports do not affect the search.
            observer(&report(&root, &control, &mut self.rng.clone()));
        }
        if failed {
            control.end(StopReason::Failed);
        } else if root.bounds().proof().is_some() {
            control.end(StopReason::Proven);
        } else if forced && !analysis.purpose.is_shown() {
            control.end(StopReason::OnlyMove);
        } else if let Err(error) = self.run(&mut pool, &mut root, &control, analysis, observer) {
            log::error!("{error}; the search ends with what it has found");
            failed = true;
        }
        if forced {
            control.end(StopReason::OnlyMove);
        }
        let report = report(&root, &control, &mut self.rng);
        if !failed {
            // A tree without room that could not be pruned would end the next search at once.
            let has_room = report.stop != StopReason::Memory;
            (self.pool, self.tree) = (Some(pool), has_room.then_some(root.tree));
        }
        Ok(report)
    }

    /// The position, with what earlier searches know of it.
    fn root(&mut self, pool: &Pool<G>, request: &SearchRequest<G>) -> Root<G> {
        let (start, analysis) = (&request.start, &request.analysis);
        let position = start.position();
        if std::mem::replace(&mut self.opponent, analysis.opponent) != analysis.opponent {
            self.clear();
        }
        let mut params = self.options.params.clone();
        if let Some(temperature) = analysis.root_policy_temperature {
            params.root_policy_temperature = temperature;
        }
        if analysis.purpose == Purpose::Position {
            // Nothing is played: what is best comes first.
            params.move_temperature = 0.0;
        }
        let (memory, factor) = (self.memory(), params.subtree_bias_factor);
        let (tree, node) = reuse::root(self.tree.take(), position, memory, factor);
        let reused = u64::from(tree.node(node).visits());
        let same = |(key, _): &(u128, _)| reused > 0 && *key == position.key();
        let known = self.points.take().filter(same).map(|(_, sums)| sums);
        let points = Arc::new(pool.point_sums(analysis.points, known.as_deref()));
        self.points = Some((position.key(), Arc::clone(&points)));
        Root {
            start: start.clone(),
            avoid: analysis.avoid.clone(),
            params,
            tree,
            node,
            priors: RootPriors::default(),
            reused_visits: Arc::default(),
            endings: match analysis.purpose {
                Purpose::Position if G::INFO.scored && !points.is_empty() => Endings::Points,
                _ => Endings::Proofs,
            },
            points,
            judged: analysis.judged.clone(),
            opponent: analysis.opponent,
            encoding: pool.encoding,
            reused,
            first: 0,
            beside: 0,
        }
    }

    /// Has the network tell the points of a position that is known from an earlier search, beside the tree: the
    /// leaves of that search are not summed for this position. Returns false if that failed.
    fn ask_for_points(pool: &mut Pool<G>, mut root: Root<G>, step: Control) -> bool {
        (root.tree, root.node) = reuse::root(None, root.start.position(), ONE_POSITION, 0.0);
        let asked = pool.run(root, &Arc::new(step), &mut || {});
        if let Err(error) = &asked {
            log::error!("{error}; the search ends with what it had found before");
        }
        asked.is_ok()
    }

    /// Runs the threads until the search is over, prunes the tree when it is full, and sends
    /// reports.
    fn run(
        &mut self,
        pool: &mut Pool<G>,
        root: &mut Root<G>,
        control: &Arc<Control>,
        analysis: &AnalysisOptions,
        observer: &mut Observer<'_>,
    ) -> Result<(), SearchError> {
        let mut shown = self.clock.now();
        loop {
            let mut show = || {
                let now = self.clock.now();
                let due = |every| now.saturating_sub(shown) >= every;
                if analysis.interval.is_some_and(due) {
                    shown = now;
                    // A copy of the random generator, too.
                    observer(&report(root, control, &mut self.rng.clone()));
                }
            };
            pool.run(root.clone(), control, &mut show)?;
            if !control.wants_room() || !pool.is_idle() || control.is_over() {
                return Ok(());
            }
            let (began, go_on) = (control.elapsed(), || !control.is_over());
            let copy = reuse::with_room(&root.tree, root.node, self.memory(), go_on);
            match copy.filter(|copy| copy.in_time || control.keeps_part(began)) {
                Some(copy) => (root.tree, root.node) = (copy.tree, copy.root),
                None => {
                    control.end(StopReason::Memory);
                    return Ok(());
                }
            }
            control.made_room();
        }
    }

    /// Memory limit of searches in bytes.
    fn memory(&self) -> usize {
        (self.options.params.memory_mib as usize) << 20
    }

    /// The threads, idle after their last job; new ones where there are none or they failed. While they are idle
    /// nothing else uses the tree and the sums of points: nodes may be folded, and each thread go on with its own sums.
    fn workers(
        &mut self,
        position: &G,
        limits: &Limits,
        stop: &StopFlag,
        started: Duration,
    ) -> Result<Pool<G>, SearchError> {
        if let Some(mut pool) = self.pool.take() {
            // If they hang, time must remain for a fallback.
            let part = |budget: Budget| budget.target / WAITING_SHARE;
            let limits = Limits {
                budget: limits.budget.map(|b| Budget::fixed(part(b), part(b))),
                ..*limits
            };
            let control = Control::new(limits, 0, Purpose::Move, stop, &self.clock, started);
            match pool.wait(&control, &mut || {}) {
                Ok(()) if pool.is_idle() => return Ok(pool),
                Ok(()) if pool.hangs(self.clock.now()) => {
                    self.tree = None;
                    return Err(SearchError::did_not_answer());
                }
                Ok(()) => {
                    self.pool = Some(pool);
                    return Err(SearchError::Stopped("the last one was over"));
                }
                Err(error) => {
                    log::error!("{error}; starting new search threads");
                    self.tree = None;
                }
            }
        }
        self.options.params.check()?;
        let prober = self.make_prober.as_ref();
        Pool::start(self.options.threads, &self.make_evaluator, prober, position)
    }

    /// Prepares the search of `position`: starts threads, loads the network, and prunes what
    /// `position` cannot reach. Pruning stops when `stop` is raised; nothing is lost then.
    ///
    /// # Errors
    /// [`SearchError`] when the network or a thread is not available.
    pub fn prepare(&mut self, start: &GameState<G>, stop: &StopFlag) -> Result<(), SearchError> {
        let position = start.position();
        let pool = self.workers(position, &Limits::default(), stop, self.clock.now())?;
        self.pool = Some(pool);
        let (memory, kept) = (self.memory(), self.tree.as_ref());
        let go_on = || !stop.is_raised();
        let copy = kept.and_then(|tree| reuse::prepared(tree, position, memory, go_on));
        self.tree = copy.or(self.tree.take());
        Ok(())
    }
}

/// The report of a search.
fn report<G: Game>(
    root: &Root<G>,
    control: &Control,
    rng: &mut Xoshiro256PlusPlus,
) -> SearchReport {
    let (proven, value) = (root.bounds(), root.value());
    let (position, expected) = (
        root.start.position(),
        OwnershipSums::expected(&root.points, None),
    );
    // Users see the winning chance; the lead is reported separately.
    let chance = |value, expected: Option<&OwnershipEstimate>| match expected {
        None => value,
        Some(expected) => {
            let lead = position.to_move().signed(expected.black_ahead);
            without_lead(value, lead, root.params.lead_weight, position.size().area())
        }
    };
    let mut moves = root.moves(rng);
    let is_won = root.endings == Endings::Points && root.put_certain_wins_first(&mut moves);
    for found in &mut moves {
        found.expected = OwnershipSums::expected(&root.points, Some(found.mv));
        if found.proof.is_none() {
            let expected = found.expected.as_ref().or(expected.as_ref());
            let (value, lcb) = (found.value, found.lcb);
            (found.value, found.lcb) = (chance(value, expected), chance(lcb, expected));
        }
    }
    let proven = match is_won {
        true => Bounds::exactly(Proof::Win),
        false => proven,
    };
    SearchReport {
        moves,
        value: proven.clamp(chance(value, expected.as_ref())),
        proof: proven.proof(),
        visits: u64::from(root.node().visits()),
        reused: root.reused,
        playouts: control.playouts() + root.first,
        evaluations: control.evaluations() + root.first + root.beside,
        collisions: control.collisions(),
        nodes: root.tree.len() as u64,
        expected,
        hidden_komi: (root.encoding.hidden_komi)(position),
        shows_advantage: root.encoding.advantage.is_some(),
        elapsed: control.elapsed(),
        stop: control.reason(),
    }
}
