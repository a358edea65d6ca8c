//! A folder of this machine, or of a file server, as a store.
//!
//! An object is a file. It is written under another name, synced, and then *linked* to its own name:
//! unlike renaming, this fails if the name exists, on network file systems, too.
//!
//! A folder that was renamed, removed or unmounted during a run does not answer: were it created
//! again, the run would go on in an empty one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Backend, Creation, Failure, RUN, stays_inside};
use crate::durable;
use tengen::system::{rename, sync_folder, write_unfinished};

/// A folder as a store.
#[derive(Debug)]
pub struct FolderBackend {
    root: PathBuf,
    /// Whether a run was seen in it, which it then keeps.
    has_run: AtomicBool,
}

impl FolderBackend {
    /// The store in this folder, which is created when the first object is.
    pub fn new(root: &Path) -> FolderBackend {
        FolderBackend {
            root: root.to_path_buf(),
            has_run: AtomicBool::new(false),
        }
    }

    /// # Errors
    /// A permanent [`Failure`] of a name that leads out of the folder.
    fn path(&self, name: &str) -> Result<PathBuf, Failure> {
        match stays_inside(name) {
            true => Ok(self.root.join(name)),
            false => Err(Failure::Permanent(format!(
                "{name:?} is not the name of an object: it leads out of {}",
                self.root.display()
            ))),
        }
    }

    /// Notes that an object is there.
    fn saw(&self, name: &str) {
        // Relaxed: no other memory depends on it.
        if name == RUN {
            self.has_run.store(true, Ordering::Relaxed);
        }
    }

    /// Whether the run that was seen is still there.
    ///
    /// # Errors
    /// A transient [`Failure`]: the folder may come back.
    fn check(&self) -> Result<(), Failure> {
        if !self.has_run.load(Ordering::Relaxed) || self.root.join(RUN).exists() {
            return Ok(());
        }
        Err(Failure::Transient(format!(
            "{} has gone, or is not mounted: it has no {RUN} any more; put it back",
            self.root.display()
        )))
    }

    /// Writes a file under a name of its own, beside the place where it will be. Processes of several machines may write
    /// there.
    fn unfinished(&self, target: &Path, bytes: &[u8], durable: bool) -> Result<PathBuf, Failure> {
        self.check()?;
        let folder = target.parent().unwrap_or(&self.root);
        if !folder.exists() {
            fs::create_dir_all(folder).map_err(failed(folder))?;
            if let Some(above) = folder.parent() {
                sync_folder(above).map_err(failed(above))?;
            }
        }
        write_unfinished(folder, bytes, durable).map_err(failed(target))
    }
}

impl Backend for FolderBackend {
    fn create(&self, name: &str, bytes: &[u8]) -> Result<Creation, Failure> {
        let target = self.path(name)?;
        // Saves writing what exists already.
        if target.exists() {
            return Ok(Creation::Existed);
        }
        let unfinished = self.unfinished(&target, bytes, true)?;
        let linked = fs::hard_link(&unfinished, &target);
        let _ = fs::remove_file(&unfinished);
        match linked {
            Ok(()) => {
                self.saw(name);
                let folder = target.parent().unwrap_or(&self.root);
                sync_folder(folder).map_err(failed(folder))?;
                Ok(Creation::Created)
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(Creation::Existed),
            // EPERM of file systems such as FAT is the one of a lacking permission.
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::Unsupported | io::ErrorKind::PermissionDenied
                ) =>
            {
                Err(Failure::Permanent(format!(
                    "{}: no hard link can be made ({error}): choose a folder on a file system that has them",
                    self.root.display()
                )))
            }
            Err(error) => Err(failed(&target)(error)),
        }
    }

    fn put(&self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        let target = self.path(name)?;
        let unfinished = self.unfinished(&target, bytes, false)?;
        rename(&unfinished, &target).map_err(|error| {
            let _ = fs::remove_file(&unfinished);
            failed(&target)(error)
        })
    }

    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, Failure> {
        let path = self.path(name)?;
        match fs::read(&path) {
            Ok(bytes) => {
                self.saw(name);
                Ok(Some(bytes))
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => self.check().map(|()| None),
            Err(error) => Err(failed(&path)(error)),
        }
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, Failure> {
        let mut names = Vec::new();
        let mut folders = vec![folder.trim_end_matches('/').to_owned()];
        while let Some(folder) = folders.pop() {
            let path = self.path(&folder)?;
            let entries = match fs::read_dir(&path) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                entries => entries.map_err(failed(&path))?,
            };
            for entry in entries {
                let entry = entry.map_err(failed(&path))?;
                let kind = entry.file_type().map_err(failed(&path))?;
                // A name that is not text is none of ours.
                let name = entry.file_name().into_string();
                let Some(name) = name.ok().filter(|name| !durable::is_unfinished(name)) else {
                    continue;
                };
                let name = match folder.is_empty() {
                    true => name,
                    false => format!("{folder}/{name}"),
                };
                match kind.is_dir() {
                    true => folders.push(name),
                    false => names.push(name),
                }
            }
        }
        names.sort();
        // After reading: a list of what has gone is empty.
        self.check().map(|()| names)
    }
}

/// A failure of the operating system; those of file servers that come and go are transient, and those of disks where
/// room is made.
fn failed(path: &Path) -> impl FnOnce(io::Error) -> Failure {
    let path = path.display().to_string();
    move |error| {
        let text = format!("{path}: {error}");
        match error.kind() {
            // Of a write: the folder has just gone.
            io::ErrorKind::NotFound
            | io::ErrorKind::StaleNetworkFileHandle
            | io::ErrorKind::TimedOut
            | io::ErrorKind::Interrupted
            | io::ErrorKind::NetworkDown
            | io::ErrorKind::NetworkUnreachable
            | io::ErrorKind::HostUnreachable => Failure::Transient(text),
            kind if durable::is_full(kind) => Failure::Transient(text),
            _ => Failure::Permanent(text),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use tengen_nn::files::scratch::Scratch;

    #[test]
    fn of_many_creators_one_wins_and_its_object_is_whole() {
        let scratch = Scratch::new("store-race");
        for round in 0..20 {
            let name = format!("a/b/{round}");
            let wins: Vec<usize> = thread::scope(|scope| {
                let creators: Vec<_> = (0..8)
                    .map(|index| {
                        let (name, root) = (&name, scratch.path());
                        scope.spawn(move || {
                            let content = vec![index as u8; 10_000];
                            // As another process.
                            FolderBackend::new(root).create(name, &content).unwrap()
                        })
                    })
                    .collect();
                let done = creators.into_iter().map(|creator| creator.join().unwrap());
                done.enumerate()
                    .filter(|(_, creation)| *creation == Creation::Created)
                    .map(|(index, _)| index)
                    .collect()
            });
            assert_eq!(wins.len(), 1);
            let content = FolderBackend::new(scratch.path()).get(&name).unwrap();
            assert_eq!(content, Some(vec![wins[0] as u8; 10_000]));
        }
    }

    #[test]
    fn a_folder_that_has_gone_does_not_answer_and_is_not_created_again() {
        let scratch = Scratch::new("store-gone");
        let [root, moved] = ["run", "moved"].map(|name| scratch.path().join(name));
        let store = FolderBackend::new(&root);
        store.create("probe/1", b"x").unwrap();
        store.create(RUN, b"{}").unwrap();
        // Another process has read it only.
        let reader = FolderBackend::new(&root);
        reader.get(RUN).unwrap();
        let silent = |store: &FolderBackend| {
            let answers = [
                store.create("g0000/a", b"x").map(drop),
                store.put("report.html", b"x"),
                store.get("probe/1").map(drop),
                store.list("").map(drop),
            ];
            for answer in answers {
                let silent =
                    matches!(&answer, Err(Failure::Transient(why)) if why.contains("gone"));
                assert!(silent, "{answer:?}");
            }
        };
        fs::rename(&root, &moved).unwrap();
        silent(&store);
        silent(&reader);
        assert!(!root.exists());
        // The place where a share was mounted.
        fs::create_dir(&root).unwrap();
        silent(&store);
        assert_eq!(fs::read_dir(&root).unwrap().count(), 0);
        fs::remove_dir(&root).unwrap();
        fs::rename(&moved, &root).unwrap();
        assert_eq!(store.create("g0000/a", b"x"), Ok(Creation::Created));
        assert_eq!(reader.get("g0000/a"), Ok(Some(b"x".to_vec())));
    }

    #[test]
    fn a_failed_write_leaves_no_file_and_a_full_disk_may_get_room() {
        let scratch = Scratch::new("store-failed");
        let store = FolderBackend::new(scratch.path());
        store.create("a/1", b"x").unwrap();
        // A folder is not replaced by a file.
        assert!(store.put("a", b"x").is_err());
        let entries = fs::read_dir(scratch.path()).unwrap();
        let names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["a"]);
        for (kind, may_pass) in [
            (io::ErrorKind::StorageFull, true),
            (io::ErrorKind::QuotaExceeded, true),
            (io::ErrorKind::PermissionDenied, false),
            (io::ErrorKind::ReadOnlyFilesystem, false),
        ] {
            let failure = failed(scratch.path())(kind.into());
            assert_eq!(matches!(failure, Failure::Transient(_)), may_pass, "{kind}");
        }
    }

    #[test]
    fn no_name_leads_out_of_the_folder() {
        let scratch = Scratch::new("store-outside");
        let store = FolderBackend::new(&scratch.path().join("run"));
        fs::write(scratch.path().join("secret"), b"x").unwrap();
        let absolute = scratch.path().join("new").display().to_string();
        for name in ["../secret", "../new", "a/../../new", &absolute] {
            for answer in [
                store.create(name, b"y").map(drop),
                store.put(name, b"y"),
                store.get(name).map(drop),
                store.list(name).map(drop),
            ] {
                assert!(
                    matches!(answer, Err(Failure::Permanent(_))),
                    "{name}: {answer:?}"
                );
            }
        }
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 1);
    }

    #[test]
    fn unfinished_files_are_no_objects() {
        let scratch = Scratch::new("store-list");
        let store = FolderBackend::new(scratch.path());
        assert_eq!(store.list("").unwrap(), Vec::<String>::new());
        for name in ["b/2", "b/1", "a", "b/c/3"] {
            store.create(name, b"x").unwrap();
        }
        fs::write(scratch.path().join("b/.unfinished-x"), b"x").unwrap();
        assert_eq!(store.list("b/").unwrap(), ["b/1", "b/2", "b/c/3"]);
        assert_eq!(store.list("").unwrap(), ["a", "b/1", "b/2", "b/c/3"]);
        store.put("a", b"y").unwrap();
        assert_eq!(store.get("a").unwrap(), Some(b"y".to_vec()));
        assert_eq!(store.get("c").unwrap(), None);
    }
}
