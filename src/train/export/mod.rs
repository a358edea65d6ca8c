//! Exports weights to the ONNX file that the engine loads.

pub mod quantize;

use crate::TrainError;
use crate::fit::checkpoint::Checkpoint;
use crate::network::architecture::{Architecture, GameShape, Outputs};
use crate::network::net::{AREA_UNIT, Conv, Layers, NORM_EPSILON, Pooling, Weights, norm_as_line};
use tengen_nn::eval::{ModelInfo, PLANES, POLICY, VALUE};
use tengen_nn::onnx::{GraphBuilder, Value};

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
    let mut writer = OnnxWriter::new(weights, &mut graph);
    let heads = architecture.describe(&mut writer, &planes, shape, outputs);
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

/// Writes the layers into a graph, every batch norm folded into the convolution before it.
struct OnnxWriter<'a> {
    weights: &'a Weights,
    graph: &'a mut GraphBuilder,
}

impl<'a> OnnxWriter<'a> {
    /// Writes into `graph` with these weights.
    fn new(weights: &'a Weights, graph: &'a mut GraphBuilder) -> OnnxWriter<'a> {
        OnnxWriter { weights, graph }
    }

    fn values(&self, name: &str, part: &str) -> &'a [f32] {
        &self.weights.get(&format!("{name}.{part}")).values
    }

    fn factors(&mut self, name: &str, dims: &[usize], factors: &[f32]) -> Value {
        self.graph.weights(&format!("{name}.weight"), dims, factors)
    }

    fn bias(&mut self, name: &str, bias: &[f32]) -> Value {
        let dims = [bias.len()];
        self.graph.weights(&format!("{name}.bias"), &dims, bias)
    }

    /// A convolution in `groups` groups of channels.
    fn convolution(
        &mut self,
        name: &str,
        x: Value,
        factors: Value,
        bias: &[f32],
        groups: usize,
    ) -> Value {
        let bias = self.bias(name, bias);
        self.graph.grouped_conv(x, factors, Some(bias), groups)
    }

    /// A norm as a factor and a summand for each channel.
    fn line(&self, name: &str) -> (Vec<f32>, Vec<f32>) {
        let factors = ["gamma", "beta", "mean", "variance"].map(|part| self.values(name, part));
        norm_as_line(factors, NORM_EPSILON)
    }

    /// A convolution with the norm after it folded in.
    fn normed(&mut self, name: &str, x: Value, groups: usize) -> Value {
        let (scale, bias) = self.line(name);
        let weight = self.weights.get(&format!("{name}.weight"));
        let kernels = weight.values.chunks_exact(weight.values.len() / bias.len());
        let folded: Vec<f32> = kernels
            .zip(&scale)
            .flat_map(|(kernel, scale)| kernel.iter().map(move |factor| factor * scale))
            .collect();
        let factors = self.factors(name, &weight.dims, &folded);
        self.convolution(name, x, factors, &bias, groups)
    }
}

impl Layers for OnnxWriter<'_> {
    type Map = Value;
    type Vector = Value;

    fn conv_norm(&mut self, name: &str, x: &Value, _conv: Conv) -> Value {
        self.normed(name, *x, 1)
    }

    fn depthwise_norm_relu(&mut self, name: &str, x: &Value) -> Value {
        let channels = self.values(name, "gamma").len();
        let x = self.normed(name, *x, channels);
        self.graph.relu(x)
    }

    /// A convolution of one point of each channel separately.
    fn norm(&mut self, name: &str, x: &Value) -> Value {
        let (scale, bias) = self.line(name);
        let channels = scale.len();
        let factors = self.factors(name, &[channels, 1, 1, 1], &scale);
        self.convolution(name, *x, factors, &bias, channels)
    }

    fn conv(&mut self, name: &str, x: &Value, _conv: Conv) -> Value {
        let weight = self.weights.get(&format!("{name}.weight"));
        let bias = self.values(name, "bias");
        let factors = self.factors(name, &weight.dims, &weight.values);
        self.convolution(name, *x, factors, bias, 1)
    }

    fn linear(&mut self, name: &str, x: &Value, _len: usize) -> Value {
        let weight = self.weights.get(&format!("{name}.weight"));
        let factors = self.factors(name, &weight.dims, &weight.values);
        let bias = self.bias(name, self.values(name, "bias"));
        self.graph.gemm(*x, factors, bias)
    }

    fn relu(&mut self, x: &Value) -> Value {
        self.graph.relu(*x)
    }

    fn relu_vector(&mut self, x: &Value) -> Value {
        self.graph.relu(*x)
    }

    fn add(&mut self, a: &Value, b: &Value) -> Value {
        self.graph.add(*a, *b)
    }

    fn add_per_channel(&mut self, x: &Value, bias: &Value) -> Value {
        let bias = self.graph.reshape(*bias, &[0, -1, 1, 1]);
        self.graph.add(*x, bias)
    }

    fn pool(&mut self, x: &Value, pooling: Pooling) -> Value {
        let mean = self.graph.reduce_mean(*x, &[2, 3]);
        if pooling == Pooling::Mean {
            return mean;
        }
        let max = self.graph.reduce_max(*x, &[2, 3]);
        if pooling == Pooling::MeanMax {
            return self.graph.concat(&[mean, max], 1);
        }
        let sum = self.graph.reduce_sum(*x, &[2, 3]);
        let sum = self.graph.scale(sum, 1.0 / AREA_UNIT);
        self.graph.concat(&[mean, max, sum], 1)
    }

    fn flatten(&mut self, x: &Value) -> Value {
        self.graph.flatten(*x)
    }

    fn concat(&mut self, a: &Value, b: &Value) -> Value {
        self.graph.concat(&[*a, *b], 1)
    }
}

#[cfg(test)]
mod tests;
