//! Which files a conversation may touch.

use std::io;
use std::path::{Component, Path, PathBuf};

use crate::record::GameRecord;
use crate::record::file::{self, FileError};

/// What `loadsgf` and `printsgf` may touch: everything the system allows, unless said otherwise.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileAccess {
    folder: Option<PathBuf>,
    read_only: bool,
}

impl FileAccess {
    /// Only files in `folder` and the folders in it, by names relative to it; all if there is none.
    /// With `read_only` none is written.
    ///
    /// # Errors
    /// When the folder is not there or is none.
    pub fn new(folder: Option<&Path>, read_only: bool) -> io::Result<FileAccess> {
        let folder = folder.map(Path::canonicalize).transpose()?;
        if folder.as_ref().is_some_and(|folder| !folder.is_dir()) {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        Ok(FileAccess { folder, read_only })
    }

    /// Reads a game up to this many plays, or says why not.
    pub(super) fn load(&self, name: &str, plays: usize) -> Result<GameRecord, String> {
        let path = self.resolve(name)?;
        file::read_sgf(&path, plays).map_err(|error| error.to_string())
    }

    /// Whether there is something of this name that may be touched.
    pub(super) fn has(&self, name: &str) -> bool {
        self.resolve(name).is_ok_and(|path| path.exists())
    }

    /// Writes a game, or says why not.
    pub(super) fn save(&self, name: &str, sgf: &str) -> Result<(), String> {
        if self.read_only {
            return Err("files are read only here".to_owned());
        }
        let path = self.resolve(name)?;
        file::write_sgf(&path, sgf).map_err(|error| error.to_string())
    }

    /// The file of this name. What lies outside the folder is refused in the same words whether it
    /// is there or not.
    fn resolve(&self, name: &str) -> Result<PathBuf, String> {
        let Some(folder) = &self.folder else {
            return Ok(PathBuf::from(name));
        };
        let outside = || "it is outside the folder that files may be in".to_owned();
        let path = folder.join(name);
        let climbs = path.components().any(|part| part == Component::ParentDir);
        if climbs || !path.starts_with(folder) {
            return Err(outside());
        }
        // Links may lead elsewhere. A file that is to be written may not be there yet.
        let real = path.canonicalize().or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => beside(&path),
            _ => Err(error),
        });
        match real {
            Ok(real) if real.starts_with(folder) => Ok(real),
            Ok(_) => Err(outside()),
            Err(error) => Err(FileError::from(error).to_string()),
        }
    }
}

/// The name of a file that is not there, its folder without links.
fn beside(path: &Path) -> io::Result<PathBuf> {
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => Ok(parent.canonicalize()?.join(name)),
        _ => Err(io::ErrorKind::NotFound.into()),
    }
}
