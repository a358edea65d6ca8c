//! A machine's reports of progress, which also show that it lives.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use parking_lot::Mutex;

use super::json;
use crate::TrainError;
use crate::cycle::Machine;
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
        let (own, store) = (Arc::clone(&machine), store.clone());
        let place = store.clone();
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
            store,
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
    if let Ok(bytes) = json::write(&machine) {
        store.try_put(&json::worker(&machine.id), &bytes);
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
