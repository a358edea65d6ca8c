//! A temporary folder for a test.

use std::ops::Deref;
use std::path::{Path, PathBuf};

/// An empty folder of its own for one test, removed at its end.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    /// Creates the folder; `name` must differ between tests that run at once.
    pub(crate) fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("tengen-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("the system has a temporary folder");
        Scratch(path)
    }

    /// The path of a file in it, as an argument.
    pub(crate) fn path(&self, name: &str) -> String {
        self.join(name).display().to_string()
    }

    /// Writes a file, and returns its path.
    pub(crate) fn write(&self, name: &str, bytes: &[u8]) -> String {
        std::fs::write(self.join(name), bytes).expect("it is our folder");
        self.path(name)
    }
}

impl Deref for Scratch {
    type Target = Path;

    fn deref(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
