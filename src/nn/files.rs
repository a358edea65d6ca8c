//! Opens files that users name. Only regular files of bounded size are accepted: a FIFO, a device
//! or a folder is an error at once, and no read is unbounded.

#[cfg(any(test, feature = "testing"))]
#[doc(hidden)]
pub mod scratch;

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use thiserror::Error;

/// The user's folder for files of a kind: the one that this variable names, or this one below the home folder; on Windows
/// that for local data. Relative paths are ignored, as the XDG specification demands; `None` where there is no other.
pub fn user_folder(variable: &str, below_home: &str) -> Option<PathBuf> {
    let folder = |name: &str| {
        let path = std::env::var_os(name).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    match cfg!(windows) {
        true => folder("LOCALAPPDATA"),
        false => folder(variable).or_else(|| Some(folder("HOME")?.join(below_home))),
    }
}

/// Why a file was not opened or read.
#[derive(Debug, Error)]
pub enum OpenError {
    /// The path is not a regular file; the text names its kind, with article.
    #[error("it is {0}, not a file")]
    NotRegular(&'static str),
    /// The file is larger than the limit.
    #[error("it has {}, at most {} are read", size(*len), size(*most))]
    TooLarge {
        /// Size in bytes, as far as it was counted.
        len: u64,
        /// Limit in bytes.
        most: u64,
    },
    /// Error of the operating system.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Opens a regular file of at most `most` bytes; returns it with its size.
///
/// # Errors
/// [`OpenError`] when there is no such file or the system refuses.
pub fn open(path: &Path, most: u64) -> Result<(File, u64), OpenError> {
    // Checked before opening: opening a FIFO blocks until a writer appears.
    check(&path.metadata()?, most)?;
    let file = File::open(path)?;
    let len = check(&file.metadata()?, most)?;
    Ok((file, len))
}

/// Reads a regular file of at most `most` bytes.
///
/// # Errors
/// As [`open`].
pub fn read(path: &Path, most: u64) -> Result<Vec<u8>, OpenError> {
    let (file, len) = open(path, most)?;
    let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or_default());
    // The file may grow while it is read.
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    let len = bytes.len() as u64;
    if len > most {
        return Err(OpenError::TooLarge { len, most });
    }
    Ok(bytes)
}

fn check(metadata: &std::fs::Metadata, most: u64) -> Result<u64, OpenError> {
    let kind = metadata.file_type();
    if !kind.is_file() {
        return Err(OpenError::NotRegular(name(kind)));
    }
    let len = metadata.len();
    if len > most {
        return Err(OpenError::TooLarge { len, most });
    }
    Ok(len)
}

/// Kind of a path that is not a regular file, with article.
fn name(kind: std::fs::FileType) -> &'static str {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;
        if kind.is_fifo() {
            return "a FIFO";
        }
        if kind.is_socket() {
            return "a socket";
        }
        if kind.is_char_device() || kind.is_block_device() {
            return "a device";
        }
    }
    if kind.is_dir() {
        "a folder"
    } else {
        "something else"
    }
}

fn size(bytes: u64) -> String {
    let (mib, gib) = (1 << 20, 1 << 30);
    if bytes >= gib {
        format!("{:.1} GiB", bytes as f64 / gib as f64)
    } else {
        format!("{:.1} MiB", bytes as f64 / mib as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_refused(path: &Path, part: &str) {
        let error = read(path, 100).expect_err("it is no such file").to_string();
        assert!(error.contains(part), "{error}");
    }

    #[test]
    fn what_is_no_file_of_fitting_size_is_named() {
        let folder = std::env::temp_dir();
        check_refused(&folder, "it is a folder, not a file");
        check_refused(&folder.join("tengen-is-not-here"), "");
        #[cfg(unix)]
        check_refused(Path::new("/dev/zero"), "it is a device");
        let path = folder.join(format!("tengen-files-{}", std::process::id()));
        let file = File::create(&path).expect("the folder is writable");
        // A sparse file: nothing is written.
        file.set_len(50 << 30).expect("sparse files are usual");
        check_refused(&path, "it has 50.0 GiB, at most 0.0 MiB are read");
        file.set_len(3).expect("it is ours");
        assert_eq!(read(&path, 100).expect("it is readable"), [0; 3]);
        std::fs::remove_file(&path).expect("it is ours");
    }
}
