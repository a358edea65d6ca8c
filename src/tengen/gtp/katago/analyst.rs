//! Analysis threads, each with its own engine, which take one position after the other.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::answer::{AnswerContext, answer, no_results};
use super::fields::Refusal;
use super::query::KatagoResources;
use super::queue::{Queue, Task};
use crate::engine::{AnalysisEffort, AnalysisRequest, Engine};
use crate::game::{BoardSize, Color, Move, Symmetry};
use crate::games::UnknownGame;
use crate::gtp::analysis::avoided;
use crate::gtp::numbers::set;
use crate::search::{
    AnalysisOptions, MIRRORED_ANSWERS, OpponentModel, PointsByMove, SearchReport, VisitAdvantage,
    is_mirrored,
};
use tengen_nn::eval::HumanProfile;

/// A worker of the queue.
pub(super) struct Analyst {
    resources: Arc<KatagoResources>,
    /// The engine of the last board, and the number of cache clears that it has seen.
    engine: Option<(Box<dyn Engine>, u64)>,
    /// The engine that last imitated people, and whom.
    imitator: Option<(Box<dyn Engine>, HumanProfile)>,
}

impl Analyst {
    pub(super) fn new(resources: Arc<KatagoResources>) -> Analyst {
        Analyst {
            resources,
            engine: None,
            imitator: None,
        }
    }

    /// Processes the queue until it is closed.
    pub(super) fn work(&mut self, queue: &Queue, send: &mut dyn FnMut(Value)) {
        while let Some((task, forgotten)) = queue.take() {
            let last = self.answer(&task, forgotten, send);
            let last = last.unwrap_or_else(|reason| {
                let mut last = answer(&task, false);
                set(&mut last, "error", reason);
                last
            });
            // From here on it can no longer be terminated.
            queue.done(&task);
            send(last);
        }
    }

    /// Analyses one position; intermediate reports are sent, the final one is returned.
    fn answer(
        &mut self,
        task: &Task,
        forgotten: u64,
        send: &mut dyn FnMut(Value),
    ) -> Result<Value, String> {
        if task.stop.is_raised() {
            return Ok(no_results(task));
        }
        let imitated = self.imitate(task)?;
        let make = |size| (self.resources.make)(size, "");
        let engine = set_up(&mut self.engine, task, forgotten, make)?;
        let mover = engine.to_move();
        let legal = engine.legal_moves(mover);
        let query_options = &task.query.query_options;
        let avoid = avoided(&query_options.restrictions, mover, &legal);
        let excludes_all = !legal.is_empty() && avoid.len() == legal.len();
        let options = AnalysisOptions {
            interval: query_options.reports.map(|(first, every)| first.min(every)),
            avoid: avoid.clone(),
            points: match query_options.moves_ownership {
                true => PointsByMove::Owners,
                false => PointsByMove::Lead,
            },
            root_policy_temperature: query_options.root_policy_temperature,
            opponent: opponent(task, mover),
            ..AnalysisOptions::default()
        };
        let effort = match excludes_all {
            // As in KataGo: no moves, and the root's evaluation.
            true => AnalysisEffort::OneEvaluation,
            false => AnalysisEffort::Bounded {
                visits: Some(query_options.visits),
                time: query_options.time,
            },
        };
        let scene = AnswerContext::new(task, engine, avoid, imitated);
        let (mut due, every) = query_options
            .reports
            .unwrap_or((Duration::MAX, Duration::MAX));
        let request = AnalysisRequest::new(mover, effort, &task.stop).with(options);
        let found = engine.analyse(&request, &mut |report| {
            if report.elapsed >= due {
                due = report.elapsed.saturating_add(every);
                warn(task, report, send);
                send(scene.tell(report, true));
            }
        });
        let found = found.filter(|report| !task.stop.is_raised() || has_results(report));
        match found {
            Some(report) => {
                warn(task, &report, send);
                Ok(scene.tell(&report, false))
            }
            None if task.stop.is_raised() => Ok(no_results(task)),
            None if legal.is_empty() => Ok(scene.tell_end()),
            None => Err("the search has failed: the log of tengen says why".to_owned()),
        }
    }

    /// What the people that the query names would play; `None` where it names none, or the game is over.
    fn imitate(&mut self, task: &Task) -> Result<Option<SearchReport>, String> {
        let query = &task.query;
        let Some((profile, imitate)) = query
            .query_options
            .profile
            .zip(self.resources.imitate.as_ref())
        else {
            return Ok(None);
        };
        let make = |size| imitate(size, profile);
        let engine = set_up(&mut self.imitator, task, profile, make)?;
        let effort = AnalysisEffort::Network(Symmetry::IDENTITY);
        let request = AnalysisRequest::new(engine.to_move(), effort, &task.stop);
        match engine.analyse(&request, &mut |_| {}) {
            Some(report) if !report.by_network() => Err(
                "the network that imitates people has failed: the log of tengen says why"
                    .to_owned(),
            ),
            found => Ok(found),
        }
    }
}

/// Before its first visit a search that was stopped has results only if a solver has them.
fn has_results(report: &SearchReport) -> bool {
    let visited = || report.moves.iter().any(|found| found.visits > 0);
    report.proof.is_some() || report.visits > 0 || visited()
}

/// What the query says of the sides, in the position of the task.
fn opponent(task: &Task, mover: Color) -> OpponentModel {
    let (options, record) = (&task.query.query_options, &task.query.record);
    let plays = record.plays.get(..task.turn).unwrap_or_default();
    let moves: Vec<Move> = plays
        .iter()
        .map(|played| played.play.vertex.index(record.size))
        .collect();
    let turns = [mover.opponent(), mover].into_iter().cycle();
    let mut recent = plays.iter().rev().zip(turns).take(2 * MIRRORED_ANSWERS);
    let in_turn = recent.all(|(played, color)| played.play.color == color);
    OpponentModel {
        advantage: VisitAdvantage::new(options.doubled_side, mover, options.doublings),
        mirrors: options.anti_mirror && in_turn && is_mirrored(&moves, record.size),
    }
}

/// Warns of what the numbers of a report leave out, once for each query and before its answers: other threads, with
/// other turns, wait for it.
fn warn(task: &Task, report: &SearchReport, send: &mut dyn FnMut(Value)) {
    let query = &task.query;
    let komi = report.komi_warning();
    let komi = komi.map(|text| Refusal::new("komi", text));
    let advantage = report.advantage_warning(query.query_options.doublings);
    let advantage = advantage.map(|text| Refusal::new("overrideSettings", text));
    let warnings: Vec<Refusal> = komi.into_iter().chain(advantage).collect();
    if !warnings.is_empty() {
        query.warned.get_or_init(|| {
            for warning in &warnings {
                send(warning.told(&query.id, "warning"));
            }
        });
    }
}

/// The engine for the task's board, with its position set up: the kept one if it is of the same kind, else a new one.
fn set_up<'a, K: PartialEq>(
    kept: &'a mut Option<(Box<dyn Engine>, K)>,
    task: &Task,
    kind: K,
    make: impl FnOnce(BoardSize) -> Result<Box<dyn Engine>, UnknownGame>,
) -> Result<&'a mut dyn Engine, String> {
    let size = task.query.record.size;
    let known = kept.take();
    let known = known.filter(|(engine, known)| engine.size() == size && *known == kind);
    let engine = match known {
        Some((engine, _)) => engine,
        None => make(size).map_err(|error| error.to_string())?,
    };
    let engine = &mut *kept.insert((engine, kind)).0;
    engine.clear();
    let rules = engine.set_rules(&task.query.rules);
    rules.map_err(|error| error.to_string())?;
    let mut record = task.query.record.clone();
    record.truncate(task.turn);
    engine.load(&record).map_err(|error| error.to_string())?;
    Ok(engine)
}
