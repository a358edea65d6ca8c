//! Analysis threads, each with its own engine, which take one position after the other.

use std::sync::Arc;

use serde_json::Value;

use super::answer::{AnswerContext, answer, no_results};
use super::fields::Refusal;
use super::query::KatagoResources;
use super::queue::{Queue, Task};
use crate::engine::{AnalysisEffort, AnalysisRequest, Engine};
use crate::game::{BoardSize, Symmetry};
use crate::games::UnknownGame;
use crate::gtp::analysis::avoided;
use crate::gtp::numbers::set;
use crate::search::{AnalysisOptions, PointsByMove, SearchReport};
use tengen_nn::eval::HumanProfile;

/// A worker of the queue.
pub(super) struct Analyst {
    resources: Arc<KatagoResources>,
    /// The engine of the last board, and the number of cache clears that it has seen.
    engine: Option<(Box<dyn Engine>, u64)>,
    /// The engine that last imitated people, and whom.
    imitator: Option<(Box<dyn Engine>, HumanProfile)>,
    /// The last query for which it has warned of a komi that the network is not shown.
    warned_of_komi: Option<String>,
}

impl Analyst {
    pub(super) fn new(resources: Arc<KatagoResources>) -> Analyst {
        Analyst {
            resources,
            engine: None,
            imitator: None,
            warned_of_komi: None,
        }
    }

    /// Processes the queue until it is closed.
    pub(super) fn work(&mut self, queue: &Queue, send: &mut dyn FnMut(Value)) {
        while let Some((task, forgotten)) = queue.take() {
            let last = match self.answer(&task, forgotten, send) {
                Ok(last) => last,
                Err(reason) => {
                    let mut last = answer(&task, false);
                    set(&mut last, "error", reason);
                    last
                }
            };
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
            interval: query_options.reports,
            avoid: avoid.clone(),
            points: match query_options.moves_ownership {
                true => PointsByMove::Owners,
                false => PointsByMove::Lead,
            },
            root_policy_temperature: query_options.root_policy_temperature,
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
        let request = AnalysisRequest::new(mover, effort, &task.stop).with(options);
        let found = engine.analyse(&request, &mut |report| send(scene.tell(report, true)));
        let warning = found.as_ref().and_then(SearchReport::komi_warning);
        if let Some(warning) = warning
            && self.warned_of_komi.as_ref() != Some(&task.query.id)
        {
            self.warned_of_komi = Some(task.query.id.clone());
            send(Refusal::new("komi", warning).told(&task.query.id, "warning"));
        }
        match found {
            Some(report) => Ok(scene.tell(&report, false)),
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
