//! An engine that is asked about one position after another, each as if it were its first.

use std::sync::Arc;

use anyhow::Context as _;
use tengen::clock::{Clock, SystemClock};
use tengen::engine::{AnalysisEffort, Decision, Engine, EngineOptions, registry};
use tengen::game::{BoardSize, Color, Move};
use tengen::record::{GameRecord, Vertex};
use tengen::search::{AnalysisOptions, SearchReport, StopFlag};

/// Visits where the settings say neither visits nor time.
const VISITS: u64 = 400;

/// The engine, and what its searches took so far.
pub(super) struct Examinee {
    engine: Box<dyn Engine>,
    searches: u32,
    visits: u64,
    seconds: f64,
}

/// What a search says of a position.
pub(super) struct Answer {
    /// The move; none where it resigns or passes.
    pub(super) mv: Option<Move>,
    pub(super) report: SearchReport,
}

impl Examinee {
    /// Ready to answer.
    ///
    /// # Errors
    /// When there is no such engine for the board.
    pub(super) fn new(options: &EngineOptions, size: BoardSize) -> anyhow::Result<Examinee> {
        let time: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let mut engine = registry::create(options, size, &time)?;
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

    /// What a search of its own finds in a position that it knows nothing of; nothing when it is stopped.
    ///
    /// # Errors
    /// When the record is not of its game, or it cannot search.
    pub(super) fn search(
        &mut self,
        record: &GameRecord,
        color: Color,
        stop: &StopFlag,
    ) -> anyhow::Result<Option<Answer>> {
        self.engine.load(record)?;
        let decision = self.engine.reg_genmove(color, stop);
        // A search that was cut short would look like the engine's answer.
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

    /// What its network says of the position that was searched last; nothing where it has none.
    pub(super) fn network(&mut self, color: Color, stop: &StopFlag) -> Option<Answer> {
        let report = self.analyse(color, AnalysisEffort::Network, stop)?;
        let mv = report.best().map(|best| best.mv);
        report.by_network().then_some(Answer { mv, report })
    }

    /// What a search with so many visits finds in a position that it knows nothing of.
    ///
    /// # Errors
    /// When the record is not of its game, or it cannot search.
    pub(super) fn judge(
        &mut self,
        record: &GameRecord,
        color: Color,
        visits: u64,
        stop: &StopFlag,
    ) -> anyhow::Result<SearchReport> {
        self.engine.load(record)?;
        let effort = AnalysisEffort::Bounded {
            visits: Some(visits),
            time: None,
        };
        let report = self.analyse(color, effort, stop);
        report.context("the engine's log says why there was no search")
    }

    /// Mean visits and seconds of its searches.
    pub(super) fn means(&self) -> [f64; 2] {
        let searches = f64::from(self.searches.max(1));
        [self.visits as f64 / searches, self.seconds / searches]
    }

    fn analyse(
        &mut self,
        color: Color,
        effort: AnalysisEffort,
        stop: &StopFlag,
    ) -> Option<SearchReport> {
        let (options, see) = (AnalysisOptions::default(), &mut |_: &SearchReport| {});
        self.engine.analyse(color, effort, stop, &options, see)
    }
}
