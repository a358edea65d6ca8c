//! A store in memory whose answers fail as those of real stores do.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::retrying::{RetryLimits, Store};
use super::{Backend, Creation, Failure};
use tengen::clock::SystemClock;

/// What happens to one request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The connection breaks before the request has an effect; 429 and 500 are like this, too.
    BeforeCommit,
    /// It breaks after that.
    AfterCommit,
    /// The answer takes long.
    Late,
    /// Half of an object is read, without an error.
    Cut,
    /// Another request is in the way (409): without an effect, and of a create as if the object
    /// existed.
    Conflict,
}

/// How a conflict fails, but for a create.
const CONFLICT: &str = "409 Conflict";

/// A store in memory; clones share it.
#[derive(Clone)]
pub(crate) struct FaultyBackend(Arc<Mutex<State>>);

struct State {
    objects: BTreeMap<String, Vec<u8>>,
    next: VecDeque<Fault>,
    rng: Xoshiro256PlusPlus,
    /// Probability of a random fault.
    rate: f64,
    fails_always: bool,
    /// Requests that are in conflict the next time, if each is once.
    in_conflict: Option<HashSet<String>>,
    /// Whether conditions are ignored, as rclone does.
    lies: bool,
    /// Created objects that were replaced, which must not happen.
    replaced: Vec<String>,
}

impl FaultyBackend {
    /// An empty store without random faults.
    pub(crate) fn new(seed: u64) -> FaultyBackend {
        FaultyBackend(Arc::new(Mutex::new(State {
            objects: BTreeMap::new(),
            next: VecDeque::new(),
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            rate: 0.0,
            fails_always: false,
            in_conflict: None,
            lies: false,
            replaced: Vec::new(),
        })))
    }

    /// The backend behind a store that gives up soon.
    pub(crate) fn store(&self) -> Store {
        let limits = RetryLimits {
            total: Duration::from_secs(1),
            most_wait: Duration::from_millis(5),
        };
        let clock = Arc::new(SystemClock::new());
        Store::new("faulty", Arc::new(self.clone()), clock, limits)
    }

    /// Faults of the next requests.
    pub(crate) fn next(&self, faults: impl IntoIterator<Item = Fault>) {
        self.0.lock().next.extend(faults);
    }

    pub(crate) fn fail_always(&self, fails: bool) {
        self.0.lock().fails_always = fails;
    }

    /// Every request is in conflict the first time, and carried out the second time.
    pub(crate) fn conflict_once(&self) {
        self.0.lock().in_conflict = Some(HashSet::new());
    }

    /// Ignores conditions from now on.
    pub(crate) fn lie(&self) {
        self.0.lock().lies = true;
    }

    /// This share of all requests fails in some way.
    pub(crate) fn fail_randomly(&self, rate: f64) {
        self.0.lock().rate = rate;
    }

    /// Names of created objects that were replaced.
    pub(crate) fn replaced(&self) -> Vec<String> {
        self.0.lock().replaced.clone()
    }

    /// Carries out a request of this name, or not, as the next fault says.
    fn request<T>(
        &self,
        name: &str,
        is_read: bool,
        effect: impl FnOnce(&mut State) -> T,
        cut: impl FnOnce(T) -> T,
    ) -> Result<T, Failure> {
        let mut state = self.0.lock();
        let broken = || Failure::Transient("the connection broke".to_owned());
        if state.fails_always {
            return Err(broken());
        }
        if let Some(in_conflict) = &mut state.in_conflict
            && !in_conflict.remove(name)
        {
            in_conflict.insert(name.to_owned());
            return Err(Failure::Transient(CONFLICT.to_owned()));
        }
        let rate = state.rate;
        let random = state.rng.random::<f64>() < rate;
        let fault = state.next.pop_front().or_else(|| {
            random.then(|| match state.rng.random_range(0..9) {
                0..3 => Fault::BeforeCommit,
                3..6 => Fault::AfterCommit,
                6 if is_read => Fault::Cut,
                7 => Fault::Conflict,
                _ => Fault::Late,
            })
        });
        match fault {
            Some(Fault::BeforeCommit) => Err(broken()),
            Some(Fault::Conflict) => Err(Failure::Transient(CONFLICT.to_owned())),
            Some(Fault::AfterCommit) => {
                effect(&mut state);
                Err(broken())
            }
            Some(Fault::Cut) => Ok(cut(effect(&mut state))),
            Some(Fault::Late) => {
                drop(state);
                thread::sleep(Duration::from_millis(3));
                Ok(effect(&mut self.0.lock()))
            }
            None => Ok(effect(&mut state)),
        }
    }
}

impl Backend for FaultyBackend {
    fn create(&self, name: &str, bytes: &[u8]) -> Result<Creation, Failure> {
        let effect = |state: &mut State| {
            if state.objects.contains_key(name) && !state.lies {
                return Creation::Existed;
            }
            if state
                .objects
                .insert(name.to_owned(), bytes.to_vec())
                .is_some()
            {
                state.replaced.push(name.to_owned());
            }
            Creation::Created
        };
        match self.request(&format!("create {name}"), false, effect, |creation| {
            creation
        }) {
            // As crate `object_store` has it.
            Err(Failure::Transient(why)) if why == CONFLICT => Ok(Creation::Existed),
            answer => answer,
        }
    }

    fn put(&self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        let effect = |state: &mut State| {
            state.objects.insert(name.to_owned(), bytes.to_vec());
        };
        self.request(&format!("put {name}"), false, effect, |()| ())
    }

    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, Failure> {
        let effect = |state: &mut State| state.objects.get(name).cloned();
        self.request(&format!("get {name}"), true, effect, |found| {
            found.map(|bytes| bytes[..bytes.len() / 2].to_vec())
        })
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, Failure> {
        let effect = |state: &mut State| {
            let names = state.objects.keys();
            names
                .filter(|name| name.starts_with(folder))
                .cloned()
                .collect()
        };
        self.request(&format!("list {folder}"), false, effect, |names| names)
    }
}
