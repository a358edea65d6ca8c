//! Locks, renaming, and what is safe on the disk.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;

/// Locks what [`open_to_lock`] has opened until it is closed; false when another process has it. Some
/// network file systems know no locks; one may work there all the same.
pub(crate) fn try_lock(file: &File, path: &Path) -> bool {
    match file.try_lock() {
        Ok(()) => true,
        Err(TryLockError::WouldBlock) => false,
        Err(TryLockError::Error(error)) => {
            log::warn!(
                "{} cannot be locked ({error}): make sure that no other process works in it",
                path.display()
            );
            true
        }
    }
}

/// Opens what carries the lock of a file or folder that is there: itself.
#[cfg(unix)]
pub(crate) fn open_to_lock(path: &Path) -> io::Result<File> {
    // Network file systems lock only what may be written; a folder never may.
    let is_folder = path.is_dir();
    File::options().read(true).write(!is_folder).open(path)
}

/// Opens what carries the lock of a file or folder: another file, in the folder or beside the file.
/// Windows opens no folders, and a file that is locked cannot be read by other programs there.
#[cfg(not(unix))]
pub(crate) fn open_to_lock(path: &Path) -> io::Result<File> {
    let lock = if path.is_dir() {
        path.join(".lock")
    } else {
        let mut name = path.as_os_str().to_owned();
        name.push(".lock");
        name.into()
    };
    let mut options = File::options();
    options.create(true).truncate(false).write(true);
    options.open(lock)
}

/// Puts the names of a folder's files on the disk; those of new and renamed ones are only safe then.
#[cfg(unix)]
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// On Windows a synced file has its name on the disk, too: the journal of NTFS keeps the order.
#[cfg(not(unix))]
pub(crate) fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Gives a file another name, in place of the file that may have had it.
///
/// # Errors
/// As the system's.
#[cfg(not(windows))]
pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::rename(from, to)
}

/// Gives a file another name, in place of the file that may have had it. On Windows that fails while
/// another program has one of them open, as virus scanners and indexers do for a moment with every
/// new file: it is tried again for up to two seconds.
///
/// # Errors
/// As the system's.
#[cfg(windows)]
pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    use std::time::Duration;

    /// `ERROR_ACCESS_DENIED`, `ERROR_SHARING_VIOLATION` and `ERROR_LOCK_VIOLATION` of the Windows API.
    const HELD: [i32; 3] = [5, 32, 33];
    // 8, 16, 32 ... 1024 ms: 2 s together.
    for wait in (0..8).map(|i| Duration::from_millis(8 << i)) {
        match std::fs::rename(from, to) {
            Err(error)
                if error
                    .raw_os_error()
                    .is_some_and(|code| HELD.contains(&code)) =>
            {
                std::thread::sleep(wait);
            }
            done => return done,
        }
    }
    std::fs::rename(from, to)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_locked_file_can_be_read_and_not_locked_again() {
        let path = std::env::temp_dir().join(format!("tengen-lock-{}", std::process::id()));
        std::fs::write(&path, "text").unwrap();
        let first = open_to_lock(&path).unwrap();
        assert!(try_lock(&first, &path));
        let second = open_to_lock(&path).unwrap();
        assert!(!try_lock(&second, &path));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "text");
        drop(first);
        assert!(try_lock(&second, &path));
        std::fs::remove_file(&path).unwrap();
    }

    #[cfg(windows)]
    #[test]
    fn a_file_that_is_held_for_a_moment_is_replaced() {
        use std::os::windows::fs::OpenOptionsExt as _;
        use std::time::Duration;

        let folder = std::env::temp_dir();
        let name = |end| folder.join(format!("tengen-held-{}-{end}", std::process::id()));
        let (from, to) = (name("new"), name("old"));
        std::fs::write(&from, "new").unwrap();
        std::fs::write(&to, "old").unwrap();
        // As a virus scanner opens it: it shares nothing.
        let held = File::options().read(true).share_mode(0).open(&to).unwrap();
        assert!(std::fs::rename(&from, &to).is_err());
        let holder = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(300));
            drop(held);
        });
        rename(&from, &to).unwrap();
        holder.join().unwrap();
        assert_eq!(std::fs::read_to_string(&to).unwrap(), "new");
        std::fs::remove_file(&to).unwrap();
    }
}
