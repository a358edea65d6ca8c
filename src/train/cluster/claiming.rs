//! How a worker gets its next ticket: by a claim of a free one, or of one whose owner is silent.

use super::claim::{Action, TicketClaim};
use super::json;
use super::snapshot::Snapshot;
use super::tickets::Ticket;
use super::worker::Worker;
use crate::TrainError;
use crate::cycle::Machine;
use crate::trainable::Trainable;

/// Claims of others that an idle worker watches.
const MAX_WATCHED: usize = 3;

/// Claims that are tried before the list is read again.
const MAX_TRIED: usize = 8;

impl<G: Trainable> Worker<'_, G> {
    /// Claims an open ticket of a generation: a free one, or one whose owner is silent. `None` if
    /// there is none now.
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
        // From a random place, so that few try the same one.
        let place = getrandom::u32().unwrap_or_default() as usize % open.len().max(1);
        open.rotate_left(place);
        let is_free = |ticket: &&Ticket| snapshot.attempt(&ticket.name) == 0;
        for ticket in open.iter().filter(is_free).take(MAX_TRIED) {
            let mut claim = TicketClaim::new(0);
            if self.advance(ticket, &mut claim)? {
                return Ok(Some((ticket.clone(), 1)));
            }
        }
        if open.iter().any(|ticket| is_free(&ticket)) {
            return Ok(None);
        }
        self.watch(snapshot, &open)
    }

    /// Looks at claims of other machines, and takes over from one that is silent.
    fn watch(
        &mut self,
        snapshot: &Snapshot,
        open: &[Ticket],
    ) -> Result<Option<(Ticket, u32)>, TrainError> {
        let oldest = json::folder(self.generation);
        let folder = json::of(snapshot.generation, "");
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
            let is_ours = self.advance(ticket, &mut claim)?;
            if let (true, Action::Play(attempt)) = (is_ours, claim.action()) {
                log::info!(
                    "{name} is taken over: its machine has not reported for {:?}",
                    self.lease
                );
                return Ok(Some((ticket.clone(), attempt)));
            }
            self.watched.insert(name, claim);
        }
        Ok(None)
    }

    /// Makes the next request for a claim; whether it is ours.
    fn advance(&self, ticket: &Ticket, claim: &mut TicketClaim) -> Result<bool, TrainError> {
        if let Action::Watch(attempt) = claim.action() {
            let sign = self.sign_of_life(ticket, attempt)?;
            claim.watched(sign, self.clock.now(), self.lease);
        }
        if let Action::Create(attempt) = claim.action() {
            let object = json::of(ticket.generation, &json::claim(&ticket.name, attempt));
            claim.created(self.store.create(&object, self.id.as_bytes())?);
        }
        Ok(matches!(claim.action(), Action::Play(_)))
    }

    /// Reports so far of a claim's owner, while it says that it holds the claim.
    fn sign_of_life(&self, ticket: &Ticket, attempt: u32) -> Result<Option<u64>, TrainError> {
        let claim = json::of(ticket.generation, &json::claim(&ticket.name, attempt));
        let Some(owner) = self.store.get(&claim)? else {
            return Ok(None);
        };
        let owner = json::worker(&String::from_utf8_lossy(&owner));
        let report = self.store.get(&owner)?;
        // One that came damaged is no sign, and the next look gets another.
        let machine: Option<Machine> = report.and_then(|bytes| json::parse(&owner, &bytes).ok());
        let machine = machine.filter(|machine| machine.holding.as_deref() == Some(&claim));
        Ok(machine.map(|machine| machine.beats))
    }
}
