//! Plays a ticket: from the ticket and the objects that it names to the bytes of its result.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::objects;
use super::tickets::{GamesOffer, Offers, PairRange, Part, Ticket};
use crate::cycle::{CyclePlan, GameRange, MatchJob, NetworkRef, from_json, hash, to_json};
use crate::play::generate::{Progress, generate_shard};
use crate::play::matches::{MatchParams, PairResult, play_match};
use crate::play::runtime::Runtime;
use crate::shards::row::Row;
use crate::shards::shard::Shard;
use crate::store::{AGAIN, Store, stays_inside};
use crate::trainable::Trainable;
use crate::{TrainError, durable};
use tengen::game::{BoardSize, Game};
use tengen::system::own_temporary_folder;
use tengen_nn::eval::{BackendKind, Device, EvaluatorFactory};

/// Opened networks that are kept: two players on boards of several sizes.
const MAX_OPEN: usize = 8;

/// Result of a ticket of matches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct PairsResult {
    /// Who played, and how.
    pub(super) source: String,
    /// The first player's results, as Black first.
    pub(super) pairs: Vec<PairResult>,
}

/// Plays tickets on this machine.
pub(super) struct TicketPlayer<G> {
    /// An empty board: rules and type of position.
    start: G,
    runtime: Runtime,
    threads: usize,
    store: Store,
    /// Folder of downloaded networks.
    networks: PathBuf,
    open: HashMap<(String, BoardSize), (EvaluatorFactory, BackendKind)>,
}

impl<G: Trainable> TicketPlayer<G> {
    pub(super) fn new(
        start: &G,
        runtime: &Runtime,
        threads: usize,
        store: &Store,
    ) -> TicketPlayer<G> {
        TicketPlayer {
            start: start.clone(),
            runtime: runtime.clone(),
            threads,
            store: store.clone(),
            networks: own_temporary_folder().join("networks"),
            open: HashMap::new(),
        }
    }

    /// Plays a ticket of these offers; returns its result. `observe` is called often,
    /// and may end it.
    ///
    /// # Errors
    /// [`TrainError`] of the store, of networks, and of `observe`.
    pub(super) fn play(
        &mut self,
        offers: &Offers,
        ticket: &Ticket,
        observe: &mut dyn FnMut(Progress) -> Result<(), TrainError>,
    ) -> Result<Vec<u8>, TrainError> {
        match (&ticket.part, &offers.games, &offers.matches) {
            (Part::Games(range), Some(offer), _) => self.games(offer, *range, observe),
            (Part::Pairs(range), Some(offer), Some(job)) => {
                let plan = CyclePlan::parse(&offer.plan)?;
                self.pairs(&plan, job, *range, observe)
            }
            _ => Err(TrainError::Setting(format!(
                "ticket {} is not offered",
                ticket.full_name()
            ))),
        }
    }

    fn games(
        &mut self,
        offer: &GamesOffer,
        range: GameRange,
        observe: &mut dyn FnMut(Progress) -> Result<(), TrainError>,
    ) -> Result<Vec<u8>, TrainError> {
        let plan = CyclePlan::parse(&offer.plan)?;
        let starts = plan.starts(&self.start)?;
        let start = starts
            .get(range.board)
            .ok_or_else(|| TrainError::plan("it has fewer boards than the tickets"))?;
        let (mut opened, mut means) = (None, String::new());
        if let Some(network) = &offer.job.network {
            let (factory, backend) = self.open(network, start.size())?;
            means = backend.to_string();
            if self.runtime.device != Device::Cpu {
                means += &format!("-{}", self.runtime.device);
            }
            opened = Some(factory);
        }
        let job = &offer.job;
        let games = job.games_plan(&plan, range, self.threads, offer.players(&means));
        let player = job.player(&plan, start, opened)?;
        let (bytes, _) = generate_shard(start, &games, &*player, observe)?;
        Ok(bytes)
    }

    fn pairs(
        &mut self,
        plan: &CyclePlan,
        job: &MatchJob,
        range: PairRange,
        observe: &mut dyn FnMut(Progress) -> Result<(), TrainError>,
    ) -> Result<Vec<u8>, TrainError> {
        let starts = plan.starts(&self.start)?;
        let (start, other) = starts
            .first()
            .zip(job.opponents.get(range.opponent))
            .ok_or_else(|| TrainError::plan("it has no such board or opponent"))?;
        let mut sources = Vec::new();
        let players = job.players(other, |network| {
            let (factory, backend) = self.open(network, start.size())?;
            sources.push(format!("{} {backend}", network.hash));
            Ok(factory)
        })?;
        if other.network.is_none() {
            sources.push(other.name.clone());
        }
        let settings = MatchParams {
            first: range.first,
            pairs: range.pairs,
            opening_plies: job.opening_plies,
            seed: job.seed,
            threads: self.threads,
            concurrent: plan.self_play.concurrent,
        };
        let mut progress = Progress::default();
        let pairs = play_match(start, players.each_ref(), &settings, |pairs| {
            progress.games = 2 * pairs.len() as u64;
            observe(progress).map(ControlFlow::Continue)
        })?;
        let source = sources.join(" against ");
        to_json(&PairsResult { source, pairs })
    }

    /// Opens a network of the store, or takes it from those that are open.
    fn open(
        &mut self,
        network: &NetworkRef,
        size: BoardSize,
    ) -> Result<(EvaluatorFactory, BackendKind), TrainError> {
        let key = (network.hash.clone(), size);
        if let Some(known) = self.open.get(&key) {
            return Ok(known.clone());
        }
        let file = format!("{}.onnx", network.hash);
        if !stays_inside(&file) {
            return Err(TrainError::Refused(format!(
                "{}: a network is named {:?}, which leads out of the folder of networks",
                self.store.name(),
                network.hash
            )));
        }
        let path = self.networks.join(file);
        let is_there =
            path.exists() && std::fs::read(&path).is_ok_and(|bytes| hash(&bytes) == network.hash);
        if !is_there {
            durable::make_folder(&self.networks)?;
            durable::write(&path, &download(&self.store, &network.hash)?)?;
        }
        let opened = self.runtime.open_named(&path, size)?;
        if self.open.len() >= MAX_OPEN {
            self.open.clear();
        }
        self.open.insert(key, opened.clone());
        Ok(opened)
    }
}

/// The bytes of the network with a checksum.
///
/// # Errors
/// [`TrainError`] of the store, also when they are damaged.
fn download(store: &Store, wanted: &str) -> Result<Vec<u8>, TrainError> {
    let bytes = store.get_checked(&objects::network(wanted), |bytes| {
        let found = hash(&bytes);
        (found == wanted)
            .then_some(bytes)
            .ok_or(format!("its checksum is {found}; {AGAIN}"))
    })?;
    Ok(bytes)
}

/// Comes before the means by which a network was evaluated, the one thing that a ticket leaves to its player.
const MEANS: &str = " backend=";

impl GamesOffer {
    /// Who plays its games, for their source.
    fn players(&self, means: &str) -> String {
        let (job, run) = (&self.job, &self.run);
        let mut players = format!("{} visits={}", job.players, job.visits);
        if let Some(network) = &job.network {
            players += &format!(" network={}{MEANS}{means}", network.hash);
        }
        format!("{players} plan={run}")
    }

    /// Whether a shard has the games of this range, each once, as the offer wants them.
    ///
    /// # Errors
    /// Says what it has instead.
    pub(super) fn check<G: Game>(
        &self,
        shard: &Shard,
        start: &G,
        plan: &CyclePlan,
        range: GameRange,
    ) -> Result<(), String> {
        let found = &shard.info;
        let means = found.source.split_once(MEANS).map_or("", |(_, rest)| rest);
        let means = means.split(' ').next().unwrap_or_default();
        let games = self.job.games_plan(plan, range, 1, self.players(means));
        let wanted = games.shard_info(start);
        if *found != wanted {
            return Err(format!("its games are of {found}, not of {wanted}"));
        }
        let games = shard.rows.chunk_by(|a, b| a.game == b.game);
        let end = range.first + range.games;
        if !games.map(|game| game[0].game).eq(range.first..end) {
            return Err(format!(
                "it has not just the {} games from number {} on",
                range.games, range.first
            ));
        }
        let is_next = |a: &Row, b: &Row| a.game != b.game || a.ply < b.ply;
        match shard.rows.is_sorted_by(is_next) {
            true => Ok(()),
            false => Err("it has a position of a game twice, or out of order".to_owned()),
        }
    }
}

impl PairsResult {
    /// The result of these bytes, if it is of the pairs of this range, as the matches want them.
    ///
    /// # Errors
    /// Says what it has instead.
    pub(super) fn parse(
        bytes: &[u8],
        job: &MatchJob,
        range: PairRange,
    ) -> Result<PairsResult, String> {
        let result: PairsResult = from_json(bytes)?;
        let opponent = &job.opponents[range.opponent];
        let players = result.source.split_once(" against ");
        let is_of = |player: &str, network: &NetworkRef| {
            let means = player.strip_prefix(&*network.hash);
            means.is_some_and(|means| means.starts_with(' '))
        };
        let is_right = players.is_some_and(|(own, other)| {
            is_of(own, &job.network)
                && match &opponent.network {
                    Some(network) => is_of(other, network),
                    None => other == opponent.name,
                }
        });
        if !is_right {
            let source = result.source;
            return Err(format!("its players are {source}, not those of its ticket"));
        }
        match result.pairs.len() == range.pairs as usize {
            true => Ok(result),
            false => Err(format!(
                "it has {} pairs of games, not {}",
                result.pairs.len(),
                range.pairs
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cycle::jobs::Opponent;

    #[test]
    fn results_of_other_players_or_of_too_few_pairs_are_refused() {
        let network = |hash: &str| NetworkRef {
            name: "network".to_owned(),
            hash: hash.to_owned(),
        };
        let opponent = |name: &str, network| Opponent {
            name: name.to_owned(),
            playouts: 5,
            network,
        };
        let job = MatchJob {
            generation: 1,
            network: network("a1"),
            opponents: vec![
                opponent("rave-5", None),
                opponent("network-0000", Some(network("b2"))),
            ],
            pairs: 2,
            pairs_per_ticket: 1,
            visits: 1,
            opening_plies: 0,
            seed: 0,
        };
        let parsed = |opponent: usize, source: &str, pairs: usize| {
            let pairs = vec![["win", "loss"]; pairs];
            let result = serde_json::json!({ "source": source, "pairs": pairs });
            let (first, range_pairs) = (0, 1);
            let range = PairRange {
                opponent,
                first,
                pairs: range_pairs,
            };
            PairsResult::parse(result.to_string().as_bytes(), &job, range)
        };
        for (opponent, source) in [
            (0, "a1 native against rave-5"),
            (1, "a1 ort against b2 ort"),
        ] {
            assert_eq!(parsed(opponent, source, 1).unwrap().source, source);
            let message = parsed(opponent, source, 3).unwrap_err();
            assert!(message.contains("3 pairs of games, not 1"), "{message}");
            let message = parsed(1 - opponent, source, 1).unwrap_err();
            assert!(message.contains("not those of its ticket"), "{message}");
        }
        for source in ["", "evil", "a1 against rave-5", "a10 x against rave-5"] {
            assert!(parsed(0, source, 1).is_err(), "{source}");
        }
    }
}
