//! Search reports as JSON with KataGo's names (docs/programs-and-servers.md#fields-of-the-analysis-engine).

use serde_json::{Value, json};

use super::queue::Task;
use crate::engine::Engine;
use crate::game::{BoardSize, Move, Outcome};
use crate::gtp::board::{format_move, owners, ownership, points_from_top};
use crate::gtp::numbers::{Numbers, View, set, told};
use crate::search::{MoveReport, SearchReport};

/// Fields of a task's answer except the results.
pub(super) fn answer(task: &Task, is_during_search: bool) -> Value {
    json!({ "id": task.query.id, "turnNumber": task.turn, "isDuringSearch": is_during_search })
}

/// The answer to a task that was ended without results.
pub(super) fn no_results(task: &Task) -> Value {
    let mut answer = answer(task, false);
    set(&mut answer, "noResults", true);
    answer
}

/// Data of a task's position for its answers.
pub(super) struct AnswerContext<'a> {
    task: &'a Task,
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
        let view = task.query.query_options.perspective.view(engine.to_move());
        AnswerContext {
            task,
            size: engine.size(),
            view,
            avoided,
            outcome: engine.outcome(),
            owners: ownership(engine, view.side),
            imitated,
        }
    }

    /// Fields of a final or intermediate search report.
    pub(super) fn tell(&self, report: &SearchReport, is_during_search: bool) -> Value {
        let told = told(report, &self.avoided, 1, usize::MAX);
        let moves = told.into_iter().enumerate();
        let moves = moves.map(|(order, found)| self.move_info(report, order, found));
        let expected = report.expected.as_ref();
        let expected = expected.map(|expected| owners(expected, self.size, self.view.side));
        let owners = expected.as_ref().unwrap_or(&self.owners);
        let (root, prior) = (self.view.of_root(report), |mv| prior(report, mv));
        self.whole(root, moves.collect(), owners, &prior, is_during_search)
    }

    /// Fields of a finished game.
    pub(super) fn tell_end(&self) -> Value {
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
    ) -> Value {
        let mut answer = answer(self.task, is_during_search);
        let visits = root.visits;
        let mut root = shared(root);
        set(&mut root, "currentPlayer", self.view.mover.letter());
        set(&mut root, "weight", visits);
        let policy = |prior: &dyn Fn(Move) -> f32| -> Value {
            let all = points_from_top(self.size).chain([self.size.pass()]);
            all.map(|mv| number(prior(mv))).collect()
        };
        let options = &self.task.query.query_options;
        if let Some(imitated) = &self.imitated {
            let numbers = self.view.of_root(imitated);
            let (lead, deviation) = numbers.score.unwrap_or((0.0, 0.0));
            set(&mut root, "humanWinrate", number(numbers.winrate()));
            set(&mut root, "humanScoreMean", number(lead));
            set(&mut root, "humanScoreStdev", number(deviation));
            if options.policy {
                let human = policy(&|mv| prior(imitated, mv));
                set(&mut answer, "humanPolicy", human);
            }
        }
        set(&mut answer, "moveInfos", moves);
        set(&mut answer, "rootInfo", root);
        if options.ownership {
            set(&mut answer, "ownership", numbers(owners));
        }
        if options.policy {
            set(&mut answer, "policy", policy(prior_of));
        }
        answer
    }

    fn move_info(&self, report: &SearchReport, order: usize, found: &MoveReport) -> Value {
        let options = &self.task.query.query_options;
        let mut info = shared(self.view.of_move(found, report));
        // The first move, and this many after it.
        let length = options.line.saturating_add(1);
        let line = found.pv.iter().take(length);
        let line: Value = line.map(|&mv| format_move(mv, self.size)).collect();
        set(&mut info, "move", format_move(found.mv, self.size));
        set(&mut info, "order", order);
        set(&mut info, "prior", number(found.prior));
        for weight in ["edgeVisits", "weight", "edgeWeight", "playSelectionValue"] {
            set(&mut info, weight, found.visits);
        }
        set(&mut info, "pv", line);
        if let Some(imitated) = &self.imitated {
            set(&mut info, "humanPrior", number(prior(imitated, found.mv)));
        }
        if options.pv_visits {
            let visits: Value = found.pv_visits.iter().copied().take(length).collect();
            set(&mut info, "pvEdgeVisits", visits.clone());
            set(&mut info, "pvVisits", visits);
        }
        // An unsearched move has the root's ownership.
        let expected = found.expected.as_ref().or(report.expected.as_ref());
        if let Some(expected) = expected.filter(|_| options.moves_ownership) {
            let owners = owners(expected, self.size, self.view.side);
            set(&mut info, "ownership", numbers(&owners));
        }
        info
    }
}

/// A move's prior; -1 where it is illegal.
fn prior(report: &SearchReport, mv: Move) -> f32 {
    let found = report.moves.iter().find(|found| found.mv == mv);
    found.map_or(-1.0, |found| found.prior)
}

/// Fields shared by moves and root. Clients rely on every one of these names: if no points are
/// counted, the scores are 0.
fn shared(of: Numbers) -> Value {
    let (lead, deviation) = of.score.unwrap_or((0.0, 0.0));
    json!({
        "visits": of.visits,
        "winrate": number(of.winrate()),
        "lcb": number(of.lcb()),
        "utility": number(of.utility),
        "utilityLcb": number(of.utility_lcb),
        "scoreLead": number(lead),
        "scoreMean": number(lead),
        "scoreSelfplay": number(lead),
        "scoreStdev": number(deviation),
    })
}

/// Six decimal places, the precision of the numbers.
fn number(value: f32) -> Value {
    json!((f64::from(value) * 1e6).round() / 1e6)
}

fn numbers(values: &[f32]) -> Value {
    values.iter().map(|&value| number(value)).collect()
}
