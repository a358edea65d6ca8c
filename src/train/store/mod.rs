//! Where the machines of a training run meet: a folder, or a bucket of an object store.
//!
//! A [`Store`] has named objects. Results are *created*: the first create wins, and no object of a
//! run is ever replaced or removed, except reports of progress ([`Store::try_put`]). That makes work
//! that was done twice harmless, without locks, leases or clocks.
//!
//! One attempt at a request is made by a [`Backend`]: [`FolderBackend`], or `cloud` with the feature
//! `cluster`. [`Store`] repeats attempts that fail. [`open`] turns the text that a user gives into a store,
//! and [`probe`] tries it.

#[cfg(feature = "cluster")]
mod cloud;
#[cfg(test)]
pub(crate) mod faulty;
mod folder;
mod open;
mod retrying;

pub use folder::FolderBackend;
pub use open::{folder_of, open, probe};
pub use retrying::{RetryLimits, Store};

use std::path::{Component, Path};

use thiserror::Error;

/// The object that a run has from its beginning, and never loses.
pub(crate) const RUN: &str = "run.json";

/// What to do about a damaged object: all follow from the run's folder, the plan and their tickets.
pub(crate) const AGAIN: &str = "delete it and start the learner again, which has it made again";

/// Whether an object's name, joined to a folder, stays in it.
pub(crate) fn stays_inside(name: &str) -> bool {
    let mut parts = Path::new(name).components();
    parts.all(|part| matches!(part, Component::Normal(_)))
}

/// Outcome of creating an object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Creation {
    /// It did not exist before.
    Created,
    /// It existed, and is unchanged.
    Existed,
}

/// Why an attempt failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Failure {
    /// The request may succeed later: no answer, a broken connection, a busy or failing server, a full disk.
    /// Whether it had an effect is unknown.
    #[error("{0}")]
    Transient(String),
    /// It will fail every time: no permission, no such bucket.
    #[error("{0}")]
    Permanent(String),
}

/// A place with named objects. Names are relative, with `/` between their parts.
///
/// Every method is one attempt: it is repeated by [`Store`]. An object is read as it was
/// written, whole, or not at all; a list contains every object whose creation has returned.
pub trait Backend: Send + Sync {
    /// Creates an object unless it exists; of several concurrent attempts one succeeds. It may say
    /// that the object existed when another request was in the way (status 409 of S3): there need not
    /// be one then.
    ///
    /// # Errors
    /// [`Failure`]; after a transient one the object may exist.
    fn create(&self, name: &str, bytes: &[u8]) -> Result<Creation, Failure>;

    /// Creates or replaces an object. For progress only: it need not survive a power failure.
    ///
    /// # Errors
    /// [`Failure`].
    fn put(&self, name: &str, bytes: &[u8]) -> Result<(), Failure>;

    /// Content of an object; `None` if there is none.
    ///
    /// # Errors
    /// [`Failure`].
    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, Failure>;

    /// Names of all objects below a folder, which ends with `/` or is empty, ascending.
    ///
    /// # Errors
    /// [`Failure`].
    fn list(&self, folder: &str) -> Result<Vec<String>, Failure>;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_from_a_store_stays_in_its_folder() {
        for name in ["rave-50", "network-0007.int8.onnx", "a b", "g0001/a"] {
            assert!(stays_inside(name), "{name}");
        }
        for name in ["/a", "..", "../a", "g0001/../../a", "./a"] {
            assert!(!stays_inside(name), "{name}");
        }
    }
}
