//! What a generation's network learns.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use super::Work;
use crate::train::checkpoint::Checkpoint;
use crate::train::cycle::StepName;
use crate::train::cycle::run::Desk;
use crate::train::dataset::Dataset;
use crate::train::export::{network_info, to_onnx};
use crate::train::fit::{FitParams, Workplace, fit};
use crate::train::learn::Learn;
use crate::train::recipe::Outputs;
use crate::train::schedule::Schedule;
use crate::train::score::Score;
use crate::train::{TrainError, durable};

/// Time between checkpoints of a fit.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(60);

/// What a fit came to.
pub(super) struct Fitted {
    pub(super) checkpoint: Checkpoint,
    pub(super) samples_per_second: f64,
    pub(super) held_out: Option<Score>,
}

impl<G: Learn> Work<'_, G> {
    /// A network that the generation before did not have learns from all there is.
    pub(super) fn catch_up(&self, desk: &mut Desk<'_>) -> Result<Option<Fitted>, TrainError> {
        let network = self.stage(desk).network.to_string();
        let Some(before) = self.done.last().filter(|before| before.network != network) else {
            return Ok(None);
        };
        let (rows, games) = (before.rows_so_far, before.games_so_far);
        let dataset = self.dataset(desk, rows, games, before.number)?;
        let samples = desk.plan.fit.catch_up * dataset.fit.len() as f64;
        let steps = steps(samples, desk.plan.fit.batch);
        let held_out = dataset.held_out.clone();
        let fitted = self.fit(desk, dataset, (StepName::CatchUp, steps), None)?;
        let network = desk.place.start(self.number);
        export(&fitted.checkpoint, 0, &network)?;
        self.integers(desk, &network, &held_out)?;
        Ok(Some(fitted))
    }

    /// Fits the stage's network, from `last` where there is one.
    pub(super) fn fit(
        &self,
        desk: &mut Desk<'_>,
        dataset: Dataset,
        (step, steps): (StepName, u64),
        last: Option<&Checkpoint>,
    ) -> Result<Fitted, TrainError> {
        let (settings, stage) = (&desk.plan.fit, self.stage(desk));
        let folder = match step {
            StepName::CatchUp => desk.place.catch_up(self.number),
            _ => desk.place.fit(self.number),
        };
        let params = FitParams {
            batch: settings.batch,
            learning_rate: settings.learning_rate * stage.rate_factor,
            schedule: Schedule::Constant,
            weight_decay: settings.weight_decay,
            root_value_share: settings.root_value_share,
            surprise_share: settings.surprise_share,
            average_decay: settings.average_decay,
            seed: desk.plan.seed ^ u64::from(self.number).rotate_left(32),
            score_every: steps.div_ceil(4),
            ..FitParams::of::<G>(stage.network, steps)
        };
        let session = desk.session;
        let workplace = Workplace {
            folder: &folder,
            device: session.fit_device,
            clock: session.clock,
            checkpoint_every: CHECKPOINT_EVERY,
            start_from: last,
        };
        let begun = desk.watch.session();
        let (mut first, mut samples_per_second) = (None, 0.0);
        let mut told = Ok(());
        let checkpoint = fit(self.start, dataset, &params, &workplace, |report| {
            let first = *first.get_or_insert(report.step - 1);
            let seconds = (desk.watch.session() - begun).max(1e-3);
            let samples = (report.step - first) * params.batch as u64;
            samples_per_second = samples as f64 / seconds;
            let message = format!(
                "{samples_per_second:.0} samples/s, policy {:.3}, value {:.3}",
                report.policy_loss, report.value_loss
            );
            told = desk.tell(self.number, step, (report.step, steps), message);
            match told {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        })?;
        told?;
        Ok(Fitted {
            checkpoint,
            samples_per_second,
            held_out: last_score(&folder)?,
        })
    }
}

/// Steps for so many samples, at least one.
pub(super) fn steps(samples: f64, batch: usize) -> u64 {
    ((samples / batch as f64).ceil() as u64).max(1)
}

/// Writes a checkpoint's network; `earlier` steps were made before its own.
pub(super) fn export(checkpoint: &Checkpoint, earlier: u64, path: &Path) -> Result<(), TrainError> {
    let mut info = network_info(checkpoint);
    info.steps += earlier;
    let recipe = checkpoint.params.recipe;
    let onnx = to_onnx(recipe, &checkpoint.average, &info, Outputs::Play)?;
    durable::write(path, &onnx)
}

/// The newest held-out score that a fit has logged.
fn last_score(folder: &Path) -> Result<Option<Score>, TrainError> {
    let path = folder.join("losses.jsonl");
    if !path.exists() {
        return Ok(None);
    }
    let text = std::fs::read_to_string(&path).map_err(TrainError::io(&path))?;
    let last = text.lines().rev().find_map(|line| {
        let mut line: serde_json::Value = serde_json::from_str(line).ok()?;
        serde_json::from_value(line["held_out"].take()).ok()
    });
    Ok(last)
}
