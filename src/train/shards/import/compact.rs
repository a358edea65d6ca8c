//! The compact text of the TYGEM collection: a game per line, and an index with the results.
//!
//! A line of games is `ID TAB ;B[pd];W[dp]...`, a line of the index `ID TAB date TAB ... TAB result TAB ...`, with the
//! komi before the result where games differ in it.

use std::collections::HashMap;

/// Komi of games whose index names none.
const USUAL_KOMI: &str = "6.5";

/// What an index says about a game.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    result: String,
    komi: Option<String>,
}

/// Results and komi by the identifiers of games.
#[derive(Debug, Default)]
pub(super) struct Index(HashMap<String, Entry>);

impl Index {
    /// Adds the lines of an index file; lines without a result are left out.
    pub(super) fn add(&mut self, text: &str) {
        for line in text.lines() {
            let fields: Vec<&str> = line.trim_end().split('\t').collect();
            let result = fields.iter().rposition(|field| is_result(field));
            let Some((id, place)) = fields.first().zip(result) else {
                continue;
            };
            let before = place.checked_sub(1).and_then(|at| fields.get(at));
            let komi = before.filter(|field| field.contains('.') && field.parse::<f32>().is_ok());
            let entry = Entry {
                result: fields.get(place).unwrap_or(&"").to_string(),
                komi: komi.map(ToString::to_string),
            };
            self.0.insert((*id).to_owned(), entry);
        }
    }

    /// The games of a text as SGF, with their identifiers. A game that the index does not name has no result.
    pub(super) fn games<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (String, String)> {
        text.lines().filter_map(|line| {
            let (id, moves) = line.trim_end().split_once('\t')?;
            let found = self.0.get(id);
            let komi = found.and_then(|entry| entry.komi.as_deref());
            let result = found.map_or("", |entry| &entry.result);
            let komi = komi.unwrap_or(USUAL_KOMI);
            let sgf = format!("(;GM[1]SZ[19]KM[{komi}]RE[{result}]{moves})");
            Some((id.to_owned(), sgf))
        })
    }
}

/// Whether a text has lines of games, not an index or something else.
pub(super) fn is_games(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty());
    let moves = first.and_then(|line| line.split_once('\t'));
    moves.is_some_and(|(_, moves)| moves.starts_with(";B[") || moves.starts_with(";W["))
}

/// Whether a field is `B+Resign`, `W+6.5`, `B+Time`, ...
fn is_result(field: &str) -> bool {
    let rest = field
        .strip_prefix("B+")
        .or_else(|| field.strip_prefix("W+"));
    rest.is_some_and(|rest| !rest.is_empty()) || field == "Draw"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_games_with_the_results_of_the_index() {
        let mut index = Index::default();
        index.add("7\tC2017.07.13 17:05\twhite\tA(P)\t0\tblack\tB(P)\t2\tB+1.5\t280\t30/3 10m\n");
        index.add("8\t2003.09.25\twhite\tblack\t3.75\tW+Resign\t120\t\nno result\there\n");
        let text = "7\t;B[dd];W[pc]\n8\t;B[pd]\n9\t;B[cc]\n";
        assert!(is_games(text) && !is_games("7\tC2017\twhite"));
        let games: Vec<(String, String)> = index.games(text).collect();
        let sgf: Vec<&str> = games.iter().map(|(_, sgf)| &**sgf).collect();
        assert_eq!(
            sgf,
            [
                "(;GM[1]SZ[19]KM[6.5]RE[B+1.5];B[dd];W[pc])",
                "(;GM[1]SZ[19]KM[3.75]RE[W+Resign];B[pd])",
                "(;GM[1]SZ[19]KM[6.5]RE[];B[cc])",
            ]
        );
    }
}
