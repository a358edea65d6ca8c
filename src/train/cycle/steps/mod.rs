//! The steps of one generation.

mod fit;
mod games;
mod matches;

use std::path::{Path, PathBuf};

use super::StepName;
use super::context::RunContext;
use super::generation::{Generation, measure};
use super::jobs::read_weights;
use super::plan::Stage;
use super::run_folder::{RunFolder, int8};
use crate::TrainError;
use crate::durable;
use crate::export::quantize::examples::quick_games;
use crate::export::{network_info, to_onnx};
use crate::fit::checkpoint::{Checkpoint, Origin};
use crate::network::architecture::Outputs;
use crate::shards::dataset::Dataset;
use crate::shards::shard;
use crate::trainable::Trainable;

/// Positions for calibration of int8 networks, of all boards together; as many others are compared.
const POSITIONS: usize = 512;

/// One generation to complete.
pub(super) struct GenerationSteps<'a, G> {
    /// The empty board for ratings, the first of all.
    pub(super) start: &'a G,
    /// All boards of the plan, of which several may be of one size with different rules.
    pub(super) starts: &'a [G],
    /// One board of each size.
    pub(super) boards: &'a [G],
    pub(super) number: u32,
    pub(super) stage: usize,
    pub(super) done: &'a [Generation],
}

impl<G: Trainable> GenerationSteps<'_, G> {
    /// Does the remaining work of the generation.
    pub(super) fn generation(
        &self,
        context: &mut RunContext<'_, G>,
    ) -> Result<Generation, TrainError> {
        let (run_folder, number) = (context.run_folder, self.number);
        let before = self.done.last();
        // The tickets of the first generation name the network that is made of them.
        let given = match before {
            Some(_) => None,
            None => self.given_weights(context)?,
        };
        self.publish_ahead(context)?;
        let catch_up = self.catch_up(context)?;
        let last = match (&catch_up, before) {
            (Some(fitted), _) => {
                let steps = fitted.earlier_steps + fitted.checkpoint.step;
                Some((fitted.checkpoint.clone(), steps))
            }
            (None, Some(before)) => {
                let checkpoint = last_checkpoint(run_folder, before.number)?;
                Some((checkpoint, before.steps))
            }
            (None, None) => given.map(|given| (given, 0)),
        };
        let (job, tally) = self.games(context, catch_up.is_some())?;
        let played = tally.finished;
        let rows_so_far = before.map_or(0, |g| g.rows_so_far) + played.positions;
        let games_so_far = before.map_or(0, |g| g.games_so_far) + played.games;
        let rows = played.positions as f64;
        let dataset = self.dataset(context, rows_so_far, games_so_far, number)?;
        let held_out = dataset.held_out.clone();
        // If games of the window are missing, the remaining ones are not used more often.
        let window = (context.plan.window.rows(rows_so_far) as u64).min(rows_so_far);
        let found = dataset.fit.len() + dataset.held_out.len();
        let share = (found as f64 / window.max(1) as f64).min(1.0);
        let samples = context.plan.fit.reuse * rows * share;
        let steps = steps(samples, context.plan.fit.batch);
        let last = last
            .as_ref()
            .map(|(checkpoint, steps)| (checkpoint, *steps));
        let fitted = self.fit(context, dataset, StepName::Fit, steps, last)?;
        let network = run_folder.network(number);
        export(&fitted.checkpoint, fitted.earlier_steps, &network)?;
        let opened = context
            .resources
            .runtime
            .open(&network, self.start.size())?;
        self.quantize(context, &network, &held_out)?;
        let measures = measure(self.start, &opened, &held_out)?;
        self.rate(context)?;
        let (plays_next, gate) = self.gate(context, &opened)?;
        let checkpoint = &fitted.checkpoint;
        Ok(Generation {
            number,
            players: job.players,
            visits: job.visits,
            network: checkpoint.params.architecture.to_string(),
            plays_next,
            gate,
            games: played.games,
            games_so_far,
            rows: played.positions,
            rows_so_far,
            white_share: 1.0 - played.black_share(),
            games_per_second: tally.rates.0,
            evaluations_per_second: tally.rates.1,
            samples_per_second: fitted.samples_per_second,
            steps: fitted.earlier_steps + checkpoint.step,
            held_out: fitted.held_out,
            measures,
            seconds: context.watch.seconds(),
        })
    }

    /// The checkpoint of another run with which the first generation begins, if the plan names one:
    /// its network plays, for this run's boards, unless another one is named.
    fn given_weights(&self, context: &RunContext<'_, G>) -> Result<Option<Checkpoint>, TrainError> {
        let warm_up = context.plan.warm_up.as_ref();
        let Some(folder) = warm_up.and_then(|warm_up| warm_up.weights.as_ref()) else {
            return Ok(None);
        };
        let kept = context.run_folder.given_weights();
        let given = match Checkpoint::newest(&kept)? {
            Some(given) => given,
            None => {
                let given = read_weights(self.starts, context.plan, folder)?;
                durable::prepare_folder(&kept)?;
                given.save(&kept)?;
                given
            }
        };
        let network = context.run_folder.warm_up();
        if !network.exists() {
            let (encoding, planes) = (given.origin.encoding.clone(), given.origin.planes);
            let played = Checkpoint {
                origin: Origin::of(self.boards, &encoding, planes, given.origin.games),
                ..given.clone()
            };
            export(&played, 0, &network)?;
        }
        // A network that the plan names plays as it is, and may be in integers already.
        let is_own = warm_up.is_some_and(|warm_up| warm_up.network.is_none());
        if is_own && context.plan.self_play.int8 && !int8(&network).exists() {
            // Before any games exist: on short ones by playouts.
            let rows = quick_games(self.boards, 2 * POSITIONS, context.plan.seed);
            self.quantize(context, &network, &rows)?;
        }
        Ok(Some(given))
    }

    fn stage<'p>(&self, context: &RunContext<'p, G>) -> &'p Stage {
        &context.plan.stage[self.stage]
    }

    /// Folders of a generation's games, by board: one folder if there is one board.
    fn games_folders(&self, context: &RunContext<'_, G>, number: u32) -> Vec<PathBuf> {
        let folder = context.run_folder.games(number);
        match self.starts {
            [_] => vec![folder],
            _ => {
                let boards = context.plan.boards().into_iter();
                boards.map(|board| folder.join(board.name())).collect()
            }
        }
    }

    /// The window up to a generation. Missing games are skipped: a run may continue elsewhere with
    /// its networks and checkpoints alone.
    fn dataset(
        &self,
        context: &RunContext<'_, G>,
        rows_so_far: u64,
        games_so_far: u64,
        newest: u32,
    ) -> Result<Dataset, TrainError> {
        let window = context.plan.window.rows(rows_so_far);
        let known = |number: u32| self.done.get(number as usize).map(|g| g.rows);
        let (mut folders, mut rows) = (Vec::new(), 0);
        for number in (0..=newest).rev() {
            let of_number = self.games_folders(context, number);
            for folder in of_number.into_iter().rev() {
                if shard::list(&folder)?.is_empty() {
                    log::warn!(
                        "{} is missing or empty: its games are not used",
                        folder.display()
                    );
                } else {
                    folders.insert(0, folder);
                }
            }
            rows += known(number).unwrap_or(0);
            if rows >= window as u64 {
                break;
            }
        }
        if folders.is_empty() {
            let reason = "the games of all generations are gone, and a new network must learn \
                          from them before it plays; put some back, or let the network before \
                          play another generation";
            return Err(TrainError::mismatch(context.run_folder.root(), reason));
        }
        let loaded = Dataset::load(&folders, window, context.plan.window.held_out);
        let advise = |error| advise_on_shard(error, context.run_folder, self.number);
        let mut dataset = loaded.map_err(advise)?;
        dataset.games = games_so_far;
        Ok(dataset)
    }
}

/// The end of the previous generation. Without it the network would silently start from scratch and
/// lose rating.
fn last_checkpoint(run_folder: &RunFolder, number: u32) -> Result<Checkpoint, TrainError> {
    let folder = run_folder.fit(number);
    let advice = || without_checkpoint(run_folder, number);
    let newest = Checkpoint::newest(&folder).map_err(|error| error.advising(advice()))?;
    newest.ok_or_else(|| {
        let reason = format!(
            "it has no checkpoint, which the next generation needs; {}",
            advice()
        );
        TrainError::mismatch(&folder, reason)
    })
}

/// What to do when the last generation has lost its checkpoint: with the one before it can be fitted again.
fn without_checkpoint(run_folder: &RunFolder, number: u32) -> String {
    let before = number.checked_sub(1).map(|before| run_folder.fit(before));
    let has_checkpoint = |folder| Checkpoint::newest(folder).is_ok_and(|found| found.is_some());
    if !before.as_deref().is_none_or(has_checkpoint) {
        return "restore it from a copy, or start a new run in another folder".to_owned();
    }
    let generation = format!("generation-{number:04}");
    format!(
        "restore it from a copy, or delete {generation}.json, {generation}/fit, {generation}/matches and \
         networks/network-{number:04}.*, and the generation is fitted again to its games"
    )
}

/// Says what to do about a damaged shard. Those of the generation in progress, this one, are made again; without those
/// of others its fits would be shorter than they began.
fn advise_on_shard(error: TrainError, run_folder: &RunFolder, number: u32) -> TrainError {
    let own = run_folder.games(number);
    let is_own = match &error {
        TrainError::Corrupt { path, .. } => path.starts_with(&own),
        _ => false,
    };
    if is_own {
        return error;
    }
    let fits = [
        ("catch-up", run_folder.catch_up(number)),
        ("fit", run_folder.fit(number)),
    ];
    let begun = fits.iter().filter(|(_, folder)| folder.exists());
    let begun: String = begun
        .map(|(name, _)| format!(" and generation-{number:04}/{name}"))
        .collect();
    error.advising(format!(
        "restore it from a copy, or delete it{begun}: the run goes on without its games"
    ))
}

/// Steps for `samples`, at least one.
fn steps(samples: f64, batch: usize) -> u64 {
    ((samples / batch as f64).ceil() as u64).max(1)
}

/// Writes a checkpoint's network; `earlier` steps were made before its own.
fn export(checkpoint: &Checkpoint, earlier: u64, path: &Path) -> Result<(), TrainError> {
    let mut info = network_info(checkpoint);
    info.steps += earlier;
    let architecture = checkpoint.params.architecture;
    let onnx = to_onnx(architecture, &checkpoint.average, &info, Outputs::Play)?;
    durable::write(path, &onnx)
}
