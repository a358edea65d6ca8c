//! The game on the board is kept in a file while it is played, and is there again after a crash: the terms of the game as
//! JSON on the first line, then the game as SGF.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use parking_lot::Mutex;
use tengen::record::file;
use tengen_nn::files::user_folder;

use super::board_state::BoardState;
use super::game::NewGame;
use super::session::Session;

/// Minimum interval between two writes.
const INTERVAL: Duration = Duration::from_secs(2);

/// Takes up what is kept in a file, and returns the file: the usual one if none is named, `None` for `off`.
///
/// # Errors
/// For a named file, as [`recall_named`].
pub(super) fn open(
    session: &mut Session,
    named: Option<PathBuf>,
) -> anyhow::Result<Option<PathBuf>> {
    if let Some(path) = named {
        if path.as_os_str() == "off" {
            return Ok(None);
        }
        let name = || format!("--autosave {}", path.display());
        recall_named(session, &path).with_context(name)?;
        return Ok(Some(path));
    }
    let usual = usual_file();
    match &usual {
        None => log::warn!(
            "the game is not kept, as neither XDG_STATE_HOME nor HOME names a folder (on Windows LOCALAPPDATA): \
             --autosave FILE keeps it"
        ),
        Some(path) => {
            if let Err(error) = recall(session, path) {
                let (file, backup) = (path.display(), backup(path));
                let backup = backup.display();
                log::warn!("{file}: {error:#}; when a game is played it becomes {backup}");
            }
        }
    }
    Ok(usual)
}

/// The usual file, in the user's folder for the state of programs.
fn usual_file() -> Option<PathBuf> {
    let folder = user_folder("XDG_STATE_HOME", ".local/state");
    Some(folder?.join("tengen").join("board.sgf"))
}

/// The same as [`recall`] with a file that the user has named: nothing but a kept game is overwritten.
///
/// # Errors
/// As [`recall`], and where there is no such folder.
fn recall_named(session: &mut Session, path: &Path) -> anyhow::Result<()> {
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
fn recall(session: &mut Session, path: &Path) -> anyhow::Result<()> {
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
            // The game may have changed while it was written, and a full disk may have room again.
            while self.save() {
                std::thread::sleep(INTERVAL);
            }
        }
    }

    /// Writes the game if it differs from what was written before; returns whether it does.
    pub(super) fn save(&self) -> bool {
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
        true
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
fn backup(path: &Path) -> PathBuf {
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
