//! How an engine does on late positions whose result and winning moves are known.

mod score;

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use serde::Serialize;
use tengen::clock::{Clock, SystemClock};
use tengen::engine::{AnalysisEffort, Decision, Engine, EngineOptions, registry};
use tengen::game::Move;
use tengen::gtp::format_vertex;
use tengen::record::Vertex;
use tengen::search::{AnalysisOptions, SearchReport, StopFlag};

use crate::cli::endings::line::{Ending, Truth, read};
use crate::cli::interrupt::{end_as_interrupted, stop_on_ctrl_c};
use score::{Answer, Kept, Score};

/// Visits where the settings say neither visits nor time.
const VISITS: u64 = 400;
/// Plies that share a row of the table.
const BAND: usize = 4;

/// What is measured by.
pub(super) struct Task<'a> {
    pub(super) file: &'a Path,
    /// At most so many positions, evenly chosen; 0 for all.
    pub(super) positions: usize,
    pub(super) json: bool,
}

/// A win that was lost.
#[derive(Debug, Serialize)]
struct ThrownAway {
    by: &'static str,
    position: String,
    mv: String,
    value: f32,
}

#[derive(Debug, Serialize)]
struct Report {
    /// Solved positions that were tried, and unsolved ones in the file.
    tried: usize,
    unsolved: usize,
    /// Means of the searches.
    visits: f64,
    seconds: f64,
    scores: Vec<Score>,
    thrown_away: Vec<ThrownAway>,
}

pub(super) fn run(options: &EngineOptions, task: &Task<'_>) -> anyhow::Result<()> {
    let all = read(task.file)?;
    let solved: Vec<&Ending> = all.iter().filter(|e| e.wins().is_some()).collect();
    let name = task.file.display();
    ensure!(
        !solved.is_empty(),
        "{name} holds no solved position: `tengen endings solve {name}` first"
    );
    let chosen: Vec<&Ending> = match task.positions {
        0 => solved.clone(),
        most => {
            let most = most.min(solved.len());
            (0..most).map(|i| solved[i * solved.len() / most]).collect()
        }
    };
    let stop = stop_on_ctrl_c()?;
    let mut exam = Exam::new(options, chosen[0])?;
    for ending in &chosen {
        exam.ask(ending, &stop).with_context(|| ending.to_line())?;
        if stop.is_raised() {
            break;
        }
    }
    let report = exam.report(all.len() - solved.len());
    crate::cli::output::print(&match task.json {
        true => serde_json::to_string(&report)?,
        false => report.text(),
    })?;
    if stop.is_raised() {
        return end_as_interrupted();
    }
    Ok(())
}

/// An engine that is asked about one position after another, each as if it were its first.
struct Exam {
    engine: Box<dyn Engine>,
    by_network: Vec<Answer>,
    by_search: Vec<Answer>,
    thrown_away: Vec<ThrownAway>,
    visits: u64,
    seconds: f64,
}

impl Exam {
    fn new(options: &EngineOptions, first: &Ending) -> anyhow::Result<Exam> {
        let time: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let mut engine = registry::create(options, first.size, &time)?;
        let mut spending = engine.spending();
        if spending.visits.is_none() && spending.time_per_move.is_none() {
            spending.visits = Some(VISITS);
        }
        engine.set_spending(spending);
        engine.get_ready(&StopFlag::new());
        Ok(Exam {
            engine,
            by_network: Vec::new(),
            by_search: Vec::new(),
            thrown_away: Vec::new(),
            visits: 0,
            seconds: 0.0,
        })
    }

    /// Asks the search first, so that it knows nothing of the position.
    fn ask(&mut self, ending: &Ending, stop: &StopFlag) -> anyhow::Result<()> {
        let color = ending.to_move;
        self.engine.load(&ending.record())?;
        let decision = self.engine.reg_genmove(color, stop);
        // A search that was cut short would look like the engine's answer.
        if stop.is_raised() {
            return Ok(());
        }
        let report = self.engine.last_report().cloned();
        let report = report.context("the engine's log says why there was no search")?;
        let mv = match decision {
            Decision::Play(Vertex::Point(mv)) => Some(mv),
            Decision::Play(Vertex::Pass) | Decision::Resign => None,
        };
        self.visits += report.visits;
        self.seconds += report.elapsed.as_secs_f64();
        let answer = self.note("search", ending, mv, &report);
        self.by_search.push(answer);
        let (analysis, see) = (AnalysisOptions::default(), &mut |_: &SearchReport| {});
        let network = self
            .engine
            .analyse(color, AnalysisEffort::Network, stop, &analysis, see);
        if let Some(report) = network.filter(SearchReport::by_network) {
            let mv = report.best().map(|best| best.mv);
            let answer = self.note("network", ending, mv, &report);
            self.by_network.push(answer);
        }
        Ok(())
    }

    fn note(
        &mut self,
        by: &'static str,
        ending: &Ending,
        mv: Option<Move>,
        report: &SearchReport,
    ) -> Answer {
        let kept = match &ending.truth {
            Truth::Won { by, perhaps } => Some(match mv {
                Some(mv) if by.contains(&mv) => Kept::Won,
                Some(mv) if perhaps.contains(&mv) => Kept::Unknown,
                _ => Kept::ThrownAway,
            }),
            Truth::Lost | Truth::Unknown => None,
        };
        if kept == Some(Kept::ThrownAway) {
            let vertex = |mv| format_vertex(Vertex::Point(mv), ending.size);
            self.thrown_away.push(ThrownAway {
                by,
                position: ending.to_line(),
                mv: mv.map_or_else(|| "resign".to_owned(), vertex),
                value: report.value,
            });
        }
        Answer {
            ply: ending.ply(),
            wins: ending.wins() == Some(true),
            kept,
            value: report.value,
            proven: report.proof.is_some(),
        }
    }

    fn report(self, unsolved: usize) -> Report {
        let tried = self.by_search.len();
        let mut scores = Vec::new();
        for (by, answers) in [("network", &self.by_network), ("search", &self.by_search)] {
            let mut bands: Vec<usize> = answers.iter().map(|a| a.ply / BAND).collect();
            bands.sort_unstable();
            bands.dedup();
            for band in bands {
                let inside = answers.iter().filter(|a| a.ply / BAND == band);
                scores.extend(Score::of(by, &inside.copied().collect::<Vec<_>>()));
            }
            scores.extend(Score::of(by, answers));
        }
        let mean = |sum: f64| sum / tried.max(1) as f64;
        Report {
            tried,
            unsolved,
            visits: mean(self.visits as f64),
            seconds: mean(self.seconds),
            scores,
            thrown_away: self.thrown_away,
        }
    }
}

impl Report {
    fn text(&self) -> String {
        let head = format!(
            "{} positions, {} more of the file are unsolved; {:.0} visits and {:.3} s a search",
            self.tried, self.unsolved, self.visits, self.seconds
        );
        let rows = self.scores.iter().map(Score::row);
        let lines: Vec<String> = [head, Score::HEAD.to_owned()]
            .into_iter()
            .chain(rows)
            .collect();
        lines.join("\n")
    }
}
