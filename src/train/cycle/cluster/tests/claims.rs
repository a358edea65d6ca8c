//! Every order in which machines can claim, watch, play and die.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use super::super::claims::{Action, TicketClaim};
use crate::store::Creation;

const LEASE: Duration = Duration::from_secs(60);

/// Attempts that are explored.
const MAX_ATTEMPTS: u32 = 4;

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Machine {
    Works(TicketClaim),
    /// It has seen or made the result.
    Ended,
    Dead,
}

/// Machines that want the same ticket, and the store.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct World {
    machines: Vec<Machine>,
    claims: BTreeSet<u32>,
    /// Results that were created: at most one.
    results: u32,
    /// Attempts that were played to the end.
    played: BTreeMap<u32, u32>,
}

impl World {
    fn new(machines: usize) -> World {
        World {
            machines: vec![Machine::Works(TicketClaim::new(0)); machines],
            claims: BTreeSet::new(),
            results: 0,
            played: BTreeMap::new(),
        }
    }

    /// All worlds after one step of one machine.
    fn next(&self) -> Vec<World> {
        let mut worlds = Vec::new();
        let living = self
            .machines
            .iter()
            .filter(|m| **m != Machine::Dead)
            .count();
        for (index, machine) in self.machines.iter().enumerate() {
            let Machine::Works(claim) = machine else {
                continue;
            };
            let mut with = |machine: Machine, change: &dyn Fn(&mut World)| {
                let mut world = self.clone();
                world.machines[index] = machine;
                change(&mut world);
                worlds.push(world);
            };
            // A kill. One machine is left to do the work.
            if living > 1 {
                with(Machine::Dead, &|_| ());
            }
            let mut claim = claim.clone();
            match claim.action {
                // The list of results is read before any claim.
                Action::Create(_) | Action::Watch(_) if self.results > 0 => {
                    with(Machine::Ended, &|_| ());
                }
                Action::Create(attempt) => {
                    claim.created(match self.claims.contains(&attempt) {
                        true => Creation::Existed,
                        false => Creation::Created,
                    });
                    with(Machine::Works(claim), &|world| {
                        world.claims.insert(attempt);
                    });
                }
                // The owner is taken for dead at any time: it may be late, stopped or cut off.
                Action::Watch(attempt) if attempt < MAX_ATTEMPTS => {
                    claim.seen(self.claims.last().copied().unwrap_or(0));
                    for now in [Duration::ZERO, LEASE] {
                        claim.watched(None, now, LEASE);
                    }
                    with(Machine::Works(claim), &|_| ());
                }
                Action::Watch(_) => {}
                Action::Play(attempt) => with(Machine::Ended, &|world| {
                    world.results = 1;
                    *world.played.entry(attempt).or_default() += 1;
                }),
            }
        }
        worlds
    }
}

#[test]
fn in_every_order_a_ticket_is_played_and_no_claim_is_shared() {
    for machines in 1..=3 {
        let mut seen = BTreeSet::new();
        let mut open = vec![World::new(machines)];
        let (mut ends, mut stuck) = (0, 0);
        while let Some(world) = open.pop() {
            if !seen.insert(world.clone()) {
                continue;
            }
            assert!(world.played.values().all(|&times| times == 1), "{world:?}");
            let next = world.next();
            if next.is_empty() {
                ends += 1;
                // Attempts are limited here and not in a run: all of them may have died.
                let exhausted = world.claims.contains(&MAX_ATTEMPTS);
                assert!(world.results == 1 || exhausted, "{world:?}");
                stuck += u32::from(world.results == 0);
            }
            open.extend(next);
        }
        assert!(
            ends > 0 && (machines > 1 || seen.len() == 3),
            "{}",
            seen.len()
        );
        assert_eq!(stuck, 0, "fewer machines than attempts");
    }
}
