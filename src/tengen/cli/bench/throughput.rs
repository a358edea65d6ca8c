//! Throughput of each backend's evaluation, and of the search.
//!
//! Raw evaluation and search alternate in short rounds on the same threads and the same network, so
//! that other load of the machine affects both equally.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::clock::{Budget, Clock, SystemClock};
use crate::encode::{Encode, find};
use crate::engine::{Backend, EngineOptions};
use crate::games::with_game;
use crate::search::{Limits, SearchParams, SearchRequest, Searcher, SearcherOptions, StopFlag};
use anyhow::Context as _;
use serde::Serialize;
use tengen_nn::eval::{
    BackendKind, Batch, Device, EvalError, Evaluator, EvaluatorFactory, LoadOptions, Outputs,
};

use super::super::output;
use super::agreement::network;
use crate::command::phases;
use crate::system;

const BATCHES: [u32; 4] = [1, 4, 8, 16];
/// The same on a GPU.
const GPU_BATCHES: [u32; 6] = [1, 8, 32, 64, 256, 1024];
const ROUNDS: u32 = 4;
/// On a GPU a search fills its batches in a few tenths of a second, and a round is long enough for that.
const GPU_ROUNDS: u32 = 1;
/// Positions of one raw batch or search, from all phases of the game.
const POSITIONS: u32 = 16;

/// A row of the table.
#[derive(Debug, Serialize)]
struct SpeedRow {
    backend: &'static str,
    threads: usize,
    batch: u32,
    /// Positions per second, evaluated without a search.
    raw_per_second: f64,
    /// Positions per second, evaluated by the search.
    evaluations_per_second: f64,
    /// Visits per second of the search.
    visits_per_second: f64,
    /// Descents of the search that ended at a leaf being evaluated, per visit.
    collisions: f64,
}

pub(super) fn run(options: &EngineOptions, seconds: f64, json: bool) -> anyhow::Result<()> {
    with_game!(&options.game, options.board(), |empty| measure(
        &empty, options, seconds, json
    ))?
}

fn measure<G: Encode>(
    empty: &G,
    options: &EngineOptions,
    seconds: f64,
    json: bool,
) -> anyhow::Result<()> {
    let bench = Bench::new(empty, options, seconds)?;
    if !json {
        output::print(
            "backend  threads  batch  positions/s  search: evals/s  visits/s  evals/raw  visits/raw  collisions",
        )?;
    }
    let wanted = |kind: &BackendKind| bench.only.is_none_or(|only| only == *kind);
    for kind in BackendKind::ALL.into_iter().filter(wanted) {
        let source = network(options, kind, options.device)?;
        let factory = match EvaluatorFactory::open(kind, &source, &bench.load) {
            Ok(factory) => factory,
            Err(EvalError::Unavailable { backend, reason }) => {
                log::warn!("{backend} is not available: {reason}");
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let batches = match (options.search.batch, options.device) {
            (0, Device::Cpu) => &BATCHES[..],
            (0, Device::Cuda(_)) => &GPU_BATCHES[..],
            (asked, _) => &[asked][..],
        };
        for &batch in batches {
            let line = bench.measure(kind, &factory, batch)?;
            output::print_report(&line, json, text)?;
        }
    }
    Ok(())
}

fn text(line: &SpeedRow) -> String {
    format!(
        "{:<8} {:>7} {:>6} {:>12.0} {:>16.0} {:>9.0} {:>9.1}% {:>10.1}% {:>10.1}%",
        line.backend,
        line.threads,
        line.batch,
        line.raw_per_second,
        line.evaluations_per_second,
        line.visits_per_second,
        100.0 * line.evaluations_per_second / line.raw_per_second,
        100.0 * line.visits_per_second / line.raw_per_second,
        100.0 * line.collisions,
    )
}

struct Bench<G> {
    load: LoadOptions,
    /// The requested backend; `None` for all.
    only: Option<BackendKind>,
    threads: usize,
    round: Duration,
    rounds: u32,
    clock: SystemClock,
    positions: Vec<G>,
    params: SearchParams,
}

impl<G: Encode> Bench<G> {
    fn new(empty: &G, options: &EngineOptions, seconds: f64) -> anyhow::Result<Bench<G>> {
        let rounds = match options.device {
            Device::Cpu => ROUNDS,
            Device::Cuda(_) => GPU_ROUNDS,
        };
        let round = Duration::try_from_secs_f64(seconds / f64::from(2 * rounds)).ok();
        let round = round.filter(|round| !round.is_zero()).with_context(|| {
            format!("--seconds takes seconds, more than 0 and at most 1e19, not {seconds:?}")
        })?;
        Ok(Bench {
            load: LoadOptions {
                board: Some(empty.size()),
                ..options.load()
            },
            only: match options.backend {
                Backend::Network(kind) => Some(kind),
                Backend::Auto | Backend::Rollout => None,
            },
            threads: options.threads.unwrap_or_else(system::processors),
            round,
            rounds,
            clock: SystemClock::new(),
            positions: phases(empty, POSITIONS).collect(),
            params: options.search.clone(),
        })
    }

    fn measure(
        &self,
        kind: BackendKind,
        factory: &EvaluatorFactory,
        batch: u32,
    ) -> anyhow::Result<SpeedRow> {
        let options = SearcherOptions {
            threads: self.threads,
            seed: 1,
            params: SearchParams {
                batch,
                ..self.params.clone()
            },
        };
        let own = factory.clone();
        let clock: Arc<dyn Clock> = Arc::new(self.clock.clone());
        let mut searcher = Searcher::new(Arc::new(move || own.make()), options, clock);
        searcher.prepare(&self.positions[0].clone().into(), &StopFlag::new())?;
        let evaluators = (0..self.threads).map(|_| factory.make());
        let mut evaluators = evaluators.collect::<Result<Vec<_>, _>>()?;
        let mut rates = [0.0; 4];
        for round in 0..self.rounds {
            rates[0] += self.raw(&mut evaluators, batch)?;
            let position = &self.positions[(round * 3 + 1) as usize % self.positions.len()];
            let [evaluations, visits, collisions] = self.search(&mut searcher, position)?;
            rates[1] += evaluations;
            rates[2] += visits;
            rates[3] += collisions;
        }
        let [raw, evaluations, visits, collisions] = rates.map(|sum| sum / f64::from(self.rounds));
        Ok(SpeedRow {
            backend: kind.name(),
            threads: self.threads,
            batch,
            raw_per_second: raw,
            evaluations_per_second: evaluations,
            visits_per_second: visits,
            collisions: collisions / visits,
        })
    }

    /// Positions per second when every thread only evaluates.
    fn raw(&self, evaluators: &mut [Box<dyn Evaluator>], batch: u32) -> anyhow::Result<f64> {
        let batch = evaluators
            .first()
            .map(|first| self.batch(first.as_ref(), batch));
        let batch = &batch.unwrap_or_else(|| Batch::new(0));
        let (count, began) = (AtomicU64::new(0), self.clock.now());
        let failed = |reason: String| EvalError::Run {
            backend: "bench",
            reason,
        };
        let result: Result<Vec<()>, EvalError> = std::thread::scope(|scope| {
            let threads: Vec<_> = evaluators
                .iter_mut()
                .map(|evaluator| {
                    let count = &count;
                    let evaluate = move || {
                        let mut outputs = Outputs::new();
                        while self.clock.now() - began < self.round {
                            evaluator.evaluate(batch, &mut outputs)?;
                            count.fetch_add(batch.len() as u64, Ordering::Relaxed);
                        }
                        Ok(())
                    };
                    std::thread::Builder::new().spawn_scoped(scope, evaluate)
                })
                .collect();
            let joined = threads.into_iter().map(|thread| {
                let thread =
                    thread.map_err(|error| failed(format!("cannot start a thread: {error}")))?;
                let panicked = |_| failed("an evaluator panicked".to_owned());
                thread.join().map_err(panicked)?
            });
            joined.collect()
        });
        result?;
        let elapsed = self.clock.now() - began;
        Ok(count.into_inner() as f64 / elapsed.as_secs_f64())
    }

    fn batch(&self, evaluator: &dyn Evaluator, rows: u32) -> Batch {
        let mut batch = Batch::new(evaluator.info().row_len());
        for i in 0..rows as usize {
            let position = &self.positions[i % self.positions.len()];
            if let Ok(encoding) = find(evaluator.info(), position) {
                encoding.encode(position, batch.push(encoding.cache_key(position)));
            }
        }
        batch
    }

    /// Evaluations, visits and collisions per second of a search from an empty tree.
    fn search(&self, searcher: &mut Searcher<G>, position: &G) -> anyhow::Result<[f64; 3]> {
        searcher.clear();
        let limits = Limits {
            visits: None,
            budget: Some(Budget::fixed(self.round, 10 * self.round)),
        };
        let began = self.clock.now();
        let request = SearchRequest::new(position.clone().into()).within(limits);
        let report = searcher.search(&request, &mut |_| {})?;
        let elapsed = (self.clock.now() - began).as_secs_f64();
        Ok([
            report.evaluations as f64 / elapsed,
            report.playouts as f64 / elapsed,
            report.collisions as f64 / elapsed,
        ])
    }
}
