//! The game on the board is kept in a file while it is played, and is there again after a crash: the terms of the game as
//! JSON on the first line, then the game as SGF.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use tengen::record::file;

use super::session::Session;
use super::table::Table;
use super::terms::Terms;

/// Minimum interval between two writes.
const INTERVAL: Duration = Duration::from_secs(2);

/// The usual file, in the user's folder for the state of programs.
pub(super) fn usual_file() -> Option<PathBuf> {
    let path = |name: &str| {
        let value = std::env::var_os(name).filter(|value| !value.is_empty());
        value.map(PathBuf::from)
    };
    let folder = if cfg!(windows) {
        path("LOCALAPPDATA")
    } else {
        path("XDG_STATE_HOME").or_else(|| Some(path("HOME")?.join(".local").join("state")))
    };
    Some(folder?.join("tengen").join("board.sgf"))
}

/// Puts the game of the file, if there is one, under the game that has just begun.
///
/// # Errors
/// If the file cannot be read, or has no game that can be played here.
pub(super) fn recall(session: &mut Session, path: &Path) -> anyhow::Result<()> {
    let bytes = match file::read_bytes(path) {
        Ok(bytes) => bytes,
        Err(file::FileError::Missing) => return Ok(()),
        Err(error) => return Err(error.into()),
    };
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(0);
    let (terms, game) = bytes.split_at(end);
    let terms: Terms = serde_json::from_slice(terms).context("its first line")?;
    session.put_before(game, &terms)
}

/// Writes each change of the game to the file, forever.
pub(super) fn keep(table: &Table, path: &Path) {
    let mut written = String::new();
    let mut failed = false;
    loop {
        table.wait();
        std::thread::sleep(INTERVAL);
        let Some(text) = table.look(text).filter(|text| *text != written) else {
            continue;
        };
        let folder = path.parent().map_or(Ok(()), std::fs::create_dir_all);
        let done = folder.map_err(file::FileError::from);
        let done = done.and_then(|()| file::write(path, text.as_bytes()));
        // Once is enough.
        if let Err(error) = &done
            && !failed
        {
            log::warn!("the game is not kept in {}: {error}", path.display());
        }
        failed = done.is_err();
        written = text;
    }
}

/// What is written; nothing of a game in which nothing has happened, so that the one before stays.
fn text(session: &Session) -> Option<String> {
    if session.is_untouched() {
        return None;
    }
    let terms = serde_json::to_string(&session.game.terms).ok()?;
    Some(format!("{terms}\n{}", session.sgf()))
}
