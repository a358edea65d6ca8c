//! A temporary folder for a test: that of the library's tests, with file names as arguments.

use std::ops::Deref;
use std::path::Path;

use tengen_nn::files::scratch as folder;

/// An empty folder of its own for one test, removed at its end.
pub(crate) struct Scratch(folder::Scratch);

impl Scratch {
    /// Creates the folder; `name` tells a reader which test it belongs to.
    pub(crate) fn new(name: &str) -> Scratch {
        Scratch(folder::Scratch::new(name))
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
        self.0.path()
    }
}
