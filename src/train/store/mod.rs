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

use std::ffi::OsStr;
use std::fmt;
use std::ops::Deref;
use std::path::{Component, Path};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::TrainError;

/// The object that a run has from its beginning, and never loses.
pub(crate) const RUN: &str = "run.json";

/// What to do about an object that is lost or damaged, unless it can be made again.
pub(crate) const RESTORE: &str = "restore it from a copy of the run";

/// A name that content of a store gives to a file or to a part of an object's name: one component of a path, so that
/// joined to a folder it stays there.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PlainName(String);

impl TryFrom<String> for PlainName {
    type Error = TrainError;

    fn try_from(name: String) -> Result<PlainName, TrainError> {
        match Path::new(&name).file_name() == Some(OsStr::new(&name)) {
            true => Ok(PlainName(name)),
            false => Err(TrainError::Refused(format!(
                "{name:?} is not the name of one file: whoever wrote it may want files of yours to be replaced"
            ))),
        }
    }
}

impl From<PlainName> for String {
    fn from(name: PlainName) -> String {
        name.0
    }
}

impl Deref for PlainName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for PlainName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

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
        for name in ["rave-50", "network-0007.int8.onnx", "a b"] {
            assert_eq!(&*PlainName::try_from(name.to_owned()).unwrap(), name);
            assert!(stays_inside(&format!("g0001/{name}")));
        }
        for name in [
            "",
            ".",
            "..",
            "/",
            "/etc/passwd",
            "a/b",
            "a/",
            "./a",
            "a/..",
            "../a",
        ] {
            let refused = PlainName::try_from(name.to_owned())
                .unwrap_err()
                .to_string();
            assert!(refused.contains("not the name of one file"), "{refused}");
            assert!(serde_json::from_value::<PlainName>(name.into()).is_err());
        }
        for name in ["/a", "..", "../a", "g0001/../../a", "./a"] {
            assert!(!stays_inside(name), "{name}");
        }
    }
}
