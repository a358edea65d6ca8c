//! The network as an ONNX graph, every batch norm folded into the convolution before it.

use super::kernel::line;
use super::{AREA_UNIT, Conv, Layers, NORM_EPSILON, Pooling, Weights};
use tengen_nn::onnx::{GraphBuilder, Value};

/// Writes the layers into a graph.
pub struct OnnxWriter<'a> {
    weights: &'a Weights,
    graph: &'a mut GraphBuilder,
}

impl<'a> OnnxWriter<'a> {
    /// Writes into `graph` with these weights.
    pub fn new(weights: &'a Weights, graph: &'a mut GraphBuilder) -> OnnxWriter<'a> {
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
        line(factors, NORM_EPSILON)
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
