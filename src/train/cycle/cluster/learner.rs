//! The learner: the cycle of training, with games and matches played by workers.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};

use super::machines::MachinesSeen;
use super::objects::{self, Snapshot};
use super::reminder::Reminder;
use super::tickets::{GamesOffer, Part, Ticket};
use super::worker::{Worker, WorkerOptions};
use crate::TrainError;
use crate::cycle::{CyclePlan, GameRange, NetworkRef, RunFolder, to_json};
use crate::durable;
use crate::play::generate::{Progress, count_games};
use crate::play::selfplay::{self, PlayedGame};
use crate::shards::shard;
use crate::store::{AGAIN, Creation, Store};
use crate::trainable::Trainable;
use tengen::settings::differences;
use tengen_nn::eval::ModelInfo;

/// Settings of a learner.
#[derive(Clone)]
pub struct LearnerOptions {
    /// Where it meets its workers.
    pub store: Store,
    /// As a worker; it looks for results as often as for tickets.
    pub worker: WorkerOptions,
    /// Whether it plays while it waits.
    pub plays: bool,
}

/// The learner's side of a run: the machines that play for it, and the store in which it meets them.
pub(in crate::cycle) struct Learner<G> {
    /// An empty board: rules and type of position.
    pub(super) start: G,
    pub(super) store: Store,
    pub(super) run_folder: RunFolder,
    pub(super) plan: CyclePlan,
    pub(super) options: LearnerOptions,
    /// Plays while it waits, from [`Self::begin`] on, if it shall.
    pub(super) worker: RefCell<Option<Worker<G>>>,
    /// Checksums of networks that are in the store.
    uploaded: RefCell<BTreeSet<String>>,
    pub(super) seen: RefCell<MachinesSeen>,
}

impl<G: Trainable> Learner<G> {
    pub(super) fn new(
        start: &G,
        plan: &CyclePlan,
        run_folder: RunFolder,
        options: &LearnerOptions,
    ) -> Learner<G> {
        Learner {
            start: start.clone(),
            store: options.store.clone(),
            run_folder,
            plan: plan.clone(),
            options: options.clone(),
            worker: RefCell::default(),
            uploaded: RefCell::default(),
            seen: RefCell::new(MachinesSeen::new(&options.store)),
        }
    }

    /// Uploads a job's network, unless it is there.
    pub(super) fn upload(&self, network: &NetworkRef) -> Result<(), TrainError> {
        let mut uploaded = self.uploaded.borrow_mut();
        if !uploaded.contains(&network.hash) {
            let path = self.run_folder.named(&network.name);
            let bytes = fs::read(&path).map_err(TrainError::io(&path))?;
            // A damaged one would end each worker, under the name of its copy.
            ModelInfo::read(&path.display().to_string(), &bytes)?;
            self.store.keep(&objects::network(&network.hash), &bytes)?;
            uploaded.insert(network.hash.clone());
        }
        Ok(())
    }

    /// Creates an offer, or accepts one that differs in nothing but its plan: a longer one offers
    /// the same games.
    pub(super) fn offer(&self, name: &str, own: &impl Serialize) -> Result<(), TrainError> {
        let own = to_json(own)?;
        if self.store.create(name, &own)? == Creation::Created {
            return Ok(());
        }
        let without_plan = |bytes: Vec<u8>| {
            let mut offer: Map<String, Value> = objects::value(bytes)?;
            offer.remove("plan");
            Ok::<_, String>(offer)
        };
        let found = self.store.get_checked(name, without_plan)?;
        let own = without_plan(own).map_err(TrainError::Setting)?;
        let differences = differences(&own.into(), &found.into());
        if differences.is_empty() {
            return Ok(());
        }
        let path = PathBuf::from(self.store.name()).join(name);
        let generation = path.parent().unwrap_or(&path).display();
        let why = format!(
            "other work was offered there ({}): the plans or programs differ, or a network was made again; after \
             that delete {generation} and start the learner again",
            differences.join(", ")
        );
        Err(TrainError::mismatch(&path, why))
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
                if snapshot.has(&result) && !collected.borrow().contains(&result) {
                    collect(ticket)?;
                    collected.borrow_mut().insert(result);
                }
            }
            tell()?;
            Ok(snapshot)
        };
        let mut wait = Duration::from_millis(100);
        let look_every = self.options.worker.look_every;
        let mut reminder = match self.options.plays {
            true => Reminder::later(self.store.now()),
            false => Reminder::now(),
        };
        loop {
            let before = collected.borrow().len();
            let snapshot = look()?;
            if collected.borrow().len() == tickets.len() {
                return Ok(());
            }
            if let Some(worker) = &mut *self.worker.borrow_mut() {
                worker.begin(generation);
                let mut claimed = None;
                let free = worker.claim(&snapshot, &mut claimed)?;
                if let Some(ticket) = free.or(claimed) {
                    let mut looked = self.store.now();
                    worker.play(&ticket, &mut |_| {
                        if self.store.now().saturating_sub(looked) >= look_every {
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
                false => (2 * wait).min(look_every),
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

    /// Puts the shard of an offer's ticket into its folder, and the games that are also kept as SGF; returns its statistics.
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
        let starts = self.plan.starts(&self.start)?;
        let start = &starts[range.board];
        let (bytes, shard) = self.store.get_checked(&ticket.result(), |bytes| {
            let shard = shard::decode(path, bytes.clone()).map_err(|error| match error {
                TrainError::Corrupt { reason, .. } => reason,
                other => other.to_string(),
            });
            let checked = shard.and_then(|shard| {
                offer.check(&shard, start, &self.plan, range)?;
                Ok((bytes, shard))
            });
            checked.map_err(|reason| format!("{reason}; {AGAIN}"))
        })?;
        durable::prepare_folder(folder)?;
        for game in shard.rows.chunk_by(|a, b| a.game == b.game) {
            if self.plan.self_play.is_kept(game[0].game) {
                let game = PlayedGame::of(start, game.to_vec());
                selfplay::write(folder, start, &shard.info.source, &game)?;
            }
        }
        shard::keep(folder, range.first, &bytes)?;
        Ok(count_games(&shard.rows))
    }
}

/// What a learner waits for, in words: these tickets of one kind, generation and opponent.
fn waiting_for<'t>(open: impl Iterator<Item = &'t Ticket>) -> String {
    let (mut generation, mut games, mut kind) = (0, 0, "games".to_owned());
    for ticket in open {
        generation = ticket.generation;
        games += match ticket.part {
            Part::Games(range) => range.games,
            Part::Pairs(range) => {
                kind = format!("games of rating matches against {}", ticket.opponent());
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
        let ticket = |name: &str, part: Part| Ticket {
            generation: 7,
            name: name.to_owned(),
            part,
        };
        let range = |games: u64| {
            let (board, first) = (0, 0);
            let range = GameRange {
                board,
                first,
                games,
            };
            ticket("games/0000", Part::Games(range))
        };
        let games = [range(50), range(12)];
        assert_eq!(
            waiting_for(games.iter()),
            "generation 7: waiting for workers to play 62 games"
        );
        let range = PairRange {
            opponent: 0,
            first: 0,
            pairs: 5,
        };
        let pairs = ticket("matches/network-0006.0000", Part::Pairs(range));
        assert_eq!(
            waiting_for(std::iter::once(&pairs)),
            "generation 7: waiting for workers to play 10 games of rating matches against network-0006"
        );
    }
}
