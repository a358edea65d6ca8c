//! A temporary folder for tests, removed when it goes out of scope.

#![allow(clippy::unwrap_used, reason = "for tests, which fail by panicking")]

use std::path::{Path, PathBuf};

/// An empty folder of its own for one test.
pub struct Scratch(PathBuf);

impl Scratch {
    /// Creates the folder; `name` must differ between the tests of this crate.
    pub fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("tengen-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("the system has a temporary folder");
        Scratch(path)
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
