//! Where operating systems differ: locks, folders, processes and their children. The rest of the
//! house is the same everywhere; `gtp-tests/portable.rs` watches over that. What Linux tells under
//! `/proc` is asked for where it is needed, and not known elsewhere.

use std::fs::{File, TryLockError};
use std::io;
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// Locks an open file or folder until it is closed; false when another process has it. Some network
/// file systems know no locks; one may work there all the same.
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

/// Opens what carries the lock of a folder: the folder itself.
#[cfg(all(unix, feature = "train"))]
pub(crate) fn open_to_lock(folder: &Path) -> io::Result<File> {
    File::open(folder)
}

/// Opens what carries the lock of a folder: a file in it, as Windows opens no folders.
#[cfg(all(not(unix), feature = "train"))]
pub(crate) fn open_to_lock(folder: &Path) -> io::Result<File> {
    let mut options = File::options();
    options.create(true).truncate(false).write(true);
    options.open(folder.join(".lock"))
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

/// Has a process start in a group of its own: Ctrl-C ends the program and not first the process.
#[cfg(unix)]
pub(crate) fn own_group(command: &mut Command) -> &mut Command {
    std::os::unix::process::CommandExt::process_group(command, 0)
}

/// As on Unix: the flag is `CREATE_NEW_PROCESS_GROUP` of the Windows API.
#[cfg(windows)]
pub(crate) fn own_group(command: &mut Command) -> &mut Command {
    std::os::windows::process::CommandExt::creation_flags(command, 0x0000_0200)
}

/// Ends a process that was started in its own group, with all that it has started: an engine may be
/// the child of a script, and the standard library can only end the script. Waits for the process.
pub(crate) fn kill_group(child: &mut Child) {
    if !matches!(child.try_wait(), Ok(Some(_))) {
        let id = child.id();
        let mut kill = if cfg!(windows) {
            let mut kill = Command::new("taskkill");
            kill.args(["/F", "/T", "/PID", &id.to_string()]);
            kill
        } else {
            let mut kill = Command::new("kill");
            kill.args(["-KILL", "--", &format!("-{id}")]);
            kill
        };
        let _ = kill.stdout(Stdio::null()).stderr(Stdio::null()).status();
    }
    // Both fail only for a process that has already ended and been waited for.
    let _ = child.kill();
    let _ = child.wait();
}
