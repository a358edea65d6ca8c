//! Commands that read and write SGF files.

use super::Arguments;
use crate::gtp::{Failure, Session};
use crate::record::sgf;

/// The longest game: every position of it is kept.
const MOST_MOVES: usize = 10_000;

pub(super) fn loadsgf(session: &mut Session, args: &Arguments<'_>) -> Result<String, Failure> {
    let name = args.text(0)?;
    let until = match args.optional(1) {
        Some(_) => Some(usize::try_from(args.integer(1)?).map_err(|_| Failure::Syntax)?),
        None => None,
    };
    let refuse = |why: String| {
        log::warn!("cannot load {name}: {why}");
        Failure::CannotLoad(why)
    };
    let mut record = session.options.files.load(name).map_err(refuse)?;
    if sgf::game_number(&record.game) != sgf::game_number(session.engine.game()) {
        return Err(refuse(format!("it is a game of {}", record.game)));
    }
    if let Some(until) = until {
        record.truncate(until.saturating_sub(1));
    }
    if record.plays.len() > MOST_MOVES {
        return Err(refuse(format!("it has more than {MOST_MOVES} moves")));
    }
    session.load(&record).map_err(|error| match error {
        Failure::CannotLoad(why) => refuse(why),
        error => refuse(error.to_string()),
    })?;
    Ok(String::new())
}

pub(super) fn printsgf(session: &mut Session, args: &Arguments<'_>) -> Result<String, Failure> {
    let text = sgf::write(&session.engine.record());
    let Some(name) = args.optional(0) else {
        return Ok(text);
    };
    let saved = session.options.files.save(name, &text);
    saved.map_err(|why| {
        log::warn!("cannot save {name}: {why}");
        Failure::CannotSave(why)
    })?;
    Ok(String::new())
}
