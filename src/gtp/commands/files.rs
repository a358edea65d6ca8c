//! Commands that read and write SGF files.

use std::path::Path;

use super::Arguments;
use crate::gtp::{Failure, Session};
use crate::record::{GameRecord, sgf};

pub(super) fn loadsgf(session: &mut Session, args: &Arguments<'_>) -> Result<String, Failure> {
    let path = args.text(0)?;
    let until = match args.optional(1) {
        Some(_) => Some(usize::try_from(args.integer(1)?).map_err(|_| Failure::Syntax)?),
        None => None,
    };
    let mut record = read(Path::new(path)).map_err(|error| refuse(path, &error))?;
    if sgf::game_number(&record.game) != sgf::game_number(session.engine.game()) {
        let game = format!("it is a game of {}", record.game);
        return Err(refuse(path, &game));
    }
    if let Some(until) = until {
        record.truncate(until.saturating_sub(1));
    }
    session
        .load(&record)
        .map_err(|error| refuse(path, &error))?;
    Ok(String::new())
}

pub(super) fn printsgf(session: &mut Session, args: &Arguments<'_>) -> Result<String, Failure> {
    let text = sgf::write(&session.engine.record());
    let Some(path) = args.optional(0) else {
        return Ok(text);
    };
    std::fs::write(path, text).map_err(|error| {
        log::warn!("cannot save {path}: {error}");
        Failure::CannotSave
    })?;
    Ok(String::new())
}

/// Reads a file; a device or a pipe could go on for ever.
fn read(path: &Path) -> Result<GameRecord, Box<dyn std::error::Error>> {
    if !std::fs::metadata(path)?.is_file() {
        return Err("not a regular file".into());
    }
    let bytes = std::fs::read(path)?;
    Ok(sgf::read(&String::from_utf8_lossy(&bytes))?)
}

fn refuse(path: &str, why: &dyn std::fmt::Display) -> Failure {
    log::warn!("cannot load {path}: {why}");
    Failure::CannotLoad
}
