//! Search threads: each owns its evaluator and works on one search at a time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

use crossbeam::channel::{Receiver, Sender, unbounded};

use super::control::Control;
use super::playout::{Descent, Playouts, SearchContext};
use super::request::{Prober, SearchError};
use super::root::Root;
use crate::clock::StopReason;
use crate::game::Game;
use tengen_nn::eval::{Batch, EvalError, Evaluator, Outputs, evaluate_finite};

/// One search, shared by all workers.
pub(super) struct Job<G: Game> {
    pub(super) root: Root<G>,
    pub(super) control: Arc<Control>,
}

/// How a job ended for one worker: if with an error, the evaluator failed, and the tree is consistent; or it is broken,
/// the worker has panicked and is gone, and nodes that it had claimed stay claimed.
pub(super) type JobResult = Result<(), SearchError>;

/// A search thread that waits for jobs; it ends when this is dropped.
pub(super) type Worker<G> = Sender<Arc<Job<G>>>;

/// Starts a thread that reports the end of each job to `results`.
pub(super) fn spawn<G: Game>(
    number: usize,
    evaluator: Box<dyn Evaluator>,
    prober: Option<Prober<G>>,
    results: Sender<JobResult>,
) -> std::io::Result<Worker<G>> {
    let (jobs, inbox) = unbounded();
    thread::Builder::new()
        .name(format!("search-{number}"))
        .spawn(move || run_worker(number, evaluator, prober, &inbox, &results))?;
    Ok(jobs)
}

fn run_worker<G: Game>(
    number: usize,
    mut evaluator: Box<dyn Evaluator>,
    mut prober: Option<Prober<G>>,
    inbox: &Receiver<Arc<Job<G>>>,
    results: &Sender<JobResult>,
) {
    for job in inbox {
        let result = catch_unwind(AssertUnwindSafe(|| {
            run_job(&job, number, evaluator.as_mut(), prober.as_mut())
        }));
        let result = match result {
            Ok(result) => result.map_err(SearchError::Eval),
            Err(panic) => {
                let text = panic_text(panic.as_ref());
                Err(SearchError::Broken(format!(
                    "a search thread panicked: {text}"
                )))
            }
        };
        if result.is_err() {
            job.control.end(StopReason::Failed);
        }
        // Release the tree before reporting: the searcher may then free it at once.
        drop(job);
        let gone = matches!(result, Err(SearchError::Broken(_)));
        if results.send(result).is_err() || gone {
            return;
        }
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_else(|| "panic".to_owned())
}

/// Gathers and applies batches until the search is over or memory is full.
fn run_job<G: Game>(
    job: &Job<G>,
    number: usize,
    evaluator: &mut dyn Evaluator,
    prober: Option<&mut Prober<G>>,
) -> Result<(), EvalError> {
    let (control, root) = (&job.control, &job.root);
    let over = || control.is_over();
    let context = SearchContext {
        tree: &root.tree,
        root: root.node,
        start: &root.start,
        root_priors: &root.priors,
        reused_visits: &root.reused_visits,
        params: &root.params,
        endings: root.endings,
        knows_passes: root.encoding.knows_passes,
        is_mirrored: root.opponent.mirrors,
        earlier: None,
        points: root.points.get(number),
        judged: root.judged.as_deref(),
        over: &over,
    };
    let mut playouts = Playouts::new(context, prober);
    let mut batch = Batch::new(evaluator.info().row_len());
    let mut outputs = Outputs::new();
    loop {
        let seen = control.playouts();
        let more = gather_batch(job, &mut playouts, &mut batch, batch_size(job, evaluator));
        if control.is_over() {
            playouts.abandon();
            return Ok(());
        }
        if playouts.waiting() == 0 {
            playouts.let_go();
            match more {
                GatherMore::No => return Ok(()),
                // The others are evaluating the leaves that this thread collided with: further
                // descents would take their time and find nothing.
                GatherMore::AfterCollisions => control.await_others(seen),
                GatherMore::Yes => {}
            }
            continue;
        }
        if let Err(error) = evaluate_finite(evaluator, &batch, &mut outputs) {
            playouts.abandon();
            return Err(error);
        }
        control.count_evaluations(batch.len());
        let completed = playouts.apply(&outputs);
        control.count_playouts(completed);
        if completed < batch.len() {
            control.return_playouts(batch.len() - completed);
            control.want_room();
        }
        batch.clear();
        end_if_proven(job);
        control.judge(|| job.root.leaders());
    }
}

fn end_if_proven<G: Game>(job: &Job<G>) {
    if job.root.bounds().proof().is_some() {
        job.control.end(StopReason::Proven);
    }
}

/// Batch size: the evaluator's preference, but small while the tree is small, where leaves chosen
/// without each other's values cost strength (docs/methods.md#search).
fn batch_size<G: Game>(job: &Job<G>, evaluator: &dyn Evaluator) -> usize {
    let most = match job.root.params.batch {
        0 => evaluator.preferred_batch(),
        set => set as usize,
    };
    let visits = job.root.node().visits() as usize;
    most.clamp(1, (visits / 64).max(1))
}

/// Descents without evaluation after which waiting leaves are evaluated.
const DONE_AT_ONCE: u32 = 64;

/// Whether gathering should continue.
enum GatherMore {
    Yes,
    AfterCollisions,
    No,
}

/// Gathers leaves until there are `size` of them, or collisions show that this part of the tree is
/// busy, or most descents end at known results.
fn gather_batch<G: Game>(
    job: &Job<G>,
    playouts: &mut Playouts<'_, G>,
    batch: &mut Batch,
    size: usize,
) -> GatherMore {
    let control = &job.control;
    let mut add = |position: &G| {
        let advantage = job.root.opponent.advantage;
        let doublings = advantage.map_or(0.0, |advantage| advantage.of(position.to_move()));
        let encoding = job.root.encoding;
        let key = encoding.cache_key(position) ^ u128::from(doublings.to_bits()) << 64;
        let row = batch.push(key);
        encoding.encode(position, row);
        if doublings != 0.0 {
            encoding.show_doublings(doublings, row);
        }
    };
    let (mut collisions, mut done) = (0, 0);
    while playouts.waiting() < size {
        if control.is_over() || control.wants_room() || !control.begin_playout() {
            return GatherMore::No;
        }
        match playouts.gather(None, &mut add) {
            Descent::Leaf => {}
            Descent::Done => {
                control.count_playouts(1);
                end_if_proven(job);
                // If all descents ended like this one, the time rules would not be checked.
                control.judge(|| job.root.leaders());
                done += 1;
                if playouts.waiting() > 0 && done >= DONE_AT_ONCE {
                    return GatherMore::Yes;
                }
            }
            Descent::Collision => {
                control.return_collision();
                collisions += 1;
                if collisions >= size {
                    return GatherMore::AfterCollisions;
                }
            }
            Descent::Full => {
                control.return_playouts(1);
                control.want_room();
            }
        }
    }
    GatherMore::Yes
}
