//! The search as the engine sees it: one call a move, a tree that lives on between calls.

use std::sync::Arc;
use std::time::Duration;

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::control::Control;
use super::error::SearchError;
use super::limits::{AnalysisOptions, Limits, StopFlag};
use super::node::{Node, NodeId, Phase};
use super::params::SearchParams;
use super::points::{PointSums, without_lead};
use super::pool::{EvaluatorMaker, Pool, ProberMaker};
use super::report::SearchReport;
use super::select::RootPriors;
use super::tree::Tree;
use super::worker::Job;
use super::{reuse, root};
use crate::clock::{Budget, Clock, StopReason};
use crate::encode::Encode;
use crate::game::{Bounds, Color, Expected, Game, Reached};

/// One part in this many of a move's time may go into waiting for threads that are still in an
/// evaluation of the last search.
const WAITING_SHARE: u32 = 4;

/// Visits for a move without an alternative, where its numbers are shown: the root's and its own.
const FORCED: u64 = 2;

/// Settings of a [`Searcher`] that are not tuned.
#[derive(Debug, Clone)]
pub struct SearcherOptions {
    /// Search threads, at least 1.
    pub threads: usize,
    /// Seed of noise and of randomly drawn moves.
    pub seed: u64,
    /// The tuned settings.
    pub params: SearchParams,
}

/// Searches positions of one game with one network. Threads, evaluators and memory are taken at
/// the first search.
///
/// With one thread and limits that are visits, equal calls give equal reports.
pub struct Searcher<G: Encode> {
    make_evaluator: EvaluatorMaker,
    make_prober: Option<ProberMaker<G>>,
    options: SearcherOptions,
    clock: Arc<dyn Clock>,
    rng: Xoshiro256PlusPlus,
    pool: Option<Pool<G>>,
    pub(super) tree: Option<Arc<Tree>>,
}

/// A position that is being searched, and its node.
struct Root<'a, G> {
    start: &'a Reached<G>,
    tree: Arc<Tree>,
    node: NodeId,
    priors: RootPriors,
    points: Arc<Vec<PointSums>>,
    judged: Option<Arc<Expected>>,
}

impl<G: Game> Root<'_, G> {
    fn node(&self) -> &Node {
        self.tree.node(self.node)
    }

    /// What is proven of it by the moves that are not to be avoided.
    fn bounds(&self) -> Bounds {
        root::bounds(&self.tree, self.node, self.start, &self.priors)
    }
}

impl<G: Encode> Searcher<G> {
    /// A searcher that has not taken any resource yet.
    #[must_use]
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
        }
    }

    /// Has new positions looked at by a prober before the network is asked. What it says must
    /// depend on the position alone, or searches cannot be repeated.
    #[must_use]
    pub fn with_prober(mut self, make: ProberMaker<G>) -> Self {
        self.make_prober = Some(make);
        self
    }

    /// Forgets the tree.
    pub fn clear(&mut self) {
        self.tree = None;
    }

    /// Searches a position, without the moves that its past forbids. The caller raises `stop` to end the search early; a flag that is
    /// raised from the start leaves time for the root's evaluation only.
    ///
    /// The tree of earlier searches is used wherever it has this position. When memory is full, the
    /// least visited parts of the tree make room, and the search goes on.
    ///
    /// # Errors
    /// [`SearchError`] when there is nothing to report, not even priors. A failure after that is
    /// logged and reported as [`StopReason::Failed`].
    pub fn search(
        &mut self,
        start: &Reached<G>,
        limits: &Limits,
        stop: &StopFlag,
    ) -> Result<SearchReport, SearchError> {
        self.watch(
            start,
            limits,
            stop,
            &AnalysisOptions::default(),
            &mut |_| {},
        )
    }

    /// The evaluation of a position, as a report of one visit: its value is the network's,
    /// its priors are the policy. The tree is left out of it.
    ///
    /// # Errors
    /// As [`Searcher::search`].
    pub fn evaluate(&mut self, start: &Reached<G>) -> Result<SearchReport, SearchError> {
        let once = Limits {
            visits: Some(1),
            budget: None,
        };
        let stop = StopFlag::new();
        // Threads that have failed spoil the tree: it is put aside only after they are known to be
        // sound.
        let pool = self.workers(start.position(), &once, &stop, self.clock.now())?;
        self.pool = Some(pool);
        let tree = self.tree.take();
        let report = self.search(start, &once, &stop);
        self.tree = tree;
        report
    }

    /// Searches as [`Searcher::search`] does, as `analysis` wants it, and hands reports to `see`
    /// while it runs.
    ///
    /// # Errors
    /// As [`Searcher::search`].
    pub fn watch(
        &mut self,
        start: &Reached<G>,
        limits: &Limits,
        stop: &StopFlag,
        analysis: &AnalysisOptions,
        see: &mut dyn FnMut(SearchReport),
    ) -> Result<SearchReport, SearchError> {
        let (started, position) = (self.clock.now(), start.position());
        let mut pool = self.workers(position, limits, stop, started)?;
        let (tree, node) = reuse::root(self.tree.take(), position, self.memory());
        let points = Arc::new(pool.point_sums(analysis.points));
        let params = self.params(analysis);
        let mut root = Root {
            start,
            tree,
            node,
            priors: RootPriors::default(),
            points,
            judged: analysis.judged.clone(),
        };
        let reused = u64::from(root.node().visits());
        let forced = analysis.is_forced(start, limits);
        let control = |visits| {
            let clock = Arc::clone(&self.clock);
            let limits = Limits {
                budget: limits.budget.map(|budget| budget.credited(reused)),
                visits: match forced {
                    true => Some(limits.visits.map_or(FORCED, |visits| visits.min(FORCED))),
                    false => limits.visits,
                },
            };
            let control = Control::new(limits, visits, stop.clone(), clock, started);
            Arc::new(control.for_purpose(analysis.purpose))
        };

        // The root alone first: its priors are needed for noise, and they are a move in any case.
        let new = root.node().state().phase() == Phase::New && position.outcome().is_none();
        if new {
            let step = Arc::new(control(0).root_step());
            let job = job(&pool, &root, params.clone(), Arc::clone(&step));
            if let Err(error) = pool.run(job, &mut || {}) {
                self.tree = self.salvaged(&pool, root, &step);
                return Err(error);
            }
            if root.node().state().phase() != Phase::Expanded {
                (self.pool, self.tree) = (Some(pool), Some(root.tree));
                return Err(SearchError::Stopped("the root was evaluated"));
            }
        }
        let first = u64::from(new);
        let control = control(reused + first);
        let counts = (reused, first);
        let choices = root.tree.choices(root.node());
        root.priors = root::priors(choices, start, &analysis.avoid, &params, &mut self.rng);
        if analysis.at_once {
            // A copy of the random numbers: looking on changes nothing.
            let mut rng = self.rng.clone();
            see(report(&root, counts, &control, &params, &mut rng));
        }
        let mut failed = false;
        if root.bounds().proof().is_some() {
            control.end(StopReason::Proven);
        } else if forced && !analysis.purpose.is_shown() {
            control.end(StopReason::OnlyMove);
        } else if let Err(error) = self.run(
            &mut pool,
            &mut root,
            &control,
            (analysis, &params),
            (counts, see),
        ) {
            log::error!("{error}; the search ends with what it has found");
            failed = true;
        }
        if forced {
            control.end(StopReason::OnlyMove);
        }
        let report = report(&root, counts, &control, &params, &mut self.rng);
        if failed {
            self.tree = self.salvaged(&pool, root, &control);
        } else {
            (self.pool, self.tree) = (Some(pool), Some(root.tree));
        }
        Ok(report)
    }

    /// Has the threads search until the search is over, making room in the tree whenever it is
    /// full, and shows reports on the way.
    fn run(
        &mut self,
        pool: &mut Pool<G>,
        root: &mut Root<'_, G>,
        control: &Arc<Control>,
        (analysis, params): (&AnalysisOptions, &SearchParams),
        (counts, see): ((u64, u64), &mut dyn FnMut(SearchReport)),
    ) -> Result<(), SearchError> {
        let mut shown = self.clock.now();
        loop {
            let mut show = || {
                let now = self.clock.now();
                let due = |every| now.saturating_sub(shown) >= every;
                if analysis.interval.is_some_and(due) {
                    shown = now;
                    // A copy of the random numbers: looking on changes nothing.
                    let mut rng = self.rng.clone();
                    see(report(root, counts, control, params, &mut rng));
                }
            };
            let job = job(pool, root, params.clone(), Arc::clone(control));
            pool.run(job, &mut show)?;
            if !control.wants_room() || !pool.is_idle() || control.is_over() {
                return Ok(());
            }
            let go_on = || !control.is_over();
            match reuse::with_room(&root.tree, root.node, self.memory(), go_on) {
                Some((tree, node)) => (root.tree, root.node) = (tree, node),
                None => {
                    control.end(StopReason::Memory);
                    return Ok(());
                }
            }
            control.made_room();
        }
    }

    /// The tree after a failure, where it can be made whole: not while a thread may still change
    /// it.
    fn salvaged(&self, pool: &Pool<G>, root: Root<'_, G>, control: &Control) -> Option<Arc<Tree>> {
        if !pool.is_idle() {
            return None;
        }
        if !pool.has_lost_a_thread() {
            return Some(root.tree);
        }
        let go_on = || !control.is_due();
        let (tree, _) = reuse::with_room(&root.tree, root.node, self.memory(), go_on)?;
        Some(tree)
    }

    /// The settings of one search.
    fn params(&self, analysis: &AnalysisOptions) -> SearchParams {
        let mut params = self.options.params.clone();
        if let Some(temperature) = analysis.root_policy_temperature {
            params.root_policy_temperature = temperature;
        }
        if let Some(reduction) = analysis.root_fpu_reduction {
            params.root_fpu_reduction = reduction;
        }
        params
    }

    /// Bytes that searches may take.
    fn memory(&self) -> usize {
        (self.options.params.memory_mib as usize) << 20
    }

    /// The threads, idle again after what they did last; new ones where there are none or they
    /// failed.
    fn workers(
        &mut self,
        position: &G,
        limits: &Limits,
        stop: &StopFlag,
        started: Duration,
    ) -> Result<Pool<G>, SearchError> {
        if let Some(mut pool) = self.pool.take() {
            let clock = Arc::clone(&self.clock);
            // If they hang, there has to be time left for others.
            let part = |budget: Budget| budget.soft / WAITING_SHARE;
            let limits = Limits {
                budget: limits.budget.map(|b| Budget::fixed(part(b), part(b))),
                ..*limits
            };
            let control = Control::new(limits, 0, stop.clone(), clock, started);
            let waited = pool.wait(&control, &mut || {});
            if pool.is_idle() && !pool.has_lost_a_thread() {
                return Ok(pool);
            }
            if waited.is_ok() && pool.hangs(self.clock.now()) {
                self.tree = None;
                return Err(SearchError::did_not_answer());
            }
            let Err(error) = waited else {
                self.pool = Some(pool);
                return Err(SearchError::Stopped("the last one was over"));
            };
            log::error!("{error}; starting new search threads");
            self.tree = None;
        }
        let prober = self.make_prober.as_ref();
        Pool::start(self.options.threads, &self.make_evaluator, prober, position)
    }

    /// Does beforehand what the search of `position` would begin with: starts threads, loads the
    /// network, and makes room in the tree by leaving behind what `position` cannot reach. Gives
    /// room-making up when `stop` is raised; nothing is lost then.
    ///
    /// # Errors
    /// [`SearchError`] when the network or a thread cannot be had.
    pub fn prepare(&mut self, start: &Reached<G>, stop: &StopFlag) -> Result<(), SearchError> {
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

/// What the threads of `pool` are to do.
fn job<G: Encode>(
    pool: &Pool<G>,
    root: &Root<'_, G>,
    params: SearchParams,
    control: Arc<Control>,
) -> Job<G> {
    Job {
        tree: Arc::clone(&root.tree),
        root: root.node,
        start: root.start.clone(),
        root_priors: root.priors.clone(),
        params,
        encoding: pool.encoding(),
        control,
        points: Arc::clone(&root.points),
        judged: root.judged.clone(),
    }
}

/// The report of a search that found `reused` visits and whose first step made `first` playouts.
fn report<G: Game>(
    root: &Root<'_, G>,
    (reused, first): (u64, u64),
    control: &Control,
    params: &SearchParams,
    rng: &mut Xoshiro256PlusPlus,
) -> SearchReport {
    let (tree, node, proven) = (&root.tree, root.node(), root.bounds());
    let value = root::value(tree, root.node, &root.priors);
    let (position, expected) = (root.start.position(), PointSums::expected(&root.points));
    // Users are told how likely a win is; how large it is stands beside.
    let chance = |value, expected: Option<&Expected>| match expected {
        None => value,
        Some(expected) => {
            let sign = if position.to_move() == Color::Black {
                1.0
            } else {
                -1.0
            };
            let (lead, area) = (sign * expected.black_ahead, position.size().area());
            without_lead(value, lead, params.lead_weight, area)
        }
    };
    let mut moves = root::moves(tree, root.node, root.start, params, rng);
    for found in &mut moves {
        found.expected = PointSums::expected_after(&root.points, found.mv);
        if found.proof.is_none() {
            let expected = found.expected.as_ref().or(expected.as_ref());
            let (value, lcb) = (found.value, found.lcb);
            (found.value, found.lcb) = (chance(value, expected), chance(lcb, expected));
        }
    }
    SearchReport {
        moves,
        value: proven.clamp(chance(value, expected.as_ref())),
        proof: proven.proof(),
        visits: u64::from(node.visits()),
        reused,
        playouts: control.playouts() + first,
        evaluations: control.evaluations() + first,
        collisions: control.collisions(),
        nodes: tree.len() as u64,
        expected,
        elapsed: control.elapsed(),
        stop: control.reason(),
    }
}
