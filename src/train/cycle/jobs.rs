//! The games and rating matches of a generation as values, which are pure functions of the plan and of earlier
//! generations. They say who plays, on any machine. And the files of other runs with which a run begins: they are checked before
//! anything is written, as the plan of a run that has begun cannot be corrected.

use std::fmt::Display;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::plan::{BoardShare, CyclePlan};
use crate::TrainError;
use crate::fit::checkpoint::{Checkpoint, Origin};
use crate::fit::{FitParams, find_encoding, start_weights};
use crate::play::generate::GamesPlan;
use crate::play::generator::{GameGenerator, NetworkGenerator, RolloutGenerator};
use crate::play::matches::MatchPlayer;
use crate::play::settings::SelfPlay;
use crate::trainable::Trainable;
use tengen::encode::{find, made_up};
use tengen::fnv;
use tengen_nn::eval::{EvaluatorFactory, ModelSource};

/// A network of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NetworkRef {
    /// Its name: that of its file in the run's folder, without the ending.
    pub(crate) name: String,
    /// Its checksum.
    pub(crate) hash: String,
}

impl NetworkRef {
    /// The network in this file.
    ///
    /// # Errors
    /// [`TrainError::Io`] when it cannot be read.
    pub(super) fn of(path: &Path) -> Result<NetworkRef, TrainError> {
        let bytes = std::fs::read(path).map_err(TrainError::io(path))?;
        Ok(NetworkRef {
            name: path.file_stem().unwrap_or_default().display().to_string(),
            hash: hash(&bytes),
        })
    }
}

/// Checksum of a network.
pub(crate) fn hash(bytes: &[u8]) -> String {
    format!("{:016x}", fnv::hash(bytes))
}

/// Games of a generation on all boards.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GamesJob {
    /// The generation.
    pub(crate) generation: u32,
    /// Index of its stage.
    pub(crate) stage: usize,
    /// Name of the player: a network's, `nothing` or `rollouts`.
    pub(crate) players: String,
    /// The network; without one and without rollouts, an untrained network plays.
    pub(crate) network: Option<NetworkRef>,
    /// Whether random playouts play.
    pub(crate) rollouts: bool,
    /// Playouts for a move.
    pub(crate) visits: u64,
    /// Number of the first game.
    pub(crate) first: u64,
    /// Games on all boards.
    pub(crate) games: u64,
}

/// Games on one board, with consecutive numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct GameRange {
    /// Index of the board in the plan.
    pub(crate) board: usize,
    /// Number of the first game.
    pub(crate) first: u64,
    /// How many.
    pub(crate) games: u64,
}

impl GamesJob {
    /// The games on each of the plan's boards.
    pub(crate) fn ranges(&self, plan: &CyclePlan) -> Vec<GameRange> {
        let parts = BoardShare::parts(&plan.boards(), self.games);
        let range = |(board, (first, games))| GameRange {
            board,
            first: self.first + first,
            games,
        };
        parts.into_iter().enumerate().map(range).collect()
    }

    /// What to play for a range of games; `source` describes the player.
    pub(crate) fn games_plan(
        &self,
        plan: &CyclePlan,
        range: GameRange,
        threads: usize,
        source: String,
    ) -> GamesPlan {
        let boards = plan.boards();
        let own_komi = boards.get(range.board).and_then(|board| board.komi);
        GamesPlan {
            first: range.first,
            games: range.games,
            seed: plan.seed,
            threads,
            settings: SelfPlay {
                komi: own_komi.or(plan.self_play.komi),
                ..plan.self_play.clone()
            },
            generator: source,
        }
    }

    /// The player of these games on the board that begins with `start`; `network` is the job's, opened.
    ///
    /// # Errors
    /// [`TrainError`] when there is no such network, or the search's settings are invalid.
    pub(crate) fn player<G: Trainable>(
        &self,
        plan: &CyclePlan,
        start: &G,
        network: Option<EvaluatorFactory>,
    ) -> Result<Box<dyn GameGenerator<G>>, TrainError> {
        if self.rollouts {
            return Ok(Box::new(RolloutGenerator(self.visits)));
        }
        let network = match network {
            Some(network) => network,
            None => {
                let stage = plan.stage.get(self.stage);
                let stage =
                    stage.ok_or_else(|| TrainError::plan("it has fewer stages than the games"))?;
                // An untrained one.
                let params = FitParams::of::<G>(stage.network, 1, &plan.fit);
                let encoding = find_encoding::<G>(&params.encoding)?;
                EvaluatorFactory::uniform(made_up(start, encoding))
            }
        };
        let visits = u32::try_from(self.visits).unwrap_or(u32::MAX);
        let play = plan.self_play.mcts(visits).map_err(TrainError::plan)?;
        Ok(Box::new(NetworkGenerator { network, play }))
    }
}

/// Rating matches of a generation's network.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MatchJob {
    /// The generation.
    pub(crate) generation: u32,
    /// Its network.
    pub(crate) network: NetworkRef,
    /// Its opponents.
    pub(crate) opponents: Vec<Opponent>,
    /// Pairs of games against each.
    pub(crate) pairs: u32,
    /// Pairs that one machine plays at a time.
    pub(crate) pairs_per_ticket: u32,
    /// Playouts a move of networks.
    pub(crate) visits: u32,
    /// Random plies that open a game.
    pub(crate) opening_plies: u16,
    /// Fixes openings and playouts.
    pub(crate) seed: u64,
}

impl MatchJob {
    /// The players of its matches against an opponent; `open` opens networks, its own first.
    ///
    /// # Errors
    /// Those of `open`.
    pub(crate) fn players(
        &self,
        opponent: &Opponent,
        mut open: impl FnMut(&NetworkRef) -> Result<EvaluatorFactory, TrainError>,
    ) -> Result<[MatchPlayer; 2], TrainError> {
        let visits = self.visits;
        let mut player = |network| {
            let network = Box::new(open(network)?);
            Ok::<_, TrainError>(MatchPlayer::Network { network, visits })
        };
        let own = player(&self.network)?;
        Ok(match &opponent.network {
            Some(network) => [own, player(network)?],
            None => [own, MatchPlayer::Rollouts(opponent.playouts)],
        })
    }
}

/// An opponent in rating matches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Opponent {
    /// Its name.
    pub(crate) name: String,
    /// Random playouts a move, for one without a network.
    pub(crate) playouts: u64,
    /// Its network.
    pub(crate) network: Option<NetworkRef>,
}

/// Checks the files that the warm-up of a plan names.
///
/// # Errors
/// [`TrainError::Setting`] names key and file, and says why no run can begin with it.
pub(crate) fn check_warm_up<G: Trainable>(start: &G, plan: &CyclePlan) -> Result<(), TrainError> {
    let Some(warm_up) = &plan.warm_up else {
        return Ok(());
    };
    let starts = plan.starts(start)?;
    if let Some(path) = &warm_up.network {
        check_network(&starts, path)?;
    }
    if let Some(folder) = &warm_up.weights {
        read_weights(&starts, plan, folder)?;
    }
    Ok(())
}

/// Whether a network can play on all boards.
fn check_network<G: Trainable>(starts: &[G], path: &Path) -> Result<(), TrainError> {
    let source = ModelSource::File(path.to_path_buf());
    let info = source.info().map_err(|error| refused("network", &error))?;
    for start in starts {
        if let Err(mismatch) = find(&info, start) {
            let why = format!("{}: {mismatch}", path.display());
            return Err(refused("network", &why));
        }
    }
    Ok(())
}

/// Reads the checkpoint from whose weights the network of the first stage starts.
///
/// # Errors
/// [`TrainError::Setting`] when there is none, or the network cannot start from it.
pub(super) fn read_weights<G: Trainable>(
    starts: &[G],
    plan: &CyclePlan,
    folder: &Path,
) -> Result<Checkpoint, TrainError> {
    let given = Checkpoint::open(folder).map_err(|error| {
        let advice = "restore it from a copy, or name other weights";
        refused("weights", &error.advising(advice))
    })?;
    let can_start = || {
        let stage = plan.stage.first();
        let stage = stage.ok_or_else(|| TrainError::plan("it has no [[stage]]"))?;
        let params = FitParams::of::<G>(stage.network, 1, &plan.fit);
        let planes = find_encoding::<G>(&params.encoding)?.planes();
        let origin = Origin::of(starts, &params.encoding, planes, 0);
        start_weights(&given, &origin, &params).map(drop)
    };
    can_start().map_err(|error| {
        let why = format!(
            "{}: the first stage cannot start from it: {error}",
            folder.display()
        );
        refused("weights", &why)
    })?;
    Ok(given)
}

fn refused(key: &str, why: &dyn Display) -> TrainError {
    TrainError::plan(format_args!("{key} of [warm-up]: {why}"))
}
