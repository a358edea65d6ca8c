//! Measures an engine on late positions with known results and winning moves.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, ensure};
use clap::Args;
use tengen::clock::{Clock as _, SystemClock};
use tengen::command::sample;
use tengen::engine::EngineOptions;
use tengen::program::Flags;
use tengen::search::StopFlag;
use tengen_train::command::print;

use super::examinee::{self, Examinee, end_as_interrupted, stop_on_ctrl_c};
use super::line::{Ending, Truth, read};
use super::score::{Answer, Score, WinOutcome};
use crate::gtp::All;

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
        let stop = stop_on_ctrl_c()?;
        let mut exam = EndingTest {
            examinee: Examinee::new(&options, chosen[0].size)?,
            by_network: Vec::new(),
            by_search: Vec::new(),
        };
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
            return end_as_interrupted();
        }
        Ok(())
    }
}

/// The answers so far.
struct EndingTest {
    examinee: Examinee,
    by_network: Vec<Answer>,
    by_search: Vec<Answer>,
}

impl EndingTest {
    /// Asks the search first, so that it does not know the position yet.
    fn ask(&mut self, ending: &Ending, stop: &StopFlag) -> anyhow::Result<()> {
        let color = ending.to_move;
        let Some(found) = self.examinee.search(&ending.record(), color, stop)? else {
            return Ok(());
        };
        self.by_search.push(answer(ending, &found));
        if let Some(found) = self.examinee.network(color, stop) {
            self.by_network.push(answer(ending, &found));
        }
        Ok(())
    }

    fn report(&self, all: usize, unsolved: usize) -> String {
        let by_network = by_plies("network", &self.by_network);
        let by_search = by_plies("search", &self.by_search);
        let scores: Vec<Score> = by_network.into_iter().chain(by_search).collect();
        let [visits, seconds] = self.examinee.means();
        let head = format!(
            "{} positions, {unsolved} more of the file are unsolved; {visits:.0} visits and {seconds:.3} s a search",
            count(self.by_search.len(), all)
        );
        let lines = [head, Score::HEAD.to_owned()].into_iter();
        let lines: Vec<String> = lines.chain(scores.iter().map(Score::row)).collect();
        lines.join("\n")
    }
}

/// The number of positions, also of all if there are more.
fn count(done: usize, all: usize) -> String {
    match done < all {
        true => format!("interrupted: {done} of {all}"),
        false => done.to_string(),
    }
}

/// A score for each group of plies with answers, then a total.
fn by_plies(by: &'static str, answers: &[Answer]) -> Vec<Score> {
    let mut bands: BTreeMap<usize, Vec<Answer>> = BTreeMap::new();
    for answer in answers {
        bands.entry(answer.ply / BAND).or_default().push(*answer);
    }
    let parts = bands.values().map(Vec::as_slice).chain([answers]);
    parts.filter_map(|part| Score::of(by, part)).collect()
}

/// What an answer is worth.
fn answer(ending: &Ending, found: &examinee::Answer) -> Answer {
    let examinee::Answer { mv, report } = found;
    let kept = match (&ending.truth, mv) {
        (Truth::Won { by, .. }, Some(mv)) if by.contains(mv) => Some(WinOutcome::Won),
        (Truth::Won { perhaps, .. }, Some(mv)) if perhaps.contains(mv) => Some(WinOutcome::Unknown),
        (Truth::Won { .. }, _) => Some(WinOutcome::LostWin),
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
