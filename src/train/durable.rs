//! Files that survive `kill -9` and power failures: written under a temporary name, synced,
//! renamed. And the lock of a folder.
//!
//! A file saved by [`save`] has the checksum of its content in its name, so that a damaged or
//! incomplete file is recognised before parsing; others may have it inside (`checksum`).

pub(crate) mod checksum;

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use crate::TrainError;
use tengen::fnv;
use tengen::system::{UNFINISHED, open_to_lock, replace, sync_folder, try_lock};

/// Between two attempts to write on a full disk; tests do not wait.
const ROOM_EVERY: Duration = Duration::from_secs(if cfg!(test) { 0 } else { 10 });

/// Attempts after the first one: an hour of them, as long as a store is waited for.
const ROOM_ATTEMPTS: u32 = 360;

/// Number of writes that wait for room.
static WAITING: AtomicU32 = AtomicU32::new(0);

/// Whether a write waits for room: what it belongs to ends in order only when there is some.
pub(crate) fn waits_for_room() -> bool {
    WAITING.load(Ordering::Relaxed) > 0
}

/// Repeats a write while the disk is full: hours of work would end for a lack of room that may soon be made.
pub(crate) fn until_room<T>(
    path: &Path,
    mut attempt: impl FnMut() -> io::Result<T>,
) -> io::Result<T> {
    let mut waits = false;
    let mut attempts = (1..=ROOM_ATTEMPTS).rev();
    let done = loop {
        match (attempt(), attempts.next()) {
            (Err(error), Some(left)) if is_full(error.kind()) => {
                if left.is_power_of_two() || left == ROOM_ATTEMPTS {
                    log::warn!(
                        "{}: {error}; make room: nothing is lost, and it is tried again for {} s",
                        path.display(),
                        (ROOM_EVERY * left).as_secs()
                    );
                }
                if !waits {
                    WAITING.fetch_add(1, Ordering::Relaxed);
                    waits = true;
                }
                thread::sleep(ROOM_EVERY);
            }
            (done, _) => break done,
        }
    };
    if waits {
        WAITING.fetch_sub(1, Ordering::Relaxed);
    }
    done
}

/// Whether a write has failed for lack of room.
pub(crate) fn is_full(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::StorageFull | ErrorKind::QuotaExceeded)
}

/// Writes `bytes` to `path` so that after a crash either the old or the new content is there. Of a
/// symbolic link the target is written. If the disk is full, it waits for room.
///
/// # Errors
/// [`TrainError::Io`] names the file, [`TrainError::Setting`] what is none: a device, a pipe, a folder.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), TrainError> {
    match fs::metadata(path) {
        Ok(found) if !found.is_file() => {
            let reason = "it exists and is not a file; give another name";
            return Err(TrainError::mismatch(path, reason));
        }
        Err(error) if error.kind() != ErrorKind::NotFound => {
            return Err(TrainError::io(path)(error));
        }
        _ => {}
    }
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    // A circle of links has ended with an error above.
    if let Ok(target) = fs::read_link(path) {
        return write(&folder.join(target), bytes);
    }
    let written = until_room(path, || {
        replace(path, bytes, true)?;
        // The rename is only safe once the folder's entry is on disk.
        sync_folder(folder)
    });
    written.map_err(TrainError::io(path))
}

/// Writes `bytes` into `folder` as `<stem>.<checksum>.<extension>`; returns the path.
///
/// # Errors
/// [`TrainError::Io`] names the file.
pub fn save(
    folder: &Path,
    stem: &str,
    extension: &str,
    bytes: &[u8],
) -> Result<PathBuf, TrainError> {
    let path = folder.join(format!("{stem}.{:016x}.{extension}", fnv::hash(bytes)));
    write(&path, bytes)?;
    Ok(path)
}

/// Reads a file that [`save`] has written.
///
/// # Errors
/// [`TrainError::Corrupt`] when the content does not match the checksum in the file's name.
pub fn load(path: &Path) -> Result<Vec<u8>, TrainError> {
    let bytes = fs::read(path).map_err(TrainError::io(path))?;
    let found = format!("{:016x}", fnv::hash(&bytes));
    let stem = path.file_stem().map(Path::new);
    match stem.and_then(Path::extension).and_then(OsStr::to_str) {
        Some(expected) if expected == found => Ok(bytes),
        Some(expected) => Err(TrainError::corrupt(
            path,
            format!("its checksum is {found}, its name says {expected}"),
        )
        .advising("restore it from a copy, or delete it and run the command again")),
        None => Err(TrainError::corrupt(path, "its name carries no checksum")
            .advising("give it the name that it was written with")),
    }
}

/// The paths in a folder by name, ascending; none if it does not exist.
fn entries(folder: &Path) -> Result<Vec<PathBuf>, TrainError> {
    let all = match fs::read_dir(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        all => all.map_err(TrainError::io(folder))?,
    };
    let paths = all.map(|entry| entry.map(|entry| entry.path()));
    let mut paths = paths
        .collect::<io::Result<Vec<PathBuf>>>()
        .map_err(TrainError::io(folder))?;
    paths.sort();
    Ok(paths)
}

fn name_of(path: &Path) -> &str {
    path.file_name().and_then(OsStr::to_str).unwrap_or_default()
}

/// The finished files `<stem prefix>*.<extension>` of a folder by name, ascending; empty if the
/// folder does not exist.
///
/// # Errors
/// [`TrainError::Io`] when the folder cannot be read.
pub fn list(folder: &Path, prefix: &str, extension: &str) -> Result<Vec<PathBuf>, TrainError> {
    let mut found = entries(folder)?;
    found.retain(|path| {
        let name = name_of(path);
        let finished = !is_unfinished(name);
        finished && name.starts_with(prefix) && path.extension() == Some(OsStr::new(extension))
    });
    Ok(found)
}

/// The folders in a folder by name, ascending; none if it does not exist.
///
/// # Errors
/// [`TrainError::Io`] when the folder cannot be read.
pub fn folders(folder: &Path) -> Result<Vec<PathBuf>, TrainError> {
    let mut found = entries(folder)?;
    found.retain(|path| path.is_dir());
    Ok(found)
}

/// Of a folder and those in it, up to this depth, the deepest that has files with this extension, of equals the last by
/// name: in the folder of a run that of its newest generation.
pub fn folder_with(folder: &Path, extension: &str, depth: u32) -> Option<PathBuf> {
    let inner = match depth {
        0 => Vec::new(),
        _ => folders(folder).ok()?,
    };
    let inner = inner.iter();
    let deeper = inner.filter_map(|inner| folder_with(inner, extension, depth - 1));
    let deepest = deeper.max_by_key(|found| found.components().count());
    deepest.or_else(|| {
        let own = list(folder, "", extension).ok()?;
        (!own.is_empty()).then(|| folder.to_path_buf())
    })
}

/// What to give instead of a folder without such files, as the end of a message; nothing if there are none in it.
pub(crate) fn instead(folder: &Path, extension: &str) -> String {
    let found = folder_with(folder, extension, 3);
    found.map_or(String::new(), |found| {
        format!(" itself; give {}, which does", found.display())
    })
}

/// Creates a folder if missing and removes unfinished files of a killed process.
///
/// # Errors
/// [`TrainError::Io`] names the folder or file.
pub fn prepare_folder(folder: &Path) -> Result<(), TrainError> {
    make_folder(folder)?;
    remove_unfinished(folder)
}

/// Creates a folder if missing, also where room has to be made first.
pub(crate) fn make_folder(folder: &Path) -> Result<(), TrainError> {
    let made = until_room(folder, || fs::create_dir_all(folder));
    made.map_err(TrainError::io(folder))
}

/// Removes unfinished files of a killed process from a folder.
///
/// # Errors
/// [`TrainError::Io`] names the folder or file.
pub fn remove_unfinished(folder: &Path) -> Result<(), TrainError> {
    let mut found = entries(folder)?;
    found.retain(|path| is_unfinished(name_of(path)));
    remove(&found)
}

/// Whether a file of this name is the leftover of a killed process.
pub fn is_unfinished(name: &str) -> bool {
    name.starts_with(UNFINISHED)
}

/// Removes files.
///
/// # Errors
/// [`TrainError::Io`] names the file.
pub fn remove(paths: &[PathBuf]) -> Result<(), TrainError> {
    paths
        .iter()
        .try_for_each(|path| fs::remove_file(path).map_err(TrainError::io(path)))
}

/// Copies a file durably; creates the destination folder.
///
/// # Errors
/// [`TrainError::Io`] names the file.
pub fn copy(from: &Path, to: &Path) -> Result<(), TrainError> {
    if let Some(folder) = to.parent() {
        prepare_folder(folder)?;
    }
    let bytes = fs::read(from).map_err(TrainError::io(from))?;
    write(to, &bytes)
}

// A folder is used by one process at a time: two would mistake each other's unfinished files for
// leftovers of a crash, and would do the same work twice.

/// While this exists, no other [`lock_folder`] of this folder succeeds. The system releases it when
/// the process ends in any way.
#[derive(Debug)]
#[must_use]
pub struct FolderLock(#[expect(dead_code, reason = "open, it carries the lock")] File);

/// Prepares a folder (see [`prepare_folder`]) for exclusive use by this process.
///
/// # Errors
/// [`TrainError::Setting`] when another process uses it, [`TrainError::Io`] when it cannot be created
/// or read.
pub fn lock_folder(folder: &Path) -> Result<FolderLock, TrainError> {
    make_folder(folder)?;
    let opened = open_to_lock(folder).map_err(TrainError::io(folder))?;
    if !try_lock(&opened, folder) {
        return Err(TrainError::Setting(format!(
            "{}: another process works in this folder; wait for it, stop it, or choose another",
            folder.display()
        )));
    }
    remove_unfinished(folder)?;
    Ok(FolderLock(opened))
}

/// The files below a path, sorted by name; a file is below itself. Links are followed, and a folder is
/// entered once, however many of them lead to it. What is neither a file nor a folder is logged and
/// left out: a link to nothing, a pipe.
///
/// # Errors
/// [`TrainError::Io`] when a folder cannot be read.
pub fn files_below(path: &Path) -> Result<Vec<PathBuf>, TrainError> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let (mut files, mut entered) = (Vec::new(), HashSet::new());
    // Links after all folders, which so keep their own names.
    let (mut folders, mut links) = (vec![path.to_path_buf()], Vec::new());
    while let Some(folder) = folders.pop().or_else(|| links.pop()) {
        if !entered.insert(folder.canonicalize().map_err(TrainError::io(&folder))?) {
            continue;
        }
        for path in entries(&folder)? {
            match fs::metadata(&path) {
                Ok(found) if found.is_file() => files.push(path),
                Ok(found) if found.is_dir() && path.is_symlink() => links.push(path),
                Ok(found) if found.is_dir() => folders.push(path),
                Ok(_) => log::warn!(
                    "{}: left out, it is neither a file nor a folder",
                    path.display()
                ),
                Err(error) => log::warn!("{}: left out: {error}", path.display()),
            }
        }
    }
    files.sort();
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_nn::files::scratch::Scratch;

    #[test]
    fn saved_files_come_back_and_damage_is_named() {
        let scratch = Scratch::new("durable");
        let path = save(scratch.path(), "part", "bin", b"some bytes").unwrap();
        assert_eq!(load(&path).unwrap(), b"some bytes");
        assert_eq!(
            list(scratch.path(), "part", "bin").unwrap(),
            std::slice::from_ref(&path)
        );
        for damaged in [&b"some byteS"[..], b"some byte", b""] {
            fs::write(&path, damaged).unwrap();
            let message = load(&path).unwrap_err().to_string();
            assert!(
                message.contains("part") && message.contains("damaged"),
                "{message}"
            );
        }
    }

    #[test]
    fn a_full_disk_is_waited_for_and_other_failures_are_not() {
        let attempts = |failures: u32, kind: ErrorKind| {
            let mut made = 0;
            let done = until_room(Path::new("losses.jsonl"), || {
                made += 1;
                assert!(made == 1 || waits_for_room(), "so that Ctrl-C ends it");
                match made > failures {
                    true => Ok(()),
                    false => Err(kind.into()),
                }
            });
            (done.is_ok(), made)
        };
        assert_eq!(attempts(9, ErrorKind::StorageFull), (true, 10));
        assert_eq!(attempts(9, ErrorKind::QuotaExceeded), (true, 10));
        assert_eq!(attempts(1, ErrorKind::PermissionDenied), (false, 1));
        assert_eq!(
            attempts(u32::MAX, ErrorKind::StorageFull),
            (false, ROOM_ATTEMPTS + 1)
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_followed_and_what_is_no_file_stays() {
        use std::os::unix::{fs::symlink, net::UnixListener};

        let scratch = Scratch::new("durable-kinds");
        let place = |name: &str| scratch.path().join(name);
        fs::create_dir(place("folder")).unwrap();
        fs::write(place("folder/file"), b"old").unwrap();
        for (target, link) in [
            ("folder/file", "link"),
            ("link", "chain"),
            ("later", "dangling"),
        ] {
            symlink(target, place(link)).unwrap();
            write(&place(link), b"new").unwrap();
            assert!(place(link).is_symlink());
            assert_eq!(fs::read(place(link)).unwrap(), b"new");
        }
        assert_eq!(fs::read(place("folder/file")).unwrap(), b"new");
        let _socket = UnixListener::bind(place("socket")).unwrap();
        symlink("socket", place("to-socket")).unwrap();
        for name in ["folder", "socket", "to-socket"] {
            let message = write(&place(name), b"new").unwrap_err().to_string();
            assert!(message.contains("not a file"), "{message}");
        }
        symlink("circle", place("circle")).unwrap();
        assert!(write(&place("circle"), b"new").is_err());
        assert!(UnixListener::bind(place("socket")).is_err(), "it is there");
    }

    #[test]
    fn a_link_under_the_old_temporary_name_leads_nowhere() {
        let scratch = Scratch::new("durable-planted");
        let place = |name: &str| scratch.path().join(name);
        fs::write(place("victim"), b"mine").unwrap();
        let planted = format!(".unfinished-{}-report", std::process::id());
        fs::hard_link(place("victim"), place(&planted)).unwrap();
        write(&place("report"), b"new").unwrap();
        assert_eq!(fs::read(place("victim")).unwrap(), b"mine");
    }

    #[test]
    fn leftovers_are_removed_and_not_listed() {
        let scratch = Scratch::new("leftovers");
        let leftover = scratch.path().join(".unfinished-part.00.bin");
        fs::write(&leftover, b"half").unwrap();
        write(&scratch.path().join("whole.bin"), b"whole").unwrap();
        assert_eq!(list(scratch.path(), "", "bin").unwrap().len(), 1);
        prepare_folder(scratch.path()).unwrap();
        assert!(!leftover.exists());
        assert_eq!(list(scratch.path(), "", "bin").unwrap().len(), 1);
    }

    #[test]
    fn a_folder_has_one_owner_at_a_time() {
        let scratch = Scratch::new("claim");
        let folder = scratch.path().join("made");
        let first = lock_folder(&folder).unwrap();
        let unfinished = folder.join(".unfinished-x");
        fs::write(&unfinished, b"of the first").unwrap();
        let message = lock_folder(&folder).unwrap_err().to_string();
        assert!(
            message.contains("made") && message.contains("another process"),
            "{message}"
        );
        assert!(unfinished.exists(), "it is the owner's");
        drop(first);
        let _second = lock_folder(&folder).unwrap();
        assert!(!unfinished.exists());
    }

    #[cfg(unix)]
    #[test]
    fn links_in_a_circle_and_to_nothing_end() {
        use std::os::unix::fs::symlink;

        let scratch = Scratch::new("files-below");
        let place = |name: &str| scratch.path().join(name);
        fs::create_dir_all(place("a/b")).unwrap();
        fs::create_dir_all(place("outside")).unwrap();
        for name in ["a/1", "a/b/2", "outside/3"] {
            fs::write(place(name), name).unwrap();
        }
        symlink("..", place("a/b/up")).unwrap();
        symlink("..", place("a/b/up-again")).unwrap();
        symlink("b", place("a/a-link")).unwrap();
        symlink("self", place("a/self")).unwrap();
        symlink("nowhere", place("a/nothing")).unwrap();
        symlink(place("outside"), place("a/out")).unwrap();
        symlink(place("outside/3"), place("a/file")).unwrap();
        let found = files_below(&place("a")).unwrap();
        let wanted = ["a/1", "a/b/2", "a/file", "a/out/3"].map(place);
        assert_eq!(found, wanted);
        assert_eq!(files_below(&place("a/1")).unwrap(), [place("a/1")]);
    }
}
