//! What a generation has in the store, by one list of its objects.

use std::collections::{BTreeMap, BTreeSet};

use super::json;
use crate::TrainError;
use crate::store::Store;

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
        let folder = json::of(generation, "");
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
                    if let Some((ticket, attempt)) = json::claimed(name) {
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

    /// The first generation that is not done.
    ///
    /// # Errors
    /// [`TrainError`] of the store.
    pub(super) fn first_open(store: &Store) -> Result<u32, TrainError> {
        let folders = store.folders()?;
        let mut numbers: Vec<u32> = folders.iter().filter_map(|f| json::generation(f)).collect();
        numbers.sort_unstable();
        // From the end: few are open, and many are done.
        for &number in numbers.iter().rev() {
            if store.get(&json::of(number, "done.json"))?.is_some() {
                return Ok(number + 1);
            }
        }
        Ok(0)
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
            .map(|&highest| u64::from(highest - 1));
        (self.attempts.len() as u64, further.sum())
    }
}
