//! The fit of a generation's network, and its int8 form for faster games.

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use super::{GenerationSteps, POSITIONS, export, last_checkpoint, steps};
use crate::cycle::context::RunContext;
use crate::cycle::{StepName, int8};
use crate::export::quantize::examples::Examples;
use crate::export::quantize::{compare, is_accepted, to_int8};
use crate::fit::checkpoint::Checkpoint;
use crate::fit::held_out::HeldOutLosses;
use crate::fit::{FitContext, FitParams, Schedule, fit};
use crate::shards::dataset::Dataset;
use crate::shards::row::Row;
use crate::trainable::Trainable;
use crate::{TrainError, durable};
use tengen_nn::eval::ModelInfo;

/// Time between checkpoints of a fit.
const CHECKPOINT_EVERY: Duration = Duration::from_secs(60);

/// Result of a fit.
pub(super) struct Fitted {
    pub(super) checkpoint: Checkpoint,
    /// Earlier steps of its weights.
    pub(super) earlier_steps: u64,
    pub(super) samples_per_second: f64,
    pub(super) held_out: Option<HeldOutLosses>,
}

impl<G: Trainable> GenerationSteps<'_, G> {
    /// A network new in this generation is trained on all existing games; if it is a larger one of
    /// the same family, it starts from the previous network.
    pub(super) fn catch_up(
        &self,
        context: &mut RunContext<'_, G>,
    ) -> Result<Option<Fitted>, TrainError> {
        let network = self.stage(context).network;
        let before = self.done.last();
        let Some(before) = before.filter(|before| before.network != network.to_string()) else {
            return Ok(None);
        };
        let (rows, games) = (before.rows_so_far, before.games_so_far);
        let dataset = self.dataset(context, rows, games, before.number)?;
        let samples = context.plan.fit.catch_up * dataset.fit.len() as f64;
        let steps = steps(samples, context.plan.fit.batch);
        let held_out = dataset.held_out.clone();
        let small = last_checkpoint(context.run_folder, before.number)?;
        let small = Some(small).filter(|small| small.can_become(network));
        let fitted = self.fit(
            context,
            dataset,
            StepName::CatchUp,
            steps,
            small.as_ref().map(|small| (small, before.steps)),
        )?;
        let network = context.run_folder.start(self.number);
        export(&fitted.checkpoint, fitted.earlier_steps, &network)?;
        self.quantize(context, &network, &held_out)?;
        Ok(Some(fitted))
    }

    /// The settings of a fit of the stage's network.
    fn params(&self, context: &RunContext<'_, G>, steps: u64) -> FitParams {
        let (settings, stage) = (&context.plan.fit, self.stage(context));
        FitParams {
            learning_rate: settings.learning_rate * stage.rate_factor,
            schedule: match settings.kl_target {
                Some(target) => Schedule::Kl { target },
                None => Schedule::Constant,
            },
            seed: context.plan.seed ^ u64::from(self.number).rotate_left(32),
            score_every: steps.div_ceil(4),
            ..FitParams::of::<G>(stage.network, steps, settings)
        }
    }

    /// Fits the stage's network, starting from `last` and its steps, if given.
    pub(super) fn fit(
        &self,
        context: &mut RunContext<'_, G>,
        dataset: Dataset,
        step: StepName,
        steps: u64,
        last: Option<(&Checkpoint, u64)>,
    ) -> Result<Fitted, TrainError> {
        let folder = match step {
            StepName::CatchUp => context.run_folder.catch_up(self.number),
            _ => context.run_folder.fit(self.number),
        };
        let params = self.params(context, steps);
        let resources = context.resources;
        let workplace = FitContext {
            folder: &folder,
            device: resources.fit_device,
            clock: resources.clock,
            checkpoint_every: CHECKPOINT_EVERY,
            start_from: last.map(|(checkpoint, _)| checkpoint),
            teachers: &[],
        };
        let begun = context.watch.session();
        let (mut first, mut samples_per_second) = (None, 0.0);
        let mut told = Ok(());
        let checkpoint = fit(self.boards, dataset, &params, &workplace, |report| {
            let first = *first.get_or_insert(report.step - 1);
            let seconds = (context.watch.session() - begun).max(1e-3);
            let samples = (report.step - first) * params.batch as u64;
            samples_per_second = samples as f64 / seconds;
            let message = format!(
                "{samples_per_second:.0} samples/s, policy {:.3}, value {:.3}",
                report.policy_loss, report.value_loss
            );
            told = context.tell(self.number, step, report.step, steps, message);
            match told {
                Ok(()) => ControlFlow::Continue(()),
                Err(_) => ControlFlow::Break(()),
            }
        })?;
        told?;
        Ok(Fitted {
            checkpoint,
            earlier_steps: last.map_or(0, |(_, steps)| steps),
            samples_per_second,
            held_out: last_held_out(&folder)?,
        })
    }

    /// Writes a network's int8 form, calibrated on held-out rows of all boards, if the plan
    /// requests it and it is accurate enough on each; otherwise the network itself plays.
    pub(super) fn quantize(
        &self,
        context: &RunContext<'_, G>,
        network: &Path,
        held_out: &[Row],
    ) -> Result<(), TrainError> {
        let path = int8(network);
        if !context.plan.self_play.int8 || path.exists() {
            return Ok(());
        }
        if held_out.len() < 2 {
            log::warn!(
                "{} plays in f32: too few positions are held out to calibrate int8 on",
                network.display()
            );
            return Ok(());
        }
        let onnx = std::fs::read(network).map_err(TrainError::io(network))?;
        let name = network.display().to_string();
        let info = ModelInfo::read(&name, &onnx)?;
        let [calibration, validation] = Examples::halves(self.boards, &info, held_out, POSITIONS)?;
        let quantized = to_int8(&name, &onnx, &calibration)?;
        let runtime = context.resources.runtime;
        let found = compare(runtime, network, &quantized, &path, &validation)?;
        let Some(worst) = found.iter().find(|found| !is_accepted(&found.difference)) else {
            return durable::write(&path, &quantized);
        };
        log::warn!(
            "{} plays in f32: in int8 its policy is {:.4} nats and its value {:.4} away on {}",
            network.display(),
            worst.difference.policy_kl,
            worst.difference.value,
            worst.size
        );
        Ok(())
    }
}

/// The newest held-out score that a fit has logged.
fn last_held_out(folder: &Path) -> Result<Option<HeldOutLosses>, TrainError> {
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
