//! The game on the board is kept in a file while it is played, and is there again after a crash: the terms of the game as
//! JSON on the first line, then the game as SGF.

use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::record::file;
use crate::system;
use anyhow::Context as _;
use parking_lot::Mutex;
use tengen_nn::files::user_folder;

use super::board_state::BoardState;
use super::game::Kept;
use super::session::Session;

/// Minimum interval between two writes.
const INTERVAL: Duration = Duration::from_secs(2);

/// The file of the game, and its lock once this board has it.
pub(super) type Place = (PathBuf, Option<File>);

/// Takes up what is kept in a file, and returns its place: the usual one if none is named, `None` for `off`.
///
/// # Errors
/// For a named file, as [`recall_named`].
pub(super) fn open(session: &mut Session, named: Option<PathBuf>) -> anyhow::Result<Option<Place>> {
    if let Some(path) = named {
        if path.as_os_str() == "off" {
            return Ok(None);
        }
        let name = || format!("--autosave {}", path.display());
        let held = recall_named(session, &path).with_context(name)?;
        return Ok(Some((path, Some(held))));
    }
    let Some(path) = usual_file() else {
        log::warn!(
            "the game is not kept, as neither XDG_STATE_HOME nor HOME names a folder (on Windows LOCALAPPDATA): \
             --autosave FILE keeps it"
        );
        return Ok(None);
    };
    let file = path.display();
    let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
    let held = match made.and_then(|()| lock(&path)) {
        Err(error) => {
            log::warn!("{file}: {error}; the game is not kept while that lasts");
            None
        }
        Ok(held) => {
            if let Err(error) = recall(session, &path) {
                let backup = beside(&path, ".bak");
                let backup = backup.display();
                log::warn!("{file}: {error:#}; when a game is played it becomes {backup}");
            }
            Some(held)
        }
    };
    Ok(Some((path, held)))
}

/// The usual file, in the user's folder for the state of programs.
fn usual_file() -> Option<PathBuf> {
    let folder = user_folder("XDG_STATE_HOME", ".local/state");
    Some(folder?.join("tengen").join("board.sgf"))
}

/// The same as [`recall`] with a file that the user has named: nothing but a kept game is overwritten.
///
/// # Errors
/// As [`recall`] and [`lock`], and where there is no such folder.
fn recall_named(session: &mut Session, path: &Path) -> anyhow::Result<File> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder {
        anyhow::ensure!(folder.is_dir(), "there is no folder {}", folder.display());
    }
    recall(session, path)
        .context("it has no game that tengen board has kept, and is not overwritten")?;
    Ok(lock(path)?)
}

/// Locks the file of a game for as long as this board runs: by a file beside it, which no save replaces.
///
/// # Errors
/// [`ErrorKind::ResourceBusy`] while another board has it; or the system's error.
fn lock(path: &Path) -> io::Result<File> {
    let path = beside(path, ".lock");
    let mut options = File::options();
    let file = options
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)?;
    match system::try_lock(&file, &path) {
        true => Ok(file),
        false => Err(io::Error::new(
            ErrorKind::ResourceBusy,
            "another tengen board keeps its game there",
        )),
    }
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
    let (kept, game) = bytes.split_at(end);
    let kept: Kept = serde_json::from_slice(kept).context("its first line")?;
    session.put_before(game, kept)
}

/// Keeps the game of a table in a file.
pub(super) struct Autosave {
    table: Arc<BoardState>,
    path: PathBuf,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    written: String,
    /// The lock of the file.
    held: Option<File>,
    /// Whether the file is one of this run.
    is_own: bool,
    has_failed: bool,
}

impl Autosave {
    pub(super) fn new(table: Arc<BoardState>, (path, held): Place) -> Autosave {
        let state = Mutex::new(State {
            written: file::read_text(&path).unwrap_or_default(),
            held,
            ..State::default()
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
        let taken = self.take(&mut state).map_err(file::FileError::from);
        let written = taken.and_then(|()| file::write(&self.path, text.as_bytes()));
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

    /// Locks the file, and copies that of another run, once.
    fn take(&self, state: &mut State) -> io::Result<()> {
        self.path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        if state.held.is_none() {
            state.held = Some(lock(&self.path)?);
        }
        if !state.is_own {
            match std::fs::copy(&self.path, beside(&self.path, ".bak")) {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => state.is_own = true,
            }
        }
        Ok(())
    }
}

/// The file with this ending after its name.
fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// What is written; nothing of a game in which nothing was done, so that the one before stays.
fn text(session: &Session) -> Option<String> {
    if session.is_untouched() {
        return None;
    }
    let (game, kept) = session.to_keep();
    let kept = serde_json::to_string(&kept).ok()?;
    Some(format!("{kept}\n{game}"))
}
