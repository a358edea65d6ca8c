//! Locks, renaming, new files, durable writes, and where temporary files go.

use std::fs::{File, TryLockError};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// This user's folder in the system's folder for temporary files, which users of one machine share. It is not used if
/// another user has made it, or can write to it: a new one serves until the program ends.
#[cfg(unix)]
pub fn own_temporary_folder() -> PathBuf {
    use std::sync::OnceLock;

    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let own = || own_folder_in(&std::env::temp_dir());
    FOLDER.get_or_init(own).clone()
}

#[cfg(unix)]
fn own_folder_in(shared: &Path) -> PathBuf {
    use std::fs::DirBuilder;
    use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};

    let user = rustix::process::getuid().as_raw();
    let usual = shared.join(format!("tengen-{user}"));
    // Its user is told why it could not be made.
    let make = |folder| drop(DirBuilder::new().recursive(true).mode(0o700).create(folder));
    make(&usual);
    let is_own = |found: std::fs::Metadata| {
        let is_shared = found.mode() & 0o022 > 0;
        found.is_dir() && found.uid() == user && !is_shared
    };
    match usual.symlink_metadata().map(is_own) {
        Ok(true) | Err(_) => usual,
        Ok(false) => {
            let number = getrandom::u64().unwrap_or(std::process::id().into());
            let fresh = shared.join(format!("tengen-{user}-{number:016x}"));
            log::warn!(
                "{} is not used, as another user made it or can write to it: temporary files go to {}",
                usual.display(),
                fresh.display()
            );
            make(&fresh);
            fresh
        }
    }
}

/// This user's folder for temporary files.
#[cfg(not(unix))]
pub fn own_temporary_folder() -> PathBuf {
    std::env::temp_dir().join("tengen")
}

/// Name prefix of files that are being written, and of leftovers of a killed process.
pub const UNFINISHED: &str = ".unfinished-";

/// Writes a new file for [`rename`], to the disk if it is to be durable; returns its path. Its name cannot be foreseen,
/// and nothing that is there is followed or overwritten: in a folder where others may write, one of them could have put a
/// link in its place.
///
/// # Errors
/// The system's error; no file is left then.
pub fn write_unfinished(folder: &Path, bytes: &[u8], is_durable: bool) -> io::Result<PathBuf> {
    let number = getrandom::u64().map_err(|error| io::Error::other(error.to_string()))?;
    let path = folder.join(format!("{UNFINISHED}{number:016x}"));
    let mut file = File::create_new(&path)?;
    let written = file.write_all(bytes).and_then(|()| match is_durable {
        true => file.sync_all(),
        false => Ok(()),
    });
    match written {
        Ok(()) => Ok(path),
        Err(error) => {
            let _ = std::fs::remove_file(&path);
            Err(error)
        }
    }
}

/// Writes a file under another name and renames it: the old content is lost only when all of the new one is written.
///
/// # Errors
/// The system's error; the old file is there then.
pub fn replace(path: &Path, bytes: &[u8], is_durable: bool) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let unfinished = write_unfinished(folder, bytes, is_durable)?;
    let renamed = rename(&unfinished, path);
    if renamed.is_err() {
        let _ = std::fs::remove_file(&unfinished);
    }
    renamed
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
    use tengen_nn::files::scratch::Scratch;

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

    #[cfg(unix)]
    #[test]
    fn a_temporary_folder_of_another_user_is_not_used() {
        use std::os::unix::fs::{PermissionsExt as _, symlink};

        let scratch = Scratch::new("system-own");
        let shared = scratch.path();
        let usual = own_folder_in(shared);
        let mode = |folder: &Path| std::fs::metadata(folder).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&usual), &own_folder_in(shared)), (0o700, &usual));
        std::fs::set_permissions(&usual, std::fs::Permissions::from_mode(0o777)).unwrap();
        let fresh = own_folder_in(shared);
        assert_eq!((fresh != usual, mode(&fresh)), (true, 0o700));
        std::fs::remove_dir(&usual).unwrap();
        symlink(&fresh, &usual).unwrap();
        let another = own_folder_in(shared);
        assert!(another != usual && another != fresh && !another.is_symlink());
    }

    #[test]
    fn a_new_file_is_under_a_name_that_cannot_be_foreseen() {
        let scratch = Scratch::new("system-new");
        let write = || write_unfinished(scratch.path(), b"new", false).unwrap();
        let [one, other] = [write(), write()];
        assert_ne!(one, other);
        let target = scratch.path().join("file");
        for content in ["old", "new"] {
            replace(&target, content.as_bytes(), true).unwrap();
            assert_eq!(std::fs::read_to_string(&target).unwrap(), content);
        }
        // A folder is not replaced by a file.
        let folder = scratch.path().join("folder");
        std::fs::create_dir(&folder).unwrap();
        assert!(replace(&folder, b"new", false).is_err());
        assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count(), 4);
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
