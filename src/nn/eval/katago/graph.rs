//! A network as an ONNX file for one board.

use super::blocks::{Block, Convolutional, Inner, NormAct, Pooling};
use super::heads::{Pass, PolicyHead, ValueHead};
use super::layers::{Conv, MatMul};
use super::model::{GLOBAL, Network, SPATIAL, Tip};
use super::profile::HumanProfile;
use super::tokens::{attention, feed_forward, rms_norm};
use super::writer::{Form, Points, Pools, Writer};
use crate::eval::{LEAD, LEAD_SCALE, ModelInfo, OWNERSHIP, PLANES, POLICY, VALUE};
use crate::onnx::{OnnxError, Value};

/// What the logit of no result loses where the rules leave no game without one.
const NO_RESULT: f32 = -100.0;

/// The lead among the numbers of a score.
const LEAD_OUTPUT: usize = 2;

/// Writes `network` for the board of `info`; a network that imitates people is told by `profile` whom.
pub(super) fn onnx(
    network: &Network,
    info: &ModelInfo,
    profile: Option<HumanProfile>,
) -> Result<Vec<u8>, OnnxError> {
    let mut writer = Writer::new(&info.network, info.size);
    let planes = Points {
        value: writer.graph.input(PLANES, info.planes_shape()),
        channels: info.planes,
        form: Form::Map,
    };
    let means = writer.graph.reduce_mean(planes.value, &[2, 3]);
    let stem = writer.conv(planes, &network.stem, None);
    let told = network.metadata.as_ref().zip(profile);
    let told = told.map(|(encoder, profile)| encoder.of(&profile.row(info.size.area())));
    let bias = told.unwrap_or_else(|| vec![0.0; network.stem_bias.outputs]);
    let layer = of_means(&network.stem_bias, info.planes);
    let mut x = writer.add_dense(stem, means, &layer, &bias);
    for block in &network.blocks {
        x = add_block(&mut writer, x, block);
    }
    let x = tip(&mut writer, x, &network.tip);
    let policy = policy(&mut writer, x, &network.policy);
    writer.graph.output(POLICY, policy, info.policy_shape());
    let [value, lead, owners] = value(&mut writer, x, means, network, info.planes);
    writer.graph.output(VALUE, value, info.value_shape());
    writer.graph.output(LEAD, lead, info.points_shape(1, false));
    let owners_shape = info.points_shape(info.size.area(), true);
    writer.graph.output(OWNERSHIP, owners, owners_shape);
    writer.graph.finish(&info.to_metadata())
}

/// The form in which a block is computed with the fewest changes between.
fn form(block: &Block) -> Form {
    let Block::Convolutional(block) = block else {
        return Form::Tokens;
    };
    match &block.inner {
        Inner::Nested(conv, blocks)
            if conv.kernel == [1, 1]
                && block.last.kernel == [1, 1]
                && blocks.iter().all(|block| form(block) == Form::Tokens) =>
        {
            Form::Tokens
        }
        _ => Form::Map,
    }
}

/// A layer of the numbers of a position as one of the means of all planes, of which they are the ones
/// after those of points.
fn of_means(layer: &MatMul, planes: usize) -> MatMul {
    let mut weights = vec![0.0; planes * layer.outputs];
    weights[SPATIAL * layer.outputs..(SPATIAL + GLOBAL) * layer.outputs]
        .copy_from_slice(&layer.weights);
    MatMul {
        inputs: planes,
        outputs: layer.outputs,
        weights,
    }
}

fn add_block(writer: &mut Writer, x: Points, block: &Block) -> Points {
    let x = writer.formed(x, form(block));
    let added = match block {
        Block::Convolutional(block) => convolutional(writer, x, block),
        Block::Attention(block) => attention(writer, x, block),
        Block::FeedForward(block) => feed_forward(writer, x, block),
    };
    writer.sum(x, added)
}

fn convolutional(writer: &mut Writer, x: Points, block: &Convolutional) -> Points {
    let inner = writer.norm_act(x, &block.before);
    let inner = match &block.inner {
        Inner::Plain(conv) => {
            let inner = writer.conv(inner, conv, Some(&block.after.norm));
            writer.activated(inner, block.after.activation)
        }
        Inner::Pooling(conv, pooling) => pooling_conv(writer, inner, conv, pooling, &block.after).0,
        Inner::Nested(conv, blocks) => {
            let mut inner = writer.conv(inner, conv, None);
            for block in blocks {
                inner = add_block(writer, inner, block);
            }
            writer.norm_act(inner, &block.after)
        }
    };
    writer.conv(inner, &block.last, None)
}

/// A convolution, what pools say of another, and what follows; and the pools.
fn pooling_conv(
    writer: &mut Writer,
    x: Points,
    conv: &Conv,
    pooling: &Pooling,
    after: &NormAct,
) -> (Points, Value) {
    let map = writer.conv(x, conv, Some(&after.norm));
    let pooled = writer.conv(x, &pooling.conv, Some(&pooling.after.norm));
    let pooled = writer.activated(pooled, pooling.after.activation);
    let pools = writer.pool(pooled, Pools::OfBlocks);
    let to_bias = writer.pooled(&pooling.to_bias, Pools::OfBlocks);
    let to_bias = to_bias.scaled(&after.norm.scale);
    let sum = writer.add_dense(map, pools, &to_bias, &vec![0.0; to_bias.outputs]);
    (writer.activated(sum, after.activation), pools)
}

/// What the heads read, as a map.
fn tip(writer: &mut Writer, x: Points, tip: &Tip) -> Points {
    let x = match tip {
        Tip::Batch(norm_act) => writer.norm_act(x, norm_act),
        Tip::RootMeanSquare(norm, activation) => {
            let x = writer.formed(x, Form::Tokens);
            let axes: &[i64] = if norm.of_all_points { &[1, 2] } else { &[2] };
            let value = rms_norm(writer, x.value, norm.epsilon, axes);
            let x = writer.norm(x.with(value, x.channels), &norm.then);
            writer.activated(x, *activation)
        }
    };
    writer.formed(x, Form::Map)
}

fn policy(writer: &mut Writer, x: Points, head: &PolicyHead) -> Value {
    let (map, pools) = pooling_conv(writer, x, &head.conv, &head.pooling, &head.after);
    let points = writer.conv(map, &head.last.first_output(1.0), None);
    let points = writer.graph.flatten(points.value);
    let pass = match &head.pass {
        Pass::Direct(layer) => {
            let layer = writer.pooled(layer, Pools::OfBlocks).outputs(&[0]);
            writer.dense(pools, &layer, &[0.0])
        }
        Pass::Hidden {
            first,
            bias,
            activation,
            last,
        } => {
            let first = writer.pooled(first, Pools::OfBlocks);
            let hidden = writer.dense(pools, &first, bias);
            let hidden = writer.activate(hidden, *activation);
            writer.dense(hidden, &last.outputs(&[0]), &[0.0])
        }
    };
    writer.graph.concat(&[points, pass], 1)
}

/// Value, lead and owners.
fn value(
    writer: &mut Writer,
    x: Points,
    means: Value,
    network: &Network,
    planes: usize,
) -> [Value; 3] {
    let head: &ValueHead = &network.value;
    let map = writer.conv(x, &head.conv, Some(&head.after.norm));
    let map = writer.activated(map, head.after.activation);
    let pools = writer.pool(map, Pools::OfValue);
    let hidden = writer.pooled(&head.hidden, Pools::OfValue);
    let hidden = writer.dense(pools, &hidden, &head.hidden_bias);
    let hidden = writer.activate(hidden, head.hidden_activation);

    // Ours are win, no result, loss. Where there is always a result, the last plane says so.
    let order = [0, 2, 1];
    let mut layer = head.value.outputs(&order);
    layer.weights.resize((layer.inputs + planes) * 3, 0.0);
    layer.inputs += planes;
    let certain = (layer.inputs - 1) * 3 + 1;
    layer.weights[certain] = NO_RESULT;
    let bias = order.map(|output| head.value_bias[output]);
    let all = writer.graph.concat(&[hidden, means], 1);
    let value = writer.dense(all, &layer, &bias);

    let scale = network.header.lead_scale / LEAD_SCALE;
    let lead = head.score.outputs(&[LEAD_OUTPUT]).scaled(&[scale]);
    let lead = writer.dense(hidden, &lead, &[scale * head.score_bias[LEAD_OUTPUT]]);

    // KataGo's are tanh of the number, ours of half of it.
    let owners = head.owners.first_output(2.0);
    let owners = writer.conv(map, &owners, None);
    [value, lead, writer.graph.flatten(owners.value)]
}

impl Conv {
    /// The first channel that it makes, times a number.
    fn first_output(&self, by: f32) -> Conv {
        Conv {
            outputs: 1,
            weights: self
                .weights
                .iter()
                .step_by(self.outputs)
                .map(|weight| by * weight)
                .collect(),
            kernel: self.kernel,
            inputs: self.inputs,
        }
    }
}
