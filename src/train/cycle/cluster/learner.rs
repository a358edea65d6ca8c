//! The learner: the cycle of training, with games and matches played by workers, and each finished
//! generation kept in the store.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};

use super::machines::MachinesSeen;
use super::manifest::Manifest;
use super::objects::Snapshot;
use super::reminder::Reminder;
use super::tickets::{GamesOffer, Part, Ticket};
use super::worker::Worker;
use super::{objects, working_copy};
use crate::TrainError;
use crate::cycle::{CyclePlan, GameRange, NetworkRef, RunFolder, to_json};
use crate::durable;
use crate::play::generate::{Progress, count_games};
use crate::shards::shard;
use crate::store::{Creation, Store};
use crate::trainable::Trainable;

/// The learner's side of a run: the machines that play for it, and the store in which it survives this one. Its own
/// folder is then a working copy.
pub(in crate::cycle) struct Learner<G> {
    /// An empty board: rules and type of position.
    pub(super) start: G,
    pub(super) store: Store,
    pub(super) run_folder: RunFolder,
    pub(super) plan: CyclePlan,
    pub(super) manifest: Manifest,
    pub(super) name: String,
    pub(super) look_every: Duration,
    pub(super) term: Cell<u32>,
    /// The generation in progress.
    pub(super) generation: Cell<u32>,
    /// Plays while it waits.
    pub(super) worker: Option<RefCell<Worker<G>>>,
    /// Checksums of networks by name, once they are in the store.
    pub(super) uploaded: RefCell<BTreeMap<String, String>>,
    /// Generations all of whose games are in the folder.
    pub(super) complete: RefCell<BTreeSet<u32>>,
    pub(super) seen: RefCell<MachinesSeen>,
}

impl<G: Trainable> Learner<G> {
    /// Ends the stale learner.
    pub(super) fn superseded(&self) -> TrainError {
        TrainError::Refused(format!(
            "{}: another learner has taken over from this one (term {}); nothing is lost",
            self.store.name(),
            self.term.get()
        ))
    }

    /// Uploads a job's network, and notes its checksum.
    pub(super) fn upload(&self, network: &mut NetworkRef) -> Result<(), TrainError> {
        let mut uploaded = self.uploaded.borrow_mut();
        network.hash = match uploaded.get(&network.name) {
            Some(known) => known.clone(),
            None => working_copy::upload(&self.store, &self.run_folder.named(&network.name))?,
        };
        uploaded.insert(network.name.clone(), network.hash.clone());
        Ok(())
    }

    /// Creates an offer, or accepts one that differs in nothing but its plan: a longer one offers
    /// the same games.
    pub(super) fn offer(&self, name: &str, own: &impl Serialize) -> Result<(), TrainError> {
        let own = to_json(own)?;
        if self.store.create(name, &own)? == Creation::Created {
            return Ok(());
        }
        let found: Option<Map<String, Value>> = objects::read(&self.store, name)?;
        let mut own: Map<String, Value> = objects::parse(name, &own)?;
        own.remove("plan");
        if found.is_some_and(|mut found| {
            found.remove("plan");
            found == own
        }) {
            return Ok(());
        }
        Err(TrainError::mismatch(
            &PathBuf::from(self.store.name()).join(name),
            "another learner offered other work there: the plans or programs differ",
        ))
    }

    /// Waits until all tickets have results; `collect` gets each once, and `tell` is called at
    /// each look.
    pub(super) fn wait(
        &self,
        tickets: &[Ticket],
        collect: &mut dyn FnMut(&Ticket) -> Result<(), TrainError>,
        tell: &mut dyn FnMut() -> Result<(), TrainError>,
    ) -> Result<(), TrainError> {
        let Some(generation) = tickets.first().map(|ticket| ticket.generation) else {
            return Ok(());
        };
        let collected = RefCell::new(BTreeSet::new());
        let mut look = || -> Result<Snapshot, TrainError> {
            let snapshot = Snapshot::read(&self.store, generation)?;
            for ticket in tickets {
                let result = ticket.result();
                if snapshot.has_result(&result) && !collected.borrow().contains(&result) {
                    collect(ticket)?;
                    collected.borrow_mut().insert(result);
                }
            }
            tell()?;
            Ok(snapshot)
        };
        let mut wait = Duration::from_millis(100);
        let mut reminder = match &self.worker {
            Some(_) => Reminder::later(self.store.now()),
            None => Reminder::now(),
        };
        loop {
            let before = collected.borrow().len();
            let snapshot = look()?;
            if collected.borrow().len() == tickets.len() {
                return Ok(());
            }
            if let Some(worker) = &self.worker {
                let mut worker = worker.borrow_mut();
                worker.begin(generation);
                if let Some((ticket, attempt)) = worker.claim(&snapshot)? {
                    let mut looked = self.store.now();
                    worker.play(&ticket, Some(attempt), &mut |_| {
                        if self.store.now().saturating_sub(looked) >= self.look_every {
                            look()?;
                            looked = self.store.now();
                        }
                        Ok(())
                    })?;
                    continue;
                }
            }
            wait = match collected.borrow().len() > before {
                true => Duration::from_millis(100),
                false => (2 * wait).min(self.look_every),
            };
            if reminder.is_due(self.store.now()) {
                let is_open = |ticket: &&Ticket| !collected.borrow().contains(&ticket.result());
                let open = waiting_for(tickets.iter().filter(is_open));
                let store = self.store.name();
                log::info!("{open}; `tengen-train work --run {store}` starts a worker");
            }
            thread::sleep(wait);
        }
    }

    /// Puts the shard of an offer's ticket into its folder; returns its statistics.
    pub(super) fn fetch(
        &self,
        offer: &GamesOffer,
        ticket: &Ticket,
        folder: &Path,
        range: GameRange,
    ) -> Result<Progress, TrainError> {
        let path = Path::new(&ticket.name);
        if let Some(found) = shard::find(folder, range.first)?
            && let Ok(shard) = shard::read(&found)
        {
            return Ok(count_games(&shard.rows));
        }
        let (result, store) = (ticket.result(), self.store.name());
        let replay = objects::replay(store, &ticket.full_name());
        let starts = self.plan.starts(&self.start)?;
        let start = &starts[range.board];
        let found = self.store.find_checked(&result, |bytes| {
            let shard = shard::decode(path, bytes.clone()).map_err(|error| match error {
                TrainError::Corrupt { reason, .. } => reason,
                other => other.to_string(),
            });
            let progress = shard.and_then(|shard| {
                let checked = offer.check(&shard, start, &self.plan, range);
                checked.map(|()| count_games(&shard.rows))
            });
            let advise = |reason| format!("{reason}; delete it, and {replay}");
            Ok::<_, String>((bytes, progress.map_err(advise)?))
        })?;
        let missing = || {
            let reason = format!("it is missing; {replay}");
            self.store.error(&result, reason)
        };
        let (bytes, progress) = found.ok_or_else(missing)?;
        durable::prepare_folder(folder)?;
        shard::keep(folder, range.first, &bytes)?;
        Ok(progress)
    }
}

/// What a learner waits for, in words: these tickets of one kind and generation.
fn waiting_for<'t>(open: impl Iterator<Item = &'t Ticket>) -> String {
    let (mut generation, mut games, mut kind) = (0, 0, "games");
    for ticket in open {
        generation = ticket.generation;
        games += match ticket.part {
            Part::Games(range) => range.games,
            Part::Pairs(range) => {
                kind = "games of rating matches";
                2 * u64::from(range.pairs)
            }
        };
    }
    format!("generation {generation}: waiting for workers to play {games} {kind}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cycle::cluster::tickets::PairRange;

    #[test]
    fn what_is_waited_for_is_told_in_games() {
        let ticket = |part: Part| Ticket {
            generation: 7,
            name: "a/0000".to_owned(),
            part,
        };
        let range = |games: u64| {
            let (board, first) = (0, 0);
            ticket(Part::Games(GameRange {
                board,
                first,
                games,
            }))
        };
        let games = [range(50), range(12)];
        assert_eq!(
            waiting_for(games.iter()),
            "generation 7: waiting for workers to play 62 games"
        );
        let pairs = ticket(Part::Pairs(PairRange {
            opponent: 0,
            first: 0,
            pairs: 5,
        }));
        assert_eq!(
            waiting_for(std::iter::once(&pairs)),
            "generation 7: waiting for workers to play 10 games of rating matches"
        );
    }
}
