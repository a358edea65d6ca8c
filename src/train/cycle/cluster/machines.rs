//! The machines of a run: the reports by which each shows that it lives, and what the learner sees of them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use parking_lot::Mutex;

use super::objects;
use crate::TrainError;
use crate::cycle::{Machine, from_json, to_json};
use crate::store::Store;

/// Reports regularly until it is dropped.
pub(super) struct Heartbeat {
    machine: Arc<Mutex<Machine>>,
    store: Store,
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Heartbeat {
    /// Starts to report a machine as often as this.
    ///
    /// # Errors
    /// [`TrainError::Setting`] when a thread cannot be started.
    pub(super) fn start(
        store: &Store,
        machine: Machine,
        every: Duration,
    ) -> Result<Heartbeat, TrainError> {
        let machine = Arc::new(Mutex::new(machine));
        let (end, ended) = channel();
        let (own, place) = (Arc::clone(&machine), store.clone());
        let thread = thread::Builder::new()
            .name("heartbeat".to_owned())
            .spawn(move || {
                loop {
                    beat(&place, &own);
                    if ended.recv_timeout(every) != Err(RecvTimeoutError::Timeout) {
                        return;
                    }
                }
            })
            .map_err(|error| TrainError::Setting(format!("cannot start a thread: {error}")))?;
        Ok(Heartbeat {
            machine,
            store: store.clone(),
            end: Some(end),
            thread: Some(thread),
        })
    }

    /// Changes what the next report says.
    pub(super) fn update(&self, change: impl FnOnce(&mut Machine)) {
        change(&mut self.machine.lock());
    }
}

/// Reports once. Without an answer the next report follows.
fn beat(store: &Store, machine: &Mutex<Machine>) {
    let machine = {
        let mut machine = machine.lock();
        machine.beats += 1;
        machine.clone()
    };
    if let Ok(bytes) = to_json(&machine) {
        store.try_put(&objects::worker(&machine.id), &bytes);
    }
}

impl Drop for Heartbeat {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
        self.update(|machine| machine.ended = true);
        beat(&self.store, &self.machine);
    }
}

/// Reports that are read at a look: a thousand workers take a while, and cost little.
const MAX_READ: usize = 50;

/// The last report of each machine, and when it was first seen by the learner's clock.
pub(super) struct MachinesSeen {
    store: Store,
    machines: BTreeMap<String, (Machine, Duration)>,
    /// The object that was read last.
    last: String,
}

impl MachinesSeen {
    pub(super) fn new(store: &Store) -> MachinesSeen {
        MachinesSeen {
            store: store.clone(),
            machines: BTreeMap::new(),
            last: String::new(),
        }
    }

    /// Evaluations of all machines so far.
    pub(super) fn evaluations(&self) -> u64 {
        let machines = self.machines.values();
        machines.map(|(machine, _)| machine.evaluations).sum()
    }

    /// Reads reports, one after another in the order of names; returns the last of each machine, and the seconds since
    /// its number of reports grew, by the clock here.
    ///
    /// # Errors
    /// [`TrainError`] of the store.
    pub(super) fn look(&mut self) -> Result<Vec<(Machine, f64)>, TrainError> {
        let names = self.store.list("workers/")?;
        let has_ended = |name: &String| {
            let known = self.machines.get(name);
            known.is_some_and(|(machine, _)| machine.ended)
        };
        let living: Vec<&String> = names.iter().filter(|name| !has_ended(name)).collect();
        let place = living.partition_point(|name| **name <= self.last);
        let next = living[place..].iter().chain(&living[..place]);
        let next: Vec<String> = next.take(MAX_READ).map(|name| (*name).clone()).collect();
        let now = self.store.now();
        for name in next {
            // One that came damaged is read at a later look.
            let report = self.store.get(&name)?;
            let report = report.and_then(|bytes| from_json::<Machine>(&bytes).ok());
            if let Some(machine) = report {
                let known = self.machines.get(&name);
                let is_new = known.is_none_or(|(known, _)| known.beats < machine.beats);
                if is_new {
                    self.machines.insert(name.clone(), (machine, now));
                }
            }
            self.last = name;
        }
        let age = |seen: Duration| now.saturating_sub(seen).as_secs_f64();
        let machines = self.machines.values();
        Ok(machines.map(|(m, seen)| (m.clone(), age(*seen))).collect())
    }
}
