//! The place of several machines in a run: who plays its games, and what keeps it.

use std::path::{Path, PathBuf};

use super::games_job::GamesJob;
use super::generation::Generation;
use super::plan::CyclePlan;
use super::run_folder::RunFolder;
use crate::TrainError;
use crate::play::generate::Progress;
use crate::play::matches::PairResult;

/// Listener of matches: the index of an opponent and the pairs against it so far; an error ends them.
pub type PairsObserver<'a> = dyn FnMut(usize, &[PairResult]) -> Result<(), TrainError> + 'a;

/// Rating matches of a generation's network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchJob {
    /// The generation.
    pub generation: u32,
    /// The file of its network.
    pub network: PathBuf,
    /// Its opponents.
    pub opponents: Vec<MatchOpponent>,
    /// Pairs of games against each.
    pub pairs: u32,
    /// Playouts a move of networks.
    pub visits: u32,
    /// Random plies that open a game.
    pub opening_plies: u16,
    /// Fixes openings and playouts.
    pub seed: u64,
}

/// An opponent in rating matches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MatchOpponent {
    /// Its name.
    pub name: String,
    /// Random playouts a move, for one without a network.
    pub playouts: u64,
    /// The file of its network.
    pub network: Option<PathBuf>,
}

/// Machines that play for a run, and the store in which it survives this one. Its own folder is then
/// a working copy.
pub trait Remote {
    /// Brings the folder, which is locked, to the state of the store.
    ///
    /// # Errors
    /// [`TrainError`] when the store holds another run or cannot be used.
    fn begin(&self, run_folder: &RunFolder, plan: &CyclePlan) -> Result<(), TrainError>;

    /// Offers a generation's games; again is harmless.
    ///
    /// # Errors
    /// [`TrainError`] when the store cannot be used, or offers other games.
    fn publish(&self, job: &GamesJob) -> Result<(), TrainError>;

    /// Waits for the games of a published job, puts their shards into `folders`, one a board, and
    /// returns their statistics. `observe` is called often and may end the wait.
    ///
    /// # Errors
    /// [`TrainError`] of the store, of damaged games, and of `observe`.
    fn games(
        &self,
        job: &GamesJob,
        folders: &[PathBuf],
        observe: &mut dyn FnMut(Progress) -> Result<(), TrainError>,
    ) -> Result<Progress, TrainError>;

    /// Puts the shards of an earlier generation into `folders`, one a board, where they are missing.
    ///
    /// # Errors
    /// [`TrainError`] of the store and of files.
    fn fetch_games(&self, generation: u32, folders: &[PathBuf]) -> Result<(), TrainError>;

    /// Has matches played; returns the pairs against each opponent. `observe` gets the pairs against
    /// one of them, by its index.
    ///
    /// # Errors
    /// As [`Self::games`].
    fn matches(
        &self,
        job: &MatchJob,
        observe: &mut PairsObserver<'_>,
    ) -> Result<Vec<Vec<PairResult>>, TrainError>;

    /// Keeps a finished generation; returns it, or the one that another learner has finished, to
    /// which the folder is then brought.
    ///
    /// # Errors
    /// [`TrainError::Refused`] when another learner has taken over; others of the store.
    fn commit(
        &self,
        run_folder: &RunFolder,
        generation: Generation,
    ) -> Result<Generation, TrainError>;

    /// Tells all machines that the plan is complete after this many generations.
    ///
    /// # Errors
    /// [`TrainError`] of the store.
    fn finish(&self, generations: u32) -> Result<(), TrainError>;

    /// Writes what is known of the machines into the folder, for its report.
    ///
    /// # Errors
    /// [`TrainError`] of files.
    fn machines(&self, run_folder: &RunFolder) -> Result<(), TrainError>;

    /// Shows the folder's report to readers of the store.
    fn show(&self, report: &Path);
}
