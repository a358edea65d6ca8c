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
    format!("{CLAIMS}{ticket}")
}

/// How the names of claims begin.
const CLAIMS: &str = "claims/";

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

// What a generation has in the store, by one list of its objects.

/// The objects of a generation.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Snapshot {
    pub(super) generation: u32,
    /// Whether there is a `tickets.json`.
    pub(super) has_games: bool,
    /// Whether there is a `matches.json`.
    pub(super) has_matches: bool,
    pub(super) is_done: bool,
    /// Whether the plan is complete without this generation, and was not prolonged after that.
    pub(super) is_finished: bool,
    /// Results, by their full names.
    results: BTreeSet<String>,
    /// Tickets that a machine has claimed, by their names.
    pub(super) claimed: BTreeSet<String>,
}

impl Snapshot {
    /// Lists a generation.
    ///
    /// # Errors
    /// [`TrainError`] of the store.
    pub(super) fn read(store: &Store, generation: u32) -> Result<Snapshot, TrainError> {
        let folder = of(generation, "");
        let mut snapshot = Snapshot {
            generation,
            ..Snapshot::default()
        };
        let mut is_prolonged = false;
        for object in store.list(&folder)? {
            let name = object.strip_prefix(&folder).unwrap_or(&object);
            match name {
                "tickets.json" => snapshot.has_games = true,
                "matches.json" => snapshot.has_matches = true,
                "done.json" => snapshot.is_done = true,
                "finished.json" => snapshot.is_finished = true,
                "prolonged.json" => is_prolonged = true,
                _ => {
                    if let Some(ticket) = name.strip_prefix(CLAIMS) {
                        snapshot.claimed.insert(ticket.to_owned());
                    } else if name.starts_with("games/") || name.starts_with("matches/") {
                        snapshot.results.insert(object);
                    }
                }
            }
        }
        snapshot.is_finished &= !is_prolonged;
        Ok(snapshot)
    }

    /// Whether a result of this full name is there.
    pub(super) fn has_result(&self, name: &str) -> bool {
        self.results.contains(name)
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
