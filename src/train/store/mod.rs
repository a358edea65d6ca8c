//! Places that keep a training run for several machines: a folder, or a bucket of an object store.
//!
//! A [`Store`] has named objects. Results are *created*: the first create wins, and no object of a
//! run is ever replaced or removed, except reports of progress ([`Store::put`]). That makes work
//! that was done twice harmless, without locks, leases or clocks.
//!
//! One attempt at a request is made by a [`Backend`]: [`FolderBackend`], or `cloud` with the feature
//! `cluster`. [`Store`] repeats attempts that fail, and finds out what became of a create whose
//! answer was lost. [`open`] turns the text that a user gives into a store and probes it.

mod backend;
#[cfg(feature = "cluster")]
mod cloud;
#[cfg(test)]
pub(crate) mod faulty;
mod folder;
mod open;
mod retrying;

pub use backend::{Backend, Creation, Failure};
pub use folder::FolderBackend;
pub use open::{open, probe};
pub use retrying::{RetryLimits, Store};
