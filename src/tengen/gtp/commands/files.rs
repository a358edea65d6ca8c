//! Commands that read and write game files, and their file names as users type them.

use std::path::Path;

use super::Arguments;
use super::board::result;
use super::command::integer;
use crate::clock::{date_time, unix_time};
use crate::gtp::{Failure, Reply, Session};
use crate::record::ccgc::CcgcStyle;
use crate::record::file::{self, FileError};
use crate::record::{Charset, GameRecord, result_text, sgf};

/// The time of China, in hours ahead of UTC.
const CHINA: i8 = 8;

/// Replies with what was left out or changed, one line each.
pub(super) fn loadsgf(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let written = args.written();
    let files = &session.options.files;
    let parted = written.rsplit_once(' ');
    let numbered = parted.and_then(|(name, last)| Some((name, integer(last).ok()?)));
    let (name, until) = match numbered {
        // If the whole text is an existing file, the number is part of its name.
        Some((name, number)) if !files.has(unquoted(written)) => (name, Some(number)),
        _ => (written, None),
    };
    let name = unquoted(name);
    let until = until.map(usize::try_from).transpose();
    let until = until.map_err(|_| args.missing())?;
    // A file, and something behind it that is no number.
    let is_file = |(name, _): (&str, &str)| files.has(unquoted(name));
    if name.is_empty() || until.is_none() && !files.has(name) && parted.is_some_and(is_file) {
        return Err(args.missing());
    }
    let refuse = |why: String| {
        log::warn!("cannot load {name}: {why}");
        Failure::CannotLoad(why)
    };
    let plays = until.map_or(usize::MAX, |until| until.saturating_sub(1));
    let mut record = files.load(name, plays).map_err(refuse)?;
    let game = session.engine.info().name;
    sgf::assume(&mut record, game);
    if !sgf::may_be(&record.game, game) {
        return Err(refuse(format!("it is a game of {}", record.game)));
    }
    record.truncate(plays);
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
    let text = sgf::write(&record_now(session));
    printed(session, args, &text, |path| file::write_sgf(path, &text))
}

/// Place and event are for the operator to fill in, and teams but for those of a loaded game.
pub(super) fn ccgc(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let record = record_now(session);
    let style = CcgcStyle::of(&record.game);
    let style = style.ok_or(Failure::Refused("only NoGo and Gomoku have such records"))?;
    if !record.setup.is_empty() || !record.later.is_empty() {
        let why = "such a record cannot hold stones that were set up";
        return Err(Failure::Refused(why));
    }
    let style = CcgcStyle {
        time: date_time(unix_time(), CHINA),
        charset: Charset::gbk(),
        ..style
    };
    let lacking = style.lacking([&record.black, &record.white]);
    if !lacking.is_empty() {
        log::warn!("GBK has no {lacking}: a file has ? in place of them");
    }
    let text = style.write(&record);
    printed(session, args, &text, |path| {
        file::write_ccgc(path, &text, style.charset)
    })
}

/// The game so far, with its result.
fn record_now(session: &mut Session) -> GameRecord {
    let mut record = session.engine.record();
    // A record without its result is valid.
    match result(session) {
        Ok(outcome) => record.result = outcome.map(result_text).unwrap_or_default(),
        Err(why) => {
            log::warn!("the record is written without a result: {why}");
            record.result.clear();
        }
    }
    record
}

/// Replies with a text, or writes it into the file that is named.
fn printed(
    session: &Session,
    args: &Arguments<'_>,
    text: &str,
    write: impl FnOnce(&Path) -> Result<(), FileError>,
) -> Reply {
    let name = unquoted(args.written());
    // As in KataGo, the dash is the output.
    if name.is_empty() || name == "-" {
        return Ok(text.to_owned());
    }
    let saved = session.options.files.save(name, write);
    saved.map_err(|why| {
        log::warn!("cannot save {name}: {why}");
        Failure::CannotSave(why)
    })?;
    Ok(String::new())
}

/// A file name without the quotes that people put around it.
fn unquoted(name: &str) -> &str {
    let name = name.trim();
    let inside = |mark: char| name.strip_prefix(mark)?.strip_suffix(mark);
    inside('"').or_else(|| inside('\'')).unwrap_or(name)
}
