//! What lies beside the trunk of a network, read and written layer by layer: the heads, policy and value with score and
//! owners; and the layers that are told who plays.

use super::layers::{Activation, Conv, MatMul, NormAct, Pooling, biases};
use super::profile::NUMBERS;
use super::reader::KataGoReader;
use super::writer::{Points, Pools, Writer};
use crate::eval::LEAD_SCALE;
use crate::onnx::Value;

/// What the logit of no result loses where the rules leave no game without one.
const NO_RESULT: f32 = -100.0;

/// The lead among the numbers of a score.
const LEAD_OUTPUT: usize = 2;

/// Channels of a policy.
fn policy_channels(reader: &mut KataGoReader<'_>) -> Result<usize, String> {
    match reader.version {
        17.. => {
            let channels = reader.number("the number of its channels")?;
            if ![2, 4].contains(&channels) {
                return reader.wrong(format!("it has {channels} channels, not 2 or 4"));
            }
            reader.unused(3, "its option")?;
            Ok(channels)
        }
        16 => Ok(4),
        12..=15 => Ok(2),
        _ => Ok(1),
    }
}

/// Logits of moves, the pass last, from a map.
pub(super) fn policy(
    reader: &mut KataGoReader<'_>,
    writer: &mut Writer,
    x: Points,
) -> Result<Value, String> {
    reader.named("the name of the policy head", |reader, _| {
        let policies = policy_channels(reader)?;
        let conv = Conv::read(reader, x.channels, None)?;
        let pooling = Pooling::read(reader, [x.channels, conv.outputs])?;
        let after = NormAct::read(reader, conv.outputs)?;
        let (map, pools) = writer.pooling_conv(x, &conv, &pooling, &after);
        // Its first channel is the policy; others are for optimism and values of moves.
        let last = Conv::read(reader, conv.outputs, Some(policies))?;
        let points = writer.conv(map, &last.first_output(1.0), None);
        let points = writer.graph.flatten(points.value);
        let count = 3 * pooling.conv.outputs;
        let pass = if reader.version >= 15 {
            let first = MatMul::read(reader, count, None)?;
            let bias = biases(reader, first.outputs)?;
            let activation = Activation::read(reader)?;
            let last = MatMul::read(reader, first.outputs, Some(policies))?;
            let first = writer.pooled(&first, Pools::OfBlocks);
            let hidden = writer.dense(pools, &first, &bias);
            let hidden = writer.activate(hidden, activation);
            writer.dense(hidden, &last.outputs(&[0]), &[0.0])
        } else {
            let layer = MatMul::read(reader, count, Some(policies))?;
            let layer = writer.pooled(&layer, Pools::OfBlocks).outputs(&[0]);
            writer.dense(pools, &layer, &[0.0])
        };
        Ok(writer.graph.concat(&[points, pass], 1))
    })
}

/// Value, lead and owners, from a map and the `means` of all `planes`; a lead of 1 is `lead_scale` points.
pub(super) fn value(
    reader: &mut KataGoReader<'_>,
    writer: &mut Writer,
    x: Points,
    (means, planes): (Value, usize),
    lead_scale: f32,
) -> Result<[Value; 3], String> {
    reader.named("the name of the value head", |reader, _| {
        if reader.version >= 17 {
            reader.unused(3, "its option")?;
        }
        let conv = Conv::read(reader, x.channels, None)?;
        let after = NormAct::read(reader, conv.outputs)?;
        let map = writer.conv(x, &conv, Some(&after.norm));
        let map = writer.activated(map, after.activation);
        let pools = writer.pool(map, Pools::OfValue);
        let layer = MatMul::read(reader, 3 * conv.outputs, None)?;
        let numbers = layer.outputs;
        let bias = biases(reader, numbers)?;
        let activation = Activation::read(reader)?;
        let layer = writer.pooled(&layer, Pools::OfValue);
        let hidden = writer.dense(pools, &layer, &bias);
        let hidden = writer.activate(hidden, activation);

        // KataGo's are win, loss, no result; ours win, no result, loss. Where there is always a result, the last plane
        // says so.
        let order = [0, 2, 1];
        let mut layer = MatMul::read(reader, numbers, Some(3))?.outputs(&order);
        let bias = biases(reader, 3)?;
        layer.weights.resize((layer.inputs + planes) * 3, 0.0);
        layer.inputs += planes;
        let certain = (layer.inputs - 1) * 3 + 1;
        layer.weights[certain] = NO_RESULT;
        let all = writer.graph.concat(&[hidden, means], 1);
        let value = writer.dense(all, &layer, &order.map(|output| bias[output]));

        // Mean and deviation of the score, lead, and more in later versions.
        let scores = if reader.version >= 9 { 6 } else { 4 };
        let score = MatMul::read(reader, numbers, Some(scores))?;
        let bias = biases(reader, scores)?;
        let scale = lead_scale / LEAD_SCALE;
        let lead = score.outputs(&[LEAD_OUTPUT]).scaled(&[scale]);
        let lead = writer.dense(hidden, &lead, &[scale * bias[LEAD_OUTPUT]]);

        // KataGo's are tanh of the number, ours of half of it.
        let owners = Conv::read(reader, conv.outputs, Some(1))?.first_output(2.0);
        let owners = writer.conv(map, &owners, None);
        Ok([value, lead, writer.graph.flatten(owners.value)])
    })
}

/// What layers that are told who plays, by `row`, add to each of `channels` at every point.
pub(super) fn told(
    reader: &mut KataGoReader<'_>,
    row: &[f32; NUMBERS],
    channels: usize,
) -> Result<Vec<f32>, String> {
    reader.named("the name of the metadata encoder", |reader, _| {
        let inputs: usize = reader.number("how many numbers it reads")?;
        if inputs != NUMBERS {
            return reader.wrong(format!("it reads {inputs} numbers, not {NUMBERS}"));
        }
        let mut x = row.to_vec();
        for _ in 0..2 {
            let layer = MatMul::read(reader, x.len(), None)?;
            let bias = biases(reader, layer.outputs)?;
            let activation = Activation::read(reader)?;
            let sums = layer.times_row(&x);
            let sums = sums.iter().zip(&bias);
            x = sums.map(|(sum, bias)| activation.of(sum + bias)).collect();
        }
        Ok(MatMul::read(reader, x.len(), Some(channels))?.times_row(&x))
    })
}

impl Conv {
    /// The first channel that it makes, times a number.
    fn first_output(&self, by: f32) -> Conv {
        let weights = self.weights.iter().step_by(self.outputs);
        Conv {
            outputs: 1,
            weights: weights.map(|weight| by * weight).collect(),
            ..*self
        }
    }
}

impl MatMul {
    /// One row times the matrix.
    fn times_row(&self, row: &[f32]) -> Vec<f32> {
        let mut sums = vec![0.0; self.outputs];
        for (number, weights) in row.iter().zip(self.weights.chunks_exact(self.outputs)) {
            for (sum, weight) in sums.iter_mut().zip(weights) {
                *sum += number * weight;
            }
        }
        sums
    }
}

impl Activation {
    fn of(self, x: f32) -> f32 {
        match self {
            Activation::Identity => x,
            Activation::Relu => x.max(0.0),
            Activation::Mish => x * x.exp().ln_1p().tanh(),
            Activation::Silu => x / (1.0 + (-x).exp()),
        }
    }
}
