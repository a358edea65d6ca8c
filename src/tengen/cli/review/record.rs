//! Games that can be reviewed.

use std::path::PathBuf;

use crate::command::position;
use crate::game::{Game as _, HalfPoints};
use crate::games::nogo::SmallNoGo;
use crate::games::with_game;
use crate::record::GameRecord;
use crate::record::file::{self, FileError};
use crate::record::sgf::{self, Told};
use anyhow::{Context as _, bail, ensure};

/// A game of a file.
pub(super) struct Source {
    /// Its file, with the number of the game if there are several: `all.sgf game 2`.
    pub(super) name: PathBuf,
    text: Result<String, FileError>,
}

/// All games of these files.
pub(super) fn sources(files: &[PathBuf]) -> Vec<Source> {
    let of_file = |path: &PathBuf| {
        let text = file::read_bytes(path).map(|bytes| sgf::decode(&bytes));
        let games = text.as_ref().ok().and_then(|text| sgf::games(text).ok());
        let games = games.unwrap_or_default();
        if games.len() < 2 {
            let name = path.clone();
            return vec![Source { name, text }];
        }
        let numbered = games.into_iter().enumerate().map(|(place, text)| {
            let mut name = path.clone().into_os_string();
            name.push(format!(" game {}", place + 1));
            Source {
                name: name.into(),
                text: Ok(text),
            }
        });
        numbered.collect()
    };
    files.iter().flat_map(of_file).collect()
}

/// A game with its text, as this game if the file names none or SGF has no separate number for it.
///
/// A NoGo record by a program without a name for its rules looks like a record of Go. Without
/// rules, komi, handicap and a result with half a point it is read as NoGo if that allows its moves.
///
/// # Errors
/// If there is no such file, or it contains no game, or one that is not a sequence of moves.
pub(super) fn read(source: Source, game: Option<&str>) -> anyhow::Result<(GameRecord, String)> {
    let file = source.name;
    let name = || file.display().to_string();
    let text = source.text.with_context(name)?;
    let mut record = sgf::read(&text).with_context(name)?;
    if let Some(game) = game {
        sgf::assume(&mut record, game);
    }
    for note in &record.notes {
        log::warn!("{}: {note}", name());
    }
    match game {
        Some(game) if sgf::game_number(game) == sgf::game_number(&record.game) => {
            game.clone_into(&mut record.game);
        }
        Some(game) => bail!(
            "{}: a game of {}, not of {game}",
            file.display(),
            record.game
        ),
        // What the file names is no guess.
        None if record.game == SmallNoGo::NAME => SmallNoGo::NAME.clone_into(&mut record.rules),
        None if is_nogo(&record) => SmallNoGo::NAME.clone_into(&mut record.game),
        None => {}
    }
    ensure!(
        record.later.is_empty(),
        "{}: stones are set up in the middle of the game, which cannot be reviewed",
        file.display()
    );
    Ok((record, text))
}

/// Whether a record that may be of Go or NoGo is read as NoGo.
pub(in crate::cli) fn is_nogo(record: &GameRecord) -> bool {
    // A half point is one of komi, though the file may not have that.
    let has_half = |points: HalfPoints| points.0 % 2 != 0;
    let told = sgf::told(&record.result);
    let is_counted = matches!(told, Some(Told::Counted(_, points)) if has_half(points));
    let says_more = !record.rules.is_empty() || record.komi.is_some() || record.handicap > 0;
    let same_number = sgf::game_number(&record.game) == sgf::game_number(SmallNoGo::NAME);
    let name = SmallNoGo::NAME;
    let allows = || with_game!(name, record.size, |empty| position(record, empty).is_ok());
    !says_more && !is_counted && same_number && allows() == Ok(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nogo_does_not_have_is_go() {
        for (moves, nogo) in [
            ("B[ee];W[cc]", true),
            // Passes: at the end, in the middle, and three or four of them.
            ("B[ee];W[cc];B[];W[]", false),
            ("B[ee];W[cc];B[];W[];B[gg];W[cg]", false),
            ("B[ee];W[];B[];W[]", false),
            ("B[ee];W[tt];B[];W[];B[]", false),
            // A capture, and a suicide of two stones, which not all rules of Go allow.
            ("B[ba];W[aa];B[ab]", false),
            ("B[aa];W[ca];B[ii];W[ab];B[hi];W[bb];B[ba]", false),
        ] {
            for (result, may_be) in [("", true), ("B+R", true), ("W+3.5", false)] {
                let text = format!("(;GM[1]SZ[9]RE[{result}];{moves})");
                let record = sgf::read(&text).expect("it is SGF");
                assert_eq!(is_nogo(&record), nogo && may_be, "{text}");
            }
        }
    }
}
