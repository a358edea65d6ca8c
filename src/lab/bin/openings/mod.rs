//! `tengen-lab openings`: measures an engine in openings against a much longer search: there is no better reference.

mod book;
mod score;

use std::path::PathBuf;

use anyhow::{Context as _, ensure};
use clap::Args;
use serde::Serialize;
use tengen::command::sample;
use tengen::games::with_game;
use tengen::record::file;
use tengen::search::StopFlag;

use crate::examinee::{
    EngineFlags, Examinee, by_plies, end_as_interrupted, print_report, stop_on_ctrl_c, table,
};
use book::{Opening, Verdict};
use score::{Answer, Score};

/// Plies per row of the table.
const BAND: usize = 8;

/// Measure play on a book's openings that were judged by a much longer search.
///
/// How often the move is the same, its loss by that search's values, and the error of the value. The settings limit
/// the search [default: 400 visits].
#[derive(Debug, Args)]
pub(crate) struct Openings {
    /// The book: the moves of an opening a line.
    book: PathBuf,
    /// First judge the openings that no search with this many visits has judged, and write the
    /// results into the book, as comments; when interrupted, the next run continues. A thousand
    /// times the visits to be measured is a good number.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..))]
    judge_visits: Option<u64>,
    /// Use only this many openings, evenly chosen [default: all].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    positions: Option<u32>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engine: EngineFlags,
}

#[derive(Debug, Serialize)]
struct OpeningsReport {
    /// Number of openings tried.
    tried: usize,
    /// Means over the searches, and over the reference searches.
    visits: f64,
    seconds: f64,
    judged_by: f64,
    scores: Vec<Score>,
}

/// Runs the command.
pub(crate) fn run(task: &Openings) -> anyhow::Result<()> {
    let options = &task.engine.resolve()?;
    let stop = stop_on_ctrl_c()?;
    let name = task.book.display();
    let text = file::read_text(&task.book).with_context(|| name.to_string())?;
    let rules = &*options.rules;
    let read =
        with_game!(&options.game, options.board(), rules: rules, |empty| book::read(&empty, &text));
    let mut lines = read?.with_context(|| name.to_string())?;
    let mut examinee = Examinee::new(options, options.board())?;
    if let Some(visits) = task.judge_visits {
        let mut texts: Vec<String> = text.lines().map(str::to_owned).collect();
        judge(&mut examinee, &mut lines, &mut texts, visits, task, &stop)?;
    }
    let judged: Vec<(&Opening, &Verdict)> = lines
        .iter()
        .flatten()
        .filter_map(|opening| Some((opening, opening.verdict.as_ref()?)))
        .collect();
    ensure!(
        !judged.is_empty() || stop.is_raised(),
        "{name} contains no judged opening: --judge-visits 400000 judges them"
    );
    let (mut by_network, mut by_search, mut judged_by) = (Vec::new(), Vec::new(), 0);
    for (opening, verdict) in sample(judged, task.positions.map(|positions| positions as usize)) {
        let (ply, color) = (opening.record.plays.len(), opening.to_move);
        let Some(found) = examinee.search(&opening.record, color, &stop)? else {
            break;
        };
        judged_by += verdict.visits;
        by_search.push(Answer::new(ply, found.mv, &found.report, verdict));
        if let Some(found) = examinee.network(color, &stop) {
            by_network.push(Answer::new(ply, found.mv, &found.report, verdict));
        }
    }
    let [visits, seconds] = examinee.means();
    let tried = by_search.len();
    let report = OpeningsReport {
        tried,
        visits,
        seconds,
        judged_by: judged_by as f64 / tried.max(1) as f64,
        scores: by_plies(
            [("network", &by_network), ("search", &by_search)],
            BAND,
            |answer| answer.ply,
            Score::of,
        ),
    };
    print_report(&report, task.json, OpeningsReport::text)?;
    if stop.is_raised() {
        return end_as_interrupted();
    }
    Ok(())
}

/// Judges openings judged with fewer visits; the book is written after each one, so that nothing is
/// lost.
fn judge(
    examinee: &mut Examinee,
    lines: &mut [Option<Opening>],
    texts: &mut [String],
    visits: u64,
    task: &Openings,
    stop: &StopFlag,
) -> anyhow::Result<()> {
    let known = |opening: &Opening| opening.verdict.as_ref().map_or(0, |known| known.visits);
    let open = lines.iter().flatten().filter(|line| known(line) < visits);
    let (open, mut done) = (open.count(), 0);
    for (index, line) in lines.iter_mut().enumerate() {
        let Some(opening) = line.as_mut().filter(|opening| known(opening) < visits) else {
            continue;
        };
        let text = &mut texts[index];
        let report = examinee.judge(&opening.record, opening.to_move, visits, stop)?;
        if stop.is_raised() {
            break;
        }
        let found = Verdict::of(&report, visits);
        let found = found.with_context(|| format!("the game is over after {text}"))?;
        *text = book::with_verdict(text, &found, opening.record.size);
        opening.verdict = Some(found);
        let all = texts.join("\n") + "\n";
        file::write(&task.book, all.as_bytes()).with_context(|| task.book.display().to_string())?;
        done += 1;
        log::info!("{done} of {open} judged");
    }
    Ok(())
}

impl OpeningsReport {
    fn text(&self) -> String {
        let head = format!(
            "{} openings, judged by {:.0} visits; {:.0} visits and {:.3} s a search",
            self.tried, self.judged_by, self.visits, self.seconds
        );
        table(head, Score::HEAD, self.scores.iter().map(Score::row))
    }
}
