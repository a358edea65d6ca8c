//! Who is the learner, and whose finished generation counts.
//!
//! A learner that takes over creates the next term. The highest one is the learner; an older one
//! finds that out before it commits, and ends. Between that look and the commit another one may take
//! over, and both may commit: the first create wins, and the newest learner takes what it finds.

use serde::{Deserialize, Serialize};

use super::objects;
use crate::TrainError;
use crate::cycle::to_json;
use crate::store::{Creation, Store};

/// A learner's taking over.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Term {
    /// The learner's name, which is unique.
    pub(super) learner: String,
    /// Its plan, as TOML.
    pub(super) plan: String,
}

/// The highest term in a list of names; 0 if there is none.
pub(super) fn highest(names: &[String]) -> u32 {
    let numbers = names.iter().filter_map(|name| name.strip_prefix("epoch/"));
    let numbers = numbers.filter_map(|number| number.parse().ok());
    numbers.max().unwrap_or(0)
}

/// The term of the newest learner.
///
/// # Errors
/// [`TrainError`] of the store.
pub(super) fn newest(store: &Store) -> Result<Option<Term>, TrainError> {
    match highest(&store.list("epoch/")?) {
        0 => Ok(None),
        number => objects::read(store, &objects::term(number)),
    }
}

/// Makes this the newest learner; returns its number.
///
/// # Errors
/// [`TrainError`] of the store.
pub(super) fn begin_term(store: &Store, own: &Term) -> Result<u32, TrainError> {
    let bytes = to_json(own)?;
    loop {
        let number = highest(&store.list("epoch/")?) + 1;
        if store.create(&objects::term(number), &bytes)? == Creation::Created {
            return Ok(number);
        }
    }
}

/// Whether this term is the newest.
///
/// # Errors
/// [`TrainError`] of the store.
pub(super) fn is_newest(store: &Store, term: u32) -> Result<bool, TrainError> {
    Ok(highest(&store.list("epoch/")?) <= term)
}

/// Outcome of a commit.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Outcome {
    /// It is kept.
    Ours,
    /// This was kept before, by another learner that is not the newest.
    Adopt(Vec<u8>),
    /// Another learner has taken over.
    Superseded,
}

/// The next request of a commit.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Request {
    /// List the terms.
    ListTerms,
    /// Create the object.
    Create,
    /// Read it.
    Read,
    /// None: this is the outcome.
    End(Outcome),
}

/// The steps of a commit, one request after another: so a test can order those of several learners
/// in every way.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Commit {
    term: u32,
    is_lost: bool,
    next: Request,
}

impl Commit {
    /// A commit by the learner of this term.
    pub(super) fn new(term: u32) -> Commit {
        Commit {
            term,
            is_lost: false,
            next: Request::ListTerms,
        }
    }

    /// What to ask the store next.
    pub(super) fn next(&self) -> &Request {
        &self.next
    }

    /// The answer to [`Request::ListTerms`].
    pub(super) fn terms(&mut self, names: &[String]) {
        self.next = match (highest(names) > self.term, self.is_lost) {
            (true, _) => Request::End(Outcome::Superseded),
            (false, false) => Request::Create,
            (false, true) => Request::Read,
        };
    }

    /// The answer to [`Request::Create`].
    pub(super) fn created(&mut self, creation: Creation) {
        self.is_lost = creation == Creation::Existed;
        self.next = match creation {
            Creation::Created => Request::End(Outcome::Ours),
            Creation::Existed => Request::ListTerms,
        };
    }

    /// The answer to [`Request::Read`], and our own bytes.
    pub(super) fn read(&mut self, found: Option<Vec<u8>>, own: &[u8]) {
        self.next = match found {
            Some(found) if found == own => Request::End(Outcome::Ours),
            Some(found) => Request::End(Outcome::Adopt(found)),
            // A store that said so too early.
            None => Request::Create,
        };
    }
}

/// Commits an object as the learner of a term.
///
/// # Errors
/// [`TrainError`] of the store.
pub(super) fn commit(
    store: &Store,
    term: u32,
    name: &str,
    bytes: &[u8],
) -> Result<Outcome, TrainError> {
    let mut commit = Commit::new(term);
    loop {
        match commit.next().clone() {
            Request::ListTerms => commit.terms(&store.list("epoch/")?),
            Request::Create => commit.created(store.create(name, bytes)?),
            Request::Read => commit.read(store.get(name)?, bytes),
            Request::End(outcome) => return Ok(outcome),
        }
    }
}
