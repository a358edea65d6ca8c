//! A temporary folder for tests, removed when it goes out of scope.

#![allow(clippy::unwrap_used, reason = "for tests, which fail by panicking")]

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// An empty folder of its own for one test.
pub struct Scratch(PathBuf);

impl Scratch {
    /// Creates the folder; `name` tells a reader which test it belongs to.
    pub fn new(name: &str) -> Scratch {
        let prefix = format!("tengen-{name}-{}", std::process::id());
        let numbered = |number: u32| std::env::temp_dir().join(format!("{prefix}-{number}"));
        // Tests of one process run at once, and a killed one leaves its folder.
        for path in (0..).map(numbered) {
            match std::fs::create_dir(&path) {
                Ok(()) => return Scratch(path),
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => panic!("no temporary folder {}: {error}", path.display()),
            }
        }
        unreachable!("there are more numbers than folders")
    }

    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
