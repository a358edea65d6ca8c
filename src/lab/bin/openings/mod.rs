//! `tengen-lab openings`: measures an engine in openings against a much longer search: there is no better reference.

mod book;

use std::path::PathBuf;

use anyhow::{Context as _, ensure};
use clap::Args;
use tengen::command::sample;
use tengen::game::Move;
use tengen::games::with_game;
use tengen::record::file;
use tengen::search::{SearchReport, StopFlag};
use tengen_train::command::print;

use crate::examinee::{EngineFlags, Examinee, by_plies, end_as_interrupted, stop_on_ctrl_c, table};
use book::{Opening, Verdict};

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
    #[command(flatten)]
    engine: EngineFlags,
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
    let scores = by_plies(
        [("network", &by_network), ("search", &by_search)],
        BAND,
        |answer| answer.ply,
        Score::of,
    );
    let judged_by = judged_by as f64 / tried.max(1) as f64;
    let head = format!(
        "{tried} openings, judged by {judged_by:.0} visits; {visits:.0} visits and {seconds:.3} s a search"
    );
    print(&table(head, Score::HEAD, scores.iter().map(Score::row)))?;
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

/// Minimum loss of a mistake: a twentieth of the games.
const MISTAKE: f64 = 0.1;

/// One answer.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Answer {
    /// The position's ply.
    ply: usize,
    /// Whether the move is the reference search's.
    same: bool,
    /// The reference's value of its own move minus that of this one; `None` if it hardly searched
    /// it.
    loss: Option<f64>,
    /// The answer's value minus the reference's.
    error: f64,
}

impl Answer {
    fn new(ply: usize, mv: Option<Move>, report: &SearchReport, verdict: &Verdict) -> Answer {
        let best = verdict.moves[0];
        let judged = verdict.moves.iter().find(|judged| Some(judged.mv) == mv);
        Answer {
            ply,
            same: mv == Some(best.mv),
            loss: judged.map(|judged| f64::from(best.value - judged.value)),
            error: f64::from(report.value - best.value),
        }
    }
}

/// Statistics of many answers.
#[derive(Debug, Clone, PartialEq)]
struct Score {
    /// Source of the answers: network or search.
    by: &'static str,
    /// The first and the last ply of these positions.
    plies: [usize; 2],
    positions: usize,
    /// Share of moves equal to the reference's.
    same: f64,
    /// Mean loss of moves, in [0, 2], and its standard error, over moves that the reference
    /// searched.
    loss: Option<[f64; 2]>,
    /// Moves that lose at least 0.1, and moves that the reference hardly searched.
    mistakes: usize,
    unjudged: usize,
    /// Root mean square of the value error.
    value_error: f64,
}

impl Score {
    /// Statistics of at least one answer.
    fn of(by: &'static str, answers: &[Answer]) -> Option<Score> {
        let plies = || answers.iter().map(|answer| answer.ply);
        let (first, last) = plies().min().zip(plies().max())?;
        let count = answers.len() as f64;
        let losses: Vec<f64> = answers.iter().filter_map(|answer| answer.loss).collect();
        let squares: f64 = answers.iter().map(|answer| answer.error.powi(2)).sum();
        Some(Score {
            by,
            plies: [first, last],
            positions: answers.len(),
            same: answers.iter().filter(|answer| answer.same).count() as f64 / count,
            loss: mean(&losses),
            mistakes: losses.iter().filter(|&&loss| loss >= MISTAKE).count(),
            unjudged: answers.len() - losses.len(),
            value_error: (squares / count).sqrt(),
        })
    }

    /// Column titles of [`Score::row`].
    const HEAD: &'static str = "by       plies  positions  same move  loses            0.1 or more  unjudged  value off by";

    /// As a row of a table.
    fn row(&self) -> String {
        let [first, last] = self.plies;
        let loss = self
            .loss
            .map(|[mean, error]| format!("{mean:.4} ± {error:.4}"));
        format!(
            "{:<8} {:<6} {:>9} {:>9.1}%  {:<16} {:>11} {:>9} {:>13.3}",
            self.by,
            format!("{first}-{last}"),
            self.positions,
            100.0 * self.same,
            loss.unwrap_or_default(),
            self.mistakes,
            self.unjudged,
            self.value_error
        )
    }
}

/// Mean of at least one number and its standard error, which is 0 for a single number.
fn mean(numbers: &[f64]) -> Option<[f64; 2]> {
    let count = numbers.len() as f64;
    if numbers.is_empty() {
        return None;
    }
    let mean = numbers.iter().sum::<f64>() / count;
    let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
    Some([mean, (squares / (count - 1.0).max(1.0) / count).sqrt()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::clock::StopReason;

    use super::book::JudgedMove;

    #[test]
    fn answers_are_counted_as_by_hand() {
        let judged = |mv, value| JudgedMove {
            mv: Move(mv),
            value,
            visits: 1_000,
        };
        let verdict = Verdict {
            visits: 3_000,
            moves: vec![judged(1, 0.5), judged(2, 0.25), judged(3, 0.4375)],
        };
        let answer = |ply, mv, value| {
            let report = SearchReport {
                value,
                ..SearchReport::unsearched(Vec::new(), StopReason::Visits)
            };
            Answer::new(ply, mv, &report, &verdict)
        };
        let answers = [
            answer(4, Some(Move(1)), 0.5),
            answer(5, Some(Move(2)), 0.75),
            answer(9, Some(Move(3)), 0.25),
            answer(6, Some(Move(7)), 0.5),
            answer(6, None, 0.5),
        ];
        let score = Score::of("search", &answers).expect("there are answers");
        assert_eq!((score.plies, score.positions), ([4, 9], 5));
        assert_eq!(score.same, 0.2);
        // 0, 0.25 and 0.0625.
        let [loss, error] = score.loss.expect("three are known");
        assert!((loss - 0.3125 / 3.0).abs() < 1e-9);
        assert!((error - 0.07512).abs() < 1e-4, "{error}");
        assert_eq!((score.mistakes, score.unjudged), (1, 2));
        assert!((score.value_error - (0.125_f64 / 5.0).sqrt()).abs() < 1e-9);
        assert_eq!(Score::of("search", &[]), None);
        let unknown = Score::of("search", &answers[3..]).expect("two answers");
        assert_eq!((unknown.loss, unknown.unjudged), (None, 2));
    }
}
