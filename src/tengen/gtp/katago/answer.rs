//! Search reports as JSON with KataGo's names (docs/programs-and-servers.md#fields-of-the-analysis-engine).

use serde_json::{Value, json};

use super::fields::Object;
use super::query_options::QueryOptions;
use super::queue::Task;
use crate::engine::Engine;
use crate::game::{BoardSize, Color, Move, Outcome};
use crate::gtp::analysis::vertex;
use crate::gtp::board::{ownership, points_from_top};
use crate::gtp::numbers::{Numbers, View, told};
use crate::search::{MoveReport, SearchReport};

/// Fields of a task's answer except the results.
pub(super) fn answer(task: &Task, is_during_search: bool) -> Object {
    object([
        ("id", json!(task.query.id)),
        ("turnNumber", json!(task.turn)),
        ("isDuringSearch", json!(is_during_search)),
    ])
}

/// The answer to a task that was ended without results.
pub(super) fn no_results(task: &Task) -> Object {
    let mut answer = answer(task, false);
    answer.insert("noResults".to_owned(), json!(true));
    answer
}

/// Data of a task's position for its answers.
pub(super) struct AnswerContext<'a> {
    task: &'a Task,
    query_options: &'a QueryOptions,
    size: BoardSize,
    view: View,
    avoided: Vec<Move>,
    outcome: Option<Outcome>,
    /// Current owner of each point, top row first; replaced by the search's estimate.
    owners: Vec<f32>,
    /// What the people that the query names would play.
    imitated: Option<SearchReport>,
}

impl<'a> AnswerContext<'a> {
    /// For the engine's current position and these moves to avoid.
    pub(super) fn new(
        task: &'a Task,
        engine: &dyn Engine,
        avoided: Vec<Move>,
        imitated: Option<SearchReport>,
    ) -> AnswerContext<'a> {
        let query_options = &task.query.query_options;
        let view = query_options.perspective.view(engine.to_move());
        AnswerContext {
            task,
            query_options,
            size: engine.size(),
            view,
            avoided,
            outcome: engine.outcome(),
            owners: ownership(engine, view.side),
            imitated,
        }
    }

    /// Fields of a final or intermediate search report.
    pub(super) fn tell(&self, report: &SearchReport, is_during_search: bool) -> Object {
        let told = told(report, &self.avoided, 1, usize::MAX);
        let moves = told.into_iter().enumerate();
        let moves = moves.map(|(order, found)| self.move_info(report, order, found));
        let expected = report.expected.as_ref();
        let expected = expected.map(|expected| self.view.owners(expected, self.size));
        let prior = |mv: Move| prior(report, mv);
        let root = self.view.of_root(report);
        let (owners, moves) = (expected.as_ref().unwrap_or(&self.owners), moves.collect());
        self.whole(root, moves, owners, &prior, is_during_search)
    }

    /// Fields of a finished game.
    pub(super) fn tell_end(&self) -> Object {
        let value = |outcome: Outcome| outcome.value_for(self.view.side);
        let utility = self.outcome.map_or(0.0, value);
        let margin = self.outcome.and_then(|outcome| outcome.margin);
        let root = Numbers {
            visits: 0,
            utility,
            utility_lcb: utility,
            score: margin.map(|margin| (utility * margin.0 as f32 / 2.0, 0.0)),
        };
        self.whole(root, json!([]), &self.owners, &|_| -1.0, false)
    }

    fn whole(
        &self,
        root: Numbers,
        moves: Value,
        owners: &[f32],
        prior_of: &dyn Fn(Move) -> f32,
        is_during_search: bool,
    ) -> Object {
        let mut answer = answer(self.task, is_during_search);
        let mover = match self.view.mover {
            Color::Black => "B",
            Color::White => "W",
        };
        let mut root = shared(root);
        root.insert("currentPlayer".to_owned(), json!(mover));
        if let Some(imitated) = &self.imitated {
            let numbers = self.view.of_root(imitated);
            let (lead, deviation) = numbers.score.unwrap_or((0.0, 0.0));
            root.extend(object([
                ("humanWinrate", number(numbers.winrate())),
                ("humanScoreMean", number(lead)),
                ("humanScoreStdev", number(deviation)),
            ]));
        }
        answer.extend(object([
            ("moveInfos", moves),
            ("rootInfo", Value::Object(root)),
        ]));
        if self.query_options.ownership {
            answer.insert("ownership".to_owned(), numbers(owners));
        }
        if self.query_options.policy {
            let policy = |prior: &dyn Fn(Move) -> f32| {
                let all = points_from_top(self.size).chain([self.size.pass()]);
                numbers(&all.map(prior).collect::<Vec<f32>>())
            };
            answer.insert("policy".to_owned(), policy(prior_of));
            if let Some(imitated) = &self.imitated {
                let human = policy(&|mv| prior(imitated, mv));
                answer.insert("humanPolicy".to_owned(), human);
            }
        }
        answer
    }

    fn move_info(&self, report: &SearchReport, order: usize, found: &MoveReport) -> Value {
        let mut info = shared(self.view.of_move(found, report));
        // The first move, and this many after it.
        let length = self.query_options.line.saturating_add(1);
        let line = found.pv.iter().take(length);
        let line = line.map(|&mv| Value::String(vertex(mv, self.size)));
        info.extend(object([
            ("move", json!(vertex(found.mv, self.size))),
            ("order", json!(order)),
            ("prior", number(found.prior)),
            ("edgeVisits", json!(found.visits)),
            ("weight", json!(found.visits)),
            ("edgeWeight", json!(found.visits)),
            ("playSelectionValue", json!(found.visits)),
            ("pv", line.collect()),
        ]));
        if let Some(imitated) = &self.imitated {
            info.insert("humanPrior".to_owned(), number(prior(imitated, found.mv)));
        }
        if self.query_options.pv_visits {
            let visits: Vec<u64> = found.pv_visits.iter().copied().take(length).collect();
            info.extend(object([
                ("pvVisits", json!(visits)),
                ("pvEdgeVisits", json!(visits)),
            ]));
        }
        // An unsearched move has the root's ownership.
        let expected = found.expected.as_ref().or(report.expected.as_ref());
        if let Some(expected) = expected.filter(|_| self.query_options.moves_ownership) {
            let owners = self.view.owners(expected, self.size);
            info.insert("ownership".to_owned(), numbers(&owners));
        }
        Value::Object(info)
    }
}

/// A move's prior; -1 where it is illegal.
fn prior(report: &SearchReport, mv: Move) -> f32 {
    let found = report.moves.iter().find(|found| found.mv == mv);
    found.map_or(-1.0, |found| found.prior)
}

/// Fields shared by moves and root. Clients rely on every one of these names: if no points are
/// counted, the scores are 0.
fn shared(of: Numbers) -> Object {
    let (lead, deviation) = of.score.unwrap_or((0.0, 0.0));
    object([
        ("visits", json!(of.visits)),
        ("winrate", number(of.winrate())),
        ("lcb", number(of.lcb())),
        ("utility", number(of.utility)),
        ("utilityLcb", number(of.utility_lcb)),
        ("scoreLead", number(lead)),
        ("scoreMean", number(lead)),
        ("scoreSelfplay", number(lead)),
        ("scoreStdev", number(deviation)),
    ])
}

fn object<const N: usize>(fields: [(&str, Value); N]) -> Object {
    let fields = fields.into_iter();
    fields
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// Six decimal places, the precision of the numbers.
fn number(value: f32) -> Value {
    json!((f64::from(value) * 1e6).round() / 1e6)
}

fn numbers(values: &[f32]) -> Value {
    values.iter().map(|&value| number(value)).collect()
}
