//! An engine under test, which is asked about positions independently of each other: its flags, its answers, and tables of
//! scores by plies, for both kinds of positions.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Context as _;
use clap::error::Error;
use clap::{ArgMatches, Args, Command, FromArgMatches};
use tengen::clock::{Clock, SystemClock};
use tengen::engine::{
    AnalysisEffort, AnalysisRequest, Decision, Engine, EngineOptions, MoveKind, MoveRequest,
};
use tengen::game::{BoardSize, Color, Move, Symmetry};
use tengen::program::{self, flag, given};
use tengen::record::{GameRecord, Vertex};
use tengen::registry;
use tengen::search::{SearchReport, StopFlag};
use tengen::settings::Table as _;

/// Default visits without a limit in the settings.
const VISITS: u64 = 400;

/// The engine, with statistics of its searches.
pub(crate) struct Examinee {
    engine: Box<dyn Engine>,
    searches: u32,
    visits: u64,
    seconds: f64,
}

/// A search's answer to a position.
pub(crate) struct Answer {
    /// The move; `None` if it resigns or passes.
    pub(crate) mv: Option<Move>,
    pub(crate) report: SearchReport,
}

impl Examinee {
    /// Creates the engine.
    ///
    /// # Errors
    /// If the board is not supported.
    pub(crate) fn new(options: &EngineOptions, size: BoardSize) -> anyhow::Result<Examinee> {
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

    /// Searches a position from scratch; `None` when stopped.
    ///
    /// # Errors
    /// If the record is of another game, or the search fails.
    pub(crate) fn search(
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
    pub(crate) fn network(&mut self, color: Color, stop: &StopFlag) -> Option<Answer> {
        let report = self.analyse(color, AnalysisEffort::Network(Symmetry::IDENTITY), stop)?;
        let mv = report.best().map(|best| best.mv);
        report.by_network().then_some(Answer { mv, report })
    }

    /// Searches a position from scratch with this many visits.
    ///
    /// # Errors
    /// If the record is of another game, or the search fails.
    pub(crate) fn judge(
        &mut self,
        record: &GameRecord,
        color: Color,
        visits: u64,
        stop: &StopFlag,
    ) -> anyhow::Result<SearchReport> {
        self.engine.load(record)?;
        let effort = AnalysisEffort::visits(visits);
        let report = self.analyse(color, effort, stop);
        report.context("the engine's log says why there was no search")
    }

    /// Mean visits and seconds of its searches.
    pub(crate) fn means(&self) -> [f64; 2] {
        let searches = f64::from(self.searches.max(1));
        [self.visits as f64 / searches, self.seconds / searches]
    }

    fn analyse(
        &mut self,
        color: Color,
        effort: AnalysisEffort,
        stop: &StopFlag,
    ) -> Option<SearchReport> {
        let request = AnalysisRequest::new(color, effort, stop);
        self.engine.analyse(&request, &mut |_| {})
    }
}

/// Name and value of each flag that was given.
#[derive(Debug, Clone, Default)]
pub(crate) struct EngineFlags(Vec<(&'static str, String)>);

impl EngineFlags {
    /// The settings, after checking that they are available here.
    pub(crate) fn resolve(&self) -> anyhow::Result<EngineOptions> {
        let mut options = EngineOptions::default();
        // In the table's order the game is first: its defaults give way to everything given.
        for (name, value) in &self.0 {
            options.set(name, value)?;
        }
        Ok(options.resolve()?)
    }
}

impl FromArgMatches for EngineFlags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        Ok(EngineFlags(given(&EngineOptions::settings(), matches)))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = EngineFlags::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Args for EngineFlags {
    fn augment_args(command: Command) -> Command {
        command.args(EngineOptions::settings().iter().map(flag))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// A flag that the first Ctrl-C raises, in commands that report or save what they have; the second one ends them.
pub(crate) fn stop_on_ctrl_c() -> anyhow::Result<StopFlag> {
    let raised = program::stop_on_ctrl_c().context("Ctrl-C cannot be caught")?;
    Ok(StopFlag::from(raised))
}

/// Ends the program as an uncaught Ctrl-C would, so that a shell ends its loop, too.
pub(crate) fn end_as_interrupted() -> anyhow::Result<()> {
    program::end_as_interrupted().context("interrupted")
}

/// A score for each group of plies with answers, then a total, for either source of answers.
pub(crate) fn by_plies<A: Copy, S>(
    answers: [(&'static str, &[A]); 2],
    band: usize,
    ply: impl Fn(&A) -> usize,
    score: impl Fn(&'static str, &[A]) -> Option<S>,
) -> Vec<S> {
    let mut scores = Vec::new();
    for (by, answers) in answers {
        let mut bands: BTreeMap<usize, Vec<A>> = BTreeMap::new();
        for answer in answers {
            bands.entry(ply(answer) / band).or_default().push(*answer);
        }
        scores.extend(bands.values().filter_map(|inside| score(by, inside)));
        scores.extend(score(by, answers));
    }
    scores
}

/// A table as text: title, column titles and rows.
pub(crate) fn table(title: String, heads: &str, rows: impl Iterator<Item = String>) -> String {
    let lines: Vec<String> = [title, heads.to_owned()].into_iter().chain(rows).collect();
    lines.join("\n")
}
