//! The game on the board is kept in a file while it is played, and is there again after a crash: the terms of the game as
//! JSON on the first line, then the game as SGF.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Context as _;
use parking_lot::Mutex;
use tengen::program;
use tengen::record::file;

use super::board_state::BoardState;
use super::game::NewGame;
use super::session::Session;

/// Minimum interval between two writes.
const INTERVAL: Duration = Duration::from_secs(2);

/// Interval of the check for Ctrl-C.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);

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

/// The same as [`recall`] with a file that the user has named: nothing but a kept game is overwritten.
///
/// # Errors
/// As [`recall`], and where there is no such folder.
pub(super) fn recall_named(session: &mut Session, path: &Path) -> anyhow::Result<()> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        anyhow::ensure!(folder.is_dir(), "there is no folder {}", folder.display());
    }
    recall(session, path)
        .context("it has no game that tengen board has kept, and is not overwritten")
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
    if bytes.is_empty() {
        return Ok(());
    }
    let end = bytes.iter().position(|&byte| byte == b'\n').unwrap_or(0);
    let (terms, game) = bytes.split_at(end);
    let terms: NewGame = serde_json::from_slice(terms).context("its first line")?;
    session.put_before(game, &terms)
}

/// Keeps the game of a table in a file.
pub(super) struct Autosave {
    table: Arc<BoardState>,
    path: PathBuf,
    state: Mutex<State>,
}

struct State {
    written: String,
    /// Whether the file is from an earlier run.
    is_old: bool,
    has_failed: bool,
}

impl Autosave {
    pub(super) fn new(table: Arc<BoardState>, path: PathBuf) -> Autosave {
        let written = file::read_text(&path).unwrap_or_default();
        let state = Mutex::new(State {
            written,
            is_old: path.exists(),
            has_failed: false,
        });
        Autosave { table, path, state }
    }

    /// Writes each change of the game, forever.
    pub(super) fn keep(&self) {
        loop {
            self.table.wait();
            std::thread::sleep(INTERVAL);
            // The game may have changed while it was written.
            while self.save() {
                std::thread::sleep(INTERVAL);
            }
        }
    }

    /// Writes the game when the program is asked to end, and ends it.
    pub(super) fn keep_at_the_end(&self, asked: &AtomicBool) {
        while !asked.load(Ordering::Relaxed) {
            std::thread::sleep(LOOK_INTERVAL);
        }
        self.save();
        if let Err(error) = program::end_as_interrupted() {
            log::warn!("{error}");
        }
        program::end(1)
    }

    /// Writes the game if it differs from what was written before; returns whether it was written.
    fn save(&self) -> bool {
        let mut state = self.state.lock();
        let Some(text) = self.table.look(text).filter(|text| *text != state.written) else {
            return false;
        };
        let folder = self.path.parent().map_or(Ok(()), std::fs::create_dir_all);
        let folder = folder.map_err(file::FileError::from);
        let aside = folder.and_then(|()| self.set_aside(&mut state));
        let written = aside.and_then(|()| file::write(&self.path, text.as_bytes()));
        match &written {
            Ok(()) => state.written = text,
            // Once is enough.
            Err(error) if !state.has_failed => {
                log::warn!("the game is not kept in {}: {error}", self.path.display());
            }
            Err(_) => {}
        }
        state.has_failed = written.is_err();
        written.is_ok()
    }

    /// Copies the file of an earlier run, once.
    fn set_aside(&self, state: &mut State) -> Result<(), file::FileError> {
        if state.is_old {
            match std::fs::copy(&self.path, backup(&self.path)) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error.into()),
                _ => state.is_old = false,
            }
        }
        Ok(())
    }
}

/// Where the file of an earlier run goes when this one has something to keep.
pub(super) fn backup(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".bak");
    name.into()
}

/// What is written; nothing of a game in which nothing was done, so that the one before stays.
fn text(session: &Session) -> Option<String> {
    if session.is_untouched() {
        return None;
    }
    let terms = serde_json::to_string(&session.game.terms).ok()?;
    Some(format!("{terms}\n{}", session.sgf()))
}
