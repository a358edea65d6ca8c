//! Record files: reads SGF of any origin, and writes files atomically.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read as _};
use std::path::{Path, PathBuf};

use thiserror::Error;

use super::sgf::{self, SgfError};
use super::{Charset, GameRecord, ccgc, charset};
use crate::system;
use tengen_nn::files::{self, OpenError};

/// Maximum size of a file in MiB.
const MAX_MIB: u64 = 16;

/// Why a file was not read or not written.
#[derive(Debug, Error)]
pub enum FileError {
    /// There is no such file.
    #[error("no such file")]
    Missing,
    /// The folder to write into does not exist.
    #[error("no such folder")]
    NoFolder,
    /// A folder, a device or a pipe: reading or writing one might never end.
    #[error("it is not a regular file, but a folder, a device or a pipe")]
    NotRegular,
    /// Larger than games and settings are.
    #[error("it is larger than {MAX_MIB} MiB")]
    TooLarge,
    /// The text is not a game.
    #[error(transparent)]
    Sgf(#[from] SgfError),
    /// A file of that name exists which is of another kind and would be lost.
    #[error("there is a file of this name that is not {0}")]
    OtherFile(&'static str),
    /// Error of the operating system.
    #[error(transparent)]
    Io(io::Error),
}

impl From<io::Error> for FileError {
    fn from(error: io::Error) -> FileError {
        match error.kind() {
            ErrorKind::NotFound => FileError::Missing,
            _ => FileError::Io(error),
        }
    }
}

/// Reads an SGF file up to this many plays, in any encoding.
///
/// # Errors
/// [`FileError`] if the file does not exist, is not regular, is too large, or is not a game.
pub fn read_sgf(path: &Path, plays: usize) -> Result<GameRecord, FileError> {
    Ok(sgf::read_until(&sgf::decode(&read_bytes(path)?), plays)?)
}

/// Reads a text file of moderate size, in any encoding.
///
/// # Errors
/// [`FileError`] if the file does not exist, is not regular, or is too large.
pub fn read_text(path: &Path) -> Result<String, FileError> {
    Ok(charset::decode(&read_bytes(path)?, None))
}

/// Reads a text file of moderate size, or what comes from a pipe such as /dev/stdin, in any encoding.
///
/// # Errors
/// [`FileError`] if the file does not exist, is a folder, or is too large.
pub fn read_text_or_pipe(path: &Path) -> Result<String, FileError> {
    let is_pipe = |found: Metadata| !found.is_file() && !found.is_dir();
    if !path.metadata().is_ok_and(is_pipe) {
        return read_text(path);
    }
    let (most, mut bytes) = (MAX_MIB << 20, Vec::new());
    // A device may give them without end.
    let mut pipe = File::open(path)?.take(most + 1);
    match pipe.read_to_end(&mut bytes)? as u64 > most {
        true => Err(FileError::TooLarge),
        false => Ok(charset::decode(&bytes, None)),
    }
}

/// Reads a file of moderate size.
///
/// # Errors
/// [`FileError`] when there is no such file, it is not a regular one, or too large.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, FileError> {
    files::read(path, MAX_MIB << 20).map_err(|error| match error {
        OpenError::NotRegular(_) => FileError::NotRegular,
        OpenError::TooLarge { .. } => FileError::TooLarge,
        OpenError::Io(error) => error.into(),
    })
}

/// Creates a folder if necessary, and checks whether files can be written there.
///
/// # Errors
/// Errors of the operating system.
pub fn check_folder(folder: &Path) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    std::fs::remove_file(system::write_unfinished(folder, &[], false)?)
}

/// Writes an SGF file; an existing SGF file is replaced.
///
/// # Errors
/// [`FileError::OtherFile`] if a file of another kind exists, and the errors of [`write()`].
pub fn write_sgf(path: &Path, text: &str) -> Result<(), FileError> {
    let is_sgf = |old: &Path| read_bytes(old).is_ok_and(|old| sgf::is_game(&sgf::decode(&old)));
    check_kind(path, "SGF", is_sgf)?;
    write(path, text.as_bytes())
}

/// Writes a record of the China Computer Game Championship in this encoding; an existing one is replaced.
///
/// # Errors
/// As [`write_sgf`].
pub fn write_ccgc(path: &Path, text: &str, charset: Charset) -> Result<(), FileError> {
    let is_record = |old: &Path| read_text(old).is_ok_and(|old| ccgc::is_record(&old));
    check_kind(path, "such a record", is_record)?;
    write(path, &charset.encode(text))
}

/// Replaces a file, whose old content is lost only when all of the new one is written.
///
/// # Errors
/// [`FileError`] if the path is not a regular, writable file, or on errors of the operating system.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    system::replace(&target(path)?, bytes, false).map_err(unwritten)
}

/// Checks that [`write()`] can replace a file: an error now is better than one after hours of work. Leaves all as it is.
///
/// # Errors
/// As [`write()`].
pub fn check(path: &Path) -> Result<(), FileError> {
    let target = target(path)?;
    let folder = target.parent().unwrap_or(Path::new(""));
    let tried = system::write_unfinished(folder, &[], false).and_then(std::fs::remove_file);
    tried.map_err(unwritten)
}

/// As [`check()`], also that a file there is empty or of the same kind as the new one, which errors name.
///
/// # Errors
/// [`FileError::OtherFile`] if it is of another kind, and the errors of [`check()`].
pub fn check_kind(
    path: &Path,
    kind: &'static str,
    is_kind: impl FnOnce(&Path) -> bool,
) -> Result<(), FileError> {
    check(path)?;
    match path.metadata() {
        Ok(old) if old.len() > 0 && !is_kind(path) => Err(FileError::OtherFile(kind)),
        _ => Ok(()),
    }
}

/// The file to replace: of a link its target is the intended one.
fn target(path: &Path) -> Result<PathBuf, FileError> {
    let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    match std::fs::metadata(&target) {
        Ok(old) if !old.is_file() => return Err(FileError::NotRegular),
        Ok(old) if old.permissions().readonly() => {
            return Err(FileError::Io(ErrorKind::PermissionDenied.into()));
        }
        _ => {}
    }
    if target.file_name().is_none() {
        return Err(FileError::NotRegular);
    }
    Ok(target)
}

fn unwritten(error: io::Error) -> FileError {
    match error.kind() {
        ErrorKind::NotFound => FileError::NoFolder,
        _ => FileError::Io(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_nn::files::scratch::Scratch;

    #[test]
    fn what_was_written_is_read_and_replaced() {
        let folder = Scratch::new("record-replace");
        let path = folder.path().join("game.sgf");
        for size in [5, 7] {
            write_sgf(&path, &format!("(;SZ[{size}])")).expect("it is writable");
            let record = read_sgf(&path, usize::MAX).expect("it is SGF");
            assert_eq!(record.size.width, size);
        }
        let text = read_text(&path).expect("text");
        check(&path).expect("it is writable");
        check(&folder.path().join("new.sgf")).expect("it could be made");
        let nowhere = check(&folder.path().join("none").join("new.sgf"));
        assert!(matches!(nowhere, Err(FileError::NoFolder)), "{nowhere:?}");
        assert_eq!(read_text(&path).expect("text"), text);
        let left = std::fs::read_dir(folder.path()).expect("readable");
        assert_eq!(left.count(), 1);
    }

    #[test]
    fn a_record_of_the_championship_is_in_gbk_and_replaced() {
        let folder = Scratch::new("record-ccgc");
        let path = folder.path().join("game.txt");
        for text in ["{[C5][先手参赛队 B]}\n", "([NG][先手参赛队 B])\n"] {
            write_ccgc(&path, text, Charset::gbk()).expect("it is writable");
            let bytes = std::fs::read(&path).expect("readable");
            assert_eq!(bytes, Charset::gbk().encode(text));
        }
    }

    #[test]
    fn a_link_under_the_old_temporary_name_leads_nowhere() {
        let folder = Scratch::new("record-planted");
        let victim = folder.path().join("victim");
        std::fs::write(&victim, "mine").expect("it is writable");
        for name in [".game.sgf.", ".tengen."] {
            let planted = format!("{name}{}.part", std::process::id());
            std::fs::hard_link(&victim, folder.path().join(planted)).expect("a link");
        }
        check_folder(folder.path()).expect("it is writable");
        write_sgf(&folder.path().join("game.sgf"), "(;)").expect("it is writable");
        assert_eq!(read_text(&victim).expect("text"), "mine");
    }

    #[test]
    fn other_files_are_left_alone() {
        let folder = Scratch::new("record-other");
        let path = folder.path().join("notes.txt");
        for text in [
            "remember the milk",
            "(remember (the milk))",
            "(see (;B[aa]))",
        ] {
            std::fs::write(&path, text).expect("it is writable");
            let error = write_sgf(&path, "(;)").expect_err("it is no game");
            assert!(matches!(error, FileError::OtherFile("SGF")), "{error}");
            let error = write_ccgc(&path, "([NG])", Charset::gbk()).expect_err("it is no record");
            assert!(
                matches!(error, FileError::OtherFile("such a record")),
                "{error}"
            );
            assert_eq!(read_text(&path).expect("text"), text);
        }
        let refused = [
            read_sgf(folder.path(), 1).map(drop),
            write_sgf(folder.path(), "(;)"),
            write(folder.path(), b"(;)"),
            check(folder.path()),
        ];
        for result in refused {
            assert!(matches!(result, Err(FileError::NotRegular)), "{result:?}");
        }
        let missing = read_sgf(&folder.path().join("none.sgf"), 1);
        assert!(matches!(missing, Err(FileError::Missing)), "{missing:?}");
    }

    #[test]
    fn a_file_is_replaced_by_one_of_its_kind() {
        let folder = Scratch::new("record-kind");
        let path = folder.path().join("file");
        let is_book = |old: &Path| read_text(old).is_ok_and(|old| old.starts_with("book"));
        check_kind(&path, "a book", is_book).expect("there is none");
        for (old, is_replaced) in [("", true), ("book of mine", true), ("notes", false)] {
            std::fs::write(&path, old).expect("it is writable");
            let checked = check_kind(&path, "a book", is_book);
            assert_eq!(checked.is_ok(), is_replaced, "{old}: {checked:?}");
        }
    }

    #[test]
    fn a_huge_file_is_refused_without_reading_it_all() {
        let folder = Scratch::new("record-huge");
        let path = folder.path().join("huge.sgf");
        let file = std::fs::File::create(&path).expect("the folder is writable");
        // A sparse file: it takes no space.
        file.set_len(1 << 40).expect("holes are allowed");
        let error = read_sgf(&path, 1).expect_err("it is huge");
        assert!(matches!(error, FileError::TooLarge), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_device_is_read_up_to_a_limit_and_a_folder_not_at_all() {
        let read = |path: &str| read_text_or_pipe(Path::new(path));
        assert_eq!(read("/dev/null").expect("it is empty"), "");
        let endless = read("/dev/zero");
        assert!(matches!(endless, Err(FileError::TooLarge)), "{endless:?}");
        let folder = read("/dev");
        assert!(matches!(folder, Err(FileError::NotRegular)), "{folder:?}");
    }

    #[test]
    fn a_protected_file_stays() {
        let folder = Scratch::new("record-protected");
        let path = folder.path().join("game.sgf");
        std::fs::write(&path, "(;C[mine])").expect("it is writable");
        let mut permissions = std::fs::metadata(&path).expect("it is there").permissions();
        permissions.set_readonly(true);
        std::fs::set_permissions(&path, permissions).expect("it is ours");
        for refused in [write_sgf(&path, "(;)"), check(&path)] {
            assert!(matches!(refused, Err(FileError::Io(_))), "{refused:?}");
        }
    }
}
