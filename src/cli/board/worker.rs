//! The engine at the table: it does what the session wishes, one task after the other, on a thread of its
//! own.

use std::sync::Arc;
use std::time::Duration;

use tengen::clock::{Clock, TimeControl, TimeLeft};
use tengen::engine::{AnalysisEffort, Decision, Engine, EngineOptions, ThinkingLimits, registry};
use tengen::game::Color;
use tengen::record::{GameRecord, Play};
use tengen::search::{AnalysisOptions, PointsByMove, Purpose, StopFlag};

use super::super::flags::EngineFlags;
use super::report::Scene;
use super::reviewing;
use super::session::{Session, Task, Wish};
use super::table::Table;
use super::tree::Tree;

/// Time between two reports of a search.
const INTERVAL: Duration = Duration::from_millis(200);
/// An analysis ends by itself here: more says nothing more that a person can see.
const MOST_VISITS: u64 = 50_000_000;

/// What a task needs to know of the game.
struct Job {
    options: EngineOptions,
    record: GameRecord,
    mover: Color,
    limits: ThinkingLimits,
    control: TimeControl,
    left: [TimeLeft; 2],
    flags: Arc<EngineFlags>,
    /// The positions that lead to the one that is searched, the first one included.
    nodes: Vec<usize>,
}

impl Job {
    fn new(session: &Session, wish: Wish) -> Job {
        let now = session.now();
        let usual = &session.options.thinking_limits;
        let path = session.tree.path(wish.node);
        Job {
            flags: Arc::clone(&session.flags),
            nodes: std::iter::once(Tree::ROOT).chain(path).collect(),
            options: session.options.clone(),
            record: session.record(wish.node),
            mover: session.board.to_move(),
            limits: session.terms.level.limits(usual),
            control: session.clocks.control(),
            left: [Color::Black, Color::White].map(|color| session.clocks.left(color, now)),
        }
    }
}

/// An engine, and the game that it has before it.
struct Seat {
    engine: Box<dyn Engine>,
    options: EngineOptions,
    record: GameRecord,
    control: TimeControl,
}

/// Works for ever.
pub(super) fn work(table: &Table, time: &Arc<dyn Clock>) {
    let mut seat: Option<Seat> = None;
    loop {
        let (wish, stop, job) = table.take(Job::new);
        let kept = seat.take().filter(|seat| seat.options == job.options);
        let taken = match kept {
            Some(seat) => Ok(seat),
            None => Seat::take(&job, time),
        };
        let ready = taken.and_then(|mut seat| seat.follow(&job.record).map(|()| seat));
        match ready {
            Ok(ready) => {
                let ready = seat.insert(ready);
                ready.work(table, wish, &job, &stop);
            }
            Err(error) => table.finish(wish, |session| {
                session.notes = vec![format!("the engine cannot take part: {error:#}")];
                session.exhausted(wish);
            }),
        }
    }
}

impl Seat {
    fn take(job: &Job, time: &Arc<dyn Clock>) -> anyhow::Result<Seat> {
        let engine = registry::create(&job.options, job.record.size, time)?;
        let mut beginning = job.record.clone();
        beginning.plays.clear();
        let mut seat = Seat {
            engine,
            options: job.options.clone(),
            record: beginning,
            control: TimeControl::Unlimited,
        };
        let beginning = seat.record.clone();
        seat.engine.load(&beginning)?;
        Ok(seat)
    }

    /// Goes over to another position. Where it is one of the same game, what was searched is kept.
    fn follow(&mut self, record: &GameRecord) -> anyhow::Result<()> {
        let is_same = |a: &GameRecord, b: &GameRecord| {
            (&a.setup, a.komi, &a.rules, a.to_move) == (&b.setup, b.komi, &b.rules, b.to_move)
        };
        let common = |a: &GameRecord, b: &GameRecord| {
            let both = a.plays.iter().zip(&b.plays);
            both.take_while(|(one, other)| one.play == other.play)
                .count()
        };
        let mut moved = is_same(&self.record, record);
        if moved {
            let common = common(&self.record, record);
            let back = self.record.plays.len() - common;
            moved = (0..back).all(|_| self.engine.undo().is_ok())
                && record.plays[common..]
                    .iter()
                    .all(|recorded| self.engine.play(recorded.play).is_ok());
        }
        if !moved {
            self.engine.load(record)?;
        }
        self.record = record.clone();
        Ok(())
    }

    fn work(&mut self, table: &Table, wish: Wish, job: &Job, stop: &StopFlag) {
        self.engine.set_thinking_limits(job.limits.clone());
        let scene = Scene {
            wish,
            mover: job.mover,
            size: job.record.size,
        };
        match wish.task {
            Task::Move => self.choose(table, scene, job, stop),
            Task::Analyse => self.analyse(table, scene, stop),
            Task::Ponder => {
                self.engine.ponder(stop);
                table.finish(wish, |session| session.exhausted(wish));
            }
            Task::Count => {
                let counted = self.engine.settle(stop);
                table.finish(wish, |session| match counted {
                    Ok(Some(settled)) => session.count(wish.node, settled),
                    _ => session.exhausted(wish),
                });
            }
            Task::Review => review(table, wish, job, stop),
        }
    }

    /// Chooses a move and plays it.
    fn choose(&mut self, table: &Table, scene: Scene, job: &Job, stop: &StopFlag) {
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
            purpose: if clocked {
                Purpose::Move
            } else {
                Purpose::ShownMove
            },
            ..AnalysisOptions::default()
        };
        let wish = scene.wish;
        let decision = self
            .engine
            .watch_genmove(scene.mover, stop, &options, &mut |report| {
                table.show(wish, &scene.analysis(report, false), scene.eval(report));
            });
        if let Some(report) = self.engine.last_report() {
            table.show(wish, &scene.analysis(report, true), scene.eval(report));
        }
        let vertex = match decision {
            Decision::Play(vertex) => Some(vertex),
            Decision::Resign => None,
        };
        if let Some(vertex) = vertex {
            // The engine has played it on its own board.
            let color = scene.mover;
            self.record.push(Play { color, vertex });
        }
        let log = self.engine.thinker_log();
        table.finish(wish, |session| {
            session.engine_log = log;
            if let Err(error) = session.engine_moved(vertex) {
                log::error!("the engine's move is not played: {error:#}");
                session.exhausted(wish);
            }
        });
    }

    fn analyse(&mut self, table: &Table, scene: Scene, stop: &StopFlag) {
        let options = AnalysisOptions {
            interval: Some(INTERVAL),
            at_once: true,
            points: PointsByMove::Lead,
            ..AnalysisOptions::default()
        };
        let effort = AnalysisEffort::Bounded {
            visits: Some(MOST_VISITS),
            time: None,
        };
        let wish = scene.wish;
        let found = self
            .engine
            .analyse(scene.mover, effort, stop, &options, &mut |report| {
                table.show(wish, &scene.analysis(report, false), scene.eval(report));
            });
        if let Some(report) = &found {
            table.show(wish, &scene.analysis(report, true), scene.eval(report));
        }
        let log = self.engine.thinker_log();
        table.finish(wish, |session| {
            session.engine_log = log;
            session.exhausted(wish);
        });
    }
}

/// Reviews the line that ends with the job's position, with an engine of its own.
fn review(table: &Table, wish: Wish, job: &Job, stop: &StopFlag) {
    let all = job.nodes.len();
    table.progress(0, all);
    let line = (&job.record, &*job.nodes);
    let reviewed = reviewing::review(Arc::clone(&job.flags), line, stop, &mut |done| {
        table.progress(done, all);
    });
    table.finish(wish, |session| match reviewed {
        Ok((text, known)) => session.take_review(text, known),
        Err(error) => {
            session.notes = vec![format!("the game cannot be reviewed: {error:#}")];
            session.exhausted(wish);
        }
    });
}

/// A clock as controllers tell it: time, and stones or periods.
fn told(left: TimeLeft) -> (Duration, u32) {
    match left {
        TimeLeft::Unlimited => (Duration::ZERO, 0),
        TimeLeft::Main(main) => (main, 0),
        TimeLeft::Canadian { period, stones } => (period, stones),
        TimeLeft::Byoyomi { period, periods } => (period, periods),
    }
}
