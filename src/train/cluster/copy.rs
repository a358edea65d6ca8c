//! A copy of a run as files.

use std::path::Path;

use crate::TrainError;
use crate::durable;
use crate::store::Store;

/// Copies all objects of a run into a folder, which is then a run of its own; those that are there are
/// left alone. `told` gets the name of each.
///
/// # Errors
/// [`TrainError`] of the store and of files.
pub fn copy_run(
    store: &Store,
    folder: &Path,
    mut told: impl FnMut(&str),
) -> Result<(), TrainError> {
    for name in store.list("")? {
        let path = folder.join(&name);
        if !path.exists() {
            let above = path.parent().unwrap_or(folder);
            std::fs::create_dir_all(above).map_err(TrainError::io(above))?;
            // Gone since it was listed: a report that is being replaced.
            if let Some(bytes) = store.get(&name)? {
                durable::write(&path, &bytes)?;
            }
        }
        told(&name);
    }
    Ok(())
}
