//! Tickets: parts of a generation's games and rating matches. What they are follows from two
//! objects, which the learner creates: `tickets.json` and `matches.json`.

use serde::{Deserialize, Serialize};

use super::objects;
use super::objects::Snapshot;
use crate::TrainError;
use crate::cycle::{CyclePlan, GameRange, GamesJob, MatchJob};
use crate::store::Store;

/// A network in the store.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct NetworkRef {
    /// Its name in the run.
    pub(super) name: String,
    /// Its checksum.
    pub(super) hash: String,
}

/// A generation's games: `tickets.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct GamesOffer {
    pub(super) generation: u32,
    /// Index of the stage.
    pub(super) stage: usize,
    pub(super) players: String,
    pub(super) network: Option<NetworkRef>,
    pub(super) rollouts: bool,
    pub(super) visits: u64,
    /// Number of the first game.
    pub(super) first: u64,
    pub(super) games: u64,
    pub(super) games_per_ticket: u64,
    /// Checksum of the run's first plan.
    pub(super) run: String,
    /// The learner's plan, as TOML.
    pub(super) plan: String,
}

/// A generation's rating matches: `matches.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct MatchesOffer {
    pub(super) generation: u32,
    pub(super) network: NetworkRef,
    pub(super) opponents: Vec<OpponentRef>,
    pub(super) pairs: u32,
    pub(super) pairs_per_ticket: u32,
    pub(super) visits: u32,
    pub(super) opening_plies: u16,
    pub(super) seed: u64,
    /// The learner's plan, as TOML.
    pub(super) plan: String,
}

/// An opponent: a network, or random playouts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct OpponentRef {
    pub(super) name: String,
    pub(super) playouts: u64,
    pub(super) network: Option<NetworkRef>,
}

/// What a ticket asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part {
    /// Games of self-play.
    Games(GameRange),
    /// Pairs against one of the opponents.
    Pairs {
        opponent: usize,
        first: u32,
        pairs: u32,
    },
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
    #[must_use]
    pub(super) fn full_name(&self) -> String {
        objects::of(self.generation, &self.name)
    }

    /// The object that holds its result.
    pub(super) fn result(&self) -> String {
        let ending = match self.part {
            Part::Games(_) => "parquet",
            Part::Pairs { .. } => "json",
        };
        format!("{}.{ending}", self.full_name())
    }
}

impl GamesOffer {
    /// The object's name.
    pub(super) fn object(generation: u32) -> String {
        objects::of(generation, "tickets.json")
    }

    /// The job that these games are, without its network's file.
    pub(super) fn job(&self) -> GamesJob {
        GamesJob {
            generation: self.generation,
            stage: self.stage,
            players: self.players.clone(),
            network: None,
            rollouts: self.rollouts,
            visits: self.visits,
            first: self.first,
            games: self.games,
        }
    }

    /// Its tickets, board after board.
    pub(super) fn tickets(&self, plan: &CyclePlan) -> Vec<Ticket> {
        let mut tickets = Vec::new();
        for range in self.job().ranges(plan) {
            let mut first = range.first;
            let end = range.first + range.games;
            while first < end {
                let games = self.games_per_ticket.max(1).min(end - first);
                tickets.push(Ticket {
                    generation: self.generation,
                    name: format!("games/{:04}", tickets.len()),
                    part: Part::Games(GameRange {
                        first,
                        games,
                        ..range
                    }),
                });
                first += games;
            }
        }
        tickets
    }
}

impl MatchesOffer {
    /// The object's name.
    pub(super) fn object(generation: u32) -> String {
        objects::of(generation, "matches.json")
    }

    /// The matches of a job, whose networks are these.
    pub(super) fn of(
        job: &MatchJob,
        own: NetworkRef,
        others: Vec<Option<NetworkRef>>,
        plan: &CyclePlan,
    ) -> Result<MatchesOffer, TrainError> {
        let opponents = job.opponents.iter().zip(others);
        let opponents = opponents.map(|(opponent, network)| OpponentRef {
            name: opponent.name.clone(),
            playouts: opponent.playouts,
            network,
        });
        Ok(MatchesOffer {
            generation: job.generation,
            network: own,
            opponents: opponents.collect(),
            pairs: job.pairs,
            pairs_per_ticket: plan.machines.pairs_per_ticket,
            visits: job.visits,
            opening_plies: job.opening_plies,
            seed: job.seed,
            plan: plan.to_toml()?,
        })
    }

    /// Its tickets, opponent after opponent.
    pub(super) fn tickets(&self) -> Vec<Ticket> {
        let mut tickets = Vec::new();
        let step = self.pairs_per_ticket.max(1);
        for (index, opponent) in self.opponents.iter().enumerate() {
            for (number, first) in (0..self.pairs).step_by(step as usize).enumerate() {
                tickets.push(Ticket {
                    generation: self.generation,
                    name: format!("matches/{}.{number:04}", opponent.name),
                    part: Part::Pairs {
                        opponent: index,
                        first,
                        pairs: step.min(self.pairs - first),
                    },
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
    pub(super) matches: Option<MatchesOffer>,
}

impl Offers {
    /// Reads what a snapshot says is there and is not known yet.
    ///
    /// # Errors
    /// [`TrainError`] of the store.
    pub(super) fn update(&mut self, store: &Store, snapshot: &Snapshot) -> Result<(), TrainError> {
        let generation = snapshot.generation;
        if snapshot.has_games && self.games.is_none() {
            self.games = objects::read(store, &GamesOffer::object(generation))?;
        }
        if snapshot.has_matches && self.matches.is_none() {
            self.matches = objects::read(store, &MatchesOffer::object(generation))?;
        }
        Ok(())
    }

    /// All tickets; matches first, for which the learner waits.
    ///
    /// # Errors
    /// [`TrainError`] when the plan in the offer cannot be read.
    pub(super) fn tickets(&self) -> Result<Vec<Ticket>, TrainError> {
        let matches = self.matches.as_ref().map(MatchesOffer::tickets);
        let games = self.games.as_ref().map(|offer| {
            let plan = CyclePlan::parse(&offer.plan)?;
            Ok::<_, TrainError>(offer.tickets(&plan))
        });
        let mut tickets = matches.unwrap_or_default();
        tickets.extend(games.transpose()?.unwrap_or_default());
        Ok(tickets)
    }
}

/// Names of all tickets without a result, oldest generation first; `None` when the plan is complete.
/// For schedulers that hand out tickets themselves.
///
/// # Errors
/// [`TrainError`] of the store.
pub fn open_tickets(store: &Store) -> Result<Option<Vec<String>>, TrainError> {
    let mut open = Vec::new();
    let mut generation = Snapshot::first_open(store)?;
    loop {
        let snapshot = Snapshot::read(store, generation)?;
        if !snapshot.has_games && !snapshot.has_matches {
            let is_complete = snapshot.is_finished && open.is_empty();
            return Ok((!is_complete).then_some(open));
        }
        let mut offers = Offers::default();
        offers.update(store, &snapshot)?;
        if !snapshot.is_done {
            let tickets = offers.tickets()?.into_iter();
            let tickets = tickets.filter(|ticket| !snapshot.has_result(&ticket.result()));
            open.extend(tickets.map(|ticket| ticket.full_name()));
        }
        generation += 1;
    }
}
