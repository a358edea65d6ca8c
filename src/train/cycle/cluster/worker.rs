//! A worker: finds tickets, plays them, and keeps their results.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use super::machines::{Heartbeat, Machine};
use super::manifest::Manifest;
use super::objects::{self, Snapshot};
use super::player::TicketPlayer;
use super::reminder::Reminder;
use super::tickets::{GamesOffer, Offers, Ticket};
use crate::TrainError;
use crate::cycle::to_json;
use crate::play::generate::Progress;
use crate::play::runtime::Runtime;
use crate::store::{Creation, Store};
use crate::trainable::Trainable;

/// First wait without a ticket; each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(250);

/// Claims that are tried before the list is read again.
const MAX_TRIED: usize = 8;

/// Settings of a worker.
#[derive(Debug, Clone)]
pub struct WorkerOptions {
    /// Its name in the report, unique if a process and a random number are appended.
    pub name: String,
    /// Threads that play, at least 1.
    pub threads: usize,
    /// Longest time between two looks, for tickets, or whether another machine has finished its own.
    pub look_every: Duration,
}

/// A ticket to play, or why there is none.
enum Next {
    Play(Ticket),
    Wait,
    Finished,
}

/// Plays the tickets of a run.
pub struct Worker<G> {
    store: Store,
    player: TicketPlayer<G>,
    heartbeat: Heartbeat,
    /// Its name, which is unique.
    id: String,
    look_every: Duration,
    /// The oldest generation that may be open: they end in their order.
    generation: u32,
    offers: BTreeMap<u32, Offers>,
    /// Which run it plays for, once that has begun.
    run: Option<String>,
}

impl<G: Trainable> Worker<G> {
    /// A worker for a run whose boards have the rules and positions of `start`.
    ///
    /// # Errors
    /// [`TrainError`] of the store, or when a thread cannot be started.
    pub fn new(
        start: &G,
        runtime: &Runtime,
        store: &Store,
        options: &WorkerOptions,
    ) -> Result<Worker<G>, TrainError> {
        let nonce = getrandom::u32().unwrap_or_default();
        let id = format!("{}-{}-{nonce:08x}", options.name, std::process::id());
        let machine = Machine {
            id: id.clone(),
            threads: options.threads,
            device: runtime.device.to_string(),
            ..Machine::default()
        };
        // A store in which it must not write is noticed now, and not after a ticket.
        store.create(&objects::worker(&id), &to_json(&machine)?)?;
        Ok(Worker {
            store: store.clone(),
            player: TicketPlayer::new(start, runtime, options.threads, store),
            heartbeat: Heartbeat::start(store, machine)?,
            id,
            look_every: options.look_every,
            generation: 0,
            offers: BTreeMap::new(),
            run: None,
        })
    }

    /// Plays tickets until the plan is complete; `told` gets the name of each.
    ///
    /// # Errors
    /// [`TrainError`] of the store and of networks, and when another run has begun in the store.
    pub fn run(&mut self, mut told: impl FnMut(&str)) -> Result<(), TrainError> {
        let mut wait = FIRST_WAIT;
        let mut reminder = Reminder::later(self.store.now());
        self.check_run()?;
        loop {
            match self.next()? {
                Next::Play(ticket) => {
                    self.check_run()?;
                    self.play(&ticket, &mut |_| Ok(()))?;
                    told(&ticket.full_name());
                    wait = FIRST_WAIT;
                    reminder = Reminder::later(self.store.now());
                }
                Next::Wait => {
                    if reminder.is_due(self.store.now()) {
                        let (store, generation) = (self.store.name(), self.generation);
                        log::info!(
                            "{store}: waiting for tickets, generation {generation} has none"
                        );
                        self.look_back()?;
                    }
                    thread::sleep(wait);
                    wait = (2 * wait).min(self.look_every);
                }
                Next::Finished => return Ok(()),
            }
        }
    }

    /// # Errors
    /// [`TrainError`] when another run has begun in the store, perhaps of another game; of the store.
    fn check_run(&mut self) -> Result<(), TrainError> {
        let Some(found) = Manifest::read(&self.store)? else {
            return Ok(());
        };
        if *self.run.get_or_insert_with(|| found.id.clone()) == found.id {
            return Ok(());
        }
        Err(TrainError::Setting(format!(
            "{}: another run has begun there; start this worker again to play for it",
            self.store.name()
        )))
    }

    /// After a wait without tickets: the run may have begun again, or the generation before this one, from which the
    /// worker comes back at once if it is done.
    ///
    /// # Errors
    /// [`TrainError`] when it is another run; of the store.
    pub(super) fn look_back(&mut self) -> Result<(), TrainError> {
        self.generation = self.generation.saturating_sub(1);
        self.check_run()
    }

    /// Forgets all earlier generations.
    pub(super) fn begin(&mut self, generation: u32) {
        self.generation = self.generation.max(generation);
    }

    /// The next ticket: a free one of any open generation, else one of the oldest that another machine has claimed,
    /// which may be dead.
    fn next(&mut self) -> Result<Next, TrainError> {
        let (mut generation, mut claimed) = (self.generation, None);
        loop {
            let snapshot = Snapshot::read(&self.store, generation)?;
            if snapshot.is_done() {
                // Nor is anything before it wanted any more.
                (self.generation, claimed) = (generation + 1, None);
            } else if !snapshot.has(&GamesOffer::object(generation)) {
                let is_finished = snapshot.ends_plan() && generation == self.generation;
                return Ok(match claimed {
                    Some(ticket) => Next::Play(ticket),
                    None if is_finished => Next::Finished,
                    None => Next::Wait,
                });
            } else if let Some(ticket) = self.claim(&snapshot, &mut claimed)? {
                return Ok(Next::Play(ticket));
            }
            generation += 1;
        }
    }

    /// Claims a free ticket of a generation; `None` if there is none now. If all are claimed by other machines, one of
    /// them is noted, unless one is.
    ///
    /// # Errors
    /// [`TrainError`] of the store.
    pub(super) fn claim(
        &mut self,
        snapshot: &Snapshot,
        claimed: &mut Option<Ticket>,
    ) -> Result<Option<Ticket>, TrainError> {
        self.offers.retain(|&number, _| number >= self.generation);
        let mut open = self.tickets(snapshot)?;
        open.retain(|ticket| !snapshot.has(&ticket.result()));
        // From a random place, so that few machines try or repeat the same one.
        let place = getrandom::u32().unwrap_or_default() as usize % open.len().max(1);
        open.rotate_left(place);
        let is_free = |ticket: &&Ticket| !snapshot.has(&ticket.claim());
        for ticket in open.iter().filter(is_free).take(MAX_TRIED) {
            let creation = self.store.create(&ticket.claim(), self.id.as_bytes())?;
            if creation == Creation::Created {
                return Ok(Some(ticket.clone()));
            }
        }
        if claimed.is_none() && !open.iter().any(|ticket| is_free(&ticket)) {
            *claimed = open.pop();
        }
        Ok(None)
    }

    /// Plays a ticket and keeps its result, unless another machine has done so meanwhile.
    ///
    /// # Errors
    /// As [`Self::run`], and those of `observe`.
    pub(super) fn play(
        &mut self,
        ticket: &Ticket,
        observe: &mut dyn FnMut(Progress) -> Result<(), TrainError>,
    ) -> Result<(), TrainError> {
        let begun = self.store.now();
        let (mut before, mut counted, mut looked) = (Progress::default(), begun, begun);
        let mut tell = |progress: Progress| {
            let now = self.store.now();
            self.heartbeat.update(|machine| {
                machine.games += progress.games - before.games;
                machine.evaluations += progress.evaluations - before.evaluations;
                machine.busy_seconds += now.saturating_sub(counted).as_secs_f64();
            });
            (before, counted) = (progress, now);
            observe(progress)?;
            let now = self.store.now();
            if now.saturating_sub(looked) < self.look_every {
                return Ok(());
            }
            looked = now;
            match self.store.get(&ticket.result())? {
                Some(_) => Err(TrainError::DoneElsewhere),
                None => Ok(()),
            }
        };
        // What was read earlier may be of a generation that was made again since, or of another run.
        let offers = Offers::of(&self.store, ticket)?;
        let played = match offers.tickets()?.contains(ticket) {
            true => self.player.play(&offers, ticket, &mut tell),
            false => Err(TrainError::DoneElsewhere),
        };
        let is_ours = match played {
            // If another machine was faster, its result stays.
            Ok(bytes) if Offers::of(&self.store, ticket)? == offers => {
                self.store.create(&ticket.result(), &bytes)? == Creation::Created
            }
            Ok(_) | Err(TrainError::DoneElsewhere) => {
                self.offers.remove(&ticket.generation);
                false
            }
            Err(error) => return Err(error),
        };
        let now = self.store.now();
        self.heartbeat.update(|machine| {
            machine.busy_seconds += now.saturating_sub(counted).as_secs_f64();
            machine.tickets += u64::from(is_ours);
        });
        Ok(())
    }

    /// The tickets of a generation.
    pub(super) fn tickets(&mut self, snapshot: &Snapshot) -> Result<Vec<Ticket>, TrainError> {
        let offers = self.offers.entry(snapshot.generation).or_default();
        offers.update(&self.store, snapshot)?;
        offers.tickets()
    }
}
