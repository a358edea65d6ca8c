//! Commands that read and write SGF files.

use super::scoring::result;
use super::{Arguments, file_name};
use crate::gtp::{Failure, Session};
use crate::record::{result_text, sgf};

/// Maximum game length: every position of it is kept.
const MOST_MOVES: usize = 10_000;

/// Replies with what was left out or changed, one line each.
pub(super) fn loadsgf(session: &mut Session, args: &Arguments<'_>) -> Result<String, Failure> {
    let readings = file_name::with_number(args.written()).map_err(|_| args.missing())?;
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
    if sgf::game_number(&record.game) != sgf::game_number(session.engine.game()) {
        return Err(refuse(format!("it is a game of {}", record.game)));
    }
    record.truncate(plays);
    if record.plays.len() > MOST_MOVES {
        return Err(refuse(format!("it has more than {MOST_MOVES} moves")));
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

pub(super) fn printsgf(session: &mut Session, args: &Arguments<'_>) -> Result<String, Failure> {
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
    let name = file_name::optional(args.written()).map_err(|_| args.missing())?;
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
