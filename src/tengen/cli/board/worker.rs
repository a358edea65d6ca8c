//! The board's engine: it executes the session's tasks one by one, on its own thread.

use std::sync::Arc;
use std::time::Duration;

use crate::clock::{Clock, TimeControl, TimeLeft};
use crate::engine::{
    AnalysisEffort, AnalysisRequest, Decision, Engine, EngineOptions, MoveRequest, ThinkingLimits,
};
use crate::game::{Color, Symmetry};
use crate::record::{GameRecord, Play};
use crate::registry;
use crate::search::{AnalysisOptions, PointsByMove, Purpose, SearchReport, StopFlag};
use crate::watch::Eval;
use serde_json::json;

use super::super::flags::EngineFlags;
use super::super::review::{Game, Language, Reviewer, annotated_sgf};
use super::board_state::BoardState;
use super::report::{SearchedPosition, Task, TaskRequest, winner};
use super::session::Session;

/// Interval between two reports of a search.
const INTERVAL: Duration = Duration::from_millis(200);
/// Visits at which an analysis ends by itself: more would show no visible difference.
const MAX_VISITS: u64 = 50_000_000;
/// Limits of the search that judges a move: several times that of a review, within a person's patience.
const JUDGE_VISITS: u64 = 1_600;
const JUDGE_TIME: Duration = Duration::from_secs(4);
/// Solver nodes per position of a review. People wait for it: with more nodes the first positions that cannot be solved
/// take minutes.
const REVIEW_NODES: u64 = 100_000;

/// The game's data for a task.
struct Job {
    request: TaskRequest,
    searched: SearchedPosition,
    options: EngineOptions,
    record: GameRecord,
    limits: ThinkingLimits,
    control: TimeControl,
    left: [TimeLeft; 2],
    flags: Arc<EngineFlags>,
    /// The move to judge.
    tried: Option<Play>,
    /// The positions from the beginning of the record to the searched one.
    nodes: Vec<usize>,
}

impl Job {
    fn new(session: &Session, request: TaskRequest) -> Job {
        let now = session.now();
        let level = &session.game.terms.level;
        let mut options = session.game.options.clone();
        if matches!(request.task, Task::Move | Task::Ponder) {
            // The page's levels were checked when the game began.
            let _ = level.weaken(&mut options, &session.flags.beside_level);
        }
        let nodes = session.game.tree.since_set_up(request.node);
        let mut record = session.game.moves(request.node);
        if request.task == Task::Review {
            let told = &session.game.beginning;
            record.black.clone_from(&told.black);
            record.white.clone_from(&told.white);
            record.date.clone_from(&told.date);
            let comment = |&node| session.game.tree.node(node).comment.clone();
            for (recorded, comment) in record.plays.iter_mut().zip(nodes[1..].iter().map(comment)) {
                recorded.comment = comment;
            }
        }
        Job {
            request,
            searched: SearchedPosition {
                node: request.node,
                task: request.task,
                mover: session.board.to_move(),
                size: record.size,
            },
            flags: Arc::clone(&session.flags),
            tried: session.judged.as_ref().map(|judged| judged.play),
            nodes,
            limits: level.limits(&options.thinking_limits(), session.game.clocks.control),
            options,
            record,
            control: session.game.clocks.control,
            left: [Color::Black, Color::White].map(|color| session.game.clocks.left(color, now)),
        }
    }
}

/// An engine with its game.
struct WorkerEngine {
    engine: Box<dyn Engine>,
    options: EngineOptions,
    record: GameRecord,
    control: TimeControl,
}

/// Works forever.
pub(super) fn work(table: &BoardState, time: &Arc<dyn Clock>) {
    // That of a level is kept while another one analyses at full strength: it counts the moves after which it resigns.
    let mut seats: [Option<WorkerEngine>; 2] = [None, None];
    loop {
        let (stop, job) = table.take(Job::new);
        let seat = &mut seats[usize::from(job.options.is_weakened())];
        let kept = seat.take().filter(|seat| seat.options == job.options);
        let taken = match kept {
            Some(seat) => Ok(seat),
            None => WorkerEngine::take(&job, time),
        };
        let ready = taken.and_then(|mut seat| seat.follow(&job.record).map(|()| seat));
        match ready {
            Ok(ready) => seat.insert(ready).work(table, &job, &stop),
            Err(error) => table.finish(job.request, |session| {
                session.game.notes = vec![format!("the engine cannot take part: {error:#}")];
                session.exhausted(job.request);
            }),
        }
    }
}

impl WorkerEngine {
    fn take(job: &Job, time: &Arc<dyn Clock>) -> anyhow::Result<WorkerEngine> {
        let mut engine = registry::create(&job.options, job.record.size, time)?;
        engine.load(&job.record)?;
        Ok(WorkerEngine {
            engine,
            options: job.options.clone(),
            record: job.record.clone(),
            control: TimeControl::Unlimited,
        })
    }

    /// Switches to another position. Within the same game the search graph is kept.
    fn follow(&mut self, record: &GameRecord) -> anyhow::Result<()> {
        let own = &self.record;
        let begins_alike = (&own.setup, own.komi, &own.rules, own.to_move)
            == (&record.setup, record.komi, &record.rules, record.to_move);
        let both = own.plays.iter().zip(&record.plays);
        let common = both.take_while(|(one, other)| one.play == other.play);
        let common = common.count();
        let back = own.plays.len() - common;
        let mut next = record.plays[common..].iter();
        let moved = begins_alike
            && (0..back).all(|_| self.engine.undo().is_ok())
            && next.all(|recorded| self.engine.play(recorded.play).is_ok());
        if !moved {
            self.engine.load(record)?;
        }
        self.record = record.clone();
        Ok(())
    }

    fn work(&mut self, table: &BoardState, job: &Job, stop: &StopFlag) {
        self.engine.set_thinking_limits(job.limits.clone());
        let request = job.request;
        match request.task {
            Task::Move => self.choose(table, job, stop),
            Task::Analyse => self.analyse(table, job, stop),
            Task::Ponder => {
                self.engine.ponder(stop);
                table.exhaust(request);
            }
            Task::Count => {
                let counted = self.engine.settle(stop);
                table.finish(request, |session| match counted {
                    Ok(Some(settled)) => session.count(request.node, settled),
                    _ => session.exhausted(request),
                });
            }
            Task::Review => review(table, job, stop),
            Task::Judge => self.judge(table, job, stop),
            Task::Skim => self.skim(table, job, stop),
        }
    }

    /// Chooses a move and plays it.
    fn choose(&mut self, table: &BoardState, job: &Job, stop: &StopFlag) {
        let (request, searched) = (job.request, job.searched);
        let clocked = job.control != TimeControl::Unlimited;
        if self.control != job.control {
            self.engine.set_time_control(job.control);
            self.control = job.control;
        }
        if clocked {
            for (color, left) in [Color::Black, Color::White].into_iter().zip(job.left) {
                let (time, stones) = told(left);
                self.engine.set_time_left(color, time, stones);
            }
        }
        let options = AnalysisOptions {
            interval: Some(INTERVAL),
            points: PointsByMove::Lead,
            purpose: match clocked {
                true => Purpose::Move,
                false => Purpose::ShownMove,
            },
            ..AnalysisOptions::default()
        };
        let budget = self.engine.planned_time(searched.mover);
        table.act(|session| session.plan(request, budget));
        let asked = MoveRequest::new(searched.mover, stop).with(options);
        let decision = self.engine.genmove(&asked, &mut |report| {
            table.show(request, searched, report, false);
        });
        if let Some(report) = self.engine.last_report() {
            table.show(request, searched, report, true);
        }
        if let Decision::Play(vertex) = decision {
            // The engine has played it on its own board.
            let color = searched.mover;
            self.record.push(Play { color, vertex });
        }
        let log = self.engine.thinker_log();
        table.finish(request, |session| {
            session.engine_log = log;
            if let Err(error) = session.engine_moved(decision) {
                log::error!("the engine's move is not played: {error:#}");
                session.exhausted(request);
            }
        });
    }

    /// Searches the position after a move that was tried.
    fn judge(&mut self, table: &BoardState, job: &Job, stop: &StopFlag) {
        let (request, searched) = (job.request, job.searched);
        let played = job.tried.filter(|&play| self.engine.play(play).is_ok());
        let Some(play) = played else {
            return table.exhaust(request);
        };
        self.record.push(play);
        let mover = play.color.opponent();
        let searched = SearchedPosition { mover, ..searched };
        let effort = AnalysisEffort::Bounded {
            visits: Some(JUDGE_VISITS),
            time: Some(JUDGE_TIME),
        };
        let options = AnalysisOptions {
            points: PointsByMove::Lead,
            ..AnalysisOptions::default()
        };
        let asked = AnalysisRequest::new(searched.mover, effort, stop).with(options);
        let over = self.engine.outcome();
        let report = self.engine.analyse(&asked, &mut |_| {});
        let found = match over {
            Some(outcome) => {
                let eval = Eval {
                    proven: Some(winner(outcome)),
                    winrate: f32::midpoint(1.0, outcome.value_for(Color::Black)),
                    ..Eval::default()
                };
                Some((eval, Vec::new()))
            }
            None => report.map(|report| (searched.eval(&report), searched.best_line(&report))),
        };
        table.finish(request, |session| session.judgement(request, play, found));
    }

    /// Evaluates the positions of the line that are not known yet.
    fn skim(&mut self, table: &BoardState, job: &Job, stop: &StopFlag) {
        let (request, searched) = (job.request, job.searched);
        for (moves, &node) in job.nodes.iter().enumerate() {
            let known = table.look(|session| {
                let tree = &session.game.tree;
                !tree.has(node) || tree.node(node).eval.is_some()
            });
            let mut record = job.record.clone();
            record.to_move = Some(record.first_to_move());
            record.plays.truncate(moves);
            if stop.is_raised() {
                return table.finish(request, |_| {});
            }
            if known || self.follow(&record).is_err() || self.engine.outcome().is_some() {
                continue;
            }
            let mover = self.engine.to_move();
            let searched = SearchedPosition {
                node,
                mover,
                ..searched
            };
            let effort = AnalysisEffort::Network(Symmetry::IDENTITY);
            let asked = AnalysisRequest::new(mover, effort, stop);
            let report = self.engine.analyse(&asked, &mut |_| {});
            if let Some(report) = report.filter(SearchReport::by_network) {
                table.note_value(request, node, searched.eval(&report));
            }
        }
        table.exhaust(request);
    }

    fn analyse(&mut self, table: &BoardState, job: &Job, stop: &StopFlag) {
        let (request, searched) = (job.request, job.searched);
        let options = AnalysisOptions {
            interval: Some(INTERVAL),
            at_once: true,
            points: PointsByMove::Lead,
            ..AnalysisOptions::default()
        };
        let effort = AnalysisEffort::visits(MAX_VISITS);
        let asked = AnalysisRequest::new(searched.mover, effort, stop).with(options);
        let show = |report: &SearchReport, done| {
            if !report.moves.is_empty() {
                table.show(request, searched, report, done);
            }
        };
        let mut observer = |report: &SearchReport| show(report, false);
        let found = self.engine.analyse(&asked, &mut observer);
        if let Some(report) = &found {
            show(report, true);
        }
        let log = self.engine.thinker_log();
        table.finish(request, |session| {
            session.engine_log = log;
            session.exhausted(request);
        });
    }
}

/// Reviews the line that ends with the job's position, as by `tengen review`, with a separate engine. When stopped, what
/// is done is the result.
fn review(table: &BoardState, job: &Job, stop: &StopFlag) {
    let request = job.request;
    let all = job.nodes.len();
    let mut found = table.look(|session| session.found.clone());
    let mut done = found.len();
    table.progress(done, all);
    // A network of another game than the one that was begun on the page is not used.
    let flags = match job.flags.read() {
        Ok(options) if options.game != job.options.game => {
            Arc::new((*job.flags).clone().without(&["model"]))
        }
        _ => Arc::clone(&job.flags),
    };
    let mut reviewer = Reviewer::new(flags, REVIEW_NODES, stop.clone());
    let game = Game::new(String::new(), &job.record);
    let reviewed = reviewer.review(
        game,
        &job.record,
        &mut found,
        &mut |moves, mover, report| {
            done += 1;
            table.progress(done, all);
            let (Some(report), Some(&node)) = (report, job.nodes.get(moves)) else {
                return;
            };
            let searched = SearchedPosition {
                node,
                mover,
                ..job.searched
            };
            table.show(request, searched, report, true);
        },
    );
    table.end_review(request, |session| match reviewed {
        // Another one was asked for meanwhile.
        _ if session.review.is_some_and(|end| end != request.node) => {}
        // It was interrupted by another task, and goes on after that.
        _ if stop.is_raised() && session.review.is_some() => session.found = found,
        Ok(reviewed) if reviewed.positions.is_empty() => session.exhausted(request),
        Ok(reviewed) => {
            let json = json!({ "nodes": job.nodes, "review": reviewed });
            let (record, nodes, places) = session.written();
            let line = job
                .nodes
                .iter()
                .filter_map(|&node| places.get(node).copied());
            let line: Vec<usize> = line.collect();
            let sgf = Language::ALL
                .map(|language| annotated_sgf(&record, nodes.clone(), &line, &reviewed, language));
            session.take_review(json.to_string(), sgf);
        }
        Err(error) => {
            session.game.notes = vec![format!("the game cannot be reviewed: {error:#}")];
            session.exhausted(request);
        }
    });
}

/// A clock in the format of controllers: time, and stones or periods.
fn told(left: TimeLeft) -> (Duration, u32) {
    match left {
        TimeLeft::Unlimited => (Duration::ZERO, 0),
        TimeLeft::Main(main) => (main, 0),
        TimeLeft::Canadian { period, stones } => (period, stones),
        TimeLeft::Byoyomi { period, periods } => (period, periods),
    }
}
