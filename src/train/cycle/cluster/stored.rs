//! A run's store as a folder of files: what it lacks, and what to do about a damaged file.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::objects;
use super::tickets::{GamesOffer, MatchesOffer, Offers};
use super::working_copy::{self, Done, needed};
use crate::cycle::CyclePlan;
use crate::store::{RESTORE, RUN};

/// Objects of a generation that are there once, by which a store is recognised.
const ONCE: [&str; 4] = ["tickets.json", "matches.json", "done.json", "finished.json"];

/// Whether some of `count` names that are counted up have this number: a far larger one is of another hand, and all
/// before it would be missed.
fn is_likely(number: u32, count: usize) -> bool {
    (number as usize) < 10 * (count + 10)
}

/// A store that is a folder.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::cycle) struct StoreFolder(PathBuf);

impl StoreFolder {
    /// The stores to which some of these files belong.
    pub(in crate::cycle) fn all(files: &[PathBuf]) -> BTreeSet<StoreFolder> {
        let store = |path: &PathBuf| {
            let above = path.parent()?;
            let (name, folder) = (path.file_name()?.to_str()?, above.file_name()?.to_str()?);
            let is_once = objects::generation(folder).is_some() && ONCE.contains(&name);
            let is_one = is_once || (folder == "epoch" && name.parse::<u32>().is_ok());
            is_one.then(|| above.parent().map(|root| StoreFolder(root.to_path_buf())))?
        };
        files.iter().filter_map(store).collect()
    }

    /// Its folder.
    pub(in crate::cycle) fn root(&self) -> &Path {
        &self.0
    }

    /// Whether a file is a learner's taking over, which is JSON without an ending.
    pub(in crate::cycle) fn is_term(&self, path: &Path) -> bool {
        path.parent()
            .is_some_and(|above| above == self.0.join("epoch"))
    }

    /// What to do when a file of it is damaged.
    pub(in crate::cycle) fn advice(&self, path: &Path) -> String {
        let parts = path.strip_prefix(&self.0).unwrap_or(path).iter();
        let parts: Vec<String> = parts.map(|part| part.display().to_string()).collect();
        match &*parts {
            [generation, kind, result] if kind == "games" || kind == "matches" => {
                let ticket = result.rsplit_once('.').map_or(&**result, |(name, _)| name);
                let replay = self.replay(&format!("{generation}/{kind}/{ticket}"));
                format!("delete it, and {replay}")
            }
            // Progress, which is written again and again.
            [reports, _] if reports == "workers" => "delete it".to_owned(),
            _ => RESTORE.to_owned(),
        }
    }

    fn replay(&self, ticket: &str) -> String {
        objects::replay(&self.0.display().to_string(), ticket)
    }

    /// Objects that it must have and has not, and what to do about each.
    pub(in crate::cycle) fn missing(&self) -> Vec<(PathBuf, String)> {
        let mut missing = Vec::new();
        let mut need = |name: &str, advice: &str| {
            let path = self.0.join(name);
            if !path.is_file() {
                missing.push((path, format!("it is missing; {advice}")));
            }
        };
        need(RUN, RESTORE);
        let folders = self.names("");
        let generations = folders.iter().filter_map(|name| objects::generation(name));
        let generations = generations.filter(|&number| is_likely(number, folders.len()));
        let has = |number: u32, name: &str| self.0.join(objects::of(number, name)).is_file();
        let ends = generations.filter_map(|number| match has(number, "done.json") {
            true => Some(number + 1),
            // The plan was complete before it.
            false => has(number, "finished.json").then_some(number),
        });
        let (mut all, mut plan) = (Vec::new(), None);
        let mut term = 0;
        for number in 0..ends.max().unwrap_or(0) {
            let done = working_copy::object(number);
            need(&done, RESTORE);
            need(&GamesOffer::object(number), RESTORE);
            let offers = Offers {
                games: self.read(&GamesOffer::object(number), GamesOffer::parse),
                matches: self.read(&MatchesOffer::object(number), MatchesOffer::parse),
            };
            for ticket in offers.tickets().unwrap_or_default() {
                need(&ticket.result(), &self.replay(&ticket.full_name()));
            }
            plan = offers
                .games
                .and_then(|offer| CyclePlan::parse(&offer.plan).ok());
            if let Some(done) = self.read(&done, |bytes| Done::parse(number, bytes)) {
                term = done.term.max(term);
                all.push(done);
            }
        }
        // Without these no other learner can go on; older ones are only kept.
        if let (Some(last), Some(plan)) = (all.last(), plan) {
            need(
                &objects::of(last.generation.number, &last.checkpoint),
                RESTORE,
            );
            for hash in needed(&all, &plan).values() {
                need(&objects::network(hash), RESTORE);
            }
        }
        let names = self.names("epoch");
        let terms = names.iter().filter_map(|name| name.parse::<u32>().ok());
        let terms = terms
            .chain([term])
            .filter(|&number| is_likely(number, names.len()));
        for number in 1..=terms.max().unwrap_or(0) {
            need(&objects::term(number), RESTORE);
        }
        missing
    }

    /// An object that is sound: damage is told of each file.
    fn read<T>(&self, name: &str, parse: impl Fn(Vec<u8>) -> Result<T, String>) -> Option<T> {
        parse(fs::read(self.0.join(name)).ok()?).ok()
    }

    /// Names of what is in a folder of it.
    fn names(&self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.0.join(folder)).into_iter().flatten();
        let names = entries.flatten().map(|entry| entry.file_name());
        names.filter_map(|name| name.into_string().ok()).collect()
    }
}
