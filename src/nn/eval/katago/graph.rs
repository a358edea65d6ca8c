//! A network as an ONNX file for one board: what follows the header of its file is read and written layer by layer. The
//! blocks of its trunk: convolutional ones, with pooling or without, alone or in a bottleneck, and those of transformers.

use super::heads;
use super::layers::{Activation, Conv, LastRmsNorm, MatMul, NormAct, Pooling};
use super::model::{GLOBAL, Header, SPATIAL};
use super::profile::HumanProfile;
use super::reader::KataGoReader;
use super::tokens::{attention, feed_forward, rms_norm};
use super::writer::{Form, Points, Writer};
use crate::eval::{LEAD, ModelInfo, OWNERSHIP, PLANES, POLICY, VALUE};

/// The most blocks of a network, those within others included.
pub(super) const MAX_BLOCKS: usize = 1000;
/// How deep stacks lie in each other at most.
const DEEPEST: usize = 4;
/// How the kinds of blocks of transformers begin.
const TRANSFORMER: &[u8] = b"transformer_";

/// Writes the network for the board of `info`; one that imitates people is told by `profile` whom.
pub(super) fn onnx(
    reader: &mut KataGoReader<'_>,
    header: &Header,
    info: &ModelInfo,
    profile: Option<HumanProfile>,
) -> Result<Vec<u8>, String> {
    let mut writer = Writer::new(&info.network, info.size);
    let planes = Points {
        value: writer.graph.input(PLANES, info.planes_shape()),
        channels: info.planes,
        form: Form::Map,
    };
    let means = writer.graph.reduce_mean(planes.value, &[2, 3]);
    reader.word("the name of the trunk")?;
    let count = reader.count("the number of blocks", MAX_BLOCKS)?;
    let channels: usize = reader.number("the number of channels")?;
    let mut widest = channels;
    for what in ["middle", "regular", "dilated", "pooled"] {
        widest = widest.max(reader.number(&format!("the number of {what} channels"))?);
    }
    reader.widest = Some(widest);
    let mut has_rms_norm = false;
    if reader.version >= 15 {
        has_rms_norm = reader.flag("the kind of the last normalisation")?;
        reader.unused(5, "its option")?;
    }
    let stem = Conv::read(reader, SPATIAL, Some(channels))?;
    let layer = MatMul::read(reader, GLOBAL, Some(channels))?;
    let bias = match profile {
        Some(profile) => heads::told(reader, &profile.row(info.size.area()), channels)?,
        None => vec![0.0; channels],
    };
    let stem = writer.conv(planes, &stem, None);
    let x = writer.add_dense(stem, means, &of_means(&layer, info.planes), &bias);
    let x = stack(reader, &mut writer, x, count, 0)?;
    // The heads' channels are not among those of the description.
    reader.widest = None;
    let x = tip(reader, &mut writer, x, has_rms_norm)?;
    let policy = heads::policy(reader, &mut writer, x)?;
    writer.graph.output(POLICY, policy, info.policy_shape());
    let means = (means, info.planes);
    let [value, lead, owners] = heads::value(reader, &mut writer, x, means, header.lead_scale)?;
    writer.graph.output(VALUE, value, info.value_shape());
    writer.graph.output(LEAD, lead, info.points_shape(1, false));
    let owners_shape = info.points_shape(info.size.area(), true);
    writer.graph.output(OWNERSHIP, owners, owners_shape);
    reader.finish()?;
    let written = writer.graph.finish(&info.to_metadata());
    written.map_err(|error| error.to_string())
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

/// What the heads read, as a map: the last normalisation and its activation.
fn tip(
    reader: &mut KataGoReader<'_>,
    writer: &mut Writer,
    x: Points,
    has_rms_norm: bool,
) -> Result<Points, String> {
    let x = if has_rms_norm {
        let norm = LastRmsNorm::read(reader, x.channels)?;
        let activation = Activation::read(reader)?;
        let x = writer.formed(x, Form::Tokens);
        let axes: &[i64] = if norm.of_all_points { &[1, 2] } else { &[2] };
        let value = rms_norm(writer, x.value, norm.epsilon, axes);
        let x = writer.norm(x.with(value, x.channels), &norm.then);
        writer.activated(x, activation)
    } else {
        let norm = NormAct::read(reader, x.channels)?;
        writer.norm_act(x, &norm)
    };
    Ok(writer.formed(x, Form::Map))
}

/// What `count` blocks, nested in `depth` others, make of `x`.
pub(super) fn stack(
    reader: &mut KataGoReader<'_>,
    writer: &mut Writer,
    mut x: Points,
    count: usize,
    depth: usize,
) -> Result<Points, String> {
    if depth >= DEEPEST {
        return reader.wrong(format!("blocks lie in each other more than {DEEPEST} deep"));
    }
    for _ in 0..count {
        x = block(reader, writer, x, depth)?;
    }
    Ok(x)
}

/// `x`, with what a block adds to it.
fn block(
    reader: &mut KataGoReader<'_>,
    writer: &mut Writer,
    x: Points,
    depth: usize,
) -> Result<Points, String> {
    reader.blocks += 1;
    if reader.blocks > MAX_BLOCKS {
        return reader.wrong(format!("it has more than {MAX_BLOCKS} blocks"));
    }
    let kind = reader.word("the kind of a block")?;
    reader.named("the name of a block", |reader, _| {
        let (x, added) = match kind {
            "ordinary_block" | "gpool_block" | "nested_bottleneck_block" => {
                convolutional(reader, writer, x, kind, depth)?
            }
            "transformer_attention_block" => {
                let x = writer.formed(x, Form::Tokens);
                (x, attention(reader, writer, x)?)
            }
            "transformer_ffn_block" => {
                let x = writer.formed(x, Form::Tokens);
                (x, feed_forward(reader, writer, x)?)
            }
            _ => {
                return reader.wrong(format!(
                    "this program does not know the kind of block {kind}; known are ordinary_block, \
                     gpool_block, nested_bottleneck_block, transformer_attention_block and \
                     transformer_ffn_block"
                ));
            }
        };
        Ok(writer.sum(x, added))
    })
}

/// A block that begins and ends with a convolution: `x` in the form in which it is computed with the fewest changes
/// between, and what it adds.
fn convolutional(
    reader: &mut KataGoReader<'_>,
    writer: &mut Writer,
    x: Points,
    kind: &str,
    depth: usize,
) -> Result<(Points, Points), String> {
    let is_nested = kind == "nested_bottleneck_block";
    let count = match is_nested {
        true => reader.count("its number of blocks", MAX_BLOCKS)?,
        false => 0,
    };
    let before = NormAct::read(reader, x.channels)?;
    let conv = Conv::read(reader, x.channels, None)?;
    let is_of_tokens = is_nested && conv.kernel == [1, 1] && reader.begins_with(TRANSFORMER);
    let form = if is_of_tokens {
        Form::Tokens
    } else {
        Form::Map
    };
    let x = writer.formed(x, form);
    let inner = writer.norm_act(x, &before);
    let inner = match kind {
        _ if is_nested => {
            let inner = writer.conv(inner, &conv, None);
            let inner = stack(reader, writer, inner, count, depth + 1)?;
            let after = NormAct::read(reader, conv.outputs)?;
            writer.norm_act(inner, &after)
        }
        "ordinary_block" => {
            let after = NormAct::read(reader, conv.outputs)?;
            let inner = writer.conv(inner, &conv, Some(&after.norm));
            writer.activated(inner, after.activation)
        }
        _ => {
            let pooling = Pooling::read(reader, [x.channels, conv.outputs])?;
            let after = NormAct::read(reader, conv.outputs)?;
            writer.pooling_conv(inner, &conv, &pooling, &after).0
        }
    };
    let last = Conv::read(reader, conv.outputs, Some(x.channels))?;
    Ok((x, writer.conv(inner, &last, None)))
}
