//! The machines of a run: the reports by which each shows that it lives, and what the learner sees of them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};

use super::objects;
use crate::TrainError;
use crate::cycle::{from_json, to_json};
use crate::store::Store;

/// How often a machine reports that it lives.
const REPORT_EVERY: Duration = Duration::from_secs(15);

/// A program that plays for a run, by its last report.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Machine {
    /// Its name: the host's, a process number and a random number.
    pub id: String,
    /// Threads that play.
    pub threads: usize,
    /// Device of its networks.
    pub device: String,
    /// Reports so far: it lives if this number grows.
    pub beats: u64,
    /// Tickets that it was the first to finish.
    pub tickets: u64,
    /// Games played.
    pub games: u64,
    /// Evaluations of networks.
    pub evaluations: u64,
    /// Seconds since it began.
    pub seconds: f64,
    /// Seconds of these in which it played.
    pub busy_seconds: f64,
    /// Whether it has ended by itself.
    pub ended: bool,
}

/// Reports regularly until it is dropped.
pub(super) struct Heartbeat {
    machine: Arc<Mutex<Machine>>,
    store: Store,
    begun: Duration,
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Heartbeat {
    /// Starts to report a machine.
    ///
    /// # Errors
    /// [`TrainError::Setting`] when a thread cannot be started.
    pub(super) fn start(store: &Store, machine: Machine) -> Result<Heartbeat, TrainError> {
        let machine = Arc::new(Mutex::new(machine));
        let (end, ended) = channel();
        let (own, place) = (Arc::clone(&machine), store.clone());
        let begun = store.now();
        let thread = thread::Builder::new()
            .name("heartbeat".to_owned())
            .spawn(move || {
                loop {
                    beat(&place, &own, begun);
                    if ended.recv_timeout(REPORT_EVERY) != Err(RecvTimeoutError::Timeout) {
                        return;
                    }
                }
            })
            .map_err(|error| TrainError::Setting(format!("cannot start a thread: {error}")))?;
        Ok(Heartbeat {
            machine,
            store: store.clone(),
            begun,
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
fn beat(store: &Store, machine: &Mutex<Machine>, begun: Duration) {
    let machine = {
        let mut machine = machine.lock();
        machine.beats += 1;
        machine.seconds = store.now().saturating_sub(begun).as_secs_f64();
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
        beat(&self.store, &self.machine, self.begun);
    }
}

/// Without a new report for so long, a machine may be dead.
const SILENT: Duration = Duration::from_secs(120);

/// Reports of silent machines that are read at a look: a run may have left thousands of them.
const SILENT_READ: usize = 50;

/// The last report of each machine, and when it was first seen by the learner's clock.
pub(super) struct MachinesSeen {
    store: Store,
    /// Without a time while there is only a report from before the first look: its machine may be dead.
    machines: BTreeMap<String, (Machine, Option<Duration>)>,
    /// The objects at the first look.
    old: Option<BTreeSet<String>>,
    /// When the last look was.
    looked: Duration,
    /// The object of the silent machine that was read last.
    last: String,
}

impl MachinesSeen {
    pub(super) fn new(store: &Store) -> MachinesSeen {
        MachinesSeen {
            store: store.clone(),
            machines: BTreeMap::new(),
            old: None,
            looked: Duration::ZERO,
            last: String::new(),
        }
    }

    /// Evaluations of all machines so far.
    pub(super) fn evaluations(&self) -> u64 {
        let machines = self.machines.values();
        machines.map(|(machine, _)| machine.evaluations).sum()
    }

    /// Whether a machine showed no life when its report was read last.
    fn is_silent(&self, name: &str) -> bool {
        let known = self.machines.get(name);
        known.is_some_and(|(_, seen)| {
            seen.is_none_or(|seen| self.looked.saturating_sub(seen) > SILENT)
        })
    }

    /// Reads the reports of all machines that live, which takes a while if there are a thousand: how rarely it is done
    /// depends on that. Of the silent ones it reads some, one after another in the order of names. Returns the last
    /// report of each machine, and the seconds since its number of reports grew, by the clock here; infinite if it did
    /// not since the first look, which reads all.
    ///
    /// # Errors
    /// [`TrainError`] of the store.
    pub(super) fn look(&mut self) -> Result<Vec<(Machine, f64)>, TrainError> {
        let mut names = self.store.list("workers/")?;
        if self.old.is_none() {
            self.old = Some(names.iter().cloned().collect());
        }
        names.retain(|name| {
            let known = self.machines.get(name);
            known.is_none_or(|(machine, _)| !machine.ended)
        });
        let (silent, living): (Vec<_>, Vec<_>) =
            names.into_iter().partition(|name| self.is_silent(name));
        let place = silent.partition_point(|name| *name <= self.last);
        let next = silent[place..].iter().chain(&silent[..place]);
        let next: Vec<String> = next.take(SILENT_READ).cloned().collect();
        if let Some(last) = next.last() {
            self.last.clone_from(last);
        }
        let now = self.store.now();
        for name in living.into_iter().chain(next) {
            // One that came damaged is read at a later look.
            let report = self.store.get(&name)?;
            let report = report.and_then(|bytes| from_json::<Machine>(&bytes).ok());
            let known = self.machines.get(&name);
            if let Some(machine) = report
                && known.is_none_or(|(known, _)| known.beats < machine.beats)
            {
                let is_old = self.old.as_ref().is_some_and(|old| old.contains(&name));
                let seen = (known.is_some() || !is_old).then_some(now);
                self.machines.insert(name, (machine, seen));
            }
        }
        self.looked = now;
        let age = |seen: &Option<Duration>| {
            seen.map_or(f64::INFINITY, |seen| now.saturating_sub(seen).as_secs_f64())
        };
        let machines = self.machines.values();
        Ok(machines.map(|(m, seen)| (m.clone(), age(seen))).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::faulty::FaultyBackend;

    fn report(store: &Store, id: &str, beats: u64) {
        let machine = Machine {
            id: id.to_owned(),
            beats,
            ..Machine::default()
        };
        store.try_put(&objects::worker(id), &to_json(&machine).unwrap());
    }

    /// The machines that have shown since the first look that they live.
    fn living(seen: &mut MachinesSeen) -> Vec<Machine> {
        let machines = seen.look().unwrap().into_iter();
        let living = machines.filter(|(_, age)| age.is_finite());
        living.map(|(machine, _)| machine).collect()
    }

    #[test]
    fn a_report_from_before_the_first_look_shows_no_life() {
        let store = FaultyBackend::new(1).store();
        let report = |id: &str, beats: u64| report(&store, id, beats);
        let mut seen = MachinesSeen::new(&store);
        let mut living = || -> Vec<String> {
            let living = living(&mut seen).into_iter();
            living.map(|machine| machine.id).collect()
        };
        report("dead", 7);
        report("slow", 3);
        // Half of a report.
        store.try_put(&objects::worker("damaged"), b"{");
        assert!(living().is_empty());
        report("new", 1);
        report("damaged", 9);
        assert_eq!(living(), ["new"]);
        report("slow", 4);
        assert_eq!(living(), ["new", "slow"]);
        report("damaged", 10);
        assert_eq!(living(), ["damaged", "new", "slow"]);
    }

    #[test]
    fn a_machine_that_waits_says_how_long_it_has_run() {
        let store = FaultyBackend::new(1).store();
        let id = "waits".to_owned();
        let machine = Machine {
            id,
            ..Machine::default()
        };
        let heartbeat = Heartbeat::start(&store, machine).unwrap();
        thread::sleep(Duration::from_millis(5));
        drop(heartbeat);
        let report = store.get(&objects::worker("waits")).unwrap().unwrap();
        let machine: Machine = from_json(&report).unwrap();
        assert!(machine.ended && machine.seconds >= 0.005, "{machine:?}");
    }

    #[test]
    fn of_thousands_that_may_be_dead_some_are_read_at_a_look() {
        let store = FaultyBackend::new(1).store();
        let dead = 4 * SILENT_READ;
        for number in 0..dead {
            report(&store, &format!("dead-{number:04}"), 7);
        }
        let mut seen = MachinesSeen::new(&store);
        assert!(living(&mut seen).is_empty());
        // One that lives is read at each look, the others in turn.
        let slow = format!("dead-{:04}", dead - 1);
        report(&store, &slow, 8);
        for look in 1..=4 {
            report(&store, "new", look);
            let living = living(&mut seen).into_iter();
            let living: Vec<(String, u64)> = living.map(|m| (m.id, m.beats)).collect();
            let new = ("new".to_owned(), look);
            match look {
                4 => assert_eq!(living, [(slow.clone(), 8), new]),
                _ => assert_eq!(living, [new]),
            }
        }
    }
}
