//! Locks, renaming, durable writes, and where temporary files go.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// This user's folder in the system's folder for temporary files, which users of one machine share:
/// what one of them has made there, another cannot write to.
#[cfg(unix)]
pub fn own_temporary_folder() -> PathBuf {
    let user = rustix::process::getuid().as_raw();
    std::env::temp_dir().join(format!("tengen-{user}"))
}

/// This user's folder for temporary files.
#[cfg(not(unix))]
pub fn own_temporary_folder() -> PathBuf {
    std::env::temp_dir().join("tengen")
}

/// Locks what [`open_to_lock`] has opened until it is closed; false when another process holds the
/// lock. Some network file systems do not support locks; the folder can be used all the same.
pub fn try_lock(file: &File, path: &Path) -> bool {
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

/// Opens the file or folder itself to hold its lock.
#[cfg(unix)]
pub fn open_to_lock(path: &Path) -> io::Result<File> {
    // Network file systems lock only writable files; a folder is never writable.
    let is_folder = path.is_dir();
    File::options().read(true).write(!is_folder).open(path)
}

/// Opens the file that holds the lock of a file or folder: another file, in the folder or beside
/// the file. Windows cannot open folders, and other programs cannot read a locked file there.
#[cfg(not(unix))]
pub fn open_to_lock(path: &Path) -> io::Result<File> {
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

/// Writes the names in a folder to the disk; those of new and renamed files are not durable before.
#[cfg(unix)]
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    File::open(folder)?.sync_all()
}

/// On Windows the name of a synced file is durable, too: the journal of NTFS keeps the order.
#[cfg(not(unix))]
pub fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Renames a file, replacing an existing file of that name.
///
/// # Errors
/// The system's error.
#[cfg(not(windows))]
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    std::fs::rename(from, to)
}

/// Renames a file, replacing an existing file of that name. On Windows that fails while another
/// program has one of them open, as virus scanners and indexers do for a moment with every new
/// file: it is tried again for up to two seconds.
///
/// # Errors
/// The system's error.
#[cfg(windows)]
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
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
        // A process that another test starts has a copy of the handle until it runs its program.
        let again = (0..200).any(|_| {
            std::thread::sleep(std::time::Duration::from_millis(5));
            try_lock(&second, &path)
        });
        assert!(again);
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
        // As a virus scanner opens it: without sharing.
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
