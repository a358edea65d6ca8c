//! Measures an engine on late positions with known results and winning moves.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use clap::Args;
use tengen::book::BookSource;
use tengen::clock::{Clock, SystemClock};
use tengen::command::sample;
use tengen::engine::{
    AnalysisEffort, AnalysisRequest, Decision, Engine, EngineOptions, MoveKind, MoveRequest,
};
use tengen::game::{BoardSize, Move, Symmetry};
use tengen::program::{self, Flags};
use tengen::record::Vertex;
use tengen::registry;
use tengen::search::{SearchReport, StopFlag};
use tengen_train::command::print;

use super::line::{Ending, Truth, read};
use super::score::{self, Answer};
use crate::cli::gtp::All;

/// Visits of a search without a limit in the settings.
const VISITS: u64 = 400;

/// Between two lines of progress.
const TELL: Duration = Duration::from_secs(10);

/// Plies per row of the table.
const BAND: usize = 4;

/// Measure play on the solved positions of a set.
///
/// How often a won position stays won, and the accuracy of the values of network and search. The settings limit the
/// search [default: 400 visits].
#[derive(Debug, Args)]
pub(super) struct Measure {
    /// The set.
    file: PathBuf,
    /// Use only this many positions, evenly chosen [default: all].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    positions: Option<u32>,
    #[command(flatten)]
    engine: Flags<EngineOptions, All>,
}

impl Measure {
    pub(super) fn run(&self) -> anyhow::Result<()> {
        let options = self.engine.settings.clone().resolve()?;
        let all = read(&self.file)?;
        let solved: Vec<&Ending> = all.iter().filter(|ending| ending.tells()).collect();
        let name = self.file.display();
        ensure!(
            !solved.is_empty(),
            "{name} contains no solved position: run `tengen-lab endings solve {name}` first"
        );
        for ending in &solved {
            let game = &ending.game;
            ensure!(
                *game == options.game,
                "{name} contains positions of {game}: use --game {game}"
            );
        }
        let unsolved = all.len() - solved.len();
        let chosen = sample(solved, self.positions.map(|positions| positions as usize));
        let raised = program::stop_on_ctrl_c().context("Ctrl-C cannot be caught")?;
        let stop = StopFlag::from(raised);
        let mut exam = EndingTest::new(options, chosen[0].size)?;
        let clock = SystemClock::new();
        let (mut told, all) = (clock.now(), chosen.len());
        for (done, ending) in (1..).zip(&chosen) {
            exam.ask(ending, &stop).with_context(|| ending.to_line())?;
            if stop.is_raised() {
                break;
            }
            if clock.now() - told >= TELL {
                told = clock.now();
                log::info!("{done} of {all} positions");
            }
        }
        print(&exam.report(all, unsolved))?;
        if stop.is_raised() {
            program::end_as_interrupted().context("interrupted")?;
        }
        Ok(())
    }
}

/// An engine that is asked about positions independently of each other, and its answers so far.
struct EndingTest {
    engine: Box<dyn Engine>,
    by_network: Vec<Answer>,
    by_search: Vec<Answer>,
    /// Of all searches together.
    visits: u64,
    seconds: f64,
}

impl EndingTest {
    /// Creates the engine.
    ///
    /// # Errors
    /// If the board is not supported.
    fn new(mut options: EngineOptions, size: BoardSize) -> anyhow::Result<EndingTest> {
        let time: Arc<dyn Clock> = Arc::new(SystemClock::new());
        options.book = Some(BookSource::None);
        let mut engine = registry::create(&options, size, &time)?;
        let mut thinking_limits = engine.thinking_limits();
        if thinking_limits.visits.is_none() && thinking_limits.time_per_move.is_none() {
            thinking_limits.visits = Some(VISITS);
        }
        engine.set_thinking_limits(thinking_limits);
        engine.get_ready(&StopFlag::new());
        Ok(EndingTest {
            engine,
            by_network: Vec::new(),
            by_search: Vec::new(),
            visits: 0,
            seconds: 0.0,
        })
    }

    /// Asks the search first, so that it does not know the position yet, then the network, if there is one.
    ///
    /// # Errors
    /// If the position is of another game, or the search fails.
    fn ask(&mut self, ending: &Ending, stop: &StopFlag) -> anyhow::Result<()> {
        self.engine.load(&ending.record())?;
        let request = MoveRequest::new(ending.to_move, stop).of_kind(MoveKind::Named);
        let decision = self.engine.genmove(&request, &mut |_| {});
        // An interrupted search would look like the engine's answer.
        if stop.is_raised() {
            return Ok(());
        }
        let report = self.engine.last_report().cloned();
        let report = report.context("the engine's log says why there was no search")?;
        self.visits += report.visits;
        self.seconds += report.elapsed.as_secs_f64();
        let mv = match decision {
            Decision::Play(Vertex::Point(mv)) => Some(mv),
            Decision::Play(Vertex::Pass) | Decision::Resign => None,
        };
        self.by_search.push(answer(ending, mv, &report));

        let effort = AnalysisEffort::Network(Symmetry::IDENTITY);
        let request = AnalysisRequest::new(ending.to_move, effort, stop);
        let report = self.engine.analyse(&request, &mut |_| {});
        if let Some(report) = report.filter(|report| report.by_network()) {
            let mv = report.best().map(|best| best.mv);
            self.by_network.push(answer(ending, mv, &report));
        }
        Ok(())
    }

    fn report(&self, all: usize, unsolved: usize) -> String {
        let by_network = by_plies("network", &self.by_network);
        let by_search = by_plies("search", &self.by_search);
        let searches = self.by_search.len().max(1) as f64;
        let (visits, seconds) = (self.visits as f64 / searches, self.seconds / searches);
        let head = format!(
            "{} positions, {unsolved} more of the file are unsolved; {visits:.0} visits and {seconds:.3} s a search",
            count(self.by_search.len(), all)
        );
        [vec![head, score::HEAD.to_owned()], by_network, by_search]
            .concat()
            .join("\n")
    }
}

/// The number of positions, also of all if there are more.
fn count(done: usize, all: usize) -> String {
    match done < all {
        true => format!("interrupted: {done} of {all}"),
        false => done.to_string(),
    }
}

/// A row for each group of plies with answers, then one for all.
fn by_plies(by: &str, answers: &[Answer]) -> Vec<String> {
    let mut bands: BTreeMap<usize, Vec<Answer>> = BTreeMap::new();
    for answer in answers {
        bands.entry(answer.ply / BAND).or_default().push(*answer);
    }
    let parts = bands.values().map(Vec::as_slice).chain([answers]);
    parts.filter_map(|part| score::row(by, part)).collect()
}

/// What an answer is worth: a move, or none if it resigns or passes.
fn answer(ending: &Ending, mv: Option<Move>, report: &SearchReport) -> Answer {
    let kept = match (&ending.truth, mv) {
        (Truth::Won { by, .. }, Some(mv)) if by.contains(&mv) => Some(true),
        (Truth::Won { perhaps, .. }, Some(mv)) if perhaps.contains(&mv) => None,
        (Truth::Won { .. }, _) => Some(false),
        _ => None,
    };
    let defended = match &ending.truth {
        Truth::Unknown { holds: Some(holds) } => Some(mv.is_some_and(|mv| holds.contains(&mv))),
        _ => None,
    };
    Answer {
        ply: ending.ply(),
        wins: ending.wins(),
        kept,
        defended,
        value: report.value,
        judged: ending.judged,
        proven: report.proof.is_some(),
    }
}
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interruption_is_told() {
        assert_eq!(count(11, 2092), "interrupted: 11 of 2092");
        assert_eq!(count(4, 4), "4");
    }
}
