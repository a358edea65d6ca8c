//! Access to files by GTP commands.

use std::io;
use std::path::{Component, Path, PathBuf};

use crate::record::GameRecord;
use crate::record::file::{self, FileError};

/// Access of `loadsgf`, `printsgf` and `tengen-ccgc`: unrestricted by default.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FileAccess {
    folder: Option<Folder>,
    read_only: bool,
}

/// A folder by two names.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Folder {
    /// As the user knows it: what clients send may begin with it.
    known: PathBuf,
    /// Without links, and on Windows with the prefix `\\?\`.
    real: PathBuf,
}

impl FileAccess {
    /// Restricts access to `folder` and its subfolders, by names relative to it; unrestricted
    /// without one. With `read_only` no file is written.
    ///
    /// # Errors
    /// If the folder does not exist or is not a folder.
    pub fn new(folder: Option<&Path>, read_only: bool) -> io::Result<FileAccess> {
        let folder = folder.map(Folder::new).transpose()?;
        Ok(FileAccess { folder, read_only })
    }

    /// Reads a game up to this many plays; an error message otherwise.
    pub(super) fn load(&self, name: &str, plays: usize) -> Result<GameRecord, String> {
        let path = self.resolve(name)?;
        file::read_sgf(&path, plays).map_err(|error| error.to_string())
    }

    /// Whether an accessible file has this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.resolve(name).is_ok_and(|path| path.exists())
    }

    /// Writes a game by `write`; an error message if that fails.
    pub(super) fn save(
        &self,
        name: &str,
        write: impl FnOnce(&Path) -> Result<(), FileError>,
    ) -> Result<(), String> {
        if self.read_only {
            return Err("file access is read-only here".to_owned());
        }
        let path = self.resolve(name)?;
        write(&path).map_err(|error| error.to_string())
    }

    /// The path of this name. Paths outside the folder are refused with the same message whether
    /// they exist or not.
    fn resolve(&self, name: &str) -> Result<PathBuf, String> {
        let Some(folder) = &self.folder else {
            return Ok(PathBuf::from(name));
        };
        let outside = || "it is outside the permitted folder".to_owned();
        let mut parts = Path::new(name).components();
        let climbs = parts.any(|part| part == Component::ParentDir);
        let path = folder.known.join(name);
        let names_folder = path.starts_with(&folder.known) || path.starts_with(&folder.real);
        if climbs || !names_folder {
            return Err(outside());
        }
        // Links may lead elsewhere. A file to be written may not exist yet.
        let real = path.canonicalize().or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => beside(&path),
            _ => Err(error),
        });
        match real {
            Ok(real) if real.starts_with(&folder.real) => Ok(real),
            Ok(_) => Err(outside()),
            Err(error) => Err(FileError::from(error).to_string()),
        }
    }
}

impl Folder {
    fn new(path: &Path) -> io::Result<Folder> {
        let real = path.canonicalize()?;
        if !real.is_dir() {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        let known = std::path::absolute(path)?;
        Ok(Folder { known, real })
    }
}

/// The path of a file that does not exist, with links in its folder resolved.
fn beside(path: &Path) -> io::Result<PathBuf> {
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => Ok(parent.canonicalize()?.join(name)),
        _ => Err(io::ErrorKind::NotFound.into()),
    }
}
