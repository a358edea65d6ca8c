//! What engines complained of in a match, for its report.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::results::GameEntry;

/// Kinds of complaints that a report for people shows of each engine.
const SHOWN: usize = 5;

/// Lines of an engine's error stream that differ in nothing but numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Complaint {
    /// The engine.
    pub engine: String,
    /// The first of the lines.
    pub line: String,
    /// How many there were.
    pub lines: u32,
    /// In how many games.
    pub games: u32,
    /// The first of these games.
    pub first_game: usize,
}

/// All complaints; as JSON a list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Complaints {
    /// By engine, those of most lines first.
    pub list: Vec<Complaint>,
}

impl Complaints {
    /// Those of these games.
    #[must_use]
    pub fn of(games: &[GameEntry]) -> Complaints {
        let mut kinds: BTreeMap<(&str, String), Complaint> = BTreeMap::new();
        let mut last_games: BTreeMap<(&str, String), usize> = BTreeMap::new();
        let mut games: Vec<&GameEntry> = games.iter().collect();
        games.sort_by_key(|game| game.number);
        for game in games {
            for said in &game.complaints {
                let key = (said.engine.as_str(), kind(&said.line));
                let complaint = kinds.entry(key.clone()).or_insert_with(|| Complaint {
                    engine: said.engine.clone(),
                    line: said.line.clone(),
                    lines: 0,
                    games: 0,
                    first_game: game.number,
                });
                complaint.lines += 1;
                if last_games.insert(key, game.number) != Some(game.number) {
                    complaint.games += 1;
                }
            }
        }
        let mut list: Vec<Complaint> = kinds.into_values().collect();
        list.sort_by(|a, b| (&a.engine, b.lines).cmp(&(&b.engine, a.lines)));
        Complaints { list }
    }

    /// Those of one engine.
    #[must_use]
    pub fn only(mut self, engine: &str) -> Complaints {
        self.list.retain(|complaint| complaint.engine == engine);
        self
    }

    /// Whether nobody complained.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// A line with every number taken out: times, moves and games differ from line to line.
fn kind(line: &str) -> String {
    let mut kind = String::with_capacity(line.len());
    for c in line.chars() {
        let c = if c.is_ascii_digit() { '#' } else { c };
        if c != '#' || !kind.ends_with('#') {
            kind.push(c);
        }
    }
    kind
}

impl fmt::Display for Complaints {
    /// One line a kind, and a warning; nothing where there are none.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let same_engine = |a: &Complaint, b: &Complaint| a.engine == b.engine;
        for of_engine in self.list.chunk_by(same_engine) {
            for Complaint {
                engine,
                line,
                lines,
                games,
                first_game,
            } in of_engine.iter().take(SHOWN)
            {
                let times = if *lines == 1 { "line" } else { "lines" };
                let where_ = match games {
                    1 => format!("game {first_game}"),
                    _ => format!("{games} games, first in game {first_game}"),
                };
                writeln!(
                    f,
                    "  {engine} complained, {lines} {times} in {where_}: {line}"
                )?;
            }
            if of_engine.len() > SHOWN {
                let more = of_engine.len() - SHOWN;
                writeln!(
                    f,
                    "  and {more} other complaints of {}",
                    of_engine[0].engine
                )?;
            }
        }
        if !self.is_empty() {
            writeln!(
                f,
                "  WARNING: an engine complained on its error stream (stderr/); it may not have \
                 played as asked"
            )?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::results::tests::entry;
    use crate::referee::results::{ResultText, Said};

    fn game(number: usize, said: &[(&str, &str)]) -> GameEntry {
        let said = said.iter().map(|(engine, line)| Said {
            engine: (*engine).to_owned(),
            line: (*line).to_owned(),
        });
        GameEntry {
            complaints: said.collect(),
            ..entry(number, "a", "b", ResultText::Black)
        }
    }

    #[test]
    fn alike_lines_are_counted_once() {
        let games = [
            game(3, &[("a", "12:01 WARN move 7 late")]),
            game(1, &[("a", "11:59 WARN move 31 late"), ("a", "ERROR x")]),
            game(2, &[]),
            game(4, &[("a", "12:03 WARN move 8 late"), ("b", "ERROR y")]),
        ];
        let complaints = Complaints::of(&games);
        let counts: Vec<_> = complaints
            .list
            .iter()
            .map(|c| (c.engine.as_str(), c.lines, c.games, c.first_game))
            .collect();
        assert_eq!(counts, [("a", 3, 3, 1), ("a", 1, 1, 1), ("b", 1, 1, 4)]);
        let text = complaints.to_string();
        assert!(
            text.starts_with("  a complained, 3 lines in 3 games, first in game 1: 11:59 WARN"),
            "{text}"
        );
        assert!(
            text.contains("b complained, 1 line in game 4: ERROR y"),
            "{text}"
        );
        assert!(text.contains("WARNING"), "{text}");
        assert_eq!(Complaints::of(&[game(0, &[])]).to_string(), "");
    }
}
