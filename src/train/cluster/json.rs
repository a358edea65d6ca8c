//! Objects as JSON.

use std::path::Path;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::TrainError;
use crate::store::Store;

/// The bytes of an object.
///
/// # Errors
/// [`TrainError::Setting`] on a program error.
pub(super) fn write(value: &impl Serialize) -> Result<Vec<u8>, TrainError> {
    let mut bytes = serde_json::to_vec_pretty(value)
        .map_err(|error| TrainError::Setting(format!("cannot write JSON: {error}")))?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// The value of these bytes; `name` is for messages.
///
/// # Errors
/// [`TrainError::Corrupt`] when they are none.
pub(super) fn parse<T: DeserializeOwned>(name: &str, bytes: &[u8]) -> Result<T, TrainError> {
    serde_json::from_slice(bytes).map_err(|error| {
        TrainError::corrupt(Path::new(name), error).advising("restore it from a copy of the run")
    })
}

/// Reads an object; `None` if there is none.
///
/// # Errors
/// [`TrainError`] of the store, also when the object is damaged.
pub(super) fn read<T: DeserializeOwned>(
    store: &Store,
    name: &str,
) -> Result<Option<T>, TrainError> {
    Ok(store.find_checked(name, |bytes| serde_json::from_slice(&bytes))?)
}
