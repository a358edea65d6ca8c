//! Every order in which learners can take over, commit and die.

use std::collections::BTreeSet;

use super::super::term::{Commit, Outcome, Request, highest};
use crate::cycle::cluster::objects;
use crate::store::Creation;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Learner {
    /// It lists the terms.
    Begins,
    /// It has listed them, and creates this one.
    BeginsTerm(u32),
    /// It has this term, and commits.
    Commits(u32, Commit),
    Ended(u32, Outcome),
    Dead,
}

/// Learners that commit one generation, and the store.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct World {
    learners: Vec<Learner>,
    terms: BTreeSet<String>,
    /// The commit: the bytes are the learner's index.
    done: Option<Vec<u8>>,
}

impl World {
    /// All worlds after one request of one learner.
    fn next(&self) -> Vec<World> {
        let mut worlds = Vec::new();
        let terms: Vec<String> = self.terms.iter().cloned().collect();
        for (index, learner) in self.learners.iter().enumerate() {
            let own = vec![index as u8];
            let mut world = self.clone();
            let next = match learner {
                Learner::Begins => Learner::BeginsTerm(highest(&terms) + 1),
                Learner::BeginsTerm(number) => match world.terms.insert(objects::term(*number)) {
                    true => Learner::Commits(*number, Commit::new(*number)),
                    false => Learner::Begins,
                },
                Learner::Commits(number, commit) => {
                    let mut commit = commit.clone();
                    match commit.next() {
                        Request::ListTerms => commit.terms(&terms),
                        Request::Create if self.done.is_some() => commit.created(Creation::Existed),
                        Request::Create => {
                            world.done = Some(own);
                            commit.created(Creation::Created);
                        }
                        Request::Read => commit.read(self.done.clone(), &own),
                        Request::End(_) => {}
                    }
                    match commit.next() {
                        Request::End(outcome) => Learner::Ended(*number, outcome.clone()),
                        _ => Learner::Commits(*number, commit),
                    }
                }
                Learner::Ended(..) | Learner::Dead => continue,
            };
            world.learners[index] = next;
            worlds.push(world);
            // A kill at any moment.
            let mut world = self.clone();
            world.learners[index] = Learner::Dead;
            worlds.push(world);
        }
        worlds
    }

    fn check(&self) {
        for (index, learner) in self.learners.iter().enumerate() {
            let Learner::Ended(number, outcome) = learner else {
                continue;
            };
            match outcome {
                Outcome::Ours => assert_eq!(self.done, Some(vec![index as u8]), "{self:?}"),
                Outcome::Adopt(found) => assert_eq!(self.done.as_ref(), Some(found), "{self:?}"),
                Outcome::Superseded => {
                    let newer = self.terms.iter().any(|name| *name > objects::term(*number));
                    assert!(newer, "{self:?}");
                }
            }
        }
    }
}

#[test]
fn in_every_order_one_commit_counts_and_the_newest_learner_goes_on() {
    let mut seen = BTreeSet::new();
    let mut open = vec![World {
        learners: vec![Learner::Begins; 3],
        terms: BTreeSet::new(),
        done: None,
    }];
    let mut outcomes = BTreeSet::new();
    while let Some(world) = open.pop() {
        if !seen.insert(world.clone()) {
            continue;
        }
        world.check();
        let next = world.next();
        if next.is_empty() {
            let lives = |learner: &Learner| *learner != Learner::Dead;
            if world.learners.iter().all(lives) {
                assert!(world.done.is_some(), "{world:?}");
            }
            for learner in &world.learners {
                if let Learner::Ended(number, outcome) = learner {
                    let name = objects::term(*number);
                    let is_newest = world.terms.last() == Some(&name);
                    outcomes.insert((
                        is_newest,
                        std::mem::discriminant(outcome)
                            == std::mem::discriminant(&Outcome::Superseded),
                    ));
                }
            }
        }
        // What is done stays.
        if let Some(done) = &world.done {
            assert!(next.iter().all(|world| world.done.as_ref() == Some(done)));
        }
        open.extend(next);
    }
    assert!(seen.len() > 1000, "{}", seen.len());
    let expected = [(false, false), (false, true), (true, false)];
    assert!(
        outcomes.into_iter().eq(expected),
        "the newest is never taken over"
    );
}
