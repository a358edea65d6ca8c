//! Complaints of engines in a match, for its report.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::player::ComplaintKind;
use super::results::GameEntry;

/// Number of complaints per engine in a text report.
const SHOWN: usize = 5;

/// Messages about an engine that differ only in numbers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Complaint {
    /// Name of the engine.
    pub engine: String,
    /// Kind of the messages.
    pub kind: ComplaintKind,
    /// The first message, in full.
    pub line: String,
    /// Number of messages.
    pub lines: u32,
    /// Number of games with one.
    pub games: u32,
    /// The first of these games.
    pub first_game: usize,
}

/// All complaints; as JSON a list.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Complaints {
    /// By engine; those on error streams last, which may be many; the most frequent first.
    pub list: Vec<Complaint>,
}

impl Complaints {
    /// The complaints in these games.
    pub fn of(games: &[GameEntry]) -> Complaints {
        // Each with the last of its games.
        let mut kinds: BTreeMap<_, (Complaint, Option<usize>)> = BTreeMap::new();
        let mut games: Vec<&GameEntry> = games.iter().collect();
        games.sort_by_key(|game| game.number);
        for game in games {
            for said in &game.complaints {
                let key = (said.engine.as_str(), said.kind, kind(&said.line));
                let new = || Complaint {
                    engine: said.engine.clone(),
                    kind: said.kind,
                    line: said.line.clone(),
                    lines: 0,
                    games: 0,
                    first_game: game.number,
                };
                let (complaint, last) = kinds.entry(key).or_insert_with(|| (new(), None));
                complaint.lines += 1;
                if last.replace(game.number) != Some(game.number) {
                    complaint.games += 1;
                }
            }
        }
        let mut list: Vec<Complaint> = kinds.into_values().map(|(found, _)| found).collect();
        let is_stream = |found: &Complaint| found.kind == ComplaintKind::Stream;
        list.sort_by(|a, b| {
            let before = (&a.engine, is_stream(a), b.lines);
            before.cmp(&(&b.engine, is_stream(b), a.lines))
        });
        Complaints { list }
    }
}

/// A line with all numbers removed: times, moves and games differ from line to line.
fn kind(line: &str) -> String {
    let words = line.split(|c: char| c.is_ascii_digit());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join("#")
}

impl fmt::Display for Complaints {
    /// One line each, and warnings; empty without complaints.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let same_engine = |a: &Complaint, b: &Complaint| a.engine == b.engine;
        for of_engine in self.list.chunk_by(same_engine) {
            for complaint in of_engine.iter().take(SHOWN) {
                writeln!(f, "  {complaint}")?;
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
        let has = |kind| self.list.iter().any(|complaint| complaint.kind == kind);
        if has(ComplaintKind::Stream) {
            writeln!(
                f,
                "  WARNING: an engine complained on its error stream (stderr/); it may not have \
                 played as asked"
            )?;
        }
        if has(ComplaintKind::Refusal) {
            writeln!(
                f,
                "  WARNING: an engine refused what the match asked of it; it may have played by other \
                 rules than the games were counted by"
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (engine, line, first_game) = (&self.engine, &self.line, self.first_game);
        let where_ = match self.games {
            1 => format!("game {first_game}"),
            games => format!("{games} games, first in game {first_game}"),
        };
        let lines = match self.lines {
            1 => "1 line".to_owned(),
            lines => format!("{lines} lines"),
        };
        match self.kind {
            ComplaintKind::Stream => write!(f, "{engine} complained, {lines} in {where_}: {line}"),
            ComplaintKind::Refusal => write!(f, "{engine} refused, in {where_}: {line}"),
            ComplaintKind::Untold => write!(f, "{engine} {line}"),
            ComplaintKind::Counting => write!(
                f,
                "{engine} failed when asked about the end of {where_}: it {line}"
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::player::EngineMessage;
    use crate::referee::results::ResultText;
    use crate::referee::results::tests::entry;

    fn game(number: usize, said: &[(&str, &str)]) -> GameEntry {
        let said = said.iter().map(|(engine, line)| EngineMessage {
            engine: (*engine).to_owned(),
            kind: ComplaintKind::Stream,
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

    #[test]
    fn refusals_and_what_an_engine_was_not_told_are_no_lines_of_its_error_stream() {
        let told = |kind, line: &str| {
            let mut game = game(0, &[("a", line)]);
            game.complaints[0].kind = kind;
            Complaints::of(&[game])
        };
        let refused = told(ComplaintKind::Refusal, "`komi 7`: no");
        let text = refused.to_string();
        assert!(
            text.starts_with("  a refused, in game 0: `komi 7`: no\n  WARNING"),
            "{text}"
        );
        assert!(refused.list[0].kind.is_trouble());
        let lines = ["e", "f", "g", "h", "i", "j", "ended"];
        let mut flooded = game(2, &lines.map(|line| ("a", line)));
        flooded.complaints[6].kind = ComplaintKind::Counting;
        let text = Complaints::of(&[flooded]).to_string();
        let told_first = "  a failed when asked about the end of game 2: it ended\n";
        assert!(text.starts_with(told_first), "{text}");
        assert!(text.contains("and 2 other complaints of a"), "{text}");
        let untold = told(ComplaintKind::Untold, "was not told the rules");
        assert_eq!(untold.to_string(), "  a was not told the rules\n");
        assert!(!untold.list[0].kind.is_trouble());
    }
}
