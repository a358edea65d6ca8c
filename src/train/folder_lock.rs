//! A folder is used by one process at a time: two would mistake each other's unfinished files for
//! leftovers of a crash, and would do the same work twice.

use std::fs::{self, File};
use std::path::Path;

use crate::TrainError;
use crate::durable;
use tengen::system::{open_to_lock, try_lock};

/// While this exists, no other [`lock_folder`] of this folder succeeds. The system releases it when
/// the process ends in any way.
#[derive(Debug)]
#[must_use]
pub struct FolderLock(#[expect(dead_code, reason = "open, it carries the lock")] File);

/// Prepares a folder (see [`durable::prepare_folder`]) for exclusive use by this process.
///
/// # Errors
/// [`TrainError::Busy`] when another process uses it, [`TrainError::Io`] when it cannot be created
/// or read.
pub fn lock_folder(folder: &Path) -> Result<FolderLock, TrainError> {
    fs::create_dir_all(folder).map_err(TrainError::io(folder))?;
    let opened = open_to_lock(folder).map_err(TrainError::io(folder))?;
    if !try_lock(&opened, folder) {
        return Err(TrainError::Busy {
            path: folder.to_path_buf(),
        });
    }
    durable::remove_unfinished(folder)?;
    Ok(FolderLock(opened))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_nn::files::scratch::Scratch;

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
}
