//! Layers of a network as nodes of an ONNX graph. Normalisations become part of the convolution before
//! them, and what pools multiply by for the size of a board part of the layer behind them.
//!
//! Convolutions read maps, transformers rows of tokens: a layer that computes each point alone takes
//! either.

use std::collections::HashMap;

use super::layers::{Activation, Conv, MatMul, Norm, NormAct, Pooling};
use crate::BoardSize;
use crate::onnx::{Attribute, GraphBuilder, Value};

/// Where sizes of boards are measured from: sides in points, and a tenth of the difference (KataGo).
const USUAL_SIDE: f32 = 14.0;
const SIDE_SCALE: f32 = 0.1;

/// Writes a network for one board.
pub(super) struct Writer {
    pub(super) graph: GraphBuilder,
    pub(super) size: BoardSize,
    /// (side - 14) / 10.
    side: f32,
    constants: usize,
    /// Tables of turns that are the same in all blocks, by base, channels, and pairs of a head.
    pub(super) turns: HashMap<(u32, usize, usize), Turn>,
    /// Channels that are turned, of all blocks together.
    pub(super) turned: usize,
}

/// The turns of pairs of channels: each channel times the cosine, plus its neighbour in the pair times
/// the sine, with its sign.
#[derive(Debug, Clone, Copy)]
pub(super) struct Turn {
    pub(super) cosines: Value,
    pub(super) sines: Value,
    pub(super) channels: usize,
}

/// Some channels of all points.
#[derive(Debug, Clone, Copy)]
pub(super) struct Points {
    pub(super) value: Value,
    pub(super) channels: usize,
    pub(super) form: Form,
}

/// The shape of the tensor of [`Points`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// `[batch, channels, height, width]`.
    Map,
    /// `[batch, points, channels]`.
    Tokens,
}

/// What is pooled of each channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pools {
    /// Mean, mean by size, maximum.
    OfBlocks,
    /// Mean, mean by size, mean by size squared.
    OfValue,
}

impl Points {
    /// Others in the same form.
    pub(super) fn with(self, value: Value, channels: usize) -> Points {
        Points {
            value,
            channels,
            form: self.form,
        }
    }
}

impl Writer {
    pub(super) fn new(name: &str, size: BoardSize) -> Writer {
        Writer {
            graph: GraphBuilder::new(name),
            size,
            side: ((size.area() as f32).sqrt() - USUAL_SIDE) * SIDE_SCALE,
            constants: 0,
            turns: HashMap::new(),
            turned: 0,
        }
    }

    pub(super) fn constant(&mut self, dims: &[usize], numbers: &[f32]) -> Value {
        self.constants += 1;
        let name = format!("weights_{}", self.constants);
        self.graph.weights(&name, dims, numbers)
    }

    pub(super) fn integers(&mut self, numbers: &[i64]) -> Value {
        self.constants += 1;
        let name = format!("integers_{}", self.constants);
        self.graph.integers(&name, &[numbers.len()], numbers)
    }

    /// The same channels in another form.
    pub(super) fn formed(&mut self, x: Points, form: Form) -> Points {
        let channels = x.channels as i64;
        let [width, height] = [self.size.width, self.size.height].map(i64::from);
        let value = match (x.form, form) {
            (Form::Map, Form::Tokens) => {
                let rows = self.graph.reshape(x.value, &[-1, channels, width * height]);
                self.transpose(rows, &[0, 2, 1])
            }
            (Form::Tokens, Form::Map) => {
                let rows = self.transpose(x.value, &[0, 2, 1]);
                self.graph.reshape(rows, &[-1, channels, height, width])
            }
            _ => x.value,
        };
        Points { value, form, ..x }
    }

    pub(super) fn transpose(&mut self, x: Value, axes: &[i64]) -> Value {
        let axes = ("perm", Attribute::Ints(axes.to_vec()));
        self.graph.node("Transpose", &[x], vec![axes])
    }

    /// A convolution of the first channels of `x`, and the normalisation behind it.
    pub(super) fn conv(&mut self, x: Points, conv: &Conv, norm: Option<&Norm>) -> Points {
        if x.form == Form::Tokens && conv.kernel == [1, 1] && conv.inputs == x.channels {
            return self.conv_of_tokens(x, conv, norm);
        }
        let x = self.formed(x, Form::Map);
        let (channels, [height, width]) = (x.channels, conv.kernel);
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
        x.with(self.graph.conv(x.value, kernel, bias), conv.outputs)
    }

    fn conv_of_tokens(&mut self, x: Points, conv: &Conv, norm: Option<&Norm>) -> Points {
        let mut layer = MatMul {
            inputs: conv.inputs,
            outputs: conv.outputs,
            weights: conv.weights.clone(),
        };
        if let Some(norm) = norm {
            layer = layer.scaled(&norm.scale);
        }
        let mut value = self.product(x.value, &layer);
        if let Some(norm) = norm {
            let bias = self.constant(&[conv.outputs], &norm.bias);
            value = self.graph.add(value, bias);
        }
        x.with(value, conv.outputs)
    }

    /// Tokens times a matrix.
    pub(super) fn product(&mut self, tokens: Value, layer: &MatMul) -> Value {
        let weights = self.constant(&[layer.inputs, layer.outputs], &layer.weights);
        self.graph.matmul(tokens, weights)
    }

    /// A normalisation by itself.
    pub(super) fn norm(&mut self, x: Points, norm: &Norm) -> Points {
        let channels = norm.scale.len();
        if x.form == Form::Tokens {
            let scale = self.constant(&[channels], &norm.scale);
            let bias = self.constant(&[channels], &norm.bias);
            let scaled = self.graph.mul(x.value, scale);
            return x.with(self.graph.add(scaled, bias), channels);
        }
        let kernel = self.constant(&[channels, 1, 1, 1], &norm.scale);
        let bias = self.constant(&[channels], &norm.bias);
        let value = self
            .graph
            .grouped_conv(x.value, kernel, Some(bias), channels);
        x.with(value, channels)
    }

    /// A normalisation by itself, and its activation.
    pub(super) fn norm_act(&mut self, x: Points, NormAct { norm, activation }: &NormAct) -> Points {
        let x = self.norm(x, norm);
        self.activated(x, *activation)
    }

    pub(super) fn activated(&mut self, x: Points, activation: Activation) -> Points {
        x.with(self.activate(x.value, activation), x.channels)
    }

    pub(super) fn activate(&mut self, x: Value, activation: Activation) -> Value {
        match activation {
            Activation::Identity => x,
            Activation::Relu => self.graph.relu(x),
            Activation::Mish => {
                // ONNX has an operator for it from set 18 on, and for SiLU from 24 on.
                let softplus = self.graph.node("Softplus", &[x], Vec::new());
                let factor = self.graph.tanh(softplus);
                self.graph.mul(x, factor)
            }
            Activation::Silu => {
                let factor = self.graph.sigmoid(x);
                self.graph.mul(x, factor)
            }
        }
    }

    /// What two have together, in the form of the first.
    pub(super) fn sum(&mut self, x: Points, y: Points) -> Points {
        let y = self.formed(y, x.form);
        x.with(self.graph.add(x.value, y.value), x.channels)
    }

    /// What [`Writer::pooled`] reads of a map: its means, and its maxima where they are wanted.
    pub(super) fn pool(&mut self, x: Points, pools: Pools) -> Value {
        let x = self.formed(x, Form::Map).value;
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

    /// A convolution, what pools say of another, and what follows; and the pools.
    pub(super) fn pooling_conv(
        &mut self,
        x: Points,
        conv: &Conv,
        pooling: &Pooling,
        after: &NormAct,
    ) -> (Points, Value) {
        let map = self.conv(x, conv, Some(&after.norm));
        let pooled = self.conv(x, &pooling.conv, Some(&pooling.after.norm));
        let pooled = self.activated(pooled, pooling.after.activation);
        let pools = self.pool(pooled, Pools::OfBlocks);
        let to_bias = self.pooled(&pooling.to_bias, Pools::OfBlocks);
        let to_bias = to_bias.scaled(&after.norm.scale);
        let sum = self.add_dense(map, pools, &to_bias, &vec![0.0; to_bias.outputs]);
        (self.activated(sum, after.activation), pools)
    }

    /// A fully connected layer with a bias.
    pub(super) fn dense(&mut self, x: Value, layer: &MatMul, bias: &[f32]) -> Value {
        let weights = self.constant(&[layer.inputs, layer.outputs], &layer.weights);
        let bias = self.constant(&[layer.outputs], bias);
        self.graph.gemm(x, weights, bias)
    }

    /// What a fully connected layer with a bias makes, added to every point of a map.
    pub(super) fn add_dense(
        &mut self,
        map: Points,
        x: Value,
        layer: &MatMul,
        bias: &[f32],
    ) -> Points {
        let (map, outputs) = (self.formed(map, Form::Map), layer.outputs);
        let sums = self.dense(x, layer, bias);
        let sums = self.graph.reshape(sums, &[-1, outputs as i64, 1, 1]);
        map.with(self.graph.add(map.value, sums), outputs)
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

    /// The layer of inputs that are multiplied by a number of their own first.
    pub(super) fn of_scaled(&self, by: &[f32]) -> MatMul {
        let rows = self.weights.chunks_exact(self.outputs).zip(by);
        MatMul {
            weights: rows
                .flat_map(|(row, by)| row.iter().map(move |weight| weight * by))
                .collect(),
            ..*self
        }
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
