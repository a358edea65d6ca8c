//! The int8 form of a generation's network, for games in less time.

use std::path::Path;

use super::GenerationSteps;
use crate::eval::{Difference, ModelInfo};
use crate::train::cycle::context::RunContext;
use crate::train::cycle::int8;
use crate::train::quantize::compare::{is_accepted, open_both};
use crate::train::quantize::examples::Examples;
use crate::train::quantize::to_int8;
use crate::train::row::Row;
use crate::train::trainable::Trainable;
use crate::train::{TrainError, durable};

/// Positions to calibrate on; as many others are compared.
const POSITIONS: usize = 512;

impl<G: Trainable> GenerationSteps<'_, G> {
    /// Writes a network's int8 form, calibrated on held-out rows, where the plan wants it and it is
    /// close enough; else the network itself plays.
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
        let examples = |first| Examples::spread(self.start, &info, held_out, (POSITIONS, first));
        let (calibration, validation) = (examples(0)?, examples(1)?);
        let quantize = to_int8(&name, &onnx, calibration.batch.planes())?;
        let runtime = context.resources.runtime;
        let [mut first, mut second] = open_both(runtime, network, &quantize, &path)?;
        let found = Difference::between(
            [&mut *first, &mut *second],
            &validation.batch,
            &validation.legal,
        )?;
        if is_accepted(&found) {
            return durable::write(&path, &quantize);
        }
        log::warn!(
            "{} plays in f32: in int8 its policy is {:.4} nats and its value {:.4} away",
            network.display(),
            found.policy_kl,
            found.value
        );
        Ok(())
    }
}
