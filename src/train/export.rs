//! Weights into the ONNX file that the engine loads.

use super::TrainError;
use super::architecture::{Architecture, GameShape, Outputs};
use super::checkpoint::Checkpoint;
use super::net::{Fold, Weights};
use crate::eval::{ModelInfo, PLANES, POLICY, VALUE};
use crate::onnx::{Dim, GraphBuilder};

/// The ONNX file of a network, `info` in its metadata. With [`Outputs::All`] the auxiliary heads
/// are outputs of the file too, under their names; a search does not use them, and pays for them.
///
/// # Errors
/// [`TrainError::Setting`] when the graph is inconsistent, which means that `info` is not about
/// these weights.
pub fn to_onnx(
    architecture: Architecture,
    weights: &Weights,
    info: &ModelInfo,
    outputs: Outputs,
) -> Result<Vec<u8>, TrainError> {
    let mut graph = GraphBuilder::new(&info.network);
    let planes = graph.input(PLANES, info.planes_shape());
    let shape = GameShape {
        size: info.size,
        outcomes: info.outcomes,
    };
    let mut fold = Fold::new(weights, &mut graph);
    let heads = architecture.describe(&mut fold, &planes, shape, outputs);
    graph.output(POLICY, heads.policy, info.policy_shape());
    graph.output(VALUE, heads.value, info.value_shape());
    for (head, logits) in heads.aux {
        let len = head.len(info.size.area(), info.policy_len);
        graph.output(head.name(), logits, [Dim::batch(), len.into()]);
    }
    graph
        .finish(&info.to_metadata())
        .map_err(|error| TrainError::Setting(format!("cannot write {}: {error}", info.network)))
}

/// The metadata of a checkpoint's network.
#[must_use]
pub fn network_info(checkpoint: &Checkpoint) -> ModelInfo {
    let origin = &checkpoint.origin;
    ModelInfo {
        game: origin.game.clone(),
        size: origin.size(),
        encoding: origin.encoding.clone(),
        planes: origin.planes,
        policy_len: origin.policy_len,
        outcomes: origin.outcomes,
        network: checkpoint.params.architecture.to_string(),
        games: origin.games,
        steps: checkpoint.step,
        creator: concat!("tengen-train ", env!("CARGO_PKG_VERSION")).to_owned(),
    }
}

#[cfg(test)]
mod tests;
