//! The int8 form of a generation's network, for faster games.

use std::path::Path;

use super::GenerationSteps;
use crate::TrainError;
use crate::cycle::context::RunContext;
use crate::cycle::int8;
use crate::durable;
use crate::export::quantize::compare::{differences, is_accepted, open_both};
use crate::export::quantize::examples::{Examples, quick_games};
use crate::export::quantize::to_int8;
use crate::shards::row::Row;
use crate::trainable::Trainable;
use tengen_nn::eval::ModelInfo;

/// Positions for calibration, of all boards together; as many others are compared.
const POSITIONS: usize = 512;

impl<G: Trainable> GenerationSteps<'_, G> {
    /// Writes a network's int8 form, calibrated on held-out rows of all boards, if the plan
    /// requests it and it is accurate enough on each; otherwise the network itself plays.
    pub(super) fn quantize(
        &self,
        context: &RunContext<'_>,
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
        let mut pairs = open_both(runtime, network, &quantized, &path, &validation)?;
        let found = differences(&mut pairs, &validation)?;
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

    /// Writes it like [`Self::quantize`], calibrated on short games by playouts: before any games
    /// exist.
    pub(super) fn quantize_by_quick_games(
        &self,
        context: &RunContext<'_>,
        network: &Path,
    ) -> Result<(), TrainError> {
        if !context.plan.self_play.int8 || int8(network).exists() {
            return Ok(());
        }
        let rows = quick_games(self.boards, 2 * POSITIONS, context.plan.seed);
        self.quantize(context, network, &rows)
    }
}
