//! A worker: finds tickets, plays them, and keeps their results.

use std::collections::BTreeMap;
use std::thread;
use std::time::Duration;

use super::claims::Claims;
use super::machines::Heartbeat;
use super::objects::{self, Snapshot};
use super::player::{TicketPlayer, source};
use super::reminder::Reminder;
use super::tickets::{Offers, Ticket};
use crate::TrainError;
use crate::cycle::{Machine, to_json};
use crate::play::generate::Progress;
use crate::play::runtime::Runtime;
use crate::store::{Creation, Store};
use crate::trainable::Trainable;

/// First wait without a ticket; each further one is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(250);

/// Settings of a worker.
#[derive(Debug, Clone)]
pub struct WorkerOptions {
    /// Its name in the report, unique if a process and a random number are appended.
    pub name: String,
    /// Threads that play, at least 1.
    pub threads: usize,
    /// Share of a GPU that it has, for the report.
    pub gpus: f64,
    /// Time without a sign of life after which another worker's ticket is taken over.
    pub lease: Duration,
}

/// A ticket to play, or why there is none.
enum Next {
    Play(Ticket, u32),
    Wait,
    Finished,
}

/// Plays the tickets of a run.
pub struct Worker<G> {
    pub(super) store: Store,
    pub(super) player: TicketPlayer<G>,
    pub(super) claims: Claims,
    pub(super) heartbeat: Heartbeat,
    pub(super) begun: Duration,
    /// The oldest generation that may be open.
    pub(super) generation: u32,
    pub(super) offers: BTreeMap<u32, Offers>,
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
            gpus: options.gpus,
            ..Machine::default()
        };
        // A store in which it must not write is noticed now, and not after a ticket.
        store.create(&objects::worker(&id), &to_json(&machine)?)?;
        Ok(Worker {
            store: store.clone(),
            player: TicketPlayer::new(start, runtime, options.threads, store),
            begun: store.now(),
            heartbeat: Heartbeat::start(store, machine, options.lease / 4)?,
            claims: Claims {
                store: store.clone(),
                lease: options.lease,
                id,
                watched: BTreeMap::new(),
            },
            generation: Snapshot::first_open(store)?,
            offers: BTreeMap::new(),
        })
    }

    /// Plays tickets until the plan is complete; `told` gets each finished ticket's name.
    ///
    /// # Errors
    /// [`TrainError`] of the store, of networks, and [`TrainError::Refused`] when a ticket's result
    /// differs from that of another machine and must not.
    pub fn run(&mut self, mut told: impl FnMut(&str)) -> Result<(), TrainError> {
        let (mut wait, most_wait) = (FIRST_WAIT, self.claims.lease / 8);
        let mut reminder = Reminder::later(self.store.now());
        loop {
            match self.next()? {
                Next::Play(ticket, attempt) => {
                    self.play(&ticket, Some(attempt), &mut |_| Ok(()))?;
                    told(&ticket.full_name());
                    wait = FIRST_WAIT;
                    reminder = Reminder::later(self.store.now());
                }
                Next::Wait => {
                    if reminder.is_due(self.store.now()) {
                        let (store, generation) = (self.store.name(), self.generation);
                        log::info!(
                            "{store}: waiting for tickets, generation {generation} has none that is free"
                        );
                    }
                    thread::sleep(wait);
                    wait = (2 * wait).min(most_wait);
                }
                Next::Finished => return Ok(()),
            }
        }
    }

    /// Plays the ticket of this name without a claim, unless its result is there.
    ///
    /// # Errors
    /// As [`Self::run`], and [`TrainError::Setting`] when there is no such ticket.
    pub fn play_named(&mut self, name: &str) -> Result<(), TrainError> {
        let (snapshot, ticket) = self.ticket(name)?;
        if snapshot.has_result(&ticket.result()) {
            return Ok(());
        }
        self.play(&ticket, None, &mut |_| Ok(()))
    }

    /// The ticket of this name, and its generation.
    pub(super) fn ticket(&mut self, name: &str) -> Result<(Snapshot, Ticket), TrainError> {
        let store = self.store.name().to_owned();
        let unknown = || TrainError::Setting(format!("{store}: there is no ticket {name:?}"));
        let (folder, _) = name.split_once('/').ok_or_else(unknown)?;
        let generation = objects::generation(folder).ok_or_else(unknown)?;
        let snapshot = Snapshot::read(&self.store, generation)?;
        let tickets = self.tickets(&snapshot)?.into_iter();
        let mut named = tickets.filter(|ticket| ticket.full_name() == name);
        let ticket = named.next().ok_or_else(unknown)?;
        Ok((snapshot, ticket))
    }

    /// Forgets all earlier generations.
    pub(super) fn begin(&mut self, generation: u32) {
        self.generation = self.generation.max(generation);
    }

    /// Claims an open ticket of a generation; `None` if there is none now.
    ///
    /// # Errors
    /// [`TrainError`] of the store.
    pub(super) fn claim(
        &mut self,
        snapshot: &Snapshot,
    ) -> Result<Option<(Ticket, u32)>, TrainError> {
        self.offers.retain(|&number, _| number >= self.generation);
        let mut open = self.tickets(snapshot)?;
        open.retain(|ticket| !snapshot.has_result(&ticket.result()));
        self.claims.claim(snapshot, open, self.generation)
    }

    /// The next ticket of any open generation.
    fn next(&mut self) -> Result<Next, TrainError> {
        let mut generation = self.generation;
        loop {
            let snapshot = Snapshot::read(&self.store, generation)?;
            if !snapshot.has_games && !snapshot.has_matches {
                let is_finished = snapshot.is_finished && generation == self.generation;
                return Ok(if is_finished {
                    Next::Finished
                } else {
                    Next::Wait
                });
            }
            if snapshot.is_done {
                self.generation = generation + 1;
                self.offers.remove(&generation);
            } else if let Some((ticket, attempt)) = self.claim(&snapshot)? {
                return Ok(Next::Play(ticket, attempt));
            }
            generation += 1;
        }
    }

    /// Plays a ticket and keeps its result; `attempt` is that of its claim, if it has one.
    ///
    /// # Errors
    /// As [`Self::run`], and those of `observe`.
    pub(super) fn play(
        &mut self,
        ticket: &Ticket,
        attempt: Option<u32>,
        observe: &mut dyn FnMut(Progress) -> Result<(), TrainError>,
    ) -> Result<(), TrainError> {
        let claim = attempt.map(|attempt| ticket.claim(attempt));
        let begun = self.store.now();
        self.heartbeat.update(|machine| machine.holding = claim);
        let offers = self.offers.entry(ticket.generation).or_default();
        let mut before = Progress::default();
        let mut tell = |progress: Progress| {
            self.heartbeat.update(|machine| {
                machine.games += progress.games - before.games;
                machine.evaluations += progress.evaluations - before.evaluations;
            });
            before = progress;
            observe(progress)
        };
        let played = self.player.play(offers, ticket, &mut tell);
        let kept = played.and_then(|bytes| self.keep(ticket, &bytes));
        let now = self.store.now();
        let busy = now.saturating_sub(begun).as_secs_f64();
        let seconds = now.saturating_sub(self.begun).as_secs_f64();
        self.heartbeat.update(|machine| {
            machine.holding = None;
            machine.busy_seconds += busy;
            machine.seconds = seconds;
            machine.tickets += u64::from(kept.is_ok());
            machine.repeated += u64::from(matches!(kept, Ok(Creation::Existed)));
        });
        kept.map(drop)
    }

    /// Creates the result of a ticket, or compares it with the one that is there.
    fn keep(&self, ticket: &Ticket, bytes: &[u8]) -> Result<Creation, TrainError> {
        let name = ticket.result();
        if self.store.create(&name, bytes)? == Creation::Created {
            return Ok(Creation::Created);
        }
        let mut found = self.store.get(&name)?;
        if found.as_deref() != Some(bytes) {
            // It may have come damaged.
            found = self.store.get(&name)?;
        }
        let found = found.unwrap_or_default();
        if found == bytes {
            return Ok(Creation::Existed);
        }
        let sources = [found, bytes.to_vec()].map(|bytes| source(ticket, bytes));
        if self.player.is_exact() && sources[0] == sources[1] {
            return Err(TrainError::Refused(format!(
                "{}: {name} was played by another machine with another result, although network, \
                 settings and backend are the same; one of both computes wrongly, or their programs \
                 differ",
                self.store.name()
            )));
        }
        log::warn!("{name} was played before by other means: the first result stays");
        Ok(Creation::Existed)
    }

    /// The tickets of a generation.
    pub(super) fn tickets(&mut self, snapshot: &Snapshot) -> Result<Vec<Ticket>, TrainError> {
        let offers = self.offers.entry(snapshot.generation).or_default();
        offers.update(&self.store, snapshot)?;
        offers.tickets()
    }
}
