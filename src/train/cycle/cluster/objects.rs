//! A run's objects: their names, their content as JSON, and what a generation has of them.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;

use serde::de::DeserializeOwned;

use crate::TrainError;
use crate::cycle::from_json;
use crate::store::{AGAIN, Store};

/// The value of an object's bytes, as the store's check of it.
///
/// # Errors
/// Says what is wrong with them, and what to do.
pub(super) fn value<T: DeserializeOwned>(bytes: Vec<u8>) -> Result<T, String> {
    from_json(&bytes).map_err(|error| format!("{error}; {AGAIN}"))
}

/// An object of a generation.
pub(super) fn of(generation: u32, name: &str) -> String {
    format!("g{generation:04}/{name}")
}

/// The claim of a ticket within its generation.
pub(super) fn claim(ticket: &str) -> String {
    format!("claims/{ticket}")
}

/// A network with this checksum.
pub(super) fn network(hash: &str) -> String {
    format!("networks/{hash}.onnx")
}

/// A machine's report of progress.
pub(super) fn worker(id: &str) -> String {
    format!("workers/{id}.json")
}

/// Whether a file is an object of a store that is made again once it is gone, by its learner or a worker.
pub(in crate::cycle) fn is_made_again(path: &Path) -> bool {
    let is_generation = |folder: &str| {
        let number = folder.strip_prefix('g').map(str::parse::<u32>);
        matches!(number, Some(Ok(_)))
    };
    let parts = path.iter().rev().take(3).map(OsStr::to_str);
    let parts: Vec<&str> = parts.map(Option::unwrap_or_default).collect();
    match parts[..] {
        [_, "workers", ..] => true,
        [_, "games" | "matches", folder] | [_, folder, ..] => is_generation(folder),
        _ => false,
    }
}

/// What a generation has in the store, by one list of its objects.
#[derive(Debug)]
pub(super) struct Snapshot {
    pub(super) generation: u32,
    /// Their full names.
    names: BTreeSet<String>,
}

impl Snapshot {
    /// Lists a generation.
    ///
    /// # Errors
    /// [`TrainError`] of the store.
    pub(super) fn read(store: &Store, generation: u32) -> Result<Snapshot, TrainError> {
        let names = store.list(&of(generation, ""))?.into_iter().collect();
        Ok(Snapshot { generation, names })
    }

    /// Whether an object of this full name is there.
    pub(super) fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// Whether the generation is finished.
    pub(super) fn is_done(&self) -> bool {
        self.has(&of(self.generation, "done.json"))
    }

    /// Whether the plan is complete without this generation, and was not prolonged after that.
    pub(super) fn ends_plan(&self) -> bool {
        let has = |name| self.has(&of(self.generation, name));
        has("finished.json") && !has("prolonged.json")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_made_again_is_known_by_its_folders() {
        for (path, is_object) in [
            ("/run/g0001/tickets.json", true),
            ("/run/g0001/matches/rave-5.0000.json", true),
            ("/run/g12345/games/0001.parquet", true),
            ("/run/workers/a.json", true),
            ("/run/generation-0001/matches/rave-5.json", false),
            ("/run/generation-0001.json", false),
            ("/games/run/hours.json", false),
            ("run.json", false),
        ] {
            assert_eq!(is_made_again(Path::new(path)), is_object, "{path}");
        }
    }
}
