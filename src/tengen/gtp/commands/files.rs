//! Commands that read and write SGF files, and their file names as users type them.

use super::Arguments;
use super::board::result;
use super::command::integer;
use crate::gtp::{Failure, Reply, Session};
use crate::record::{result_text, sgf};

/// Maximum game length: every position of it is kept.
const MAX_MOVES: usize = 10_000;

/// Replies with what was left out or changed, one line each.
pub(super) fn loadsgf(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let readings = with_number(args.written()).map_err(|_| args.missing())?;
    let files = &session.options.files;
    let there = readings.iter().find(|(name, _)| files.has(name));
    // If the whole text is an existing file, a number in it is part of the name.
    let before = args.written().rsplit_once(' ').map(|(name, _)| name);
    if there.is_none() && before.is_some_and(|name| files.has(name.trim_end())) {
        return Err(args.missing());
    }
    let (name, until) = *there.or(readings.first()).ok_or_else(|| args.missing())?;
    let refuse = |why: String| {
        log::warn!("cannot load {name}: {why}");
        Failure::CannotLoad(why)
    };
    let plays = until.map_or(usize::MAX, |until| until.saturating_sub(1));
    let mut record = files.load(name, plays).map_err(refuse)?;
    if !sgf::may_be(&record.game, session.engine.info().name) {
        return Err(refuse(format!("it is a game of {}", record.game)));
    }
    record.truncate(plays);
    if record.plays.len() > MAX_MOVES {
        return Err(refuse(format!("it has more than {MAX_MOVES} moves")));
    }
    let more = session.load(&record).map_err(|error| match error {
        Failure::CannotLoad(why) => refuse(why),
        Failure::IllegalMove(_) => refuse("stones that it sets up have no liberty".to_owned()),
        error => refuse(error.to_string()),
    })?;
    let notes: Vec<String> = record.notes.into_iter().chain(more).collect();
    for note in &notes {
        log::warn!("{name}: {note}");
    }
    Ok(notes.join("\n"))
}

pub(super) fn printsgf(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let mut record = session.engine.record();
    // A record without its result is valid.
    match result(session) {
        Ok(outcome) => record.result = outcome.map(result_text).unwrap_or_default(),
        Err(why) => {
            log::warn!("the record is written without a result: {why}");
            record.result.clear();
        }
    }
    let text = sgf::write(&record);
    let name = optional(args.written()).map_err(|_| args.missing())?;
    let Some(name) = name else {
        return Ok(text);
    };
    let saved = session.options.files.save(name, &text);
    saved.map_err(|why| {
        log::warn!("cannot save {name}: {why}");
        Failure::CannotSave(why)
    })?;
    Ok(String::new())
}

/// Not a file name, or followed by something other than a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BadFileName;

/// Interpretations of `FILE [NUMBER]`, the likeliest first. Without quotes a number at the end may
/// be part of the name.
pub(super) fn with_number(text: &str) -> Result<Vec<(&str, Option<usize>)>, BadFileName> {
    let number = |text| {
        let number = integer(text).map_err(|_| BadFileName)?;
        usize::try_from(number).map_err(|_| BadFileName)
    };
    if let Some((name, rest)) = quoted(text)? {
        let number = (!rest.is_empty()).then(|| number(rest)).transpose()?;
        return Ok(vec![(name, number)]);
    }
    if text.is_empty() {
        return Err(BadFileName);
    }
    let whole = (text, None);
    match text.rsplit_once(' ') {
        Some((name, last)) if integer(last).is_ok() => {
            Ok(vec![(name.trim_end(), Some(number(last)?)), whole])
        }
        _ => Ok(vec![whole]),
    }
}

/// Interpretation of `[FILE]`.
pub(super) fn optional(text: &str) -> Result<Option<&str>, BadFileName> {
    match quoted(text)? {
        Some((name, "")) => Ok(Some(name)),
        Some(_) => Err(BadFileName),
        None => Ok(Some(text).filter(|name| !name.is_empty())),
    }
}

/// A quoted name, and the text after it.
fn quoted(text: &str) -> Result<Option<(&str, &str)>, BadFileName> {
    let Some(mark @ ('"' | '\'')) = text.chars().next() else {
        return Ok(None);
    };
    let inside = text.split_once(mark).map(|(_, inside)| inside);
    match inside.and_then(|inside| inside.split_once(mark)) {
        Some((name, rest)) if !name.is_empty() => Ok(Some((name, rest.trim()))),
        _ => Err(BadFileName),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_have_blanks_and_a_number_behind_it() {
        for (text, readings) in [
            ("a.sgf", &[("a.sgf", None)][..]),
            ("a.sgf 7", &[("a.sgf", Some(7)), ("a.sgf 7", None)]),
            ("my  game.sgf", &[("my  game.sgf", None)]),
            (
                "my game.sgf  7",
                &[("my game.sgf", Some(7)), ("my game.sgf  7", None)],
            ),
            ("棋谱 一.sgf", &[("棋谱 一.sgf", None)]),
            ("7", &[("7", None)]),
            ("\"my game.sgf\"", &[("my game.sgf", None)]),
            ("\"my game 7\" 3", &[("my game 7", Some(3))]),
            ("'a b'  0 ", &[("a b", Some(0))]),
            ("it's.sgf", &[("it's.sgf", None)]),
        ] {
            assert_eq!(with_number(text).as_deref(), Ok(readings), "{text}");
        }
        for wrong in ["", "a.sgf -1", "\"a.sgf", "\"\"", "\"a\" b", "\"a\" -1"] {
            assert_eq!(with_number(wrong), Err(BadFileName), "{wrong}");
        }
    }

    #[test]
    fn a_name_alone_ends_with_the_line() {
        assert_eq!(optional(""), Ok(None));
        assert_eq!(optional("my game 7"), Ok(Some("my game 7")));
        assert_eq!(optional("'my game 7' "), Ok(Some("my game 7")));
        for wrong in ["\"a", "\"a\" 7", "''"] {
            assert_eq!(optional(wrong), Err(BadFileName), "{wrong}");
        }
    }
}
