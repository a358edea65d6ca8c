//! An engine under test, which is asked about positions independently of each other.

use std::sync::Arc;

use anyhow::Context as _;
use tengen::book::BookSource;
use tengen::clock::{Clock, SystemClock};
use tengen::engine::{
    AnalysisEffort, AnalysisRequest, Decision, Engine, EngineOptions, MoveKind, MoveRequest,
};
use tengen::game::{BoardSize, Color, Move, Symmetry};
use tengen::program;
use tengen::record::{GameRecord, Vertex};
use tengen::registry;
use tengen::search::{SearchReport, StopFlag};

/// Default visits without a limit in the settings.
const VISITS: u64 = 400;

/// The engine, with statistics of its searches.
pub(super) struct Examinee {
    engine: Box<dyn Engine>,
    searches: u32,
    visits: u64,
    seconds: f64,
}

/// A search's answer to a position.
pub(super) struct Answer {
    /// The move; `None` if it resigns or passes.
    pub(super) mv: Option<Move>,
    pub(super) report: SearchReport,
}

impl Examinee {
    /// Creates the engine.
    ///
    /// # Errors
    /// If the board is not supported.
    pub(super) fn new(options: &EngineOptions, size: BoardSize) -> anyhow::Result<Examinee> {
        let time: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let options = EngineOptions {
            book: Some(BookSource::None),
            ..options.clone()
        };
        let mut engine = registry::create(&options, size, &time)?;
        let mut thinking_limits = engine.thinking_limits();
        if thinking_limits.visits.is_none() && thinking_limits.time_per_move.is_none() {
            thinking_limits.visits = Some(VISITS);
        }
        engine.set_thinking_limits(thinking_limits);
        engine.get_ready(&StopFlag::new());
        Ok(Examinee {
            engine,
            searches: 0,
            visits: 0,
            seconds: 0.0,
        })
    }

    /// Searches a position from scratch; `None` when stopped.
    ///
    /// # Errors
    /// If the record is of another game, or the search fails.
    pub(super) fn search(
        &mut self,
        record: &GameRecord,
        color: Color,
        stop: &StopFlag,
    ) -> anyhow::Result<Option<Answer>> {
        self.engine.load(record)?;
        let request = MoveRequest::new(color, stop).of_kind(MoveKind::Named);
        let decision = self.engine.genmove(&request, &mut |_| {});
        // An interrupted search would look like the engine's answer.
        if stop.is_raised() {
            return Ok(None);
        }
        let report = self.engine.last_report().cloned();
        let report = report.context("the engine's log says why there was no search")?;
        self.searches += 1;
        self.visits += report.visits;
        self.seconds += report.elapsed.as_secs_f64();
        let mv = match decision {
            Decision::Play(Vertex::Point(mv)) => Some(mv),
            Decision::Play(Vertex::Pass) | Decision::Resign => None,
        };
        Ok(Some(Answer { mv, report }))
    }

    /// The network's evaluation of the last position; `None` without a network.
    pub(super) fn network(&mut self, color: Color, stop: &StopFlag) -> Option<Answer> {
        let effort = AnalysisEffort::Network(Symmetry::IDENTITY);
        let request = AnalysisRequest::new(color, effort, stop);
        let report = self.engine.analyse(&request, &mut |_| {})?;
        let mv = report.best().map(|best| best.mv);
        report.by_network().then_some(Answer { mv, report })
    }

    /// Mean visits and seconds of its searches.
    pub(super) fn means(&self) -> [f64; 2] {
        let searches = f64::from(self.searches.max(1));
        [self.visits as f64 / searches, self.seconds / searches]
    }
}

/// A flag that the first Ctrl-C raises, in commands that report or save what they have; the second one ends them.
pub(super) fn stop_on_ctrl_c() -> anyhow::Result<StopFlag> {
    let raised = program::stop_on_ctrl_c().context("Ctrl-C cannot be caught")?;
    Ok(StopFlag::from(raised))
}

/// Ends the program as an uncaught Ctrl-C would, so that a shell ends its loop, too.
pub(super) fn end_as_interrupted() -> anyhow::Result<()> {
    program::end_as_interrupted().context("interrupted")
}
