//! A store that repeats requests until they are answered.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use super::{AGAIN, Backend, Creation, Failure};
use crate::StoreError;
use tengen::clock::Clock;

/// First wait after a failed attempt; each further wait is twice as long.
const FIRST_WAIT: Duration = Duration::from_millis(100);

/// Silence after which it is logged, and again after twice, four times, ... as long.
const TOLD_AFTER: Duration = Duration::from_secs(5);

/// How long a store may be silent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryLimits {
    /// Time after which a request that always failed is given up.
    pub total: Duration,
    /// The longest wait between two attempts.
    pub most_wait: Duration,
}

impl Default for RetryLimits {
    fn default() -> RetryLimits {
        RetryLimits {
            total: Duration::from_secs(3600),
            most_wait: Duration::from_secs(10),
        }
    }
}

/// A store of named objects; clones share it.
#[derive(Clone)]
pub struct Store {
    name: String,
    backend: Arc<dyn Backend>,
    clock: Arc<dyn Clock>,
    limits: RetryLimits,
}

impl Store {
    /// A store over a backend; `name` is for messages.
    pub fn new(
        name: &str,
        backend: Arc<dyn Backend>,
        clock: Arc<dyn Clock>,
        limits: RetryLimits,
    ) -> Store {
        Store {
            name: name.to_owned(),
            backend,
            clock,
            limits,
        }
    }

    /// The time, by the clock with which it waits.
    pub fn now(&self) -> Duration {
        self.clock.now()
    }

    /// The name that the user gave.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Creates an object unless it exists: afterwards there is one. When the answer to an attempt was lost, ours may be said
    /// to have existed: who must know compares what is there.
    ///
    /// # Errors
    /// [`StoreError`] when the store refuses it, or stays silent.
    pub fn create(&self, name: &str, bytes: &[u8]) -> Result<Creation, StoreError> {
        self.repeat(name, || {
            let creation = self.backend.create(name, bytes)?;
            // The answer is the same for an object and for a request that was in the way of ours.
            if creation == Creation::Existed && self.backend.get(name)?.is_none() {
                return Err(Failure::Transient(
                    "a conflict: it is said to exist, and does not".to_owned(),
                ));
            }
            Ok(creation)
        })
    }

    /// Creates an object whose name tells its content; one that exists must have these bytes.
    ///
    /// # Errors
    /// As [`Self::create`], and when another object has the name.
    pub fn keep(&self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        if self.create(name, bytes)? == Creation::Created {
            return Ok(());
        }
        self.get_checked(name, |found| {
            let same = (found == bytes).then_some(());
            same.ok_or(format!("it exists with another content; {AGAIN}"))
        })
    }

    /// Creates or replaces a report of progress in one attempt, which may fail without consequence: the next report
    /// follows.
    pub fn try_put(&self, name: &str, bytes: &[u8]) {
        if let Err(failure) = self.backend.put(name, bytes) {
            log::debug!("{}: {name}: {failure}", self.name);
        }
    }

    /// Content of an object; `None` if there is none.
    ///
    /// # Errors
    /// As [`Self::create`].
    pub fn get(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        self.repeat(name, || self.backend.get(name))
    }

    /// Content of an object that must pass a check, such as a checksum: what came damaged is read
    /// again. `None` if there is no such object. The check says what is wrong, and what to do about it.
    ///
    /// # Errors
    /// As [`Self::create`], and when the object fails the check three times.
    pub fn find_checked<T, E: std::fmt::Display>(
        &self,
        name: &str,
        check: impl Fn(Vec<u8>) -> Result<T, E>,
    ) -> Result<Option<T>, StoreError> {
        let mut reason = String::new();
        for _ in 0..3 {
            let Some(bytes) = self.get(name)? else {
                return Ok(None);
            };
            match check(bytes) {
                Ok(value) => return Ok(Some(value)),
                Err(error) => reason = error.to_string(),
            }
        }
        Err(self.error(name, format!("it is damaged: {reason}")))
    }

    /// The same of an object that must exist.
    ///
    /// # Errors
    /// As [`Self::find_checked`], and when the object is missing.
    pub fn get_checked<T, E: std::fmt::Display>(
        &self,
        name: &str,
        check: impl Fn(Vec<u8>) -> Result<T, E>,
    ) -> Result<T, StoreError> {
        let found = self.find_checked(name, check)?;
        found.ok_or_else(|| self.error(name, "it is missing: start the learner again"))
    }

    /// Names of all objects below a folder, ascending.
    ///
    /// # Errors
    /// As [`Self::create`].
    pub fn list(&self, folder: &str) -> Result<Vec<String>, StoreError> {
        self.repeat(folder, || self.backend.list(folder))
    }

    /// An error about an object.
    pub(crate) fn error(&self, object: &str, reason: impl Into<String>) -> StoreError {
        StoreError {
            store: self.name.clone(),
            object: object.to_owned(),
            reason: reason.into(),
        }
    }

    fn repeat<T>(
        &self,
        object: &str,
        mut attempt: impl FnMut() -> Result<T, Failure>,
    ) -> Result<T, StoreError> {
        let begun = self.now();
        let (mut wait, mut told_after) = (FIRST_WAIT, TOLD_AFTER);
        loop {
            let failure = match attempt() {
                Ok(value) => return Ok(value),
                Err(failure) => failure,
            };
            let silent = self.now().saturating_sub(begun);
            let reason = match failure {
                Failure::Permanent(reason) => return Err(self.error(object, reason)),
                Failure::Transient(reason) => reason,
            };
            if silent >= self.limits.total {
                let reason = format!("no success for {} s: {reason}", silent.as_secs());
                return Err(self.error(object, reason));
            }
            if silent >= told_after {
                told_after *= 2;
                log::warn!(
                    "{}: the store has not done it for {} s ({object}: {reason}); nothing is lost, \
                     it is asked again for up to {} s",
                    self.name,
                    silent.as_secs(),
                    self.limits.total.as_secs()
                );
            }
            thread::sleep(self.jittered(wait));
            wait = (2 * wait).min(self.limits.most_wait);
        }
    }

    /// Half to all of a wait, so that a thousand workers do not come back at once.
    fn jittered(&self, wait: Duration) -> Duration {
        let share = f64::from(getrandom::u32().unwrap_or_default()) / f64::from(u32::MAX);
        wait.mul_f64(0.5 + share / 2.0).min(self.limits.most_wait)
    }
}

#[cfg(test)]
mod tests {
    use super::super::faulty::{Fault, FaultyBackend};
    use super::*;

    #[test]
    fn a_create_whose_answer_was_lost_leaves_one_object() {
        let backend = FaultyBackend::new(1);
        let store = backend.store();
        backend.next([Fault::AfterCommit]);
        store.create("a", b"mine").unwrap();
        backend.next([Fault::BeforeCommit]);
        assert_eq!(store.create("a", b"others").unwrap(), Creation::Existed);
        backend.next([Fault::BeforeCommit]);
        assert_eq!(store.create("b", b"mine").unwrap(), Creation::Created);
        for name in ["a", "b"] {
            assert_eq!(store.get(name).unwrap().unwrap(), b"mine");
        }
        assert_eq!(store.get("c").unwrap(), None);
    }

    #[test]
    fn what_came_cut_is_read_again() {
        let backend = FaultyBackend::new(1);
        let store = backend.store();
        store.create("a", b"0123").unwrap();
        let whole = |bytes: Vec<u8>| match bytes.len() {
            4 => Ok(bytes),
            _ => Err("cut"),
        };
        backend.next([Fault::Cut, Fault::Cut]);
        assert_eq!(store.get_checked("a", whole).unwrap(), b"0123");
        backend.next([Fault::Cut, Fault::Cut, Fault::Cut]);
        let message = store.get_checked("a", whole).unwrap_err().to_string();
        assert!(message.contains("a: it is damaged: cut"), "{message}");
        let message = store.get_checked("b", whole).unwrap_err().to_string();
        assert!(message.contains("missing: start"), "{message}");
    }

    #[test]
    fn a_store_that_stays_silent_is_given_up() {
        let backend = FaultyBackend::new(1);
        let store = backend.store();
        backend.fail_always(true);
        let message = store.list("").unwrap_err().to_string();
        assert!(message.contains("no success for"), "{message}");
        backend.fail_always(false);
        assert!(store.list("").unwrap().is_empty());
    }

    #[test]
    fn a_conflict_is_no_object() {
        let backend = FaultyBackend::new(1);
        let store = backend.store();
        backend.next([Fault::Conflict, Fault::Conflict]);
        assert_eq!(store.create("a", b"mine").unwrap(), Creation::Created);
        assert_eq!(store.get("a").unwrap().unwrap(), b"mine");
        backend.next([Fault::Conflict]);
        assert_eq!(store.create("a", b"others").unwrap(), Creation::Existed);
        backend.next([Fault::Conflict]);
        store.keep("b", b"mine").unwrap();
        store.keep("b", b"mine").unwrap();
        let message = store.keep("b", b"others").unwrap_err().to_string();
        assert!(
            message.contains("b: it is damaged: it exists with another"),
            "{message}"
        );
        // All other requests are only repeated.
        backend.next([Fault::Conflict; 5]);
        assert_eq!(store.get("c").unwrap(), None);
        assert_eq!(store.list("").unwrap(), ["a", "b"]);
    }
}
