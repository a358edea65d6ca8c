//! Exports weights to the ONNX file that the engine loads.

pub mod quantize;

use crate::TrainError;
use crate::fit::checkpoint::Checkpoint;
use crate::network::architecture::{Architecture, GameShape, Outputs};
use crate::network::net::{OnnxWriter, Weights};
use tengen_nn::eval::{ModelInfo, PLANES, POLICY, VALUE};
use tengen_nn::onnx::GraphBuilder;

/// The ONNX file of a network with `info` as its metadata. With [`Outputs::All`] the auxiliary
/// heads are outputs, too, under their names: the engine reads those about points.
///
/// # Errors
/// [`TrainError::Setting`] when the graph is inconsistent, which means that `info` does not belong
/// to these weights.
pub fn to_onnx(
    architecture: Architecture,
    weights: &Weights,
    info: &ModelInfo,
    outputs: Outputs,
) -> Result<Vec<u8>, TrainError> {
    let mut graph = GraphBuilder::new(&info.network);
    let planes = graph.input(PLANES, info.planes_shape());
    let shape = GameShape::from(info);
    let mut fold = OnnxWriter::new(weights, &mut graph);
    let heads = architecture.describe(&mut fold, &planes, shape, outputs);
    graph.output(POLICY, heads.policy, info.policy_shape());
    graph.output(VALUE, heads.value, info.value_shape());
    for (head, logits) in heads.aux {
        let len = head.len(info.size.area(), info.policy_len);
        graph.output(head.name(), logits, info.points_shape(len, len > 1));
    }
    graph
        .finish(&info.to_metadata())
        .map_err(|error| TrainError::Setting(format!("cannot write {}: {error}", info.network)))
}

/// The metadata of a checkpoint's network.
pub fn network_info(checkpoint: &Checkpoint) -> ModelInfo {
    let origin = &checkpoint.origin;
    ModelInfo {
        game: origin.game.clone(),
        size: origin.size(),
        boards: origin.several(),
        encoding: origin.encoding.clone(),
        planes: origin.planes,
        policy_len: origin.policy_len,
        outcomes: origin.outcomes,
        network: checkpoint.params.architecture.to_string(),
        games: origin.games,
        steps: checkpoint.step,
        creator: concat!("tengen-train ", env!("CARGO_PKG_VERSION")).to_owned(),
        points: 0,
    }
}

#[cfg(test)]
mod tests;
