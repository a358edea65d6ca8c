//! Plays a ticket: from the ticket and the objects that it names to the bytes of its result.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::objects;
use super::tickets::{GamesOffer, MatchesOffer, Offers, PairRange, Part, Ticket};
use crate::cycle::{CyclePlan, GameRange, NetworkRef, from_json, to_json};
use crate::play::generate::{Progress, generate_shard};
use crate::play::matches::{MatchParams, PairResult, play_match};
use crate::play::runtime::Runtime;
use crate::shards::shard;
use crate::store::{RESTORE, Store};
use crate::trainable::Trainable;
use crate::{TrainError, durable};
use tengen::fnv;
use tengen::game::BoardSize;
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

    /// Whether equal tickets have equal bytes here: on processors, not on GPUs, where the size of
    /// batches changes the last bits.
    pub(super) fn is_exact(&self) -> bool {
        self.runtime.device == Device::Cpu
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
            (Part::Pairs(range), _, Some(offer)) => self.pairs(offer, *range, observe),
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
        let mut opened = None;
        let mut source = format!("{} visits={}", offer.job.players, offer.job.visits);
        if let Some(network) = &offer.job.network {
            let (factory, backend) = self.open(network, start.size())?;
            source += &format!(" network={} backend={backend}", network.hash);
            if !self.is_exact() {
                source += &format!("-{}", self.runtime.device);
            }
            opened = Some(factory);
        }
        source += &format!(" plan={}", offer.run);
        let job = &offer.job;
        let games = job.generation_plan(&plan, range, self.threads, source);
        let player = job.player(&plan, start, opened)?;
        let (bytes, _) = generate_shard(start, &games, &*player, observe)?;
        Ok(bytes)
    }

    fn pairs(
        &mut self,
        offer: &MatchesOffer,
        range: PairRange,
        observe: &mut dyn FnMut(Progress) -> Result<(), TrainError>,
    ) -> Result<Vec<u8>, TrainError> {
        let plan = CyclePlan::parse(&offer.plan)?;
        let starts = plan.starts(&self.start)?;
        let (start, other) = starts
            .first()
            .zip(offer.job.opponents.get(range.opponent))
            .ok_or_else(|| TrainError::plan("it has no such board or opponent"))?;
        let mut sources = Vec::new();
        let players = offer.job.players(other, |network| {
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
            opening_plies: offer.job.opening_plies,
            seed: offer.job.seed,
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
        let path = self.networks.join(format!("{}.onnx", network.hash));
        let is_there =
            path.exists() && std::fs::read(&path).is_ok_and(|bytes| hash(&bytes) == network.hash);
        if !is_there {
            std::fs::create_dir_all(&self.networks).map_err(TrainError::io(&self.networks))?;
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
pub(super) fn download(store: &Store, wanted: &str) -> Result<Vec<u8>, TrainError> {
    let bytes = store.get_checked(&objects::network(wanted), |bytes| {
        let found = hash(&bytes);
        (found == wanted)
            .then_some(bytes)
            .ok_or(format!("its checksum is {found}; {RESTORE}"))
    })?;
    Ok(bytes)
}

/// Checksum of a network.
pub(super) fn hash(bytes: &[u8]) -> String {
    format!("{:016x}", fnv::hash(bytes))
}

/// Who made a result, and how; `None` if it cannot be read.
pub(super) fn source(ticket: &Ticket, bytes: Vec<u8>) -> Option<String> {
    match ticket.part {
        Part::Games(_) => {
            let shard = shard::decode(Path::new(&ticket.name), bytes).ok()?;
            Some(shard.info.source)
        }
        Part::Pairs(_) => {
            let result: PairsResult = from_json(&bytes).ok()?;
            Some(result.source)
        }
    }
}
