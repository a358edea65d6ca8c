//! Layers of a network as nodes of an ONNX graph. Normalisations become part of the convolution before
//! them, and what pools multiply by for the size of a board part of the layer behind them.

use super::blocks::NormAct;
use super::layers::{Activation, Conv, MatMul, Norm};
use crate::onnx::{GraphBuilder, Value};

/// Where sizes of boards are measured from: sides in points, and a tenth of the difference (KataGo).
const USUAL_SIDE: f32 = 14.0;
const SIDE_SCALE: f32 = 0.1;

/// Writes a network for a board of `area` points.
pub(super) struct Writer {
    pub(super) graph: GraphBuilder,
    /// (side - 14) / 10.
    side: f32,
    constants: usize,
}

/// What is pooled of each channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pools {
    /// Mean, mean by size, maximum.
    OfBlocks,
    /// Mean, mean by size, mean by size squared.
    OfValue,
}

impl Writer {
    pub(super) fn new(name: &str, area: usize) -> Writer {
        Writer {
            graph: GraphBuilder::new(name),
            side: ((area as f32).sqrt() - USUAL_SIDE) * SIDE_SCALE,
            constants: 0,
        }
    }

    fn constant(&mut self, dims: &[usize], numbers: &[f32]) -> Value {
        self.constants += 1;
        let name = format!("weights_{}", self.constants);
        self.graph.weights(&name, dims, numbers)
    }

    /// A convolution of the first channels of `x`, which has `channels`, and the normalisation behind it.
    pub(super) fn conv(
        &mut self,
        x: Value,
        channels: usize,
        conv: &Conv,
        norm: Option<&Norm>,
    ) -> Value {
        let [height, width] = conv.kernel;
        let mut weights = vec![0.0; conv.outputs * channels * height * width];
        let scale = |output: usize| norm.map_or(1.0, |norm| norm.scale[output]);
        let rows = conv.weights.chunks_exact(conv.outputs);
        for (index, outputs) in rows.enumerate() {
            let (point, input) = (index / conv.inputs, index % conv.inputs);
            // Upside down.
            let (row, column) = (height - 1 - point / width, point % width);
            for (output, weight) in outputs.iter().enumerate() {
                let at = ((output * channels + input) * height + row) * width + column;
                weights[at] = weight * scale(output);
            }
        }
        let kernel = self.constant(&[conv.outputs, channels, height, width], &weights);
        let bias = norm.map(|norm| self.constant(&[conv.outputs], &norm.bias));
        self.graph.conv(x, kernel, bias)
    }

    /// A normalisation of the map `x` by itself, and its activation.
    pub(super) fn norm_act(&mut self, x: Value, NormAct { norm, activation }: &NormAct) -> Value {
        let channels = norm.scale.len();
        let kernel = self.constant(&[channels, 1, 1, 1], &norm.scale);
        let bias = self.constant(&[channels], &norm.bias);
        let x = self.graph.grouped_conv(x, kernel, Some(bias), channels);
        self.activate(x, *activation)
    }

    pub(super) fn activate(&mut self, x: Value, activation: Activation) -> Value {
        match activation {
            Activation::Identity => x,
            Activation::Relu => self.graph.relu(x),
            Activation::Mish => {
                // ONNX has an operator for it from set 18 on.
                let softplus = self.graph.node("Softplus", &[x], Vec::new());
                let factor = self.graph.tanh(softplus);
                self.graph.mul(x, factor)
            }
        }
    }

    /// What [`Writer::pooled`] reads of a map: its means, and its maxima where they are wanted.
    pub(super) fn pool(&mut self, x: Value, pools: Pools) -> Value {
        let mean = self.graph.reduce_mean(x, &[2, 3]);
        match pools {
            Pools::OfValue => mean,
            Pools::OfBlocks => {
                let max = self.graph.reduce_max(x, &[2, 3]);
                self.graph.concat(&[mean, max], 1)
            }
        }
    }

    /// A fully connected layer of the pools of a map, as one of what [`Writer::pool`] makes.
    pub(super) fn pooled(&self, layer: &MatMul, pools: Pools) -> MatMul {
        let third = layer.inputs / 3 * layer.outputs;
        let (mean, rest) = layer.weights.split_at(third);
        let (by_side, last) = rest.split_at(third);
        let side = self.side;
        let of_last = match pools {
            Pools::OfBlocks => 0.0,
            Pools::OfValue => side * side - SIDE_SCALE,
        };
        let sum = mean.iter().zip(by_side).zip(last);
        let sum = sum.map(|((mean, by_side), last)| mean + side * by_side + of_last * last);
        let mut weights: Vec<f32> = sum.collect();
        if pools == Pools::OfBlocks {
            weights.extend(last);
        }
        MatMul {
            inputs: weights.len() / layer.outputs,
            outputs: layer.outputs,
            weights,
        }
    }

    /// A fully connected layer with a bias.
    pub(super) fn dense(&mut self, x: Value, layer: &MatMul, bias: &[f32]) -> Value {
        let weights = self.constant(&[layer.inputs, layer.outputs], &layer.weights);
        let bias = self.constant(&[layer.outputs], bias);
        self.graph.gemm(x, weights, bias)
    }

    /// What a fully connected layer makes, without a bias, added to every point of a map.
    pub(super) fn add_dense(&mut self, map: Value, x: Value, layer: &MatMul) -> Value {
        let outputs = layer.outputs;
        let sums = self.dense(x, layer, &vec![0.0; outputs]);
        let sums = self.graph.reshape(sums, &[-1, outputs as i64, 1, 1]);
        self.graph.add(map, sums)
    }
}

impl MatMul {
    /// Each output times a number of its own.
    pub(super) fn scaled(mut self, by: &[f32]) -> MatMul {
        for row in self.weights.chunks_exact_mut(self.outputs) {
            row.iter_mut()
                .zip(by)
                .for_each(|(weight, by)| *weight *= by);
        }
        self
    }

    /// These outputs alone.
    pub(super) fn outputs(&self, chosen: &[usize]) -> MatMul {
        let rows = self.weights.chunks_exact(self.outputs);
        MatMul {
            inputs: self.inputs,
            outputs: chosen.len(),
            weights: rows
                .flat_map(|row| chosen.iter().map(|&output| row[output]))
                .collect(),
        }
    }
}
