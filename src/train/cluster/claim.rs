//! Claims of tickets: hints that keep machines from playing the same one. A ticket whose claim is not
//! confirmed for a while, by one's own clock, may be claimed again. A wrong guess costs time and no
//! data, as results are created once.

use std::time::Duration;

use crate::store::Creation;

/// What to do next about a ticket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Action {
    /// Create the claim of this attempt.
    Create(u32),
    /// Look whether this attempt's owner lives.
    Watch(u32),
    /// Play: this attempt is ours.
    Play(u32),
}

/// One machine's view of a ticket without a result.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct TicketClaim {
    /// The attempt that is ours, another's, or to be made.
    attempt: u32,
    state: State,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum State {
    Free,
    Ours,
    /// Another machine's, whose last sign of life was first seen then; `None` before one look.
    Taken(Option<(Option<u64>, Duration)>),
}

impl TicketClaim {
    /// Of a ticket whose highest attempt is this, or 0 if it was never claimed.
    pub(super) fn new(attempt: u32) -> TicketClaim {
        match attempt {
            0 => TicketClaim {
                attempt: 1,
                state: State::Free,
            },
            attempt => TicketClaim {
                attempt,
                state: State::Taken(None),
            },
        }
    }

    /// The next step.
    pub(super) fn action(&self) -> Action {
        match self.state {
            State::Free => Action::Create(self.attempt),
            State::Taken(_) => Action::Watch(self.attempt),
            State::Ours => Action::Play(self.attempt),
        }
    }

    /// The claim was created, or was another's.
    pub(super) fn created(&mut self, creation: Creation) {
        self.state = match creation {
            Creation::Created => State::Ours,
            Creation::Existed => State::Taken(None),
        };
    }

    /// A later attempt was made meanwhile.
    pub(super) fn seen(&mut self, attempt: u32) {
        if attempt > self.attempt && self.state != State::Ours {
            *self = TicketClaim::new(attempt);
        }
    }

    /// The owner's number of signs of life for this claim, or `None` if it holds another or none.
    /// After `lease` without a new one the next attempt may be made.
    pub(super) fn watched(&mut self, sign: Option<u64>, now: Duration, lease: Duration) {
        let State::Taken(seen) = &mut self.state else {
            return;
        };
        match seen {
            Some((last, since)) if *last == sign => {
                if now.saturating_sub(*since) >= lease {
                    self.attempt += 1;
                    self.state = State::Free;
                }
            }
            _ => *seen = Some((sign, now)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEASE: Duration = Duration::from_secs(60);

    fn at(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn a_silent_owner_is_replaced_and_a_living_one_is_not() {
        let mut claim = TicketClaim::new(0);
        assert_eq!(claim.action(), Action::Create(1));
        claim.created(Creation::Existed);
        for beat in 0..10 {
            claim.watched(Some(beat), at(50 * beat), LEASE);
            assert_eq!(claim.action(), Action::Watch(1));
        }
        claim.watched(Some(9), at(509), LEASE);
        assert_eq!(claim.action(), Action::Watch(1), "59 s");
        claim.watched(Some(9), at(510), LEASE);
        assert_eq!(claim.action(), Action::Create(2));
        claim.created(Creation::Created);
        assert_eq!(claim.action(), Action::Play(2));
    }

    #[test]
    fn an_owner_that_never_gave_a_sign_and_a_new_owner_get_a_whole_lease() {
        let mut claim = TicketClaim::new(3);
        claim.watched(None, at(5), LEASE);
        claim.watched(None, at(64), LEASE);
        assert_eq!(claim.action(), Action::Watch(3));
        claim.seen(4);
        claim.watched(None, at(65), LEASE);
        claim.watched(None, at(124), LEASE);
        assert_eq!(claim.action(), Action::Watch(4));
        claim.watched(None, at(125), LEASE);
        assert_eq!(claim.action(), Action::Create(5));
    }
}
