//! A run's objects: their names, and their content as JSON.

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

/// The folder of a generation, without `/`.
pub(super) fn folder(generation: u32) -> String {
    format!("g{generation:04}")
}

/// An object of a generation.
pub(super) fn of(generation: u32, name: &str) -> String {
    format!("{}/{name}", folder(generation))
}

/// The generation of a folder of this name.
pub(super) fn generation(folder: &str) -> Option<u32> {
    folder.strip_prefix('g')?.parse().ok()
}

/// The claim of a ticket's attempt, counted from 1, within its generation.
pub(super) fn claim(ticket: &str, attempt: u32) -> String {
    format!("claims/{ticket}.a{attempt:03}")
}

/// Ticket and attempt of a claim within its generation.
pub(super) fn claimed(name: &str) -> Option<(&str, u32)> {
    let (ticket, attempt) = name.strip_prefix("claims/")?.rsplit_once(".a")?;
    Some((ticket, attempt.parse().ok()?))
}

/// A network with this checksum.
pub(super) fn network(hash: &str) -> String {
    format!("networks/{hash}.onnx")
}

/// A learner's taking over.
pub(super) fn term(number: u32) -> String {
    format!("epoch/{number:06}")
}

/// A machine's report of progress.
pub(super) fn worker(id: &str) -> String {
    format!("workers/{id}.json")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back() {
        assert_eq!(generation(&folder(7)), Some(7));
        assert_eq!(generation("games"), None);
        let name = claim("matches/rave-100.0003", 12);
        assert_eq!(claimed(&name), Some(("matches/rave-100.0003", 12)));
        assert_eq!(claimed("games/0001.parquet"), None);
    }
}
