//! A run's objects: their names, their content as JSON, what a generation has of them, and a copy of all.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::de::DeserializeOwned;

use crate::cycle::from_json;
use crate::store::{RESTORE, RUN, Store, stays_inside};
use crate::{TrainError, durable};

/// The value of these bytes; `name` is for messages.
///
/// # Errors
/// [`TrainError::Corrupt`] when they are none.
pub(super) fn parse<T: DeserializeOwned>(name: &str, bytes: &[u8]) -> Result<T, TrainError> {
    from_json(bytes).map_err(|error| TrainError::corrupt(Path::new(name), error).advising(RESTORE))
}

/// The value of an object's bytes, as the store's check of it.
///
/// # Errors
/// Says what is wrong with them, and what to do.
pub(super) fn value<T: DeserializeOwned>(bytes: Vec<u8>) -> Result<T, String> {
    from_json(&bytes).map_err(|error| format!("{error}; {RESTORE}"))
}

/// How the result of a ticket, by its full name, is made again.
pub(super) fn replay(store: &str, ticket: &str) -> String {
    format!("`echo {ticket} | tengen-train work --run {store} --tickets -` plays it again")
}

/// Reads an object; `None` if there is none.
///
/// # Errors
/// [`TrainError`] of the store, also when the object is damaged.
pub(super) fn read<T: DeserializeOwned>(
    store: &Store,
    name: &str,
) -> Result<Option<T>, TrainError> {
    Ok(store.find_checked(name, value)?)
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
    /// Whether the plan is complete without this generation.
    pub(super) is_finished: bool,
    /// Results, by their full names.
    results: BTreeSet<String>,
    /// The highest attempt of each claimed ticket.
    attempts: BTreeMap<String, u32>,
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
        for object in store.list(&folder)? {
            let name = object.strip_prefix(&folder).unwrap_or(&object);
            match name {
                "tickets.json" => snapshot.has_games = true,
                "matches.json" => snapshot.has_matches = true,
                "done.json" => snapshot.is_done = true,
                "finished.json" => snapshot.is_finished = true,
                _ => {
                    if let Some((ticket, attempt)) = claimed(name) {
                        let highest = snapshot.attempts.entry(ticket.to_owned()).or_default();
                        *highest = attempt.max(*highest);
                    } else if name.starts_with("games/") || name.starts_with("matches/") {
                        snapshot.results.insert(object);
                    }
                }
            }
        }
        Ok(snapshot)
    }

    /// The first generation that is not done: they are done one after the other.
    ///
    /// # Errors
    /// [`TrainError`] of the store.
    pub(super) fn first_open(store: &Store) -> Result<u32, TrainError> {
        let is_done = |number: u32| {
            store
                .get(&of(number, "done.json"))
                .map(|found| found.is_some())
        };
        // Many may be: by doubled steps, then by halved ones.
        let (mut step, mut first) = (1, 0);
        while is_done(first + step - 1)? {
            first += step;
            step *= 2;
        }
        while step > 1 {
            step /= 2;
            if is_done(first + step - 1)? {
                first += step;
            }
        }
        Ok(first)
    }

    /// Whether a result of this full name is there.
    pub(super) fn has_result(&self, name: &str) -> bool {
        self.results.contains(name)
    }

    /// The highest attempt of the ticket of this name; 0 if it was never claimed.
    pub(super) fn attempt(&self, ticket: &str) -> u32 {
        self.attempts.get(ticket).copied().unwrap_or(0)
    }

    /// Claimed tickets, and claims beyond the first of a ticket.
    pub(super) fn claims(&self) -> (u64, u64) {
        let further = self
            .attempts
            .values()
            .map(|&highest| u64::from(highest.saturating_sub(1)));
        (self.attempts.len() as u64, further.sum())
    }
}

/// Copies all objects of a run into a folder, which is then a run of its own; those that are there are
/// left alone. Returns their number.
///
/// # Errors
/// [`TrainError::Mismatch`] when another run is there; others of the store and of files.
pub fn copy_run(store: &Store, folder: &Path) -> Result<usize, TrainError> {
    // No two runs have the same, and the term is copied before all else.
    for name in [RUN.to_owned(), term(1)] {
        let path = folder.join(&name);
        if path.exists()
            && Some(std::fs::read(&path).map_err(TrainError::io(&path))?) != store.get(&name)?
        {
            let reason = format!(
                "it holds another run than {}: give another folder",
                store.name()
            );
            return Err(TrainError::mismatch(folder, reason));
        }
    }
    let names = store.list("")?;
    for name in &names {
        if !stays_inside(name) {
            let reason = "its name leads out of the folder that it would be copied to; remove it";
            return Err(store.error(name, reason).into());
        }
        let path = folder.join(name);
        if !path.exists() {
            let above = path.parent().unwrap_or(folder);
            std::fs::create_dir_all(above).map_err(TrainError::io(above))?;
            // Gone since it was listed: a report that is being replaced.
            if let Some(bytes) = store.get(name)? {
                durable::write(&path, &bytes)?;
            }
        }
    }
    Ok(names.len())
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
