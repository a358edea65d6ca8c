//! The search as the engine sees it: one call a move, a tree that lives on between calls.

use std::sync::Arc;
use std::time::Duration;

use crossbeam::channel::{Receiver, RecvTimeoutError, unbounded};
use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use thiserror::Error;

use super::control::{Control, Overdue, Watch};
use super::limits::{Limits, StopFlag, View};
use super::node::{NodeId, Phase};
use super::params::SearchParams;
use super::playout::Prober;
use super::report::SearchReport;
use super::root;
use super::select::RootPriors;
use super::tree::Tree;
use super::worker::{Homecoming, Job, Worker};
use crate::clock::{Clock, StopReason};
use crate::encode::{self, Encode, Encoding, Mismatch};
use crate::eval::{EvalError, Evaluator};
use crate::game::Game;

/// Makes one evaluator for each search thread.
pub type EvaluatorMaker = Arc<dyn Fn() -> Result<Box<dyn Evaluator>, EvalError> + Send + Sync>;

/// Makes one prober for each search thread.
pub type ProberMaker<G> = Arc<dyn Fn() -> Prober<G> + Send + Sync>;

/// How often the searcher looks whether its workers are late.
const PATIENCE: Duration = Duration::from_millis(5);

/// One part in so many of a move's time may go into thinning the tree.
const THINNING_SHARE: u32 = 8;

/// Why a search has nothing to report.
#[derive(Debug, Error)]
pub enum SearchError {
    /// The network could not be loaded, or failed on the root itself.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// The network is for another game, board or encoding.
    #[error(transparent)]
    Mismatch(#[from] Mismatch),
    /// The operating system gave no thread.
    #[error("cannot start a search thread: {0}")]
    Thread(#[from] std::io::Error),
    /// A worker panicked or did not come home before the root was evaluated.
    #[error("the search broke down: {0}")]
    Broken(String),
}

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

/// The running threads and what they run.
struct Pool<G: Encode> {
    workers: Vec<Worker<G>>,
    homecomings: Receiver<Homecoming>,
    /// Jobs that workers have not come home from. After a search that was stopped they may still
    /// be in an evaluation; the next search waits for them.
    out: usize,
    encoding: &'static dyn Encoding<G>,
}

/// A position that is being searched, and its node.
struct Root<'a, G> {
    position: &'a G,
    tree: Arc<Tree>,
    node: NodeId,
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

    /// Has new positions looked at by a prober before the network is asked. Its word must depend on
    /// the position alone, or searches cannot be repeated.
    #[must_use]
    pub fn with_prober(mut self, make: ProberMaker<G>) -> Self {
        self.make_prober = Some(make);
        self
    }

    /// Forgets the tree.
    pub fn clear(&mut self) {
        self.tree = None;
    }

    /// Searches a position. The caller raises `stop` to end the search early; a flag that is
    /// raised from the start leaves time for the root's evaluation only.
    ///
    /// The tree of earlier searches is used wherever it has this position, and is thinned to what
    /// the position can still reach when half of the memory is full.
    ///
    /// # Errors
    /// [`SearchError`] when there is nothing to report, not even priors. A failure after that is
    /// logged and reported as [`StopReason::Failed`].
    pub fn search(
        &mut self,
        position: &G,
        limits: &Limits,
        stop: &StopFlag,
    ) -> Result<SearchReport, SearchError> {
        self.watch(position, limits, stop, &View::default(), &mut |_| {})
    }

    /// The evaluator's word on a position, as a report of one visit: its value is the network's,
    /// its priors are the policy. The tree is left out of it.
    ///
    /// # Errors
    /// As [`Searcher::search`].
    pub fn evaluate(&mut self, position: &G) -> Result<SearchReport, SearchError> {
        let tree = self.tree.take();
        let once = Limits {
            visits: Some(1),
            budget: None,
        };
        let report = self.search(position, &once, &StopFlag::new());
        self.tree = tree;
        report
    }

    /// Searches as [`Searcher::search`] does, as `view` wants it, and hands reports to `see` while
    /// it runs.
    ///
    /// # Errors
    /// As [`Searcher::search`].
    pub fn watch(
        &mut self,
        position: &G,
        limits: &Limits,
        stop: &StopFlag,
        view: &View,
        see: &mut dyn FnMut(SearchReport),
    ) -> Result<SearchReport, SearchError> {
        let started = self.clock.now();
        let mut pool = self.workers(position, limits, stop, started)?;
        let (began, clock) = (self.clock.now(), Arc::clone(&self.clock));
        let patience = limits.budget.map(|budget| budget.soft / THINNING_SHARE);
        let (tree, node) = self.root(position, || {
            !stop.is_raised()
                && patience.is_none_or(|patience| clock.now().saturating_sub(began) < patience)
        });
        let root = Root {
            position,
            tree: Arc::clone(&tree),
            node,
        };
        let reused = u64::from(tree.node(node).visits());
        let control = |visits| {
            let clock = Arc::clone(&self.clock);
            let limits = Limits {
                budget: limits.budget.map(|budget| budget.credited(reused)),
                ..*limits
            };
            Arc::new(Control::new(limits, visits, stop.clone(), clock, started))
        };

        // The root alone first: its priors are needed for noise, and they are a move in any case.
        let new = tree.node(node).state().phase() == Phase::New && position.outcome().is_none();
        if new {
            let step = Arc::new(control(0).root_step());
            self.run(&mut pool, &root, RootPriors::default(), &step, &mut || {})?;
            if tree.node(node).state().phase() != Phase::Expanded {
                (self.pool, self.tree) = (Some(pool), Some(tree));
                let text = "it was stopped before the root was evaluated".to_owned();
                return Err(SearchError::Broken(text));
            }
        }
        let first = u64::from(new);
        let control = control(reused + first);
        if tree.node(node).state().proof().is_some() {
            control.end(StopReason::Proven);
        } else if position.legal_count() == 1 && *limits != Limits::default() {
            // A search without limits wants to know more than the move.
            control.end(StopReason::OnlyMove);
        } else {
            let edges = tree.edges(tree.node(node));
            let priors = root::priors(edges, &view.avoid, &self.options.params, &mut self.rng);
            let (params, rng) = (&self.options.params, self.rng.clone());
            let mut shown = started;
            let mut show = || {
                let now = self.clock.now();
                if view
                    .every
                    .is_some_and(|every| now.saturating_sub(shown) >= every)
                {
                    shown = now;
                    // A copy of the random numbers: looking on changes nothing.
                    let counts = (reused, first);
                    see(report(&root, counts, &control, params, &mut rng.clone()));
                }
            };
            if let Err(error) = self.run(&mut pool, &root, priors, &control, &mut show) {
                log::error!("{error}; playing on with what the search has found");
                pool.workers.clear();
            }
        }
        let (params, rng) = (&self.options.params, &mut self.rng);
        let report = report(&root, (reused, first), &control, params, rng);
        if !pool.workers.is_empty() {
            self.pool = Some(pool);
            self.tree = Some(tree);
        }
        Ok(report)
    }

    /// The threads, home from what they did last; new ones where there are none or they failed.
    fn workers(
        &mut self,
        position: &G,
        limits: &Limits,
        stop: &StopFlag,
        started: Duration,
    ) -> Result<Pool<G>, SearchError> {
        if let Some(mut pool) = self.pool.take() {
            let clock = Arc::clone(&self.clock);
            let control = Control::new(*limits, 0, stop.clone(), clock, started);
            let waited = wait(&mut pool, &control, &mut || {});
            if pool.out == 0 {
                return Ok(pool);
            }
            let Err(error) = waited else {
                self.pool = Some(pool);
                let text = "it was stopped before the last one was over".to_owned();
                return Err(SearchError::Broken(text));
            };
            log::error!("{error}; starting new search threads");
            self.tree = None;
        }
        self.start_pool(position)
    }

    fn start_pool(&self, position: &G) -> Result<Pool<G>, SearchError> {
        let (sender, homecomings) = unbounded();
        let mut workers = Vec::new();
        let mut encoding = None;
        for number in 0..self.options.threads.max(1) {
            let evaluator = (self.make_evaluator)()?;
            if encoding.is_none() {
                encoding = Some(encode::find(evaluator.info(), position)?);
            }
            let prober = self.make_prober.as_ref().map(|make| make());
            workers.push(Worker::spawn(number, evaluator, prober, sender.clone())?);
        }
        let encoding = encoding.ok_or_else(|| SearchError::Broken("no threads".to_owned()))?;
        Ok(Pool {
            workers,
            homecomings,
            out: 0,
            encoding,
        })
    }

    /// Bytes of a tree: half of the memory, because thinning copies what stays into a second one.
    fn tree_bytes(&self) -> usize {
        (self.options.params.memory_mib as usize) << 19
    }

    /// Takes the kept tree or a new one, and the position's node in it. Thinning the tree is given
    /// up when `go_on` says so.
    fn root(&mut self, position: &G, go_on: impl FnMut() -> bool) -> (Arc<Tree>, NodeId) {
        let (bytes, key) = (self.tree_bytes(), position.key());
        if let Some(tree) = self.tree.take()
            && !is_bare(&tree, key, position)
        {
            let known = tree.find(key);
            if tree.bytes() < bytes / 2
                && let Some(root) = known.or_else(|| tree.find_or_add(key))
            {
                return (tree, root);
            }
            if let Some(old) = known {
                if let Some(thinned) = thin(&tree, old, bytes, go_on) {
                    return thinned;
                }
                if tree.bytes() < bytes / 4 * 3 {
                    return (tree, old);
                }
            }
        }
        let tree = Tree::new(bytes);
        // An empty tree has room for at least a thousand nodes.
        let root = tree.find_or_add(key).unwrap_or_default();
        (Arc::new(tree), root)
    }

    /// Does beforehand what the search of `position` would begin with: starts threads, loads the
    /// network, and makes room in the tree by leaving behind what `position` cannot reach. Gives
    /// room-making up when `stop` is raised; nothing is lost then.
    ///
    /// # Errors
    /// [`SearchError`] when the network or a thread cannot be had.
    pub fn prepare(&mut self, position: &G, stop: &StopFlag) -> Result<(), SearchError> {
        let pool = self.workers(position, &Limits::default(), stop, self.clock.now())?;
        self.pool = Some(pool);
        let bytes = self.tree_bytes();
        if let Some(tree) = &self.tree
            && tree.bytes() >= bytes / 4
            && let Some(root) = tree.find(position.key())
            && let Some((thinned, _)) = thin(tree, root, bytes, || !stop.is_raised())
        {
            self.tree = Some(thinned);
        }
        Ok(())
    }

    /// Runs one job on the workers, or on one of them for the root's own evaluation, until all have
    /// come home or are overdue. Calls `look` every few milliseconds. After a stop the tree may
    /// still change until [`wait`] says otherwise.
    fn run(
        &self,
        pool: &mut Pool<G>,
        root: &Root<'_, G>,
        root_priors: RootPriors,
        control: &Arc<Control>,
        look: &mut dyn FnMut(),
    ) -> Result<(), SearchError> {
        let workers = if control.is_root_step() {
            1
        } else {
            pool.workers.len()
        };
        let job = Arc::new(Job {
            tree: Arc::clone(&root.tree),
            root: root.node,
            position: root.position.clone(),
            root_priors,
            params: self.options.params.clone(),
            encoding: pool.encoding,
            control: Arc::clone(control),
        });
        let started = pool.workers.iter().take(workers);
        let started = started
            .filter(|worker| worker.start(Arc::clone(&job)))
            .count();
        drop(job);
        pool.out += started;
        if started < workers {
            control.end(StopReason::Failed);
            return Err(SearchError::Broken("a search thread is gone".to_owned()));
        }
        wait(pool, control, look)
    }
}

/// Waits until all workers are home, but no longer than they may take.
fn wait<G: Encode>(
    pool: &mut Pool<G>,
    control: &Control,
    look: &mut dyn FnMut(),
) -> Result<(), SearchError> {
    let (mut failure, mut watch) = (None, Watch::default());
    while pool.out > 0 {
        look();
        match pool.homecomings.recv_timeout(PATIENCE) {
            Ok(Homecoming::Well) => pool.out -= 1,
            Ok(Homecoming::EvalFailed(error)) => {
                pool.out -= 1;
                failure = Some(SearchError::Eval(error));
            }
            Ok(Homecoming::Panicked(text)) => {
                let text = format!("a search thread panicked: {text}");
                return Err(SearchError::Broken(text));
            }
            Err(RecvTimeoutError::Disconnected) => {
                let text = "all search threads are gone".to_owned();
                return Err(SearchError::Broken(text));
            }
            Err(RecvTimeoutError::Timeout) => match control.overdue(&mut watch) {
                None => {}
                Some(Overdue::Stopped) => {
                    control.end(StopReason::Interrupted);
                    break;
                }
                Some(Overdue::Hung) => {
                    control.end(StopReason::Failed);
                    let text = "the evaluator did not answer in time".to_owned();
                    return Err(SearchError::Broken(text));
                }
            },
        }
    }
    failure.map_or(Ok(()), Err)
}

/// Whether the tree knows nothing but a prober's word of this position: its moves have to be found.
fn is_bare<G: Game>(tree: &Tree, key: u128, position: &G) -> bool {
    tree.find(key).is_some_and(|node| {
        let state = tree.node(node).state();
        state.proof().is_some() && state.edge_count() == 0 && position.outcome().is_none()
    })
}

/// The report of a search that found `reused` visits and whose first step made `first` playouts.
fn report<G: Game>(
    root: &Root<'_, G>,
    (reused, first): (u64, u64),
    control: &Control,
    params: &SearchParams,
    rng: &mut Xoshiro256PlusPlus,
) -> SearchReport {
    let (tree, ply) = (&root.tree, root.position.ply());
    let node = tree.node(root.node);
    SearchReport {
        moves: root::moves(tree, root.node, ply, params, rng),
        value: node.stats().0,
        proof: node.state().proof(),
        visits: u64::from(node.visits()),
        reused,
        playouts: control.playouts() + first,
        evaluations: control.evaluations() + first,
        nodes: tree.len() as u64,
        elapsed: control.elapsed(),
        stop: control.reason(),
    }
}

/// A tree of only what can be reached from `root`, and its root; `None` when `go_on` said no.
fn thin(
    tree: &Tree,
    root: NodeId,
    bytes: usize,
    go_on: impl FnMut() -> bool,
) -> Option<(Arc<Tree>, NodeId)> {
    let thinned = Tree::new(bytes);
    let root = tree.copy_reachable(root, &thinned, go_on)?;
    log::debug!(
        "tree thinned from {} to {} nodes",
        tree.len(),
        thinned.len()
    );
    Some((Arc::new(thinned), root))
}
