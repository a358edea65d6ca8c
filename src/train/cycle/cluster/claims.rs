//! Claims of tickets: hints that keep machines from playing the same one. A ticket whose claim is not
//! confirmed for a while, by one's own clock, may be claimed again. A wrong guess costs time and no
//! data, as results are created once.

use std::collections::BTreeMap;
use std::time::Duration;

use super::objects::{self, Snapshot};
use super::tickets::Ticket;
use crate::TrainError;
use crate::cycle::Machine;
use crate::store::{Creation, PlainName, Store};

/// What to do next about a ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Action {
    /// Create the claim of this attempt.
    Create(u32),
    /// Look whether the owner of this attempt, another machine, lives.
    Watch(u32),
    /// Play: this attempt is ours.
    Play(u32),
}

/// One machine's view of a ticket without a result.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct TicketClaim {
    /// The next step.
    pub(super) action: Action,
    /// The last sign of life of the owner that is watched, and when it was first seen; `None` before one look.
    sign: Option<(Option<u64>, Duration)>,
}

impl TicketClaim {
    /// Of a ticket whose highest attempt is this, or 0 if it was never claimed.
    pub(super) fn new(attempt: u32) -> TicketClaim {
        let action = match attempt {
            0 => Action::Create(1),
            attempt => Action::Watch(attempt),
        };
        TicketClaim { action, sign: None }
    }

    /// The claim was created, or was another's.
    pub(super) fn created(&mut self, creation: Creation) {
        if let Action::Create(attempt) = self.action {
            self.action = match creation {
                Creation::Created => Action::Play(attempt),
                Creation::Existed => Action::Watch(attempt),
            };
        }
    }

    /// A later attempt was made meanwhile.
    pub(super) fn seen(&mut self, attempt: u32) {
        if let Action::Create(own) | Action::Watch(own) = self.action
            && attempt > own
        {
            *self = TicketClaim::new(attempt);
        }
    }

    /// The owner's number of signs of life for this claim, or `None` if it holds another or none.
    /// After `lease` without a new one the next attempt may be made.
    pub(super) fn watched(&mut self, sign: Option<u64>, now: Duration, lease: Duration) {
        let Action::Watch(attempt) = self.action else {
            return;
        };
        match self.sign {
            Some((last, since)) if last == sign => {
                if now.saturating_sub(since) >= lease {
                    (self.action, self.sign) = (Action::Create(attempt + 1), None);
                }
            }
            _ => self.sign = Some((sign, now)),
        }
    }
}

/// Claims of others that an idle worker watches.
const MAX_WATCHED: usize = 3;

/// Claims that are tried before the list is read again.
const MAX_TRIED: usize = 8;

/// The claims of one worker.
pub(super) struct Claims {
    pub(super) store: Store,
    /// Time without a sign of life after which a ticket is taken over.
    pub(super) lease: Duration,
    /// The worker's name, which is unique.
    pub(super) id: String,
    /// Those of others that it watches, by ticket.
    pub(super) watched: BTreeMap<String, TicketClaim>,
}

impl Claims {
    /// Claims one of the open tickets of a generation: a free one, or one whose owner is silent.
    /// `None` if there is none now; `oldest` is the oldest generation that may be open.
    ///
    /// # Errors
    /// [`TrainError`] of the store.
    pub(super) fn claim(
        &mut self,
        snapshot: &Snapshot,
        mut open: Vec<Ticket>,
        oldest: u32,
    ) -> Result<Option<(Ticket, u32)>, TrainError> {
        // From a random place, so that few try the same one.
        let place = getrandom::u32().unwrap_or_default() as usize % open.len().max(1);
        open.rotate_left(place);
        let is_free = |ticket: &&Ticket| snapshot.attempt(&ticket.name) == 0;
        for ticket in open.iter().filter(is_free).take(MAX_TRIED) {
            let mut claim = TicketClaim::new(0);
            if let Some(attempt) = self.advance(ticket, &mut claim)? {
                return Ok(Some((ticket.clone(), attempt)));
            }
        }
        if open.iter().any(|ticket| is_free(&ticket)) {
            return Ok(None);
        }
        self.watch(snapshot, &open, oldest)
    }

    /// Looks at claims of other machines, and takes over from one that is silent.
    fn watch(
        &mut self,
        snapshot: &Snapshot,
        open: &[Ticket],
        oldest: u32,
    ) -> Result<Option<(Ticket, u32)>, TrainError> {
        let oldest = objects::folder(oldest);
        let folder = objects::of(snapshot.generation, "");
        let is_open = |name: &str| open.iter().any(|ticket| ticket.full_name() == name);
        // With `ahead` several generations are open, and are looked at in turn: the others' stay.
        self.watched
            .retain(|name, _| *name >= oldest && (!name.starts_with(&folder) || is_open(name)));
        for ticket in open {
            let name = ticket.full_name();
            let attempt = snapshot.attempt(&ticket.name);
            if !self.watched.contains_key(&name) && self.watched.len() >= MAX_WATCHED {
                continue;
            }
            let known = self.watched.remove(&name);
            let mut claim = known.unwrap_or_else(|| TicketClaim::new(attempt));
            claim.seen(attempt);
            if let Some(attempt) = self.advance(ticket, &mut claim)? {
                let before = self.store.get(&ticket.claim(attempt - 1))?;
                log::info!(
                    "{name} is taken over: {} has not reported for {:?}",
                    String::from_utf8_lossy(&before.unwrap_or_default()),
                    self.lease
                );
                return Ok(Some((ticket.clone(), attempt)));
            }
            self.watched.insert(name, claim);
        }
        Ok(None)
    }

    /// Makes the next request for a claim; returns its attempt if it is ours then.
    fn advance(&self, ticket: &Ticket, claim: &mut TicketClaim) -> Result<Option<u32>, TrainError> {
        if let Action::Watch(attempt) = claim.action {
            let sign = self.sign_of_life(ticket, attempt)?;
            claim.watched(sign, self.store.now(), self.lease);
        }
        if let Action::Create(attempt) = claim.action {
            let created = self
                .store
                .create(&ticket.claim(attempt), self.id.as_bytes());
            claim.created(created?);
        }
        Ok(match claim.action {
            Action::Play(attempt) => Some(attempt),
            Action::Create(_) | Action::Watch(_) => None,
        })
    }

    /// Reports so far of a claim's owner, while it says that it holds the claim.
    fn sign_of_life(&self, ticket: &Ticket, attempt: u32) -> Result<Option<u64>, TrainError> {
        let claim = ticket.claim(attempt);
        let Some(owner) = self.store.get(&claim)? else {
            return Ok(None);
        };
        let owner = PlainName::try_from(String::from_utf8_lossy(&owner).into_owned());
        let Ok(owner) = owner.map(|owner| objects::worker(&owner)) else {
            return Ok(None);
        };
        let report = self.store.get(&owner)?;
        // One that came damaged is no sign, and the next look gets another.
        let machine: Option<Machine> = report.and_then(|bytes| objects::parse(&owner, &bytes).ok());
        let machine = machine.filter(|machine| machine.holding.as_deref() == Some(&claim));
        Ok(machine.map(|machine| machine.beats))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cycle::cluster::tickets::{PairRange, Part};
    use crate::store::faulty::FaultyBackend;

    const LEASE: Duration = Duration::from_secs(60);

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_silent_owner_is_replaced_and_a_living_one_is_not() {
        let mut claim = TicketClaim::new(0);
        assert_eq!(claim.action, Action::Create(1));
        claim.created(Creation::Existed);
        for beat in 0..10 {
            claim.watched(Some(beat), at(50 * beat), LEASE);
            assert_eq!(claim.action, Action::Watch(1));
        }
        claim.watched(Some(9), at(509), LEASE);
        assert_eq!(claim.action, Action::Watch(1), "59 s");
        claim.watched(Some(9), at(510), LEASE);
        assert_eq!(claim.action, Action::Create(2));
        claim.created(Creation::Created);
        assert_eq!(claim.action, Action::Play(2));
    }

    #[test]
    fn an_owner_that_never_gave_a_sign_and_a_new_owner_get_a_whole_lease() {
        let mut claim = TicketClaim::new(3);
        claim.watched(None, at(5), LEASE);
        claim.watched(None, at(64), LEASE);
        assert_eq!(claim.action, Action::Watch(3));
        claim.seen(4);
        claim.watched(None, at(65), LEASE);
        claim.watched(None, at(124), LEASE);
        assert_eq!(claim.action, Action::Watch(4));
        claim.watched(None, at(125), LEASE);
        assert_eq!(claim.action, Action::Create(5));
    }

    #[test]
    fn a_machine_gives_signs_of_life_for_the_claim_alone_that_it_holds() {
        let store = FaultyBackend::new(1).store();
        let part = Part::Pairs(PairRange {
            opponent: 0,
            first: 0,
            pairs: 1,
        });
        let ticket = Ticket {
            generation: 0,
            name: "matches/rave-50.0000".to_owned(),
            part,
        };
        store.create(&ticket.claim(1), b"other").unwrap();
        let claims = Claims {
            store: store.clone(),
            lease: LEASE,
            id: "own".to_owned(),
            watched: BTreeMap::new(),
        };
        for (holding, sign) in [
            (Some(ticket.claim(1)), Some(7)),
            (Some("g0000/claims/another.a001".to_owned()), None),
            (None, None),
        ] {
            let machine = Machine {
                beats: 7,
                holding,
                ..Machine::default()
            };
            let report = serde_json::to_vec(&machine).unwrap();
            store.try_put(&objects::worker("other"), &report);
            assert_eq!(
                claims.sign_of_life(&ticket, 1).unwrap(),
                sign,
                "{machine:?}"
            );
        }
    }
}
