//! Picks positions from games, spread over plies.

use std::collections::HashSet;
use std::path::PathBuf;

use anyhow::{Context as _, ensure};
use clap::Args;
use tengen::command::{self, replay, sgf_files};
use tengen::game::{Color, Rules};
use tengen::games::{solved_games, with_game};
use tengen::record::{GameRecord, file, search_value};
use tengen::solver::{Solvable, Solves};
use tengen_train::command::print;

use super::line::{Ending, Truth, read, text};

/// Multiples of this share are equally distributed in a range, for any number of them: the fraction
/// of the golden ratio.
const STEP: f64 = 0.618_033_988_749_894_9;

/// Pick positions from games, unsolved.
///
/// The games are NoGo or Gomoku; a file that only says that it uses Go's board is taken for NoGo.
/// Files that cannot be used are reported, and the others are. Symmetric positions are picked once.
/// Any prefix of the file contains all plies equally often.
#[derive(Debug, Args)]
pub(super) struct Pick {
    /// Games as SGF files, or folders of them.
    #[arg(required = true, value_name = "FILE")]
    games: Vec<PathBuf>,
    /// The file to write; new positions are appended to an existing one.
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// First ply to pick positions at [default: 42, in Gomoku 8].
    #[arg(long, value_name = "N")]
    from: Option<usize>,
    /// Last ply to pick positions at [default: 58, in Gomoku 50].
    #[arg(long, value_name = "N")]
    to: Option<usize>,
    /// Positions from each game, spread evenly over the plies.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..))]
    each: u8,
    /// Only positions in which this player is to move and its move's comment says what its search thought,
    /// as the records of `tengen-match` do; the value is kept.
    #[arg(long, value_name = "PLAYER")]
    judge: Option<String>,
}

impl Pick {
    pub(super) fn run(self) -> anyhow::Result<()> {
        file::check(&self.out).with_context(|| self.out.display().to_string())?;
        let mut endings = match self.out.exists() {
            true => read(&self.out)?,
            false => Vec::new(),
        };
        let mut known: HashSet<String> = endings.iter().map(Ending::key).collect();
        let before = endings.len();
        let (mut short, mut twice, mut failed) = (0, 0, 0);
        let files = sgf_files(&self.games)?;
        for (number, path) in (0_u32..).zip(&files) {
            let picked = match command::read(path, None) {
                Ok(record) => {
                    let (from, to) = self.range(&record.game)?;
                    let plies = plies(number, from, to, usize::from(self.each)).into_iter();
                    plies
                        .map(|ply| ending(&record, ply, self.judge.as_deref()))
                        .collect::<anyhow::Result<Vec<_>>>()
                        .with_context(|| path.display().to_string())
                }
                Err(error) => Err(error),
            };
            let picked = match picked {
                Ok(picked) => picked,
                Err(error) if files.len() == 1 => return Err(error),
                // One bad file is no reason to do without the others.
                Err(error) => {
                    log::error!("{error:#}");
                    failed += 1;
                    continue;
                }
            };
            for ending in picked {
                match ending {
                    None => short += 1,
                    Some(ending) if known.insert(ending.key()) => endings.push(ending),
                    Some(_) => twice += 1,
                }
            }
        }
        ensure!(
            failed < files.len(),
            "none of the {failed} files could be used: nothing is written"
        );
        file::write(&self.out, text(&endings).as_bytes())
            .with_context(|| self.out.display().to_string())?;
        print(&format!(
            "{} positions added to {before}; {short} were after the end of a game{}, {twice} are \
             duplicates",
            endings.len() - before,
            match self.judge {
                Some(_) => " or not judged",
                None => "",
            }
        ))?;
        ensure!(
            failed == 0,
            "{failed} of {} files could not be used; the others are",
            files.len()
        );
        Ok(())
    }

    /// First and last ply to pick positions of a game at; by default where NoGo can be solved, and where Gomoku is
    /// decided.
    fn range(&self, game: &str) -> anyhow::Result<(usize, usize)> {
        let (from, to) = match game {
            "gomoku" => (8, 50),
            _ => (42, 58),
        };
        let (from, to) = (self.from.unwrap_or(from), self.to.unwrap_or(to));
        ensure!(from <= to, "--from is after --to: {from} after {to}");
        Ok((from, to))
    }
}

/// The plies at which game `number` is sampled: one in each of `each` equal parts of `from..=to`,
/// at the same place in all parts.
fn plies(number: u32, from: usize, to: usize, each: usize) -> Vec<usize> {
    let (all, place) = (to + 1 - from, (f64::from(number) * STEP).fract());
    let ply = |part: usize| {
        let (first, end) = (part * all / each, (part + 1) * all / each);
        from + first + ((end - first) as f64 * place) as usize
    };
    // With more parts than plies some are empty.
    let parts = (0..each).filter(|part| part * all / each < (part + 1) * all / each);
    parts.map(ply).collect()
}

/// A game's position with this many stones; `None` if the game was over by then, or if the judge says nothing of it.
fn ending(record: &GameRecord, ply: usize, judge: Option<&str>) -> anyhow::Result<Option<Ending>> {
    // Many NoGo files only say that they use Go's board.
    let game = match record.game.as_str() {
        "go" => "nogo",
        name => name,
    };
    let found = with_game!(game, record.size, rules: "", |empty| after(&empty, record, ply))?;
    let found = match game == record.game {
        true => found?,
        false => found.context("taken for NoGo")?,
    };
    Ok(match (found, judge) {
        (Some(found), Some(judge)) => judged(found, record, judge),
        (found, _) => found,
    })
}

/// A position with what this player's search thought of it.
fn judged(found: Ending, record: &GameRecord, judge: &str) -> Option<Ending> {
    let player = match found.to_move {
        Color::Black => &record.black,
        Color::White => &record.white,
    };
    let played = record.plays.get(found.ply() - record.setup.len())?;
    let value = search_value(&played.comment).filter(|_| player.eq_ignore_ascii_case(judge))?;
    Some(Ending {
        judged: Some(value),
        ..found
    })
}

fn after<G: Solvable>(
    empty: &G,
    record: &GameRecord,
    ply: usize,
) -> anyhow::Result<Option<Ending>> {
    ensure!(
        G::SOLVES != Solves::Nothing,
        "there is no solver for {}: a set has positions of {}",
        G::INFO.title,
        solved_games()
    );
    let rules = record.rules_or(empty.rules()).0;
    let empty = G::with_rules(record.size, rules)?;
    let mut found = None;
    replay(empty, record, |position: &G| {
        let points = record.size.points();
        let stones = points.filter_map(|point| Some((point, position.stone(point)?)));
        let stones: Vec<_> = stones.collect();
        if stones.len() == ply && position.outcome().is_none() {
            found = Some(Ending {
                game: G::NAME.to_owned(),
                rules: rules.record_name().unwrap_or_default(),
                size: record.size,
                stones,
                to_move: position.to_move(),
                nodes: 0,
                truth: Truth::Unknown { holds: None },
                judged: None,
            });
        }
    })?;
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::command::played;
    use tengen::game::BoardSize;

    #[test]
    fn any_first_games_are_spread_over_all_plies() {
        for games in [34, 170] {
            let mut counts = [0_u32; 17];
            for ply in (0..games).flat_map(|number| plies(number, 42, 58, 2)) {
                counts[ply - 42] += 1;
            }
            let even = f64::from(2 * games) / 17.0;
            for count in counts {
                assert!(
                    (f64::from(count) - even).abs() <= 0.35 * even + 1.0,
                    "{counts:?}"
                );
            }
        }
        for number in 0..50 {
            let plies = plies(number, 42, 58, 2);
            assert!(plies[1] - plies[0] >= 8, "{plies:?}");
        }
        assert_eq!(plies(3, 5, 5, 4), [5]);
    }

    #[test]
    fn the_position_has_as_many_stones_and_is_not_over() {
        let record = played("nogo", BoardSize::new(4, 1), "A1 D1 B1").expect("vertices");
        let position = |ply| ending(&record, ply, None).expect("legal moves");
        let found = position(2).map(|ending| ending.to_line());
        assert_eq!(found.as_deref(), Some("x2o b 0 ?"));
        assert_eq!(position(3), None, "White cannot move");
        assert_eq!(position(4), None);
    }

    #[test]
    fn a_judge_says_what_it_thought_of_its_own_positions() {
        let mut record = played("nogo", BoardSize::new(4, 1), "A1 D1 B1").expect("vertices");
        (record.black, record.white) = ("tengen".to_owned(), "Rapfi".to_owned());
        record.plays[1].comment = "0.4 s, Depth 9-12 | Eval -200 | Node 1K".to_owned();
        record.plays[2].comment = "value 0.5".to_owned();
        let line = |ply, judge| {
            let found = ending(&record, ply, Some(judge)).expect("legal moves");
            found.map(|ending| ending.to_line())
        };
        assert_eq!(line(1, "rapfi").as_deref(), Some("x3 w 0 ? value=-0.462"));
        assert_eq!((line(1, "tengen"), line(0, "tengen")), (None, None));
        assert_eq!(line(2, "tengen").as_deref(), Some("x2o b 0 ? value=0.500"));
    }
}
