//! Tickets: parts of a generation's games and rating matches. What they are follows from two
//! objects, which the learner creates: `tickets.json` with its plan, and `matches.json`.

use serde::{Deserialize, Serialize};

use super::objects::{self, Snapshot};
use crate::TrainError;
use crate::cycle::{CyclePlan, GameRange, GamesJob, MatchJob};
use crate::store::{AGAIN, Store};

/// A generation's games: `tickets.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct GamesOffer {
    #[serde(flatten)]
    pub(super) job: GamesJob,
    pub(super) games_per_ticket: u64,
    /// Checksum of the run's plan without its stages.
    pub(super) run: String,
    /// The learner's plan, as TOML.
    pub(super) plan: String,
}

/// What a ticket asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// Games of self-play.
    Games(GameRange),
    /// Pairs of a rating match.
    Pairs(PairRange),
}

/// Pairs of games against one of the opponents, with consecutive numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PairRange {
    /// Index of the opponent in the job.
    pub(super) opponent: usize,
    /// Number of the first pair.
    pub(super) first: u32,
    /// How many.
    pub(super) pairs: u32,
}

/// A part of a generation's work, done by one machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Ticket {
    pub(super) generation: u32,
    /// Its name within the generation.
    pub(super) name: String,
    pub(super) part: Part,
}

impl Ticket {
    /// Its name within the run, such as `g0007/games/0012`.
    pub(super) fn full_name(&self) -> String {
        objects::of(self.generation, &self.name)
    }

    /// The opponent's name, of a ticket of rating matches.
    pub(super) fn opponent(&self) -> &str {
        let name = self.name.trim_start_matches("matches/");
        name.rsplit_once('.').map_or(name, |(opponent, _)| opponent)
    }

    /// The object by which a machine claims it.
    pub(super) fn claim(&self) -> String {
        objects::of(self.generation, &objects::claim(&self.name))
    }

    /// The object that holds its result.
    pub(super) fn result(&self) -> String {
        let ending = match self.part {
            Part::Games(_) => "parquet",
            Part::Pairs(_) => "json",
        };
        format!("{}.{ending}", self.full_name())
    }
}

/// The most tickets of an offer: more would be a slip, and fill the memory of all machines.
const MAX_TICKETS: u64 = 1_000_000;

/// # Errors
/// Says that so much work, in tickets of `each`, has too many of them.
fn check_count(work: u64, each: u64) -> Result<(), String> {
    match work / each.max(1) < MAX_TICKETS {
        true => Ok(()),
        false => Err(format!("more than {MAX_TICKETS} tickets")),
    }
}

/// Checks that no generation of a plan has too many tickets. The plan of a run that has begun cannot be corrected.
///
/// # Errors
/// [`TrainError::Setting`] names the key that has to be larger.
pub(super) fn check_plan(plan: &CyclePlan) -> Result<(), TrainError> {
    let check = |work: Option<u64>, each: u64, key: &str| {
        check_count(work.unwrap_or_default(), each).map_err(|why| {
            TrainError::plan(format_args!(
                "a generation has {why}: give a larger {key} of [machines]"
            ))
        })
    };
    let stages = plan.stage.iter().map(|stage| stage.games);
    let warm_up = plan.warm_up.iter().map(|warm_up| warm_up.games);
    let games_per_ticket = plan.machines.games_per_ticket;
    check(
        stages.chain(warm_up).max(),
        games_per_ticket,
        "games-per-ticket",
    )?;
    // Against an anchor, and an earlier network.
    let rating = plan.rating.as_ref();
    let pairs = rating.map(|rating| 2 * u64::from(rating.pairs));
    let pairs_per_ticket = u64::from(plan.machines.pairs_per_ticket);
    check(pairs, pairs_per_ticket, "pairs-per-ticket")
}

impl GamesOffer {
    /// The object's name.
    pub(super) fn object(generation: u32) -> String {
        objects::of(generation, "tickets.json")
    }

    /// The offer of these bytes.
    ///
    /// # Errors
    /// Says what is wrong with them, and what to do.
    pub(super) fn parse(bytes: Vec<u8>) -> Result<GamesOffer, String> {
        let offer: GamesOffer = objects::value(bytes)?;
        let GamesJob { first, games, .. } = offer.job;
        let last = first.checked_add(games);
        last.ok_or_else(|| format!("its games have no numbers; {AGAIN}"))?;
        check_count(games, offer.games_per_ticket)
            .map_err(|why| format!("it has {why}; {AGAIN}"))?;
        Ok(offer)
    }

    /// Its tickets, board after board.
    pub(super) fn tickets(&self, plan: &CyclePlan) -> Vec<Ticket> {
        let mut tickets = Vec::new();
        let step = usize::try_from(self.games_per_ticket.max(1)).unwrap_or(usize::MAX);
        for range in self.job.ranges(plan) {
            let end = range.first + range.games;
            for first in (range.first..end).step_by(step) {
                let games = (step as u64).min(end - first);
                tickets.push(Ticket {
                    generation: self.job.generation,
                    name: format!("games/{:04}", tickets.len()),
                    part: Part::Games(GameRange {
                        first,
                        games,
                        ..range
                    }),
                });
            }
        }
        tickets
    }
}

/// A generation's rating matches: `matches.json`.
impl MatchJob {
    /// The object's name.
    pub(super) fn object(generation: u32) -> String {
        objects::of(generation, "matches.json")
    }

    /// The matches of these bytes.
    ///
    /// # Errors
    /// Says what is wrong with them, and what to do.
    pub(super) fn parse(bytes: Vec<u8>) -> Result<MatchJob, String> {
        let job: MatchJob = objects::value(bytes)?;
        let pairs = u64::from(job.pairs) * job.opponents.len() as u64;
        check_count(pairs, u64::from(job.pairs_per_ticket))
            .map_err(|why| format!("it has {why}; {AGAIN}"))?;
        Ok(job)
    }

    /// Their tickets, opponent after opponent.
    pub(super) fn tickets(&self) -> Vec<Ticket> {
        let mut tickets = Vec::new();
        let step = self.pairs_per_ticket.max(1);
        for (index, opponent) in self.opponents.iter().enumerate() {
            for (number, first) in (0..self.pairs).step_by(step as usize).enumerate() {
                tickets.push(Ticket {
                    generation: self.generation,
                    name: format!("matches/{}.{number:04}", opponent.name),
                    part: Part::Pairs(PairRange {
                        opponent: index,
                        first,
                        pairs: step.min(self.pairs - first),
                    }),
                });
            }
        }
        tickets
    }
}

/// All that a generation offers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Offers {
    pub(super) games: Option<GamesOffer>,
    pub(super) matches: Option<MatchJob>,
}

impl Offers {
    /// What is offered now of what a ticket needs.
    ///
    /// # Errors
    /// [`TrainError`] of the store.
    pub(super) fn of(store: &Store, ticket: &Ticket) -> Result<Offers, TrainError> {
        let games = GamesOffer::object(ticket.generation);
        let games = store.find_checked(&games, GamesOffer::parse)?;
        let matches = match ticket.part {
            Part::Games(_) => None,
            Part::Pairs(_) => {
                let matches = MatchJob::object(ticket.generation);
                store.find_checked(&matches, MatchJob::parse)?
            }
        };
        Ok(Offers { games, matches })
    }

    /// Reads what a snapshot says is there and is not known yet.
    ///
    /// # Errors
    /// [`TrainError`] of the store.
    pub(super) fn update(&mut self, store: &Store, snapshot: &Snapshot) -> Result<(), TrainError> {
        let generation = snapshot.generation;
        let games = GamesOffer::object(generation);
        if self.games.is_none() && snapshot.has(&games) {
            self.games = store.find_checked(&games, GamesOffer::parse)?;
        }
        let matches = MatchJob::object(generation);
        if self.matches.is_none() && snapshot.has(&matches) {
            self.matches = store.find_checked(&matches, MatchJob::parse)?;
        }
        Ok(())
    }

    /// All tickets; matches first, for which the learner waits.
    ///
    /// # Errors
    /// [`TrainError`] when the plan in the offer cannot be read.
    pub(super) fn tickets(&self) -> Result<Vec<Ticket>, TrainError> {
        let Some(games) = &self.games else {
            return Ok(Vec::new());
        };
        let matches = self.matches.as_ref().map(MatchJob::tickets);
        let mut tickets = matches.unwrap_or_default();
        tickets.extend(games.tickets(&CyclePlan::parse(&games.plan)?));
        Ok(tickets)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offer_of_more_tickets_than_memory_is_refused() {
        let offer = |first: u64, games: u64| {
            let offer = serde_json::json!({
                "generation": 0, "stage": 0, "players": "nothing", "network": null, "rollouts": false,
                "visits": 1, "first": first, "games": games, "games_per_ticket": 50, "run": "", "plan": "",
            });
            GamesOffer::parse(offer.to_string().into_bytes()).map(|offer| offer.job.games)
        };
        assert_eq!(offer(0, 5_000), Ok(5_000));
        for (first, games) in [(0, u64::MAX), (0, 1 << 40), (u64::MAX, 2)] {
            let message = offer(first, games).unwrap_err();
            assert!(message.contains("delete it"), "{message}");
        }
    }
}
