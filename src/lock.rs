//! Files and folders that one process at a time works in.

use std::fs::{File, TryLockError};
use std::path::Path;

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
