//! All files of a folder and its subfolders.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::TrainError;

/// The files below a path, sorted by name; a file is below itself. Links are followed, and a folder is
/// entered once, however many of them lead to it. What is neither a file nor a folder is logged and
/// left out: a link to nothing, a pipe.
///
/// # Errors
/// [`TrainError::Io`] when a folder cannot be read.
pub(super) fn files_below(path: &Path) -> Result<Vec<PathBuf>, TrainError> {
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
        let mut entries = Vec::new();
        for entry in fs::read_dir(&folder).map_err(TrainError::io(&folder))? {
            entries.push(entry.map_err(TrainError::io(&folder))?.path());
        }
        entries.sort();
        for path in entries {
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

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use tengen_nn::files::scratch::Scratch;

    #[test]
    fn links_in_a_circle_and_to_nothing_end() {
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
