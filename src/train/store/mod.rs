//! Places that keep a training run for several machines: a folder, or a bucket of an object store.
//!
//! A [`Store`] has named objects. Results are *created*: the first create wins, and no object of a
//! run is ever replaced or removed, except reports of progress ([`Store::try_put`]). That makes work
//! that was done twice harmless, without locks, leases or clocks.
//!
//! One attempt at a request is made by a [`Backend`]: [`FolderBackend`], or `cloud` with the feature
//! `cluster`. [`Store`] repeats attempts that fail, and finds out what became of a create whose
//! answer was lost. [`open`] turns the text that a user gives into a store and probes it.

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

use thiserror::Error;

/// The object that a run has from its beginning, and never loses.
pub(crate) const RUN: &str = "run.json";

/// What to do about an object that is lost or damaged, unless it can be made again.
pub(crate) const RESTORE: &str = "restore it from a copy of the run";

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
